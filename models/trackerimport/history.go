package trackerimport

import (
	"time"

	"switchyard/models"
)

// OldClick is a click in the log of another tracker. Its records are named by the keys that the import gave them. The log has no
// currency of the click's cost, so there is no cost.
type OldClick struct {
	ID                               string // there
	Campaign, Source, Offer, Lander  string // keys; empty: none
	At                               time.Time
	ExternalID, Fingerprint, Referer string
	Subs                             [models.Subs]string
	Visitor                          models.Visitor // without an address
}

// OldConversion is a conversion in the log of another tracker. Texts are as received.
type OldConversion struct {
	ID, ClickID string // there
	Token       string // the id of the conversion at its network, or empty
	Goal        string // empty: the plain conversion
	Status      string // a word
	Payout      string
	Currency    string
	At          time.Time // zero: its time cannot be read
}
