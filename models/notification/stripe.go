package notification

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// stripe reads the events of Stripe.
//
// https://docs.stripe.com/webhooks documents the proof, the header Stripe-Signature. In it, t is the time of sending, and v1 is
// the HMAC-SHA256, in hexadecimal digits, of the time, a dot and the raw body. There are several v1 while a secret is being
// replaced. https://docs.stripe.com/api/events/types documents the events, and https://docs.stripe.com/currencies the amounts.
var stripe = Scheme{
	Name: "stripe", Platform: "Stripe", Template: "Stripe", ClickParam: "client_reference_id",
	Proof:  "the header Stripe-Signature signs the time and the raw body; the time must be within five minutes of the arrival",
	Secret: "Developers, Webhooks, the endpoint: Signing secret, which begins with whsec_",
	Setup: "Developers, Webhooks, Add endpoint: the events checkout.session.completed, checkout.session.async_payment_succeeded, " +
		"checkout.session.async_payment_failed, payment_intent.succeeded, invoice.paid, invoice_payment.paid, charge.refunded and charge.dispute.created",
	Click:   "client_reference_id of the Checkout session or the payment link, or metadata such as clickid",
	Docs:    []string{"https://docs.stripe.com/webhooks", "https://docs.stripe.com/api/events/types", "https://docs.stripe.com/currencies"},
	Headers: []string{"stripe-signature"},
	Words: map[string]string{
		"checkout.session.completed": models.StatusApproved, "checkout.session.async_payment_succeeded": models.StatusApproved,
		"unpaid": models.StatusPending, "checkout.session.async_payment_failed": models.StatusRejected,
		"payment_intent.succeeded": models.StatusApproved, "invoice.paid": models.StatusApproved,
		"charge.refunded": models.StatusChargeback, "charge.dispute.created": models.StatusChargeback,
	},
	buyer: map[string][]string{ // paths in a session, an invoice, a payment or a charge
		"email":   {"customer_details.email", "customer_email", "receipt_email", "billing_details.email"},
		"phone":   {"customer_details.phone", "customer_phone", "billing_details.phone"},
		fullName:  {"customer_details.name", "customer_name", "billing_details.name"},
		"street":  {"customer_details.address.line1", "customer_address.line1", "billing_details.address.line1"},
		"city":    {"customer_details.address.city", "customer_address.city", "billing_details.address.city"},
		"region":  {"customer_details.address.state", "customer_address.state", "billing_details.address.state"},
		"zip":     {"customer_details.address.postal_code", "customer_address.postal_code", "billing_details.address.postal_code"},
		"country": {"customer_details.address.country", "customer_address.country", "billing_details.address.country"},
	},
	read: readStripe,
}

// stripeTolerance is the largest accepted difference between the time in a signature and the time of arrival. Stripe's own
// libraries use the same tolerance.
const stripeTolerance = 5 * time.Minute

