package trackerimport

import (
	"time"

	"switchyard/models"
)

// OldClick is a click in the log of another tracker. Campaign, Source, Offer and Lander are the keys that the import gave to
// these records. There is no cost, because the log does not say in which currency the cost of a click is.
type OldClick struct {
	ID                               string
	Campaign, Source, Offer, Lander  string // keys; empty: none
	At                               time.Time
	ExternalID, Fingerprint, Referer string
	Subs                             [models.Subs]string
	Visitor                          models.Visitor // without an address
}

// OldConversion is a conversion in the log of another tracker. Texts are as received.
type OldConversion struct {
	ID, ClickID string
	Token       string // the id of the conversion at its network, or empty
	Goal        string // empty: a conversion without a goal
	Status      string
	Payout      string
	Currency    string
	At          time.Time // zero: the time cannot be read
}
