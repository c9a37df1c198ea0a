package notification_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"switchyard/models/notification"
)

func signStripeAt(body string, at time.Time, key string) notification.Request {
	r := request(body)
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), r.Body)
	r.Header["stripe-signature"] = fmt.Sprintf("t=%d,v1=%s,v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
	return r
}

func signStripe(body string) notification.Request {
	return signStripeAt(body, received.Add(-2*time.Second), secret)
}

func stripeEvent(kind, object string) string {
	return `{"id": "evt_1QNabc", "object": "event", "api_version": "2025-03-31.basil", "created": 1732099000, "livemode": true, "pending_webhooks": 1,
		"request": {"id": null, "idempotency_key": null}, "type": "` + kind + `", "data": {"object": {` + object + `}}}`
}

func TestStripe(t *testing.T) {
	t.Parallel()
	session := `"id": "cs_live_a1", "object": "checkout.session", "created": 1732098990, "currency": "usd", "customer": "cus_1", "mode": "payment",
		"customer_details": {"email": "jenny@example.com"}, "payment_intent": "pi_3Q", "status": "complete", "metadata": {}`
	subscribed := `"id": "cs_live_b2", "currency": "eur", "mode": "subscription", "subscription": "sub_9", "invoice": "in_1", "payment_intent": null,
		"amount_total": 2900, "payment_status": "paid", "client_reference_id": "CLICK"`
	invoice := `"id": "in_2", "object": "invoice", "currency": "eur", "amount_paid": 2900, "amount_due": 2900, "created": 1734690000,
		"status_transitions": {"paid_at": 1734690100}, "lines": {"data": [{"id": "il_1", "metadata": {}}]}`
	charge := `"id": "ch_3Q", "object": "charge", "amount": 5000, "currency": "usd", "payment_intent": "pi_3Q", "metadata": {}`
	check(t, "stripe", signStripe, []readCase{
		{
			"session", stripeEvent("checkout.session.completed", session+`, "amount_total": 5000, "payment_status": "paid", "client_reference_id": "CLICK"`),
			"pi_3Q |  | checkout.session.completed | 50 usd | click=CLICK",
		},
		{
			"metadata", stripeEvent("checkout.session.completed", strings.Replace(session, `{}`, `{"plan": "pro", "click_id": "CLICK"}`, 1)+`, "amount_total": 1999, "payment_status": "paid"`),
			"pi_3Q |  | checkout.session.completed | 19.99 usd | click=CLICK",
		},
		{
			"yen", stripeEvent("checkout.session.completed", strings.Replace(session, `"usd"`, `"jpy"`, 1)+`, "amount_total": 5000, "payment_status": "paid", "client_reference_id": "CLICK"`),
			"pi_3Q |  | checkout.session.completed | 5000 jpy | click=CLICK",
		},
		{
			"dinar", stripeEvent("checkout.session.completed", strings.Replace(session, `"usd"`, `"kwd"`, 1)+`, "amount_total": 12500, "payment_status": "paid", "client_reference_id": "CLICK"`),
			"pi_3Q |  | checkout.session.completed | 12.5 kwd | click=CLICK",
		},
		{
			"krona", stripeEvent("checkout.session.completed", strings.Replace(session, `"usd"`, `"isk"`, 1)+`, "amount_total": 50000, "payment_status": "paid", "client_reference_id": "CLICK"`),
			"pi_3Q |  | checkout.session.completed | 500 isk | click=CLICK",
		},
		{
			"unpaid", stripeEvent("checkout.session.completed", session+`, "amount_total": 5000, "payment_status": "unpaid", "client_reference_id": "CLICK"`),
			"pi_3Q |  | unpaid | 50 usd | click=CLICK",
		},
		{
			"paid later", stripeEvent("checkout.session.async_payment_succeeded", session+`, "amount_total": 5000, "payment_status": "paid", "client_reference_id": "CLICK"`),
			"pi_3Q |  | checkout.session.async_payment_succeeded | 50 usd | click=CLICK",
		},
		{
			"failed later", stripeEvent("checkout.session.async_payment_failed", session+`, "amount_total": 5000, "payment_status": "unpaid", "client_reference_id": "CLICK"`),
			"pi_3Q |  | checkout.session.async_payment_failed | 50 usd | click=CLICK",
		},
		{"subscription", stripeEvent("checkout.session.completed", subscribed), "in_1 |  | checkout.session.completed | 29 eur | click=CLICK"},
		{"setup", stripeEvent("checkout.session.completed", `"id": "cs_1", "mode": "setup"`), "ignored: nothing is sold in a session of the mode setup"},
		{
			"first invoice", stripeEvent("invoice.paid", strings.Replace(invoice, "in_2", "in_1", 1)+`, "billing_reason": "subscription_create", "parent": {"subscription_details": {"subscription": "sub_9", "metadata": {}}}`),
			"in_1 |  |  | eur | about=[in_1 sub_9] | same",
		},
		{
			"first invoice, API", stripeEvent("invoice.paid", invoice+`, "billing_reason": "subscription_create", "subscription": "sub_9", "subscription_details": {"metadata": {"clickid": "CLICK"}}`),
			"in_2 |  | invoice.paid | 29 eur | click=CLICK",
		},
		{
			"renewal", stripeEvent("invoice.paid", invoice+`, "billing_reason": "subscription_cycle", "parent": {"subscription_details": {"subscription": "sub_9", "metadata": {}}}`),
			"in_2 | rebill | invoice.paid | 29 eur | about=[sub_9]",
		},
		{
			"renewal, old API", stripeEvent("invoice.payment_succeeded", invoice+`, "billing_reason": "subscription_cycle", "subscription": "sub_9", "charge": "ch_9", "payment_intent": "pi_9"`),
			"in_2 | rebill | invoice.paid | 29 eur | about=[sub_9]",
		},
		{
			"free renewal", stripeEvent("invoice.paid", strings.Replace(invoice, `"amount_paid": 2900`, `"amount_paid": 0`, 1)+`, "billing_reason": "subscription_cycle", "subscription": "sub_9"`),
			"ignored: nothing was paid",
		},
		{
			"payment of invoice", stripeEvent("invoice_payment.paid", `"id": "inpay_1", "invoice": "in_2", "payment": {"type": "payment_intent", "payment_intent": "pi_9"}`),
			" |  |  |  | about=[in_2] | same",
		},
		{
			"payment", stripeEvent("payment_intent.succeeded", `"id": "pi_7", "amount_received": 700, "currency": "gbp", "latest_charge": "ch_7", "metadata": {"cid": "CLICK"}`),
			"pi_7 |  | payment_intent.succeeded | 7 gbp | click=CLICK",
		},
		{
			"payment without click", stripeEvent("payment_intent.succeeded", `"id": "pi_7", "amount_received": 700, "currency": "gbp", "metadata": {}`),
			"ignored: its metadata names no click; checkout.session.completed reports the payment of a session",
		},
		{"refund", stripeEvent("charge.refunded", charge+`, "amount_refunded": 5000, "refunded": true`), "pi_3Q |  | charge.refunded | -50 usd | about=[pi_3Q ch_3Q] | same"},
		{"part refunded", stripeEvent("charge.refunded", charge+`, "amount_refunded": 1250, "refunded": false`), "pi_3Q |  |  | 37.5 usd | about=[pi_3Q ch_3Q] | same"},
		{
			"dispute", stripeEvent("charge.dispute.created", `"id": "du_1", "charge": "ch_3Q", "payment_intent": "pi_3Q", "amount": 5000, "currency": "usd", "status": "needs_response"`),
			" |  | charge.dispute.created | -50 usd | about=[pi_3Q ch_3Q] | same",
		},
		{
			"inquiry", stripeEvent("charge.dispute.created", `"id": "du_1", "charge": "ch_3Q", "amount": 5000, "currency": "usd", "status": "warning_needs_response"`),
			"ignored: the bank inquires and takes nothing back",
		},
		{
			"won", stripeEvent("charge.dispute.closed", `"id": "du_1", "charge": "ch_3Q", "amount": 5000, "currency": "usd", "status": "won"`),
			"ignored: the dispute was won, but the conversion stays a chargeback until it is corrected by hand",
		},
		{"payment method", stripeEvent("payment_method.attached", `"id": "pm_1", "type": "card"`), "ignored: it is no payment, refund or dispute"},
		{"cancelled subscription", stripeEvent("customer.subscription.deleted", `"id": "sub_9"`), "ignored: it is no payment, refund or dispute"},
		{"test mode", strings.Replace(stripeEvent("charge.refunded", charge), `"livemode": true`, `"livemode": false`, 1), "ignored: it is a test of the platform, and no order"},
	})
	forged(t, "stripe", signStripe(stripeEvent("charge.refunded", charge)))
}

