package copilot

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/flow"
)

// WindowDays is how many days the figures cover that are judged, today not included: its conversions are still to come.
const WindowDays = 30

// Input is what is known of an account when it is judged.
type Input struct {
	Now       time.Time
	Days      []string // of the window, YYYY-MM-DD in the account's time zone
	Currency  string
	Campaigns []CampaignInput
	// Offers and Landers have the live ones, by their ids as paths write them.
	Offers  map[string]OfferInput
	Landers map[string]LanderInput
	Sources []SourceInput
	// Networks are those with postbacks that found no click.
	Networks []NetworkInput
	Domains  []DomainInput
}

// CampaignInput is an active campaign.
type CampaignInput struct {
	models.Campaign
	Paths  []flow.Path
	Rows   []ArmRow
	Values []ValueRow // of attributes that can be blocked
	// Others are the other active campaigns of its traffic source.
	Others []uuid.UUID
	// Late is the number of last days whose conversions are still to come: see Delays. Values have no figures of these days.
	Late int
	// Turn is the number of days until the campaign is judged again, added to the usual day.
	Turn int
}

// lastDay is the last day on which values are judged.
func (c *CampaignInput) lastDay(in *Input) string {
	if n := c.settled(in); n > 0 {
		return in.Days[n-1]
	}
	return ""
}

// settled is on how many days of the window values are judged.
func (c *CampaignInput) settled(in *Input) int { return max(len(in.Days)-c.Late, 0) }

// ArmRow has the figures of a path, with a landing page and an offer, on one day. An empty id means that the row has no landing
// page or no offer.
type ArmRow struct {
	Path, Lander, Offer string
	Day                 int // in Input.Days
	Clicks, LPViews     int64
	LPClicks            int64
	Conversions         int64
	Value               float64 // payouts, approved and pending
	Cost                float64
}

// ValueRow is what a campaign had in the window with one value of an attribute.
type ValueRow struct {
	Attribute, Value string
	Clicks           int64
	Conversions      int64
	Returns          float64 // payouts, approved and pending
	Cost             float64
}

// OfferInput is a live offer.
type OfferInput struct {
	models.Offer
	Problem string     // why its link should not be used; empty: it may
	Days    []OfferDay // by Input.Days; nil unless it has a cap
}

// pathName is the name of a path.
func (c *CampaignInput) pathName(id string) string {
	if i := findPath(c.Paths, id); i >= 0 {
		return c.Paths[i].Name
	}
	return id
}

// OfferDay is what an offer had on a day.
type OfferDay struct{ Clicks, Approved, Pending, Rejected int64 }

// LanderInput is a live landing page.
type LanderInput struct {
	Name    string
	Active  bool
	Problem string
}

// SourceInput is what a traffic source had in the window.
type SourceInput struct {
	ID           uuid.UUID
	Name         string
	Clicks, Bots int64
	Macros       map[string]string // of the source, by the name of the sub that they fill
	// Empty counts the clicks, of Clicks, without the value of a token that the source's links have, by the name of the sub.
	Empty map[string]int64
}

// NetworkInput is a network with postbacks that found no click.
type NetworkInput struct {
	models.Network
	Unmatched, Total int64
	Since            time.Time
	// Parameter carries ids of clicks of the account in Found of the Looked postbacks. In Read of them the click id is read
	// from it as the network is set now.
	Parameter           string
	Found, Read, Looked int64
}

// DomainInput is a tracking domain of live campaigns whose certificate or registration is about to end.
type DomainInput struct {
	ID              uuid.UUID
	Host            string
	ExpiresAt       time.Time // of the certificate; zero: it does not end soon
	RegisteredUntil time.Time // likewise, of the name
	Campaigns       int
}
