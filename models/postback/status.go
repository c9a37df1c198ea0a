package postback

import (
	"strings"

	"switchyard/models"
)

// words holds the status words that have the same meaning at every network.
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

// Status maps a network's word to one of the four statuses. It looks in the network's own map (status -> words) first, then
// among the common words. An empty word is approved, because many networks report only approved conversions. An unknown word is
// pending, so that a person looks at it before it counts as revenue. Case and outer spaces do not matter.
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

// KnownStatus maps a common word to one of the four statuses. It returns an empty text for an unknown word.
func KnownStatus(word string) string { return statusOf[strings.ToLower(strings.TrimSpace(word))] }
