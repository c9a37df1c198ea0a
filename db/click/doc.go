// A click, a conversion or a spend is called a fact. A fact keeps its original amounts and their currency, and has a column for
// the rate of its day. Reports and the ledger add up the product of amount and rate, which is in the account's currency and is
// not rounded. A rate that becomes known later therefore changes a single column. Only the cost of a conversion is stored in the
// account's currency: the click's price and the payout from which it is computed may have different currencies. Without a rate
// the rate's column is NULL, and the money of the fact is not counted. Package exchangerate describes how a day gets its rate.
package click
