package notification

import (
	"cmp"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"html"
	"strings"

	"switchyard/models"
)

// digistore24 reads the notifications of Digistore24's generic IPN connection.
//
// https://dev.digistore24.com/en/articles/13-events documents the events. The sample script of the IPN guide
// (https://dev.digistore24.com/en/articles/7-quick-integration-guide) shows the proof: sha_sign is a SHA-512 in capital letters.
// The hashed text has a piece for each non-empty field, in the order of the names: name=value, followed by the passphrase. The
// sample script decodes HTML entities in the values first. The newer sha_sign.php does so only on request, so both forms are
// accepted. A message must be answered with OK.
var digistore24 = Scheme{
	Name: "digistore24", Platform: "Digistore24", Template: "Digistore24 notifications", ClickParam: "cid",
	Proof:  "the field sha_sign signs all other fields",
	Secret: "Settings, Integrations (IPN), the connection: SHA passphrase",
	Setup:  "Settings, Integrations (IPN), Add new connection, Generic: the IPN URL, for the events payment, refund and chargeback",
	Click:  "custom, campaignkey, cid, or a sub id (sid1 to sid5) of the link",
	Docs:   []string{"https://dev.digistore24.com/en/articles/13-events", "https://dev.digistore24.com/en/articles/7-quick-integration-guide"},
	Words: map[string]string{
		"on_payment": models.StatusApproved, "on_refund": models.StatusChargeback, "on_chargeback": models.StatusChargeback,
	},
	buyer: map[string][]string{"email": {"email"}, "phone": {"address_phone_no"}, "country": {"address_country"}},
	read:  readDigistore24,
}

func (m *message) signedByDigistore24(decode func(string) string) bool {
	var text strings.Builder
	for _, f := range m.sorted("sha_sign", "SHASIGN") {
		if value := decode(f.value); value != "" {
			text.WriteString(f.name + "=" + value + m.secret)
		}
	}
	sum := sha512.Sum512([]byte(text.String()))
	given := strings.ToLower(m.doc.text("sha_sign", "SHASIGN"))
	return text.Len() > 0 && subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(given)) == 1
}

func readDigistore24(m *message) (Result, error) {
	asIs := func(s string) string { return s }
	if m.parseFields() != nil || !m.signedByDigistore24(asIs) && !m.signedByDigistore24(html.UnescapeString) {
		return Result{}, ErrUnproven
	}
	d := m.doc
	event := d.text("event")
	switch {
	case event == "connection_test":
		return ignore(event, "Digistore24 only tries the address")
	case m.status(event) == "":
		return ignore(event, "it is no payment, refund or chargeback")
	case d.text("api_mode") == "test" || d.isTrue("is_test_mode"):
		return ignore(event, testOrder)
	case d.text("transaction_id") == "":
		return Result{}, unreadable("the transaction has no id")
	}
	item := strings.Join([]string{d.text("order_id"), d.text("order_item_id", "product_id"), d.text("pay_sequence_no")}, "/")
	r := Report{
		Click: m.click(nil, d.text("custom"), d.text("campaignkey"), d.text("cid"), d.text("click_id"), d.text("sid1"), d.text("sid2"),
			d.text("sid3"), d.text("sid4"), d.text("sid5"), d.text("trackingkey")),
		Payout: d.text("amount_payout", "amount_vendor", "amount_affiliate", "transaction_amount"), Currency: d.text("currency"),
		Word: event, ConversionID: d.text("transaction_id"), Keys: []string{d.text("transaction_id"), item},
	}
	r.Price = cmp.Or(d.text("transaction_amount", "amount_brutto"), r.Payout)
	if event != "on_payment" {
		r.Part, r.Price = refundAmount(r.Price), ""
		r.Same, r.Payout = true, negated(r.Payout)
		r.About = filled(d.text("parent_transaction_id"), item)
		r.ConversionID, r.Keys = r.About[0], nil
		return report(event, r)
	}
	if n, ok := Number(d.text("pay_sequence_no")); ok && n.IntPart() > 1 {
		r.Goal = goalRebill
		r.About = []string{strings.Join([]string{d.text("order_id"), d.text("order_item_id", "product_id"), "1"}, "/")}
	} else if n, ok := Number(d.text("upsell_no")); ok && n.IsPositive() {
		r.Goal = goalUpsell
	}
	return report(event, r)
}
