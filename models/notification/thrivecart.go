package notification

import (
	"cmp"
	"strings"

	"switchyard/models"
)

// thrivecart reads the webhooks of ThriveCart.
//
// https://support.thrivecart.com/help/using-webhook-notifications documents the events, the fields and the proof:
// thrivecart_secret is the account's secret word. Amounts are in hundredths. Newer fields, whose names end in _str, have the
// amounts as people write them, and are used first. The events of the Event Subscription API (https://developers.thrivecart.com)
// use other names for the same things.
var thrivecart = Scheme{
	Name: "thrivecart", Platform: "ThriveCart", Template: "ThriveCart", ClickParam: "passthrough[clickid]",
	Proof:  "the field thrivecart_secret is the secret",
	Secret: "Settings, API & Webhooks: the secret word of ThriveCart order validation",
	Setup:  "Settings, API & Webhooks, Webhooks & notifications: add the address; ThriveCart sends all events to it",
	Click:  "a passthrough variable of the checkout's address: ?passthrough[clickid]={clickid}",
	Docs:   []string{"https://support.thrivecart.com/help/using-webhook-notifications"},
	Words: map[string]string{
		"order.success": models.StatusApproved, "order.subscription_payment": models.StatusApproved, "order.refund": models.StatusChargeback,
	},
	buyer: map[string][]string{"email": {"customer.email"}, fullName: {"customer.name"}},
	read:  readThriveCart,
}

var thrivecartNames = map[string]string{
	"order_created": "order.success", "order_rebill": "order.subscription_payment", "order.rebill": "order.subscription_payment",
	"order_refund": "order.refund",
}

func readThriveCart(m *message) (Result, error) {
	if m.parse() != nil || !m.isSecret(m.doc.text("thrivecart_secret")) {
		return Result{}, ErrUnproven
	}
	d := m.doc
	event := d.text("event")
	name := cmp.Or(thrivecartNames[event], event)
	switch {
	case m.status(name) == "":
		return ignore(event, "it is no order, payment of a subscription or refund")
	case d.text("mode") == "test" || d.text("mode_int") == "1":
		return ignore(event, testOrder)
	case d.text("order_id", "order.id") == "":
		return Result{}, unreadable("the order has no id")
	}
	// In a currency whose unit does not have 100 parts, the amount is shown with the remark "in hundredths", and the conversion counts
	// without a payout.
	m.units = func(amount string) string {
		if decimals(m.doc.text("currency", "order.currency")) != 2 {
			return amount + " in hundredths"
		}
		return inWholeUnits(amount, 2)
	}
	switch name {
	case "order.success":
		return report(event, m.thrivecartOrder()...)
	case "order.refund":
		return report(event, m.thrivecartRefund())
	}
	return report(event, m.thrivecartRebill())
}

func (m *message) thrivecartAmount(in document, path string) string {
	amount := in.text(path)
	if text := in.text(path + "_str"); text != "" || amount == "" {
		return text
	}
	return m.units(amount)
}

func (m *message) thrivecartReport(word string) Report {
	d := m.doc
	return Report{
		Click:    m.click(d.members("passthrough"), d.text("passthrough"), d.text("customer.custom_fields.clickid")),
		Currency: d.text("currency", "order.currency"), Word: word, ConversionID: d.text("order_id", "order.id"),
		Time: d.text("order_timestamp", "order.date_unix", "date_unix"),
	}
}

// thrivecartOrder returns one report for each charge of an order. The first product is the sale. Further products, bumps, upsells and
// downsells are separate conversions, with their kind as the goal. If there are no charges, if there are more than
// maxReports, or if the references do not distinguish them, it returns one report of the order's total.
func (m *message) thrivecartOrder() (out []Report) {
	d := m.doc
	first := m.thrivecartReport("order.success")
	order, invoice := first.ConversionID, d.text("invoice_id")
	first.Keys = filled(order, invoice)
	seen, hasSale := map[string]bool{}, false
	for _, charge := range d.list("order.charges") {
		r, reference := first, charge.text("reference")
		if reference == "" || seen[reference] {
			seen = nil // the references do not distinguish the charges, so the total is reported
			break
		}
		seen[reference] = true
		r.Payout = m.thrivecartAmount(charge, "amount")
		r.Keys = append(filled(order+"/"+reference), first.Keys...)
		if kind, _, _ := strings.Cut(reference, "-"); kind != "product" || hasSale {
			r.Goal, r.ConversionID = kind, order+"-"+reference
		} else {
			hasSale = true
		}
		out = append(out, r)
		if len(out) > maxReports {
			seen = nil
			break
		}
	}
	if len(seen) > 0 {
		return out
	}
	first.Payout = m.thrivecartAmount(d.at("order"), "total")
	return []Report{first}
}

// maxReports is the maximum number of charges that are reported separately. If an order has more charges, only its total is
// reported.
const maxReports = 20

func (m *message) thrivecartRebill() Report {
	d := m.doc
	r := m.thrivecartReport("order.subscription_payment")
	order := r.ConversionID
	r.Goal, r.ConversionID = goalRebill, cmp.Or(d.text("invoice_id"), order+"-"+d.text("recurring_payment_idx"))
	r.Payout = cmp.Or(m.thrivecartAmount(d.at("order"), "total"), m.thrivecartAmount(d.at("subscription"), "amount"))
	r.Keys, r.About = []string{r.ConversionID}, []string{order}
	return r
}

func (m *message) thrivecartRefund() Report {
	d := m.doc
	r := m.thrivecartReport("order.refund")
	order := r.ConversionID
	r.Same, r.Time = true, ""
	if reference := cmp.Or(d.text("refund.reference"), strings.Trim(d.text("refund.type")+"-"+d.text("refund.id"), "-")); reference != "" {
		r.About = append(r.About, order+"/"+reference)
	}
	r.About = append(r.About, filled(d.text("invoice_id"), order)...)
	if d.at("refund").v != nil {
		r.Part = m.thrivecartAmount(d.at("refund"), "amount")
	}
	r.Payout = negated(cmp.Or(r.Part, m.thrivecartAmount(d.at("order"), "total")))
	return r
}
