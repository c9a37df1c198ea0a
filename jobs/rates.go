package jobs

import "time"

// FetchRates reads exchange rates once a day, from the European Central Bank or from the operator's file. It looks whether
// that is due.
var FetchRates = tick("rates:fetch", 5*time.Minute)
