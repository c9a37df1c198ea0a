package jobs

import "time"

// FetchRates reads exchange rates once a day, from the European Central Bank or from the operator's file. It looks whether
// that is due.
var FetchRates = tick("rates:fetch", 5*time.Minute)

// SettleRates gives days that went without a rate theirs once there is one, and those that the operator has replaced, and
// starts RestateMoney for each account with facts of them.
var SettleRates = tick("rates:settle", 5*time.Minute)

// RestateMoney gives an account's clicks, conversions and spend the rates of their days, where they have another one.
// It works in batches: ledger and rows agree after each of them.
var RestateMoney = Define[None, None]("rates:restate", Policy{Queue: Bulk, Timeout: 10 * time.Minute, Retention: time.Minute})
