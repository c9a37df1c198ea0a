package models

import (
	"crypto/md5" //nolint:gosec // compared, guards nothing
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Subs is how many sub-parameters (sub1..sub10) a click carries.
const Subs = 10

// Click is one routed visit to a tracking link. The spool holds it, PostgreSQL stores it and reports count it. Its
// time is in its id: see ClickTime. A zero UUID means none. Texts are cut to their limits before a Click is made.
// Package clickattr says what each field is in conditions, tokens, reports and files.
type Click struct {
	ID               uuid.UUID
	AccountID        uuid.UUID
	CampaignID       uuid.UUID
	ParentCampaignID uuid.UUID // the campaign that handed the visitor over
	StreamID         uuid.UUID
	LanderID         uuid.UUID
	OfferID          uuid.UUID
	NetworkID        uuid.UUID
	SourceID         uuid.UUID
	VisitorID        uuid.UUID

	ExternalID  string // the traffic source's own click id
	Domain      string
	Destination string // where the visitor was sent, tokens filled
	Arrival     string // how the visitor was identified: url, cookie, redirect, ...
	Params      string // the raw query as received, cut
	Subs        [Subs]string

	Visitor

	BotSignals uint64    // bit per signal, see package bot
	BotEntryID uuid.UUID // entry of the bot lists that decided; zero: the signals did
	// GeoSource is the account's geo database that says where the address is. Empty: the service's own.
	GeoSource string
	// Crawler is the well-known crawler that the visitor is, once the name of its address has confirmed it. See
	// bot.Crawler.
	Crawler string

	Cost       decimal.Decimal // of the click, unique or not
	UniqueCost decimal.Decimal // added if the click turns out to be unique
	Currency   string
	// ConversionCost is the price of each approved conversion (cost models cpa and cps). RevenueShare is the percentage
	// of approved revenue that goes to the source (revshare).
	ConversionCost decimal.Decimal
	RevenueShare   decimal.Decimal

	// UniqueKey is the visitor's fingerprint. It decides whether the click is unique within its campaign for
	// UniqueHours.
	UniqueKey   [16]byte
	UniqueHours int
	// AddressKey tells addresses of one day apart where IP is not the whole one. It is 0 where IP is.
	AddressKey uint64

	// RouteSeed seeds the random draws of routing and FlowHash is a fingerprint of the flow: with both, the decision
	// can be repeated. Via is the step that decided, a flow.Via.
	RouteSeed uint64
	FlowHash  uint64
	Via       int

	// PassedStreamID is the first path that was to take the visitor and could not, and PassedReason says why: see
	// flow.Passed.
	PassedStreamID uuid.UUID
	PassedReason   string
}

// Visitor is what the service found out about who clicked. Its JSON form is the visitor's part of a row of the click
// log. An unknown text is empty.
type Visitor struct {
	IP             netip.Addr `json:"ip"`
	Country        string     `json:"country" doc:"two letters"`
	Region         string     `json:"region"`
	City           string     `json:"city"`
	Language       string     `json:"language"`
	ISP            string     `json:"isp"`
	ASN            ASN        `json:"asn"`
	MobileOperator string     `json:"mobile_operator"`
	ConnectionType string     `json:"connection_type"`
	ProxyKind      string     `json:"proxy_kind"`
	DeviceType     string     `json:"device_type"`
	DeviceBrand    string     `json:"device_brand"`
	DeviceModel    string     `json:"device_model"`
	OS             string     `json:"os"`
	OSVersion      string     `json:"os_version"`
	Browser        string     `json:"browser"`
	BrowserVersion string     `json:"browser_version"`
	UserAgent      string     `json:"user_agent"`
	Referrer       string     `json:"referrer"`
	ReferrerDomain string     `json:"referrer_domain"`
	Keyword        string     `json:"keyword"`
	SearchEngine   string     `json:"search_engine"`
	IsBot          bool       `json:"is_bot"`
	BotScore       int        `json:"bot_score" doc:"0-100"`
	BotReason      string     `json:"bot_reason" doc:"the heaviest signal that fired"`
}

// ASN is the number of an autonomous system. Zero is unknown, and null in JSON.
type ASN uint32

// MarshalJSON implements json.Marshaler.
func (n ASN) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendUint(nil, uint64(n), 10), nil
}

// Sender returns a hash of address and user agent. Two requests with the same hash have the same sender. It is zero if nothing
// of the address is stored. PostgreSQL computes the same hash: see package clicklog.
func (c *Click) Sender() uuid.UUID {
	address := strconv.FormatInt(int64(c.AddressKey), 10) //nolint:gosec // the same bits, as PostgreSQL has them
	if c.AddressKey == 0 {
		if !c.IP.IsValid() {
			return uuid.Nil
		}
		address = c.IP.Unmap().WithZone("").String()
	}
	return md5.Sum([]byte(address + " " + c.UserAgent)) //nolint:gosec // compared, guards nothing
}

// ClickOut is one step of a visitor from a lander to an offer.
type ClickOut struct {
	ID          uuid.UUID // a UUIDv7: its time is the time of the step
	ClickID     uuid.UUID
	AccountID   uuid.UUID
	Slot        int
	OfferID     uuid.UUID
	NetworkID   uuid.UUID
	Destination string
}