func (m *message) signedByStripe() bool {
	at, sums := "", []string(nil)
	for part := range strings.SplitSeq(m.Header["stripe-signature"], ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			at = value
		case "v1":
			sums = append(sums, value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || m.Received.Sub(time.Unix(seconds, 0)).Abs() > stripeTolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(m.secret))
	mac.Write([]byte(at + "."))
	mac.Write(m.Body)
	want := mac.Sum(nil)
	return slices.ContainsFunc(sums, func(s string) bool {
		sum, err := hex.DecodeString(s)
		return err == nil && hmac.Equal(sum, want)
	})
}

func readStripe(m *message) (Result, error) {
	if !m.signedByStripe() {
		return Result{}, ErrUnproven
	}
	if err := m.parse(); err != nil {
		return Result{}, err
	}
	envelope, event, object := m.doc, m.doc.text("type"), m.doc.at("data.object")
	read, known := stripeEvents[event]
	var out Result
	var err error
	switch {
	case event == "" || object.v == nil:
		return Result{}, unreadable("it is no event of Stripe: type or data.object is missing")
	case !known:
		out, err = ignore(event, "it is no payment, refund or dispute")
	case envelope.text("livemode") == "false":
		out, err = ignore(event, testOrder)
	default:
		m.doc, m.units = object, func(amount string) string { return inWholeUnits(amount, decimals(object.text("currency"))) }
		out, err = read(m, event, object)
	}
	out.Key = envelope.text("id")
	return out, err
}

var stripeEvents = map[string]func(m *message, event string, object document) (Result, error){
	"checkout.session.completed":               stripeSession,
	"checkout.session.async_payment_succeeded": stripeSession,
	"checkout.session.async_payment_failed":    stripeSession,
	"payment_intent.succeeded":                 stripePayment,
	"invoice.paid":                             stripeInvoice,
	"invoice.payment_succeeded":                stripeInvoice,
	"invoice_payment.paid":                     stripeInvoicePayment,
	"charge.refunded":                          stripeRefund,
	"charge.dispute.created":                   stripeDispute,
	"charge.dispute.funds_withdrawn":           stripeDispute,
	"charge.dispute.closed":                    stripeDispute,
}

// id returns the id in a member. Stripe may send the whole object instead of its id.
func (d document) id(path string) string { return d.text(path, path+".id") }

func filled(texts ...string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

func (m *message) amount(path string) string { return m.units(m.doc.text(path)) }

// stripeSession reads a Checkout session. The conversion has the id of the payment or, for a subscription, the id of the first
// invoice. If the session does not have this id, another of its ids is used. The events about payments and invoices contain the same
// ids.
func stripeSession(m *message, event string, s document) (Result, error) {
	if s.text("mode") == "setup" {
		return ignore(event, "nothing is sold in a session of the mode setup")
	}
	ids := filled(s.id("invoice"), s.id("payment_intent"), s.id("subscription"), s.text("id"))
	if s.text("mode") != "subscription" {
		ids = filled(s.id("payment_intent"), s.id("invoice"), s.text("id"))
	}
	if len(ids) == 0 {
		return Result{}, unreadable("the session has no id")
	}
	r := Report{
		Click:  m.click(s.members("metadata"), s.text("client_reference_id")),
		Payout: m.amount("amount_total"), Currency: s.text("currency"), Word: event,
		ConversionID: ids[0], Keys: append(ids, filled(s.text("id"))...), Time: s.text("created"),
	}
	if event == "checkout.session.completed" && s.text("payment_status") == "unpaid" {
		r.Word = "unpaid"
	}
	return report(event, r)
}

// stripePayment reads a payment that has no invoice and whose metadata names the click. It ignores all other payments, because the
// events about invoices and sessions report them.
func stripePayment(m *message, event string, p document) (Result, error) {
	click := m.click(p.members("metadata"))
	switch {
	case p.id("invoice") != "":
		return ignore(event, "invoice.paid reports the payment of an invoice")
	case click == "":
		return ignore(event, "its metadata names no click; checkout.session.completed reports the payment of a session")
	}
	return report(event, Report{
		Click: click, Payout: m.amount("amount_received"), Currency: p.text("currency"), Word: event,
		ConversionID: p.text("id"), Keys: filled(p.text("id"), p.id("latest_charge")), Time: p.text("created"),
	})
}

// stripeInvoice reads a paid invoice. The first invoice of a subscription is the sale if it names the click. Each later invoice is
// a rebill, unless nothing was paid. Versions of Stripe's API before 2025-03-31 have the subscription in another place.
func stripeInvoice(m *message, event string, v document) (Result, error) {
	const parent = "parent.subscription_details."
	subscription := v.text("subscription", "subscription.id", parent+"subscription", parent+"subscription.id")
	named := append(v.members("metadata"), v.members(parent+"metadata")...)
	named = append(named, v.members("subscription_details.metadata")...)
	for _, line := range v.list("lines.data") {
		named = append(named, line.members("metadata")...)
	}
	r := Report{
		Click: m.click(named), Payout: m.amount("amount_paid"), Currency: v.text("currency"), Word: "invoice.paid",
		ConversionID: v.text("id"), Keys: filled(v.text("id"), v.id("payment_intent"), v.id("charge")),
		Time: v.text("status_transitions.paid_at", "created"),
	}
	for _, p := range v.list("payments.data") {
		r.Keys = append(r.Keys, filled(p.id("payment.payment_intent"), p.id("payment.charge"))...)
	}
	switch {
	case v.text("billing_reason") == "subscription_create":
		if r.Click == "" { // the session with which the subscription began is the sale
			r.About, r.Same, r.Word, r.Payout = filled(v.text("id"), subscription), true, "", ""
		}
		r.Keys = append(r.Keys, filled(subscription)...)
	case subscription != "":
		if v.text("amount_paid") == "0" {
			return ignore(event, "nothing was paid")
		}
		r.Goal, r.About = goalRebill, []string{subscription}
	}
	return report(event, r)
}

// stripeInvoicePayment links an invoice to its payment, because refunds and disputes refer to the payment.
func stripeInvoicePayment(_ *message, event string, p document) (Result, error) {
	keys := filled(p.id("payment.payment_intent"), p.id("payment.charge"))
	if len(keys) == 0 || p.id("invoice") == "" {
		return ignore(event, "it names no payment")
	}
	return report(event, Report{Same: true, About: []string{p.id("invoice")}, Keys: keys})
}

// stripeRefund reads a charge after a refund. The charge contains the amount that was refunded so far.
func stripeRefund(m *message, event string, c document) (Result, error) {
	r := Report{
		Click: m.click(c.members("metadata")), Currency: c.text("currency"), ConversionID: c.id("payment_intent"),
		Same: true, About: filled(c.id("payment_intent"), c.text("id"), c.id("invoice")),
	}
	amount, refunded := m.amount("amount"), m.amount("amount_refunded")
	if c.isTrue("refunded") {
		r.Word, r.Payout = event, negated(amount)
	} else {
		r.Payout = subtract(amount, refunded)
	}
	return report(event, r)
}

func stripeDispute(m *message, event string, d document) (Result, error) {
	switch {
	case strings.HasPrefix(d.text("status"), "warning"):
		return ignore(event, "the bank inquires and takes nothing back")
	case d.text("status") == "won":
		return ignore(event, disputeWon)
	}
	return report(event, Report{
		Word: "charge.dispute.created", Same: true, About: filled(d.id("payment_intent"), d.id("charge")),
		Payout: negated(m.amount("amount")), Currency: d.text("currency"),
	})
}
