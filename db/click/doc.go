// Package click stores clicks. It is the lowest of the packages that store what visitors do:
//
//	click < conversion < spend < botscan < ingest < retention
//	                     spend < clickcopy
//
// A package imports only packages to its left. Store reads and writes clicks. Log finds clicks and reads their logs.
// Code that changes a click locks its row and writes the ledger deltas in the same transaction.
//
// A click, a conversion or a spend is called a fact. A fact keeps its original amounts and their currency, and has a column for the
// rate of its day. Reports and the ledger add up the product of amount and rate, which is in the account's currency. This has
// four advantages. Lists and messages contain the original amounts. A conversion's payout is computed from its statements in its
// own currency. A rate that becomes known later changes a single column. Products are not rounded, so the shares of a spend add
// up to the total that the spend counts. Only the cost of a conversion is stored in the account's currency. It is computed from
// the price set by the click and from the payout, and these may have different currencies. Facts in the account's own currency
// have the rate 1 and need no look-up. Without a rate the column is NULL, and the money of the fact is not counted. Package
// exchangerate describes how a day gets its rate. When a rate becomes known, package spend updates the facts and the ledger.
//
// Old clicks may be only in ClickHouse. A day whose clicks have left PostgreSQL is called cold, and so are its clicks. Reads find
// them in ClickHouse. A change first thaws them: it inserts them into PostgreSQL again (see thaw.go). All decisions are made from
// PostgreSQL, which is the source of truth.
package click
