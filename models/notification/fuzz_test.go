package notification_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/notification"
	"switchyard/models/postback"
)

// FuzzRead reads messages of any content, each with a proof. The proof is valid, unless the content contains a proof too.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{` + shopifyOrder + withAttribute + `, "financial_status": "paid"}`, `{` + wooOrder + `, "status": "refunded"}`,
		stripeEvent("charge.refunded", `"id": "ch_1", "amount": 5000, "amount_refunded": 1, "currency": "jpy"`),
		stripeEvent("invoice.paid", `"id": "in_1", "lines": {"data": [{"metadata": {"clickid": "CLICK"}}]}, "billing_reason": "subscription_create"`),
		`{"transactionType": "SALE", "receipt": "A", "trackingCodes": ["CLICK", 1, null], "lineItems": [{"accountAmount": 1e9}]}`,
		`event=on_payment&transaction_id=1&pay_sequence_no=2&custom=CLICK`, `ctransaction=BILL&ctransreceipt=1-B001&ctransamount=1e3`,
		`WP_ACTION=sale&WP_SALE=1&WP_SID=CLICK`, `action_type=refund&order_id=1`, `{"id": null, "order_id": {}, "refund_line_items": []}`,
		`event=order.success&order_id=1&order[charges][][reference]=bump-1&order[charges][0][amount]=9&order=x`, `a[b][c][d][e][f][g][h][i][j]=1&a=2`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		messages := map[string]notification.Request{
			"shopify": signed64("x-shopify-hmac-sha256", body), "woocommerce": signed64("x-wc-webhook-signature", body),
			"stripe": signStripe(body), "clickbank": sealClickBank(body),
			"warriorplus": request(body + "&WP_SECURITYKEY=" + secret), "thrivecart": request(body + "&thrivecart_secret=" + secret),
			"buygoods": request(body + "&token_ipn=" + secret),
		}
		if v, err := url.ParseQuery(strings.ReplaceAll(body, "CLICK", click)); err == nil {
			v.Del("sha_sign")
			v.Del("SHASIGN")
			v.Set("sha_sign", digistoreSum(func(s string) string { return s })(v))
			messages["digistore24"] = posted(v)
			v.Del("cverify")
			v.Set("cverify", jvzooSum("")(v))
			messages["jvzoo"] = posted(v)
		}
		for name, r := range messages {
			s := scheme(t, name)
			out, err := s.Read(r, secret, map[string]string{"click_id": "custom", "payout": "total", "goal": "event"})
			if err != nil {
				if _, known := models.AsError(err); !known && !errors.Is(err, notification.ErrUnproven) {
					t.Errorf("%s: the error is neither ErrUnproven nor one with a reason for people: %v", name, err)
				}
				continue
			}
			// The key of a Stripe event is the id in the event, which may be missing.
			if len(out.Reports) == 0 && out.Ignored == "" || len(out.Reports) > 30 || out.Key == "" && name != "stripe" {
				t.Errorf("%s: the result has no content, no key or more than 30 reports: %+v", name, out)
			}
			for _, report := range out.Reports {
				if report.Click != "" && !postback.IsClick(report.Click, received) {
					t.Errorf("%s: a report has the click %q, which is no click id of this service", name, report.Click)
				}
			}
		}
	})
}
