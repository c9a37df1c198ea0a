package postback

import (
	"strings"

	"switchyard/models"
)

// Word is a status word of networks and its meaning.
type Word struct {
	Text     string // in lower case
	Status   string // one of the four statuses; empty: the word reports no conversion
	Goal     string
	Networks string // networks whose documents have the word; empty: most networks
}

const (
	goalRebill = "rebill"
	goalUpsell = "upsell"
)

// WordGoals lists the goals that follow from a status word.
var WordGoals = []string{goalRebill, goalUpsell}

// "bill" is a later payment of a subscription, as ClickBank and JVZoo document it. A word about a subscription reports no
// conversion if no money is paid.
var words = []Word{
	{"approved", models.StatusApproved, "", ""},
	{"approve", models.StatusApproved, "", "AlterCPA"},
	{"accepted", models.StatusApproved, "", ""},
	{"accept", models.StatusApproved, "", ""},
	{"confirmed", models.StatusApproved, "", "Admitad"},
	{"completed", models.StatusApproved, "", "PayPal, WarriorPlus, WooCommerce"},
	{"paid", models.StatusApproved, "", "Limonad, Shopify, Stripe"},
	{"payable", models.StatusApproved, "", ""},
	{"sale", models.StatusApproved, "", "ClickBank, JVZoo, Keitaro, WarriorPlus"},
	{"sale-rb", models.StatusApproved, "", "ClickBank"},
	{"payment", models.StatusApproved, "", "Digistore24"},
	{"on-payment", models.StatusApproved, "", "Digistore24"},
	{"1", models.StatusApproved, "", "Affise"},

	{"rebill", models.StatusApproved, goalRebill, "JVZoo, Keitaro"},
	{"bill", models.StatusApproved, goalRebill, "ClickBank, JVZoo"},
	{"subscr-completed", models.StatusApproved, goalRebill, "WarriorPlus"},
	{"upsell", models.StatusApproved, goalUpsell, "Keitaro"},

	{"pending", models.StatusPending, "", ""},
	{"hold", models.StatusPending, "", "AdCombo, AlterCPA"},
	{"on-hold", models.StatusPending, "", "WooCommerce"},
	{"lead", models.StatusPending, "", "Keitaro"},
	{"wait", models.StatusPending, "", "AlterCPA"},
	{"waiting", models.StatusPending, "", ""},
	{"new", models.StatusPending, "", "BeMob"},
	{"locked", models.StatusPending, "", "CJ Affiliate"},
	{"2", models.StatusPending, "", "Affise"},
	{"5", models.StatusPending, "", "Affise"},

	{"rejected", models.StatusRejected, "", "Keitaro, Trackier"},
	{"reject", models.StatusRejected, "", "AdCombo"},
	{"declined", models.StatusRejected, "", "Admitad, Affise, BeMob"},
	{"decline", models.StatusRejected, "", "BeMob"},
	{"denied", models.StatusRejected, "", "PayPal"},
	{"deny", models.StatusRejected, "", ""},
	{"cancelled", models.StatusRejected, "", "WooCommerce"},
	{"canceled", models.StatusRejected, "", "Stripe, Trackier"},
	{"cancel", models.StatusRejected, "", "AlterCPA"},
	{"failed", models.StatusRejected, "", "PayPal, WooCommerce"},
	{"fail", models.StatusRejected, "", ""},
	{"voided", models.StatusRejected, "", "PayPal, Shopify"},
	{"void", models.StatusRejected, "", "Stripe"},
	{"refused", models.StatusRejected, "", ""},
	{"invalid", models.StatusRejected, "", ""},
	{"trash", models.StatusRejected, "", "AlterCPA"},
	{"spam", models.StatusRejected, "", ""},
	{"fraud", models.StatusRejected, "", ""},
	{"reversed", models.StatusRejected, "", "Impact"},
	{"3", models.StatusRejected, "", "Affise"},

	{"chargeback", models.StatusChargeback, "", "BeMob, Digistore24"},
	{"on-chargeback", models.StatusChargeback, "", "Digistore24"},
	{"cgbk", models.StatusChargeback, "", "ClickBank, JVZoo"},
	{"refund", models.StatusChargeback, "", "Digistore24, WarriorPlus"},
	{"on-refund", models.StatusChargeback, "", "Digistore24"},
	{"refunded", models.StatusChargeback, "", "PayPal, Shopify, WooCommerce"},
	{"rfnd", models.StatusChargeback, "", "ClickBank, JVZoo"},
	{"rfnd-rb", models.StatusChargeback, "", "ClickBank"},
	{"insf", models.StatusChargeback, "", "ClickBank, JVZoo"},

	{"cancel-rebill", "", "", "ClickBank, JVZoo"},
	{"uncancel-rebill", "", "", "ClickBank, JVZoo"},
	{"test", "", "", "ClickBank, JVZoo"},
	{"test-sale", "", "", "ClickBank"},
	{"test-bill", "", "", "ClickBank"},
	{"test-rfnd", "", "", "ClickBank"},
	{"payment-missed", "", "", "Digistore24"},
	{"on-payment-missed", "", "", "Digistore24"},
	{"payment-denial", "", "", "Digistore24"},
	{"rebill-cancelled", "", "", "Digistore24"},
	{"on-rebill-cancelled", "", "", "Digistore24"},
	{"rebill-resumed", "", "", "Digistore24"},
	{"on-rebill-resumed", "", "", "Digistore24"},
	{"last-paid-day", "", "", "Digistore24"},
	{"connection-test", "", "", "Digistore24"},
	{"subscr-created", "", "", "WarriorPlus"},
	{"subscr-cancelled", "", "", "WarriorPlus"},
	{"subscr-suspended", "", "", "WarriorPlus"},
	{"subscr-failed-invalid", "", "", "WarriorPlus"},
	{"subscr-failed-declined", "", "", "WarriorPlus"},
}

