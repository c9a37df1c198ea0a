package report

import "time"

// Spend that stands alone is a fact of its own, next to clicks and conversions. Its only figure is its cost.
const aloneFacts = "spend_alone f WHERE f.account_id = "

func (b *builder) ofSpend(m measure) string {
	if m.name == "cost" {
		return b.prices.spend
	}
	return none
}

// fromSpend adds the spend of a window that stands alone.
func (b *builder) fromSpend(from, to time.Time) {
	b.part("f.at", aloneFacts+b.account+" AND f.at >= "+b.arg(from)+" AND f.at < "+b.arg(to), b.ofSpend)
}

// fromSpendOf is fromSpend for single hours.
func (b *builder) fromSpendOf(hours []time.Time) {
	b.part("f.at", aloneFacts+b.account+" AND f.at = ANY ("+b.arg(texts(hours))+"::timestamptz[])", b.ofSpend)
}
