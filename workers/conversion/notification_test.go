package conversion_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	dbconversion "switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/postback"
)

const shopSecret = "whsec_k3y"

// shop adds a network that sends notifications in the format of a scheme. Its secret is shopSecret.
func (b *env) shop(scheme string) (network uuid.UUID) {
	b.Helper()
	network = uuid.New()
	dbtest.Exec(b, b.db, `INSERT INTO networks (id, account_id, name, postback_params, postback_scheme) VALUES ($1, $2, $3, '{}', $4)`,
		network, b.account, "shop "+network.String(), scheme)
	b.setSecret(network, shopSecret)
	return network
}

// clickOf stores a click of a new offer of a network. The offer takes its payout from the notification.
func (b *env) clickOf(network uuid.UUID) string {
	b.Helper()
	c := b.newClick()
	c.OfferID, c.NetworkID = uuid.New(), network
	dbtest.Exec(b, b.db, `INSERT INTO offers (id, account_id, name, url, network_id, payout, payout_from_param) VALUES ($1, $2, $3, 'https://o.test/', $4, 0, true)`,
		c.OfferID, b.account, "offer "+c.OfferID.String(), network)
	b.appendToSpool(spool.Record{Click: c})
	return models.FormatClickID(c.ID)
}

// notify stores a notification in the same way as the web process, and returns its id.
func (b *env) notify(network uuid.UUID, header map[string]string, body string) uuid.UUID {
	b.Helper()
	p := models.Postback{
		ID: models.NewClickID(), AccountID: b.account, NetworkID: network, Source: models.FromPostback,
		Raw: &models.RawMessage{Header: header, Body: postback.PackBody([]byte(body))},
	}
	proof, _ := postback.Hide(&p, postback.Network{}, func(string) bool { return false })
	p.Proof = must(b.store.SealProof(b.Context(), p.ID, proof))(b)
	b.appendToSpool(spool.Record{Postback: &p})
	b.drain()
	return p.ID
}

func stripeHeader(body, key string, at time.Time) map[string]string {
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return map[string]string{"stripe-signature": fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))}
}

func stripeEvent(id, kind, object string) string {
	return `{"id": "` + id + `", "livemode": true, "type": "` + kind + `", "data": {"object": {` + object + `}}}`
}

func shopifyHeader(body string) map[string]string {
	mac := hmac.New(sha256.New, []byte(shopSecret))
	mac.Write([]byte(body))
	return map[string]string{"x-shopify-hmac-sha256": base64.StdEncoding.EncodeToString(mac.Sum(nil))}
}

// recordedOf returns the conversions of a click.
func (b *env) recordedOf(click string) string {
	b.Helper()
	id, err := models.ParseClickID(click)
	if err != nil {
		b.Fatal(err)
	}
	rows := dbtest.Get[string](b, b.db, `SELECT coalesce(string_agg(concat_ws(' ', conversion_id, nullif(goal, ''), status, trim_scale(payout), currency), ', ' ORDER BY conversion_id), '')
		FROM conversions WHERE click_id = $1`, id)
	return rows
}

// TestStripeSubscription: only the checkout session of a subscription names the click. The later events name the subscription, an
// invoice or a payment.
func TestStripeSubscription(t *testing.T) {
	t.Parallel()
	b := newEnv(t, time.Millisecond, time.Millisecond, time.Millisecond)
	shop := b.shop("stripe")
	click := b.clickOf(shop)
	const parent = `"parent": {"subscription_details": {"subscription": "sub_9", "metadata": {}}}`
	for _, step := range []struct{ id, kind, object, outcome, want string }{
		{"evt_0", "payment_method.attached", `"id": "pm_1"`, "ignored it is no payment, refund or dispute", ""},
		{"evt_1", "checkout.session.completed", `"id": "cs_1", "mode": "subscription", "subscription": "sub_9", "invoice": "in_1", "amount_total": 2900, "currency": "eur",
			"payment_status": "paid", "client_reference_id": "` + click + `"`, "recorded created", "in_1 approved 29 EUR"},
		{"evt_2", "invoice.paid", `"id": "in_1", "billing_reason": "subscription_create", "amount_paid": 2900, "currency": "eur", ` + parent, "recorded duplicate", "in_1 approved 29 EUR"},
		{
			"evt_3", "invoice.paid", `"id": "in_2", "billing_reason": "subscription_cycle", "amount_paid": 2900, "currency": "eur", ` + parent, "recorded created",
			"in_1 approved 29 EUR, in_2 rebill approved 29 EUR",
		},
		{
			"evt_3", "invoice.paid", `"id": "in_2", "billing_reason": "subscription_cycle", "amount_paid": 9900, "currency": "eur", ` + parent, "recorded duplicate",
			"in_1 approved 29 EUR, in_2 rebill approved 29 EUR",
		},
		{
			"evt_4", "invoice_payment.paid", `"id": "inpay_1", "invoice": "in_2", "payment": {"type": "payment_intent", "payment_intent": "pi_2"}`, "recorded duplicate",
			"in_1 approved 29 EUR, in_2 rebill approved 29 EUR",
		},
		{
			"evt_5", "charge.refunded", `"id": "ch_2", "payment_intent": "pi_2", "amount": 2900, "amount_refunded": 900, "refunded": false, "currency": "eur", "metadata": {}`,
			"recorded updated", "in_1 approved 29 EUR, in_2 rebill approved 20 EUR",
		},
		{
			"evt_6", "charge.refunded", `"id": "ch_2", "payment_intent": "pi_2", "amount": 2900, "amount_refunded": 2900, "refunded": true, "currency": "eur", "metadata": {}`,
			"recorded updated", "in_1 approved 29 EUR, in_2 rebill chargeback 20 EUR",
		},
		{
			"evt_7", "charge.dispute.created", `"id": "du_1", "charge": "ch_9", "payment_intent": "pi_9", "amount": 700, "currency": "eur", "status": "needs_response"`,
			"ignored it names no click and refers to no conversion: the order came through no link, or the shop does not pass on the click id",
			"in_1 approved 29 EUR, in_2 rebill chargeback 20 EUR",
		},
	} {
		body := stripeEvent(step.id, step.kind, step.object)
		outcome, detail := b.decided(b.notify(shop, stripeHeader(body, shopSecret, time.Now()), body))
		if got := b.recordedOf(click); outcome+" "+detail != step.outcome || got != step.want {
			t.Errorf("%s %s: %s %s\n got %s\nwant %s", step.id, step.kind, outcome, detail, got, step.want)
		}
	}
}

