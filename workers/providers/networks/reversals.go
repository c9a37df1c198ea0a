package networks

import (
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models/money"
)

// amount reads an amount of a platform.
func amount(word string) (decimal.Decimal, bool) {
	d, err := decimal.NewFromString(strings.TrimSpace(word))
	return d, err == nil
}

// negative reports whether the payout is below zero.
func (o Order) negative() bool {
	d, ok := amount(o.Payout)
	return ok && d.IsNegative()
}

// sum adds amounts. The result is empty if no text is an amount.
func sum(amounts []text) string {
	total, known := decimal.Zero, false
	for _, a := range amounts {
		if d, ok := amount(string(a)); ok {
			total, known = total.Add(d), true
		}
	}
	if !known {
		return ""
	}
	return money.Text(total)
}

// netReversals subtracts reversals that are separate records from their orders. An order with nothing left takes the reversal's
// status. An order with something left has a smaller payout. A reversal without its order stays in the list with Alone set,
// and keeps its own status. A record that occurs twice counts once.
func netReversals(all []Order) []Order {
	seen, sales := map[string]bool{}, map[string][]int{}
	out := make([]Order, 0, len(all))
	var backs []Order
	for _, o := range all {
		if o.record != "" {
			if seen[o.record] {
				continue
			}
			seen[o.record] = true
		}
		if o.back {
			backs = append(backs, o)
			continue
		}
		if o.whole != "" {
			sales[o.whole] = append(sales[o.whole], len(out))
		}
		out = append(out, o)
	}
	for _, back := range backs {
		of := sales[back.whole]
		if back.whole == "" || len(of) == 0 {
			back.Alone = true
			out = append(out, back)
			continue
		}
		left, some := amount(back.Payout)
		left = left.Abs()
		for _, i := range of {
			left = out[i].subtract(left, some, back.Status)
		}
		if only := &out[of[0]]; len(of) == 1 && only.Status != back.Status {
			only.subtractSale(back)
		}
	}
	return out
}

// subtractSale subtracts the sale of a partial reversal. The sale stays if one of the amounts is not known, or if nothing would be left.
func (o *Order) subtractSale(back Order) {
	sale, ok := amount(o.Sale)
	taken, known := amount(back.Sale)
	if left := sale.Sub(taken.Abs()); ok && known && o.SaleCurrency == back.SaleCurrency && left.IsPositive() {
		o.Sale = money.Text(left)
	}
}

// subtract subtracts an amount from the payout of an order. It returns the part of the amount that is left to subtract. It takes
// the whole payout and sets the order's status in three cases: some is false because the amount is not known, the payout
// cannot be read, or the amount is at least the payout.
func (o *Order) subtract(from decimal.Decimal, some bool, status string) decimal.Decimal {
	payout, ok := amount(o.Payout)
	switch {
	case some && from.IsZero():
	case !some || !ok || payout.Cmp(from) <= 0:
		o.Status = status
		return decimal.Max(from.Sub(payout), decimal.Zero)
	default:
		o.Payout = money.Text(payout.Sub(from))
		return decimal.Zero
	}
	return from
}
