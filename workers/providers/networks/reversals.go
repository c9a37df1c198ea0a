package networks

import (
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models/money"
)

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

// netReversals subtracts from each order its reversals that are separate records. If nothing is left of the order, or an amount
// cannot be read, the order takes the reversal's status. A reversal without its order stays in the list with Alone set. A record
// that occurs twice counts once.
func netReversals(all []Order) []Order {
	seen, sales := map[string]bool{}, map[string][]int{}
	out := make([]Order, 0, len(all))
	var reversals []Order
	for _, o := range all {
		if o.recordID != "" {
			if seen[o.recordID] {
				continue
			}
			seen[o.recordID] = true
		}
		if o.isReversal {
			reversals = append(reversals, o)
			continue
		}
		if o.orderKey != "" {
			sales[o.orderKey] = append(sales[o.orderKey], len(out))
		}
		out = append(out, o)
	}
	for _, reversal := range reversals {
		indexes := sales[reversal.orderKey]
		if reversal.orderKey == "" || len(indexes) == 0 {
			reversal.Alone = true
			out = append(out, reversal)
			continue
		}
		left, known := amount(reversal.Payout)
		left = left.Abs()
		for _, i := range indexes {
			left = out[i].subtract(left, known, reversal.Status)
		}
		if only := &out[indexes[0]]; len(indexes) == 1 && only.Status != reversal.Status {
			only.subtractSale(reversal)
		}
	}
	return out
}

// subtractSale subtracts the sale of a partial reversal, if both amounts are known and in one currency, and something is left.
func (o *Order) subtractSale(reversal Order) {
	sale, ok := amount(o.Sale)
	taken, known := amount(reversal.Sale)
	if left := sale.Sub(taken.Abs()); ok && known && o.SaleCurrency == reversal.SaleCurrency && left.IsPositive() {
		o.Sale = money.Text(left)
	}
}

// subtract subtracts an amount from the payout of an order, and returns the part of the amount that is left to subtract. If an
// amount cannot be read, or nothing of the payout would be left, the order keeps its payout and gets the status.
func (o *Order) subtract(taken decimal.Decimal, known bool, status string) decimal.Decimal {
	payout, ok := amount(o.Payout)
	switch {
	case known && taken.IsZero():
		return taken
	case !known || !ok || payout.Cmp(taken) <= 0:
		o.Status = status
		return decimal.Max(taken.Sub(payout), decimal.Zero)
	}
	o.Payout = money.Text(payout.Sub(taken))
	return decimal.Zero
}