// TestNotificationRefused: a forged, an old and an unsigned message are refused. A message that was refused because the network
// had no secret can be read again once the secret is entered.
func TestNotificationRefused(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	shop := b.shop("stripe")
	click := b.clickOf(shop)
	body := stripeEvent("evt_1", "checkout.session.completed", `"id": "cs_1", "mode": "payment", "payment_intent": "pi_1", "amount_total": 5000, "currency": "usd",
		"payment_status": "paid", "client_reference_id": "`+click+`"`)
	const wrong = "the secret of the network is missing or wrong"
	for name, header := range map[string]map[string]string{
		"unsigned": nil, "forged": stripeHeader(body, "whsec_other", time.Now()), "replayed": stripeHeader(body, shopSecret, time.Now().Add(-time.Hour)),
		"signed by X-Signature": {"x-signature": "00"},
	} {
		if outcome, detail := b.decided(b.notify(shop, header, body)); outcome != "refused" || detail != wrong {
			t.Errorf("%s: %s (%s)", name, outcome, detail)
		}
	}
	// A message with the secret among its parameters is not a notification.
	outcome, detail := b.postback(models.Postback{AccountID: b.account, NetworkID: shop, Params: params{"clickid": click, "secret": shopSecret}})
	if outcome != "refused" || !strings.HasPrefix(detail, wrong) {
		t.Errorf("the secret among the parameters: %s (%s), want refused", outcome, detail)
	}
	if got := b.recordedOf(click); got != "" {
		t.Errorf("refused notifications recorded the conversion %s", got)
	}
	dbtest.Exec(t, b.db, `UPDATE networks SET postback_secret = NULL WHERE id = $1`, shop)
	id := b.notify(shop, stripeHeader(body, shopSecret, time.Now()), body)
	if outcome, detail := b.decided(id); outcome != "refused" || !strings.Contains(detail, "no secret yet") {
		t.Errorf("a network without a secret: %s (%s), want refused", outcome, detail)
	}
	b.setSecret(shop, shopSecret)
	must(dbconversion.ReplayPostback(t.Context(), b.db, b.account, id))(t)
	if outcome, detail := b.decided(id); outcome != "recorded" || b.recordedOf(click) != "pi_1 approved 50 USD" {
		t.Errorf("read again with the secret: %s (%s), %s", outcome, detail, b.recordedOf(click))
	}
	// After the decision, the body is no longer stored, but the fields that were read from it are.
	stored := dbtest.Get[string](t, b.db, `SELECT concat(params::text, ' ', proof IS NULL) FROM postbacks WHERE id = $1`, id)
	if strings.Contains(stored, "cs_1") || !strings.HasSuffix(stored, " t") || !strings.Contains(stored, "checkout.session.completed") {
		t.Errorf("the notification must be stored with its fields, and without its body and proof: %s", stored)
	}
}

