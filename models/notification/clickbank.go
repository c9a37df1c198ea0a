package notification

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1" //nolint:gosec // ClickBank derives its key with SHA-1
	"encoding/base64"
	"encoding/hex"
	"strings"

	"switchyard/models"
)

// clickbank reads the notifications of ClickBank's Instant Notification Service, version 6 and later.
//
// https://support.clickbank.com/en/articles/10535147-instant-notification-service-ins documents the form: a JSON object with
// notification and iv, both in base64. The notification is encrypted with AES-256-CBC. The key is the first 32 characters of the
// secret's SHA-1 in hexadecimal digits. If a message decrypts to a transaction, its sender has the secret.
var clickbank = Scheme{
	Name: "clickbank", Platform: "ClickBank", Template: "ClickBank notifications", ClickParam: "tid",
	Proof:  "the message is encrypted with the secret",
	Secret: "Vendor Settings, My Site, Advanced Tools: Secret Key, at most 16 capital letters and digits",
	Setup:  "Vendor Settings, My Site, Advanced Tools: Instant Notification URL, version 6 or later",
	Click:  "the tracking id (tid) of the hoplink, or a variable of the order form (vendorVariables)",
	Docs:   []string{"https://support.clickbank.com/en/articles/10535147-instant-notification-service-ins"},
	Words: map[string]string{
		"sale": models.StatusApproved, "jv_sale": models.StatusApproved, "bill": models.StatusApproved, "jv_bill": models.StatusApproved,
		"sale-rb": models.StatusApproved,
		"rfnd":    models.StatusChargeback, "rfnd-rb": models.StatusChargeback, "cgbk": models.StatusChargeback, "insf": models.StatusChargeback,
	},
	buyer: map[string][]string{
		"email": {"customer.billing.email", "customer.shipping.email"}, fullName: {"customer.billing.fullName", "customer.shipping.fullName"},
		"first_name": {"customer.billing.firstName"}, "last_name": {"customer.billing.lastName"}, "country": {"customer.billing.address.country"},
	},
	read: readClickBank,
}

func (m *message) openClickBank() (text []byte, ok bool) {
	sealed, err := base64.StdEncoding.DecodeString(m.doc.text("notification"))
	if err != nil || len(sealed) == 0 || len(sealed)%aes.BlockSize != 0 {
		return nil, false
	}
	iv, err := base64.StdEncoding.DecodeString(m.doc.text("iv"))
	if err != nil || len(iv) != aes.BlockSize {
		return nil, false
	}
	sum := sha1.Sum([]byte(m.secret)) //nolint:gosec // as documented by ClickBank
	block, err := aes.NewCipher([]byte(hex.EncodeToString(sum[:])[:32]))
	if err != nil {
		return nil, false
	}
	text = make([]byte, len(sealed))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(text, sealed)
	pad := int(text[len(text)-1])
	if pad == 0 || pad > aes.BlockSize || !bytes.Equal(text[len(text)-pad:], bytes.Repeat([]byte{byte(pad)}, pad)) {
		return nil, false
	}
	return bytes.TrimSpace(text[:len(text)-pad]), true
}

func readClickBank(m *message) (Result, error) {
	if m.parse() != nil {
		return Result{}, ErrUnproven
	}
	text, ok := m.openClickBank()
	if !ok || m.parseJSON(text) != nil || !m.doc.has("transactionType") {
		return Result{}, ErrUnproven
	}
	d := m.doc
	event := d.text("transactionType")
	word := strings.ToLower(event)
	if reason := m.noTransaction(word); reason != "" {
		return ignore(event, reason)
	}
	receipt := d.text("receipt")
	if receipt == "" {
		return Result{}, unreadable("the transaction has no receipt")
	}
	var tracking []string
	for _, code := range d.list("trackingCodes") {
		if s, ok := code.v.(string); ok {
			tracking = append(tracking, s)
		}
	}
	r := Report{
		Click:  m.click(d.members("vendorVariables"), append(tracking, d.text("trackingId"), d.text("tid"), d.text("trackingCode"))...),
		Payout: clickbankAmount(d), Currency: d.text("currency"), Word: event, ConversionID: receipt, Time: d.text("transactionTime"),
		Keys: []string{receipt},
	}
	r.Price = cmp.Or(d.text("totalOrderAmount"), r.Payout)
	original := d.text("upsell.upsellOriginalReceipt")
	switch {
	case strings.HasSuffix(word, "bill"):
		r.Goal, r.About = goalRebill, []string{saleOf(receipt)}
	case m.status(word) == models.StatusChargeback:
		r.Same, r.Part, r.Price = true, refundAmount(r.Price), ""
		r.Payout, r.About = negated(r.Payout), []string{receipt}
	case original != "" && original != receipt:
		r.Goal, r.About = goalUpsell, []string{original}
	}
	out, err := report(event, r)
	out.Key = strings.Join([]string{event, receipt, d.text("transactionTime")}, " ")
	return out, err
}

// clickbankAmount returns the amount that the account earns: the total or, without a total, the sum of the items.
func clickbankAmount(d document) string {
	if total := d.text("totalAccountAmount"); total != "" {
		return total
	}
	var amounts []string
	for _, item := range d.list("lineItems") {
		amounts = append(amounts, item.text("accountAmount"))
	}
	return sum(amounts)
}

// noTransaction returns the reason why no conversion is recorded for a message with this transaction type of ClickBank. JVZoo
// uses the same types.
func (m *message) noTransaction(word string) (reason string) {
	switch {
	case strings.Contains(word, "test"):
		return testOrder
	case m.status(word) == "":
		return "it is no sale, rebill, refund or chargeback"
	}
	return ""
}

// The receipt of a rebill is the receipt of its sale, followed by -B001, -B002 and so on.
func saleOf(receipt string) string {
	sale, _, _ := strings.Cut(receipt, "-")
	return sale
}
