package copilot

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/flow"
)

// WindowDays is the number of days whose figures are judged. Today is left out, because many of its conversions are not reported
// yet.
const WindowDays = 30

// Input holds the data of an account that Judge judges.
type Input struct {
	Now       time.Time
	Days      []string // days of the window, YYYY-MM-DD in the account's time zone
	Currency  string
	Campaigns []CampaignInput
	// Offers and Landers hold the live records by id.
	Offers  map[string]OfferInput
	Landers map[string]LanderInput
	Sources []SourceInput
	// Networks lists the networks with postbacks that found no click.
	Networks []NetworkInput
	Domains  []DomainInput
}

// CampaignInput is an active campaign with its figures.
type CampaignInput struct {
	models.Campaign
	Paths  []flow.Path
	Rows   []ArmRow
	Values []ValueRow
	// Others lists the other campaigns in Input.Campaigns that have the same traffic source.
	Others []uuid.UUID
	// Late is the number of days at the end of the window that may still get conversions: see Delays. Values have no figures for
	// them.
	Late int
	// Turn is the number of days between two judgements of a campaign that takes turns with others; else 0. The campaign's
	// suggestions stay that much longer.
	Turn int
}

func (c *CampaignInput) lastDay(in *Input) string {
	if n := c.judgedDays(in); n > 0 {
		return in.Days[n-1]
	}
	return ""
}

// judgedDays returns the number of days of the window on which values are judged.
func (c *CampaignInput) judgedDays(in *Input) int { return max(len(in.Days)-c.Late, 0) }

// ArmRow has the figures of one day for a path together with a landing page and an offer. A missing landing page or offer has an
// empty id.
type ArmRow struct {
	Path, Lander, Offer string
	Day                 int // index in Input.Days
	Clicks, LPViews     int64
	LPClicks            int64
	Conversions         int64
	Value               float64 // sum of approved and pending payouts
	Cost                float64
}

// ValueRow holds the figures of a campaign in the window for one value of an attribute, without the last days that
// CampaignInput.Late counts.
type ValueRow struct {
	Attribute, Value string
	Clicks           int64
	Conversions      int64
	Returns          float64 // sum of approved and pending payouts
	Cost             float64
}

// OfferInput is a live offer.
type OfferInput struct {
	models.Offer
	Problem string     // why the offer's link should not be used; empty: the link may be used
	Days    []OfferDay // in the order of Input.Days; nil unless the offer has a cap
}

func (c *CampaignInput) pathName(id string) string {
	if i := findPath(c.Paths, id); i >= 0 {
		return c.Paths[i].Name
	}
	return id
}

// OfferDay holds the figures of an offer on a day.
type OfferDay struct{ Clicks, Approved, Pending, Rejected int64 }

// LanderInput is a live landing page.
type LanderInput struct {
	Name    string
	Active  bool
	Problem string
}

// SourceInput holds the figures of a traffic source in the window.
type SourceInput struct {
	ID           uuid.UUID
	Name         string
	Clicks, Bots int64
	Macros       map[string]string // the source's macros, by the name of the sub-parameter that they fill
	// Empty has, for each sub-parameter that the source's links fill by a macro, the number of Clicks without a value for it.
	Empty map[string]int64
}

// NetworkInput is a network with postbacks that found no click.
type NetworkInput struct {
	models.Network
	Unmatched, Total int64
	Since            time.Time
	// Examined is the number of postbacks that were examined. Found is the number of them that have a click id of the account in
	// the parameter with the name Parameter. Read is the part of Found whose id the network's settings already read.
	Parameter             string
	Found, Read, Examined int64
}

// DomainInput is a tracking domain of live campaigns whose certificate or registration is about to end.
type DomainInput struct {
	ID              uuid.UUID
	Host            string
	ExpiresAt       time.Time // end of the certificate; zero: it does not end soon
	RegisteredUntil time.Time // end of the registration of the host's name; zero: it does not end soon
	Campaigns       int
}
