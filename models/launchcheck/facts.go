package launchcheck

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/flow"
)

// Facts are the data that the checks use.
type Facts struct {
	Now      time.Time
	Account  models.Account
	Campaign models.Campaign
	Paths    []flow.Path
	Domain   Domain
	Source   *Source // nil: the campaign has no source
	// Records has the offers and landing pages that are not deleted.
	Records  map[uuid.UUID]Record
	Networks map[uuid.UUID]Network
	// Campaigns has the campaigns to which paths hand visitors over.
	Campaigns map[uuid.UUID]Target
	Bots      bot.Settings
	// Rated reports, for each currency in Currencies, whether there is an exchange rate of today.
	Rated map[string]bool
	// Used has the number of conversions of each offer with a cap, and of clicks of each path with a cap, on the account's
	// present day.
	Used    map[uuid.UUID]int
	Landers map[uuid.UUID]Visits
	Tag     Tag
}

// Days is how far the checks look back: for postbacks, for clicks on landing pages, and for events of the page tag.
const Days = 30

// Domain is the domain of the tracking link, with the results of the workers' last checks.
type Domain struct {
	ID              uuid.UUID  `db:"id"`
	Host            string     `db:"host"`
	Shared          bool       `db:"shared"`
	IsVerified      bool       `db:"is_verified"`
	CheckedAt       *time.Time `db:"checked_at"`
	Points          *bool      `db:"points"`
	HTTPS           *bool      `db:"https"`
	Detail          string     `db:"detail"`
	WrongSince      *time.Time `db:"wrong_since"`
	RegisteredUntil *time.Time `db:"registered_until"`
	CertificateEnds *time.Time `db:"expires_at"`
	Failure         string     `db:"failure"`
	UnsafeAt        *time.Time `db:"unsafe_at"`
}

// Record is an offer or a landing page, with the results of the workers' last checks of its link.
type Record struct {
	ID              uuid.UUID     `db:"id"`
	Kind            string        `db:"kind"`
	Name            string        `db:"name"`
	URL             string        `db:"url"`
	IsActive        bool          `db:"is_active"`
	NetworkID       uuid.NullUUID `db:"network_id"`
	Payout          models.Money  `db:"payout"`
	PayoutFromParam bool          `db:"payout_from_param"`
	Currency        string        `db:"currency"`
	DailyCap        *int          `db:"daily_cap"`
	ClickSlots      int           `db:"click_slots"`
	CheckedAt       *time.Time    `db:"checked_at"`
	Error           string        `db:"error"`
	BrokenAt        *time.Time    `db:"broken_at"`
	UnsafeAt        *time.Time    `db:"unsafe_at"`
}

// Source is the traffic source of the campaign.
type Source struct {
	models.TrafficSource
	ReadsSpend   bool
	SpendFailure string // why reading the spend fails; empty: it does not fail
	Unfilled     []Unfilled
}

// Unfilled is a parameter of the link that was empty in every click.
type Unfilled struct {
	Sub string
	At  time.Time
}

// Network is the affiliate network of an offer.
type Network struct {
	ID           uuid.UUID  `db:"id"`
	Name         string     `db:"name"`
	Currency     string     `db:"currency"`
	Scheme       string     `db:"postback_scheme"`
	ClickParam   string     `db:"click_param"`   // the redirect adds it to offer URLs that have no token of the click id
	TellsPayout  bool       `db:"tells_payout"`  // a macro for the payout is known, or notifications contain the payout
	LastPostback *time.Time `db:"last_postback"` // time of the last postback that the network itself sent
	Tests        int64      `db:"tests"`         // how many postbacks the dashboard sent as tests
	SyncedAt     *time.Time `db:"synced_at"`     // when a connection last read the network's orders
	Failing      string     `db:"-"`             // why the network's postbacks do not become conversions; empty: they do
	FailingSince time.Time  `db:"-"`
}

// Target is a campaign to which a path hands visitors over.
type Target struct {
	ID     uuid.UUID `db:"id"`
	Name   string    `db:"name"`
	Status string    `db:"status"`
}

// Visits counts the clicks that led to a landing page, and the clicks from the page to an offer (Out).
type Visits struct{ Clicks, Out int64 }

// Tag is the page tag of the campaign's site. If the campaign names no site, only LastEvent is set: the time of the newest event of
// any site of the account.
type Tag struct {
	Site      uuid.UUID `db:"id"`
	Name      string    `db:"name"`
	IsActive  bool      `db:"is_active"`
	LastEvent *time.Time
}

func (f *Facts) expectsGoals() bool {
	return f.Campaign.TracksGoals() || f.Campaign.MeasurementSiteID.Valid || f.Campaign.PrimaryGoalKey != "" || len(f.Campaign.TrackedGoalKeys) > 0
}

// Currencies returns each currency in which the campaign has amounts, except the account's own, with the first place that uses
// it.
func (f *Facts) Currencies() (list []Place) {
	seen := map[string]bool{f.Account.Currency: true, "": true}
	add := func(p Place) {
		if !seen[p.Value] {
			seen[p.Value] = true
			list = append(list, p)
		}
	}
	add(f.setting("currency", f.Campaign.Currency))
	f.eachRecord(AtOffer, func(r Record, p Place) {
		p.Field, p.Value = "currency", r.Currency
		add(p)
		if n, ok := f.Networks[r.NetworkID.UUID]; ok {
			add(Place{Kind: AtNetwork, ID: n.ID, Name: n.Name, Field: "currency", Value: n.Currency})
		}
	})
	return list
}

func (f *Facts) setting(field, value string) Place {
	return Place{Kind: AtCampaign, ID: f.Campaign.ID, Name: f.Campaign.Name, Field: field, Value: value}
}

func (f *Facts) at(p *flow.Path) Place {
	place := f.setting("flow", "")
	place.Path, place.PathName = p.ID, p.Name
	return place
}

func (f *Facts) eachPath(fn func(i int, p *flow.Path)) {
	for i := range f.Paths {
		if f.Paths[i].IsActive {
			fn(i, &f.Paths[i])
		}
	}
}

// eachRecord calls fn once for each offer and landing page to which an active path leads, with the place of its first use. If
// kind is not empty, it calls fn only for records of this kind. It leaves out destinations with weight 0.
func (f *Facts) eachRecord(kind string, fn func(Record, Place)) {
	seen := map[uuid.UUID]bool{}
	f.eachPath(func(_ int, p *flow.Path) {
		for _, d := range p.Destinations {
			id, ok := models.ParseID(d.ID)
			r, found := f.Records[id]
			if !ok || !found || seen[id] || d.Weight == 0 || kind != "" && r.Kind != kind {
				continue
			}
			seen[id] = true
			fn(r, Place{Kind: r.Kind, ID: r.ID, Name: r.Name, Path: p.ID, PathName: p.Name})
		}
	})
}

func (f *Facts) open(d flow.Destination) (open, isLander bool) {
	if d.URL != "" {
		return d.Weight > 0, false
	}
	id, _ := models.ParseID(d.ID)
	r, ok := f.Records[id]
	return ok && r.IsActive && d.Weight > 0, r.Kind == AtLander
}

// lookedAt returns the time of the oldest of the workers' checks on which the findings of an area depend.
func (f *Facts) lookedAt(area string) (oldest *time.Time) {
	switch area {
	case "link":
		return f.Domain.CheckedAt
	case "destinations":
		f.eachRecord("", func(r Record, _ Place) {
			if r.CheckedAt != nil && (oldest == nil || r.CheckedAt.Before(*oldest)) {
				oldest = r.CheckedAt
			}
		})
	}
	return oldest
}
