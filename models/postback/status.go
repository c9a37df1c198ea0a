package postback

import (
	"strings"

	"switchyard/models"
)

// words are the status words of the field that mean the same everywhere.
var words = map[string][]string{
	models.StatusApproved:   {"approved", "approve", "confirmed", "paid", "sale", "payable", "1", "accept", "accepted"},
	models.StatusPending:    {"pending", "hold", "lead", "wait", "waiting", "new", "locked", "2", "5"},
	models.StatusRejected:   {"rejected", "reject", "declined", "cancelled", "canceled", "trash", "reversed", "fraud", "3"},
	models.StatusChargeback: {"chargeback", "cgbk", "refund", "refunded", "rfnd", "insf"},
}

var statusOf = func() map[string]string {
	m := map[string]string{}
	for status, list := range words {
		for _, w := range list {
			m[w] = status
		}
	}
	return m
}()

// Status maps a network's word to one of the four statuses: the network's own map first (status -> words), then the
// words of the field. No word at all is approved, since many networks report approved conversions only; a word that
// nobody knows is pending, so that it is looked at before it is counted as revenue. Case and spaces around do not matter.
func Status(word string, own map[string][]string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if word == "" {
		return models.StatusApproved
	}
	for _, status := range [...]string{
		models.StatusApproved, models.StatusPending, models.StatusRejected, models.StatusChargeback,
	} {
		for _, w := range own[status] {
			if strings.ToLower(strings.TrimSpace(w)) == word {
				return status
			}
		}
	}
	if status, ok := statusOf[word]; ok {
		return status
	}
	return models.StatusPending
}

// KnownStatus maps a word of the field to one of the four statuses; empty for a word that nobody knows.
func KnownStatus(word string) string { return statusOf[strings.ToLower(strings.TrimSpace(word))] }