// TestNotificationOfAnotherNetwork: a notification of one network that names a click of another network is refused only if the
// network of the click has a secret.
func TestNotificationOfAnotherNetwork(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	shop, other := b.shop("shopify"), b.shop("stripe")
	order := func(click string) string {
		return `{"id": 7, "financial_status": "paid", "total_price": "20.00", "currency": "USD", "note_attributes": [{"name": "clickid", "value": "` + click + `"}]}`
	}
	body := order(b.clickOf(other))
	if outcome, detail := b.decided(b.notify(shop, shopifyHeader(body), body)); outcome != "refused" {
		t.Errorf("a click of a network with a secret: %s (%s), want refused", outcome, detail)
	}
	click := b.storeClick() // of a network without a secret
	body = order(click)
	if outcome, detail := b.decided(b.notify(shop, shopifyHeader(body), body)); outcome != "recorded" || b.recordedOf(click) != "7 approved 20 USD" {
		t.Errorf("a click of a network without a secret: %s (%s) %s", outcome, detail, b.recordedOf(click))
	}
}

// TestShopifyOrder: an order is recorded from its updates. A refund of a part changes nothing, because the update has the new
// total.
func TestShopifyOrder(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	shop := b.shop("shopify")
	click := b.clickOf(shop)
	order := func(status, total, more string) string {
		return `{"id": 7, "financial_status": "` + status + `", "current_total_price": "` + total + `", "total_price": "20.00", "currency": "EUR", "landing_site": "/?cid=` + click + `"` + more + `}`
	}
	refund := func(amount string) string {
		return `{"id": 9, "order_id": 7, "refund_line_items": [], "transactions": [{"kind": "refund", "status": "success", "amount": "` + amount + `", "currency": "EUR"}]}`
	}
	for i, step := range []struct{ body, outcome, want string }{
		{`{"id": 1, "title": "Tea", "variants": []}`, "ignored it is neither an order, nor a refund, nor a dispute", ""},
		{
			`{"id": 6, "financial_status": "paid", "total_price": "20.00", "currency": "EUR", "landing_site": "/"}`,
			"ignored it names no click and refers to no conversion: the order came through no link, or the shop does not pass on the click id", "",
		},
		{order("pending", "20.00", ""), "recorded created", "7 pending 20 EUR"},
		{order("paid", "20.00", ""), "recorded updated", "7 approved 20 EUR"},
		{refund("5.00"), "ignored a part of the sale was refunded: correct the payout, or let the shop send the order's updates", "7 approved 20 EUR"},
		{order("partially_refunded", "15.00", ""), "recorded updated", "7 approved 15 EUR"},
		{order("paid", "20.00", ""), "recorded duplicate", "7 approved 15 EUR"}, // sent again
		{order("partially_refunded", "12.00", `, "updated_at": "2026-11-20T06:00:00-05:00"`), "recorded updated", "7 approved 12 EUR"},
		{order("partially_refunded", "14.00", `, "updated_at": "2026-11-20T10:59:00Z"`), "ignored the shop had already sent a later state of the order", "7 approved 12 EUR"},
		{order("partially_refunded", "11.00", `, "updated_at": "2026-11-20T12:01:00+01:00"`), "recorded updated", "7 approved 11 EUR"},
		{refund("20.00"), "recorded updated", "7 chargeback 11 EUR"},
	} {
		outcome, detail := b.decided(b.notify(shop, shopifyHeader(step.body), step.body))
		if got := b.recordedOf(click); outcome+" "+detail != step.outcome || got != step.want {
			t.Errorf("step %d: %s %s\n got %s\nwant %s", i, outcome, detail, got, step.want)
		}
	}
}

// TestSeveralConversions: an order of ThriveCart has several conversions. A refund of the order takes all of them back.
func TestSeveralConversions(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	shop := b.shop("thrivecart")
	click := b.clickOf(shop)
	message := func(event, more string) string {
		return `{"event": "` + event + `", "mode": "live", "thrivecart_secret": "` + shopSecret + `", "order_id": 15, "invoice_id": "4", "currency": "USD"` + more + `}`
	}
	charges := `, "passthrough": {"clickid": "` + click + `"}, "order": {"total": 14900, "charges": [{"reference": "product-12", "amount": 9900},
		{"reference": "bump-12", "amount": 2000}, {"reference": "upsell-2", "amount": 3000}]}`
	for i, step := range []struct{ body, outcome, want string }{
		{message("order.success", charges), "recorded created", "15 approved 99 USD, 15-bump-12 bump approved 20 USD, 15-upsell-2 upsell approved 30 USD"},
		{
			message("order.refund", `, "refund": {"type": "bump", "id": 12, "amount": 2000}`), "recorded updated",
			"15 approved 99 USD, 15-bump-12 bump chargeback 20 USD, 15-upsell-2 upsell approved 30 USD",
		},
		{
			message("order.refund", `, "order": {"total": 14900}`), "recorded updated",
			"15 chargeback 99 USD, 15-bump-12 bump chargeback 20 USD, 15-upsell-2 upsell chargeback 30 USD",
		},
	} {
		outcome, detail := b.decided(b.notify(shop, nil, step.body))
		if got := b.recordedOf(click); outcome+" "+detail != step.outcome || got != step.want {
			t.Errorf("step %d: %s %s\n got %s\nwant %s", i, outcome, detail, got, step.want)
		}
	}
}
