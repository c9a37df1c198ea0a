package jobs

import "time"

// ChangeCurrencyArgs are the currencies, and how far the job is.
type ChangeCurrencyArgs struct {
	From string `json:"from"`
	To   string `json:"to"`

	Found bool `json:"found,omitempty"` // all facts are known
	// Orphaned is the first day whose conversions without clicks are not restated yet. It is zero before that work begins.
	Orphaned time.Time `json:"orphaned,omitzero"`
}

// ChangeCurrencyAnswer says what was changed.
type ChangeCurrencyAnswer struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ChangeCurrency restates what an account has recorded after its currency was changed. It works in batches: ledger and rows
// agree after each, and reports count everything in the new currency from the beginning.
var ChangeCurrency = Define[ChangeCurrencyArgs, ChangeCurrencyAnswer]("currency:change", Policy{
	Queue: Bulk, Timeout: 4 * time.Hour, Row: true,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, time.Hour, 6 * time.Hour},
})