var wordOf = func() map[string]Word {
	m := make(map[string]Word, len(words))
	for _, w := range words {
		m[withoutSeparators(w.Text)] = w
	}
	return m
}()

// Words returns the common words, for the documentation. A network's own map may give them another meaning.
func Words() []Word { return words }

// Meaning is what a status word says about a conversion.
type Meaning struct {
	Status string // one of the four statuses; empty: the word reports no conversion
	Goal   string
	Known  bool // false: neither the network's own map nor the table has the word
}

var separators = strings.NewReplacer(" ", "", "_", "", "-", "")

// A word with a digit is returned unchanged, because "-1" is not "1".
func withoutSeparators(word string) string {
	if strings.ContainsAny(word, "0123456789") {
		return word
	}
	return separators.Replace(word)
}

// FoldWord returns a word in the form in which the network's own words are compared.
func FoldWord(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// Means returns the meaning of a network's status word. It looks in the network's own map (status -> words) first, then among the
// common words. An empty word means approved, because many networks report only approved conversions. An unknown word means
// pending, so that a person looks at the conversion before it counts as revenue. Case and outer spaces do not matter.
func Means(word string, own map[string][]string) Meaning {
	word = FoldWord(word)
	if word == "" {
		return Meaning{Status: models.StatusApproved, Known: true}
	}
	for _, status := range [...]string{
		models.StatusApproved, models.StatusPending, models.StatusRejected, models.StatusChargeback,
	} {
		for _, w := range own[status] {
			if FoldWord(w) == word {
				return Meaning{Status: status, Known: true}
			}
		}
	}
	if w, ok := wordOf[withoutSeparators(word)]; ok {
		return Meaning{w.Status, w.Goal, true}
	}
	return Meaning{Status: models.StatusPending}
}

// KnownWord returns the meaning of a common word. ok is false for an empty or unknown word, and for a word that reports no
// conversion.
func KnownWord(word string) (m Meaning, ok bool) {
	m = Means(word, nil)
	return m, FoldWord(word) != "" && m.Known && m.Status != ""
}
