package conversion_test

import (
	"crypto/sha512"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// digistoreBody returns a form with the signature of its fields.
func digistoreBody(fields map[string]string) string {
	var text strings.Builder
	form := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text.WriteString(name + "=" + fields[name] + shopSecret)
		form.Set(name, fields[name])
	}
	form.Set("sha_sign", fmt.Sprintf("%X", sha512.Sum512([]byte(text.String()))))
	return form.Encode()
}

// TestRefundOfPart: the size of a refund is compared with the price, not with the account's share of it. A refund of less than
// the price is ignored.
func TestRefundOfPart(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	shop := b.shop("digistore24")
	click := b.clickOf(shop)
	transaction := func(event, id, share, price string) string {
		return digistoreBody(map[string]string{
			"event": event, "transaction_id": id, "order_id": "A3", "product_id": "7", "pay_sequence_no": "1", "custom": click,
			"amount_payout": share, "transaction_amount": price, "currency": "EUR",
		})
	}
	for i, step := range []struct{ body, outcome, want string }{
		{transaction("on_payment", "T1", "40.00", "100.00"), "recorded created", "T1 approved 40 EUR"},
		{transaction("on_refund", "T2", "-24.00", "-60.00"), "ignored a part of the sale was refunded: correct the payout, or let the shop send the order's updates", "T1 approved 40 EUR"},
		{transaction("on_refund", "T3", "-40.00", "-100.00"), "recorded updated", "T1 chargeback 40 EUR"},
	} {
		outcome, detail := b.decided(b.notify(shop, map[string]string{"content-type": "application/x-www-form-urlencoded"}, step.body))
		if got := b.recordedOf(click); outcome+" "+detail != step.outcome || got != step.want {
			t.Errorf("step %d: %s %s\n got %s\nwant %s", i, outcome, detail, got, step.want)
		}
	}
}
