package report

import (
	"time"

	"switchyard/models/measure"
)

// Spend without clicks is a separate kind of fact, like clicks and conversions. Its only figure is its cost.
const aloneFacts = "spend_alone f WHERE f.account_id = "

func (b *builder) ofSpend(m *measure.Measure) string { return b.prices.in.Replace(m.OfSpend()) }

// fromSpend adds the spend without clicks of a window.
func (b *builder) fromSpend(from, to time.Time) {
	b.part("f.at", aloneFacts+b.account+" AND f.at >= "+b.arg(from)+" AND f.at < "+b.arg(to), b.ofSpend)
}

// fromSpendOf does the same as fromSpend for single hours.
func (b *builder) fromSpendOf(hours []time.Time) {
	b.part("f.at", aloneFacts+b.account+" AND f.at = ANY ("+b.arg(texts(hours))+"::timestamptz[])", b.ofSpend)
}
