package notification

import (
	"cmp"
	"strings"

	"switchyard/models"
)

// warriorplus reads the notifications of WarriorPlus.
//
// https://help.warriorplus.com/en/articles/1658556-advanced-variables-sent-to-your-ipn-and-or-keygen-script documents the fields
// and actions. A message proves its sender with the account's security key in WP_SECURITYKEY.
var warriorplus = Scheme{
	Name: "warriorplus", Platform: "WarriorPlus", Template: "WarriorPlus", ClickParam: "s",
	Proof:  "the field WP_SECURITYKEY is the secret",
	Secret: "Account settings: Security Key",
	Setup:  "the product's page, Custom Integration (advanced): Notification URL; for affiliates: the offer's webhook",
	Click:  "the sub id or tracking id of the link (WP_SID, WP_HOP_TID, WP_HOP_SID), or a custom parameter of the checkout",
	Docs:   []string{"https://help.warriorplus.com/en/articles/1658556-advanced-variables-sent-to-your-ipn-and-or-keygen-script"},
	Words: map[string]string{
		"sale": models.StatusApproved, "subscr_completed": models.StatusApproved,
		"refund": models.StatusChargeback, "subscr_refunded": models.StatusChargeback, "dispute": models.StatusChargeback,
	},
	buyer: map[string][]string{"email": {"WP_BUYER_EMAIL"}, fullName: {"WP_BUYER_NAME"}},
	read:  readWarriorPlus,
}

func readWarriorPlus(m *message) (Result, error) {
	if m.parse() != nil || !m.isSecret(m.doc.text("WP_SECURITYKEY")) {
		return Result{}, ErrUnproven
	}
	d := m.doc
	event := strings.ToLower(d.text("WP_ACTION"))
	if m.status(event) == "" {
		return ignore(event, "it is no sale, payment, refund or dispute")
	}
	sale := d.text("WP_SALE", "WP_SALEID", "WP_TXNID")
	if sale == "" {
		return Result{}, unreadable("the sale has no id")
	}
	amount := d.text("WP_SALE_EARNINGS_VENDOR", "WP_SALE_AMOUNT")
	if strings.HasPrefix(d.text("IPN_RCPT_TYPE"), "aff") {
		amount = d.text("WP_SALE_EARNINGS_AFF", "WP_SALE_AMOUNT")
	}
	var custom []field
	for _, f := range m.fields {
		if strings.HasPrefix(f.name, "WP_CHECKOUT_CUSTOM") || strings.HasPrefix(f.name, "WP_CUSTOM") {
			custom = append(custom, f)
		}
	}
	all := filled(sale, d.text("WP_SALEID"), d.text("WP_TXNID"))
	r := Report{
		Click:  m.click(custom, d.text("WP_SID"), d.text("WP_HOP_TID"), d.text("WP_HOP_SID"), d.text("WP_AFF_TID")),
		Payout: amount, Currency: d.text("WP_SALE_CURRENCY"), Word: event, ConversionID: sale,
		Keys: append(all, filled(d.text("WP_SUBSCR_ID"))...),
	}
	payment := d.text("WP_SUBSCR_PAYMENT_TXNID")
	switch {
	case event == "subscr_completed":
		payment = cmp.Or(payment, sale+"-"+d.text("WP_SUBSCR_PAYMENT_NUM"))
		r.Goal, r.ConversionID, r.Keys = goalRebill, payment, []string{payment}
		r.About = append(filled(d.text("WP_SUBSCR_ID")), all...)
		r.Payout = cmp.Or(d.text("WP_SUBSCR_PAYMENT_AMOUNT"), r.Payout)
	case m.status(event) == models.StatusChargeback:
		r.Same, r.Payout, r.Keys = true, negated(amount), nil
		r.About = append(filled(payment), all...)
	}
	return report(event, r)
}
