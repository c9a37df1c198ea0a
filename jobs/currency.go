package jobs

import "time"

// ChangeCurrencyArgs are the former and the new currency, and the progress of the job.
type ChangeCurrencyArgs struct {
	From string `json:"from"`
	To   string `json:"to"`

	Found bool `json:"found,omitempty"` // the amounts to restate have all been found
	// Orphaned is the first day whose conversions without clicks are not restated yet. It is zero until that part of the work
	// begins.
	Orphaned time.Time `json:"orphaned,omitzero"`
}

// ChangeCurrencyAnswer has the former and the new currency.
type ChangeCurrencyAnswer struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ChangeCurrency restates all recorded amounts of an account after its currency was changed. It works in batches, and ledger and
// rows agree after each batch. Reports show the new currency while the job is still running.
var ChangeCurrency = Define[ChangeCurrencyArgs, ChangeCurrencyAnswer]("currency:change", Policy{
	Queue: Bulk, Timeout: 4 * time.Hour, Row: true,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, time.Hour, 6 * time.Hour},
})
