package notification

import (
	"crypto/sha1" //nolint:gosec // JVZoo signs with SHA-1
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"switchyard/models"
)

// jvzoo reads the notifications of JVZoo, called JVZIPN.
//
// http://support.jvzoo.com/Knowledgebase/Article/View/17/0/jvzipn documents the fields and the proof. cverify is the first eight
// characters, in capital letters, of a SHA-1. The SHA-1 covers all other values, sorted by name, and then the secret, all
// separated by |. The documented table of fields says that ctranstime is not covered, but the sample code covers it, so both
// forms are accepted. The documentation says that the amount is in pennies. An amount with a decimal point cannot be in pennies
// and is read as dollars.
var jvzoo = Scheme{
	Name: "jvzoo", Platform: "JVZoo", Template: "JVZoo", ClickParam: "tid",
	Proof:  "the field cverify signs all other fields",
	Secret: "My Account: JVZIPN Secret Key",
	Setup:  "the product's page: External Program Integration, Method #1, JVZIPN URL",
	Click:  "the affiliate's tid (caffitid), or the query of the sales page (cvendthru)",
	Docs:   []string{"https://support.jvzoo.com/hc/en-us/articles/206456857", "http://support.jvzoo.com/Knowledgebase/Article/View/17/0/jvzipn"},
	Words: map[string]string{
		"sale": models.StatusApproved, "bill": models.StatusApproved,
		"rfnd": models.StatusChargeback, "cgbk": models.StatusChargeback, "insf": models.StatusChargeback,
	},
	buyer: map[string][]string{"email": {"ccustemail"}, fullName: {"ccustname"}, "region": {"ccuststate"}, "country": {"ccustcc"}},
	read:  readJVZoo,
}

func (m *message) signedByJVZoo(omitted ...string) bool {
	var text strings.Builder
	for _, f := range m.sorted(append(omitted, "cverify")...) {
		text.WriteString(f.value + "|")
	}
	sum := sha1.Sum([]byte(text.String() + m.secret)) //nolint:gosec // as documented by JVZoo
	want := strings.ToUpper(hex.EncodeToString(sum[:])[:8])
	return subtle.ConstantTimeCompare([]byte(want), []byte(strings.ToUpper(m.doc.text("cverify")))) == 1
}

func jvzooDollars(amount string) string {
	if strings.Contains(amount, ".") {
		return amount
	}
	return inWholeUnits(amount, 2)
}

func readJVZoo(m *message) (Result, error) {
	if m.parseFields() != nil || !m.signedByJVZoo() && !m.signedByJVZoo("ctranstime") {
		return Result{}, ErrUnproven
	}
	d := m.doc
	event, receipt := d.text("ctransaction"), d.text("ctransreceipt")
	word := strings.ToLower(event)
	if reason := m.noTransaction(word); reason != "" {
		return ignore(event, reason)
	}
	if receipt == "" {
		return Result{}, unreadable("the transaction has no receipt")
	}
	m.units = jvzooDollars
	amount := m.units(d.text("ctransamount"))
	r := Report{
		Click: m.click(nil, d.text("caffitid"), d.text("cvendthru")), Payout: amount, Currency: "USD", Word: event,
		ConversionID: receipt, Time: d.text("ctranstime"), Keys: []string{receipt},
	}
	switch {
	case word == "bill":
		r.Goal, r.About = goalRebill, []string{saleOf(receipt)}
	case m.status(word) == models.StatusChargeback:
		r.Same, r.Part, r.Payout, r.About = true, refundAmount(amount), negated(amount), []string{receipt}
	case d.text("cupsellreceipt") != "":
		r.Goal, r.About = goalUpsell, []string{d.text("cupsellreceipt")}
	}
	return report(event, r)
}
