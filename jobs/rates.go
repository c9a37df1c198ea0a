package jobs

import "time"

// FetchRates reads exchange rates from the European Central Bank or, if the operator has set a file of rates, from this file. Each
// run first checks whether a fetch is due.
var FetchRates = tickWithin("rates:fetch", 5*time.Minute)

// UpdateRates fills in missing rates of days, and updates days whose rates the operator has replaced. It starts RestateMoney for
// each account with clicks, conversions or spend on these days.
var UpdateRates = tickWithin("rates:settle", 5*time.Minute)

// RestateMoney corrects the clicks, conversions and spend of an account that do not have the rate of their day. It works in
// batches, and ledger and rows agree after each batch.
var RestateMoney = Define[None, None]("rates:restate", Policy{Queue: Bulk, Timeout: 10 * time.Minute, Retention: time.Minute})
