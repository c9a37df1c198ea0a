package notification

import (
	"bytes"
	"cmp"

	"switchyard/models"
)

// woocommerce reads the webhooks of WooCommerce.
//
// https://developer.woocommerce.com/docs/apis/rest-api/v3/webhooks/ documents the proof and the topics: the header
// X-WC-Webhook-Signature is the base64 of the HMAC-SHA256 of the raw body. The page "Orders" of the same API documents orders.
// The topic is not signed, so the kind of a message is determined by the members of its body. A new webhook sends a ping without
// a signature.
var woocommerce = Scheme{
	Name: "woocommerce", Platform: "WooCommerce", Template: "WooCommerce", ClickParam: "clickid",
	Proof:   "the header X-WC-Webhook-Signature signs the raw body",
	Secret:  "WooCommerce, Settings, Advanced, Webhooks: the field Secret of the webhook, the same for all webhooks of the shop",
	Setup:   "WooCommerce, Settings, Advanced, Webhooks, Add webhook: one for the topic Order created and one for Order updated",
	Click:   "meta data of the order such as clickid, or the first page of the visit that WooCommerce's order attribution stores",
	Docs:    []string{"https://developer.woocommerce.com/docs/apis/rest-api/v3/webhooks/", "https://developer.woocommerce.com/docs/apis/rest-api/v3/orders/"},
	Headers: []string{"x-wc-webhook-signature", "x-wc-webhook-topic"},
	Words: map[string]string{
		"processing": models.StatusApproved, "completed": models.StatusApproved,
		"pending": models.StatusPending, "on-hold": models.StatusPending,
		"cancelled": models.StatusRejected, "failed": models.StatusRejected, "trash": models.StatusRejected,
		"refunded": models.StatusChargeback,
	},
	buyer: map[string][]string{
		"email": {"billing.email"}, "phone": {"billing.phone"}, "first_name": {"billing.first_name"}, "last_name": {"billing.last_name"},
		"street": {"billing.address_1"}, "city": {"billing.city"}, "region": {"billing.state"}, "zip": {"billing.postcode"},
		"country": {"billing.country"},
	},
	read: readWooCommerce,
}

func readWooCommerce(m *message) (Result, error) {
	topic := m.Header["x-wc-webhook-topic"]
	if m.Header["x-wc-webhook-signature"] == "" && bytes.HasPrefix(bytes.TrimSpace(m.Body), []byte("webhook_id=")) {
		return ignore("ping", "the shop only tries the address")
	}
	if !m.signedBase64("x-wc-webhook-signature") {
		return Result{}, ErrUnproven
	}
	if err := m.parse(); err != nil {
		return Result{}, err
	}
	d, event := m.doc, cmp.Or(topic, "order")
	switch {
	case !d.has("order_key") || !d.has("total") || d.text("id") == "":
		return ignore(topic, "it is no order")
	case d.has("billing_period") || d.has("billing_interval"):
		return ignore(event, "it is a subscription: each of its payments is an order of its own")
	case d.text("status") == "checkout-draft" || d.text("status") == "auto-draft":
		return ignore(event, "the order is a draft")
	}
	meta := d.pairs("meta_data", "key", "value")
	r := Report{
		Click: m.click(meta), Payout: d.text("total"), Currency: d.text("currency"), Word: d.text("status"),
		ConversionID: d.text("id"), Time: d.text("date_paid_gmt", "date_created_gmt"),
	}
	r.Keys = []string{r.ConversionID}
	for _, f := range meta {
		if f.name == "_subscription_renewal" {
			r.Goal = goalRebill
		}
	}
	if r.Word == "refunded" {
		r.Payout = negated(r.Payout)
		return reportState(event, d.text("date_modified_gmt"), r)
	}
	for _, refund := range d.list("refunds") { // the amounts are negative, and subtract ignores the sign
		r.Payout = subtract(r.Payout, refund.text("total"))
	}
	return reportState(event, d.text("date_modified_gmt"), r)
}