// ClickTrap records that a client followed the hidden link of a click, which no person can see.
type ClickTrap struct {
	ClickID   uuid.UUID
	AccountID uuid.UUID // zero: not known where it was recorded
	Sender    uuid.UUID // as Click.Sender
}

// Postback is a message of a network or a shop about a conversion, as it arrived. It is stored at once, and
// interpreted later by the job conversion:record.
type Postback struct {
	ID        uuid.UUID         `json:"id"`                  // a UUIDv7: its time is when the postback arrived
	AccountID uuid.UUID         `json:"account_id,omitzero"` // known when the address names a network or an own domain
	NetworkID uuid.UUID         `json:"network_id,omitzero"` // of /postback/{network id}
	ClickID   uuid.UUID         `json:"click_id,omitzero"`   // that it names, if it was found when it arrived
	Source    string            `json:"source"`              // postback, pixel, tag, goal_api
	Domain    string            `json:"domain"`              //
	IP        netip.Addr        `json:"ip"`                  //
	Params    map[string]string `json:"params"`              // query, form or JSON members, first value each, cut
	// Proof proves the sender. It is sealed: see package postback. Signature and SignedText are a part of it. They are in clear
	// only in a postback that has just arrived, or that an older process has stored.
	Proof      []byte `json:"-"`
	Signature  string `json:"-"`
	SignedText string `json:"-"`
	// Unmatched says, for a person, why it names no click. Then it is decided and has no job. It is empty otherwise.
	Unmatched string `json:"unmatched,omitempty"`
	// Refused says, for a person, why it is not believed. Then it is decided and has no job. It is empty otherwise.
	Refused string `json:"refused,omitempty"`
}

// OfGoal reports whether the service made the message of an event that it has checked: no network proves it.
func (p *Postback) OfGoal() bool { return p.Source == FromTag || p.Source == FromGoalAPI }

// Results of a postback.
const (
	PostbackAccepted  = "accepted"  // stored, not decided yet
	PostbackMatched   = "matched"   // it made or changed a conversion, or a later one counts
	PostbackUnmatched = "unmatched" // its click is not known
	PostbackRefused   = "refused"   // not believed or not understood
	PostbackDuplicate = "duplicate" // it changed nothing
	PostbackIgnored   = "ignored"   // understood, but not allowed
)

// PostbackResults are all of them.
var PostbackResults = []string{
	PostbackAccepted, PostbackMatched, PostbackUnmatched, PostbackRefused, PostbackDuplicate, PostbackIgnored,
}

// Statuses of a conversion.
const (
	StatusPending    = "pending"
	StatusApproved   = "approved"
	StatusRejected   = "rejected"
	StatusChargeback = "chargeback"
)

// The sources of a conversion that the service records, as in data.source.
const (
	FromPostback   = "postback"
	FromPixel      = "pixel"
	FromTag        = "tag"
	FromGoalAPI    = "goal_api"
	FromCorrection = "correction"
	// FromNetworkSync is what a network's API answered.
	FromNetworkSync = "network_sync"
)

// Conversion is what a click led to. Reports count it at the time, and under the dimensions, of its click. RecordedAt
// is its own time.
type Conversion struct {
	ID             uuid.UUID       `db:"id"`
	AccountID      uuid.UUID       `db:"account_id"`
	ClickID        uuid.UUID       `db:"click_id"`
	ConversionID   string          `db:"conversion_id"` // the network's or shop's; empty: the only one of its click and goal
	Goal           string          `db:"goal"`
	Status         string          `db:"status"`
	OriginalStatus string          `db:"original_status"` // the network's own word
	Payout         decimal.Decimal `db:"payout"`
	Currency       string          `db:"currency"`
	// Rate is how much of the account's currency one of the payout's is. Invalid: there is no rate, and it counts no money.
	Rate       decimal.NullDecimal `db:"rate"`
	Cost       decimal.Decimal     `db:"cost"` // in the account's currency
	CampaignID uuid.UUID           `db:"campaign_id"`
	OfferID    uuid.UUID           `db:"offer_id"`
	SourceID   uuid.UUID           `db:"source_id"`
	NetworkID  uuid.UUID           `db:"network_id"`
	Source     string              `db:"source"`
	RecordedAt time.Time           `db:"recorded_at"`
	UpdatedAt  time.Time           `db:"updated_at"`
}

// statusMoves lists the changes of status that are allowed. The same status may always be recorded again.
var statusMoves = map[string][]string{
	StatusPending:    {StatusApproved, StatusRejected},
	StatusApproved:   {StatusRejected, StatusChargeback},
	StatusRejected:   {StatusApproved},
	StatusChargeback: nil, // final
}

// ValidStatus reports whether s is one of the four statuses.
func ValidStatus(s string) bool { _, ok := statusMoves[s]; return ok }

// CanMove reports whether a conversion may go from one status to another.
func CanMove(from, to string) bool { return from == to || slices.Contains(statusMoves[from], to) }
