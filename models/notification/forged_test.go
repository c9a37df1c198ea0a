package notification_test

import (
	"crypto/sha1"
	"crypto/sha512"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"switchyard/models/notification"
)

// TestSignedFieldsAreThoseOfAForm checks that messages of Digistore24 and JVZoo are accepted only if their data is in the fields
// of a form. These platforms sign only such fields, and not the members of a JSON object.
func TestSignedFieldsAreThoseOfAForm(t *testing.T) {
	t.Parallel()
	digistore := `"event": "on_payment", "transaction_id": "1", "custom": "CLICK", "transaction_amount": "9999", "currency": "EUR"`
	jvzoo := `"ctransaction": "SALE", "ctransreceipt": "1", "caffitid": "CLICK", "ctransamount": "999900"`
	sumOfNothing := fmt.Sprintf("%X", sha512.Sum512(nil))
	sumOfSecret := fmt.Sprintf("%X", sha1.Sum([]byte(secret)))[:8]
	for name, tt := range map[string]struct{ scheme, body, kind string }{
		"Digistore24 as JSON":         {"digistore24", `{"sha_sign": "` + sumOfNothing + `", ` + digistore + `}`, "application/json"},
		"Digistore24 as JSON in form": {"digistore24", `{"SHASIGN": "` + sumOfNothing + `", ` + digistore + `}`, "application/x-www-form-urlencoded"},
		"Digistore24 without fields":  {"digistore24", "sha_sign=" + sumOfNothing, "application/x-www-form-urlencoded"},
		"Digistore24 empty fields":    {"digistore24", "event=&custom=&sha_sign=" + sumOfNothing, "application/x-www-form-urlencoded"},
		"JVZoo as JSON":               {"jvzoo", `{"cverify": "` + sumOfSecret + `", ` + jvzoo + `}`, "application/json"},
	} {
		if got, err := scheme(t, tt.scheme).Read(request(tt.body, "content-type", tt.kind), secret, nil); !errors.Is(err, notification.ErrUnproven) {
			t.Errorf("%s is accepted: %v %s", name, err, describe(got))
		}
	}
}

// TestKeyIsOfWhatIsSigned checks that a message that is sent again keeps its key, even if its URL, the order of its fields or
// their escapes are different.
func TestKeyIsOfWhatIsSigned(t *testing.T) {
	t.Parallel()
	sign := signer("sha_sign", digistoreSum(func(s string) string { return s }))
	payment := sign("event=on_payment&transaction_id=7&custom=CLICK&product_name=Tea+%26+Cups&amount_payout=20.11&currency=EUR")
	turned := payment
	fields := strings.Split(string(payment.Body), "&")
	slices.Reverse(fields)
	turned.Body = []byte(strings.ReplaceAll(strings.Join(fields, "&"), "+", "%20"))
	order := signed64("x-wc-webhook-signature", `{`+wooOrder+`, "status": "completed"}`)
	elsewhere := order
	elsewhere.Query = "again=1"
	other := signed64("x-wc-webhook-signature", `{`+wooOrder+`, "status": "cancelled"}`)
	for name, tt := range map[string]struct {
		scheme       string
		first, again notification.Request
		same         bool
	}{
		"fields in another order": {"digistore24", payment, turned, true},
		"another address":         {"woocommerce", order, elsewhere, true},
		"another status":          {"woocommerce", order, other, false},
	} {
		s := scheme(t, tt.scheme)
		a, errA := s.Read(tt.first, secret, nil)
		b, errB := s.Read(tt.again, secret, nil)
		if errA != nil || errB != nil || a.Key == "" || (a.Key == b.Key) != tt.same {
			t.Errorf("%s: the keys are %q (%v) and %q (%v), want the same key: %t", name, a.Key, errA, b.Key, errB, tt.same)
		}
	}
}

// TestVersionSorts checks that the version of an order is a text that sorts by time, in whichever time zone the shop writes the
// time.
func TestVersionSorts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ scheme, header, member, want string }{
		"WooCommerce":     {"woocommerce", "x-wc-webhook-signature", `"date_modified_gmt": "2026-11-20T10:59:07"`, "2026-11-20T10:59:07.000"},
		"Shopify":         {"shopify", "x-shopify-hmac-sha256", `"updated_at": "2026-11-20T05:59:07-05:00"`, "2026-11-20T10:59:07.000"},
		"unreadable time": {"shopify", "x-shopify-hmac-sha256", `"updated_at": "yesterday"`, ""},
		"missing time":    {"woocommerce", "x-wc-webhook-signature", `"a": 1`, ""},
	} {
		order := map[string]string{"shopify": shopifyOrder + `, "financial_status": "paid"`, "woocommerce": wooOrder + `, "status": "completed"`}[tt.scheme]
		got, err := scheme(t, tt.scheme).Read(signed64(tt.header, `{`+order+`, `+tt.member+`}`), secret, nil)
		if err != nil || got.Version != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got.Version, err, tt.want)
		}
	}
}
