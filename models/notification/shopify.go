package notification

import (
	"cmp"

	"switchyard/models"
)

// shopify reads the webhooks of Shopify.
//
// https://shopify.dev/docs/apps/build/webhooks/verify-deliveries documents the proof: the header X-Shopify-Hmac-Sha256 is the
// base64 of the HMAC-SHA256 of the raw body. https://shopify.dev/docs/api/admin-rest/latest/resources/order documents orders.
// Pages next to it document refunds and disputes. The header X-Shopify-Topic is not signed. So the kind of a message is determined
// by the members of its body, and the topic is only shown.
var shopify = Scheme{
	Name: "shopify", Platform: "Shopify", Template: "Shopify", ClickParam: "clickid",
	Proof:   "the header X-Shopify-Hmac-Sha256 signs the raw body",
	Secret:  "Settings, Notifications, Webhooks: the key below the list, after \"Your webhooks will be signed with\". For an app: its client secret",
	Setup:   "Settings, Notifications, Webhooks, Create webhook, format JSON: one each for Order payment, Order update, Order cancellation and Refund create",
	Click:   "a cart attribute such as clickid (note_attributes), or the first page of the visit (landing_site)",
	Docs:    []string{"https://shopify.dev/docs/apps/build/webhooks/verify-deliveries", "https://shopify.dev/docs/api/admin-rest/latest/resources/order"},
	Headers: []string{"x-shopify-hmac-sha256", "x-shopify-topic"},
	Words: map[string]string{
		"paid": models.StatusApproved, "partially_refunded": models.StatusApproved,
		"pending": models.StatusPending, "authorized": models.StatusPending, "partially_paid": models.StatusPending,
		"voided": models.StatusRejected, "expired": models.StatusRejected, "cancelled": models.StatusRejected,
		"refunded": models.StatusChargeback, "chargeback": models.StatusChargeback,
	},
	buyer: map[string][]string{
		"email": {"email", "contact_email", "customer.email"}, "phone": {"phone", "billing_address.phone", "customer.phone"},
		"first_name": {"billing_address.first_name", "customer.first_name"}, "last_name": {"billing_address.last_name", "customer.last_name"},
		"street": {"billing_address.address1"}, "city": {"billing_address.city"}, "region": {"billing_address.province_code"},
		"zip": {"billing_address.zip"}, "country": {"billing_address.country_code"},
	},
	read: readShopify,
}

func readShopify(m *message) (Result, error) {
	if !m.signedBase64("x-shopify-hmac-sha256") {
		return Result{}, ErrUnproven
	}
	if err := m.parse(); err != nil {
		return Result{}, err
	}
	d, topic := m.doc, m.Header["x-shopify-topic"]
	switch {
	case d.isTrue("test"):
		return ignore(cmp.Or(topic, "order"), testOrder)
	case d.has("financial_status") && d.text("id") != "":
		return shopifyOrder(m, cmp.Or(topic, "order"))
	case d.has("refund_line_items") && d.text("order_id") != "":
		return shopifyRefund(m, cmp.Or(topic, "refund"))
	case d.has("evidence_due_by") && d.text("order_id") != "":
		return shopifyDispute(m, cmp.Or(topic, "dispute"))
	}
	return ignore(topic, "it is neither an order, nor a refund, nor a dispute")
}

func shopifyOrder(m *message, event string) (Result, error) {
	d := m.doc
	r := Report{
		Click:  m.click(d.pairs("note_attributes", "name", "value"), d.text("landing_site"), d.text("landing_site_ref"), d.text("referring_site")),
		Payout: d.text("current_total_price", "total_price"), Currency: d.text("currency"),
		Word: cmp.Or(d.text("financial_status"), "pending"), ConversionID: d.text("id"), Time: d.text("processed_at", "created_at"),
	}
	r.Keys = []string{r.ConversionID}
	if d.text("source_name") == "subscription_contract" { // an order that a subscription has created
		r.Goal = goalRebill
	}
	switch {
	case r.Word == "refunded":
		r.Payout = negated(d.text("total_price"))
	case d.text("cancelled_at") != "":
		r.Word, r.Payout = "cancelled", d.text("total_price")
	}
	return reportState(event, d.text("updated_at"), r)
}

// A refund does not say how much of the order is left. So a refund of a part changes nothing: Shopify also sends a notification
// that the order was updated, and this notification has the new total.
func shopifyRefund(m *message, event string) (Result, error) {
	var amounts []string
	r := Report{Word: "refunded", Same: true, About: []string{m.doc.text("order_id")}}
	for _, t := range m.doc.list("transactions") {
		if t.text("kind") == "refund" && t.text("status") == "success" {
			amounts = append(amounts, t.text("amount"))
			r.Currency = t.text("currency")
		}
	}
	if r.Part = sum(amounts); r.Part == "" {
		return ignore(event, "it returns no money")
	}
	r.Payout = negated(r.Part)
	return report(event, r)
}

func shopifyDispute(m *message, event string) (Result, error) {
	d := m.doc
	switch {
	case d.text("type") != "chargeback":
		return ignore(event, "the bank inquires and takes nothing back")
	case d.text("status") == "won":
		return ignore(event, disputeWon)
	}
	return report(event, Report{
		Word: "chargeback", Same: true, About: []string{d.text("order_id")}, Payout: negated(d.text("amount")), Currency: d.text("currency"),
	})
}

const disputeWon = "the dispute was won, but the conversion stays a chargeback until it is corrected by hand"

// The goals of conversions other than the first sale.
const (
	goalRebill = "rebill"
	goalUpsell = "upsell"
)