// TestStripeReplay checks that a signature is valid only for arrivals within five minutes of its time, so a recorded event
// cannot be sent again later.
func TestStripeReplay(t *testing.T) {
	t.Parallel()
	s := scheme(t, "stripe")
	body := stripeEvent("payment_method.attached", `"id": "pm_1"`)
	for offset, ok := range map[time.Duration]bool{
		-5 * time.Minute: true, 5 * time.Minute: true, -5*time.Minute - time.Second: false, 6 * time.Minute: false, -24 * time.Hour: false,
	} {
		_, err := s.Read(signStripeAt(body, received.Add(offset), secret), secret, nil)
		if ok != (err == nil) || !ok && !errors.Is(err, notification.ErrUnproven) {
			t.Errorf("a signature %s from the arrival gives %v; want it to be valid: %t", offset, err, ok)
		}
	}
	r := signStripeAt(body, received.Add(-time.Hour), secret)
	_, sums, _ := strings.Cut(r.Header["stripe-signature"], ",")
	r.Header["stripe-signature"] = fmt.Sprintf("t=%d,%s", received.Unix(), sums)
	if _, err := s.Read(r, secret, nil); !errors.Is(err, notification.ErrUnproven) {
		t.Errorf("an event with a changed time is accepted: %v", err)
	}
	byOld, byNew := signStripeAt(body, received, "old"), signStripeAt(body, received, secret)
	byOld.Header["stripe-signature"] += "," + strings.Split(byNew.Header["stripe-signature"], ",")[1]
	if _, err := s.Read(byOld, secret, nil); err != nil {
		t.Errorf("an event with a signature by the old secret and one by the new secret is refused: %v", err)
	}
}
