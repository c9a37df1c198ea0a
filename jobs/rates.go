package jobs

import "time"

// FetchRates reads exchange rates once a day, from the European Central Bank or from the operator's file. Each run first checks
// whether a fetch is due.
var FetchRates = tick("rates:fetch", 5*time.Minute)

// SettleRates fills in the rates of days without a rate once one is known, and updates the days whose rates the operator has
// replaced. It starts RestateMoney for each account with facts on these days.
var SettleRates = tick("rates:settle", 5*time.Minute)

// RestateMoney corrects an account's clicks, conversions and spend whose rate differs from the rate of their day. It works in
// batches, and ledger and rows agree after each batch.
var RestateMoney = Define[None, None]("rates:restate", Policy{Queue: Bulk, Timeout: 10 * time.Minute, Retention: time.Minute})
