package models

import (
	"crypto/md5" //nolint:gosec // used only for comparison, not for security
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models/matchkey"
)

// Subs is the number of sub-parameters of a click. EarlySubs is the number that older versions of this service have.
const (
	Subs      = 30
	EarlySubs = 10
)

// SubKeys has the names of the sub-parameters, beginning with sub1.
var SubKeys = func() (list [Subs]string) {
	for i := range list {
		list[i] = "sub" + strconv.Itoa(i+1)
	}
	return list
}()

// Click is one routed visit to a tracking link. It is stored first in the spool and then in PostgreSQL. Its time is part of its
// id: see ClickTime. A zero UUID means that there is no such record. Texts are cut to their limits. Package clickattr defines how
// each field appears in conditions, tokens, reports and files.
type Click struct {
	ID               uuid.UUID
	AccountID        uuid.UUID
	CampaignID       uuid.UUID
	ParentCampaignID uuid.UUID // the campaign that handed the visitor over to this campaign
	StreamID         uuid.UUID
	LanderID         uuid.UUID
	OfferID          uuid.UUID
	NetworkID        uuid.UUID
	SourceID         uuid.UUID
	VisitorID        uuid.UUID

	ExternalID  string // the traffic source's own click id
	Domain      string
	Destination string // the address to which the visitor was sent, with its tokens filled
	Arrival     string // how the visitor was identified: "cookie", or "redirect" for a new visitor
	Params      string // the raw query as received, cut to its limit
	Subs        [Subs]string

	Visitor

	BotSignals uint64    // one bit for each signal, see package bot
	BotEntryID uuid.UUID // the entry of the bot lists that decided whether the visitor is a bot; zero: the signals decided
	// GeoSource is the provider that located the IP address. It is empty for the service's own database.
	GeoSource string
	// Crawler is the well-known crawler that made the click, confirmed by the host name of the IP address: see bot.Crawler.
	Crawler string

	Cost       decimal.Decimal // without UniqueCost until it is known that the click is unique
	UniqueCost decimal.Decimal // added to Cost if the click turns out to be unique
	Currency   string
	// ConversionCost is the price of each approved conversion (cost models cpa and cps). RevenueShare is the percentage of
	// approved revenue that goes to the source (cost model revshare).
	ConversionCost decimal.Decimal
	RevenueShare   decimal.Decimal

	// UniqueKey is the visitor's fingerprint. It decides whether the click is unique within its campaign for UniqueHours.
	UniqueKey   [16]byte
	UniqueHours int
	// AddressKey is a hash of the address, or of the /64 of an IPv6 address, if IP is not the whole address. It distinguishes
	// visitors with the same IP within a day. It is 0 if IP is the whole address.
	AddressKey uint64

	// RouteSeed is the seed of the random choices in routing, and FlowHash is a fingerprint of the flow. With both, the decision
	// can be repeated. Via is the step of routing that decided: see flow.Via.
	RouteSeed uint64
	FlowHash  uint64
	Via       int

	// PassedStreamID is the first path that was chosen for the visitor but could not take the visitor. PassedReason is the
	// reason: see flow.RefusedPath.
	PassedStreamID uuid.UUID
	PassedReason   string
}

// Visitor holds what is known about the visitor who clicked. Its JSON form is part of a row of the click log. An unknown text is
// empty.
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

// ASN is the number of an autonomous system. Zero means unknown, and is null in JSON.
type ASN uint32

// MarshalJSON implements json.Marshaler.
func (n ASN) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendUint(nil, uint64(n), 10), nil
}

// Sender returns a hash of address and user agent. Equal hashes mean the same sender. The hash is zero without an address.
// PostgreSQL calculates the same hash: see package botscan.
func (c *Click) Sender() uuid.UUID {
	address := strconv.FormatInt(int64(c.AddressKey), 10) //nolint:gosec // the same bits as in PostgreSQL
	if c.AddressKey == 0 {
		if !c.IP.IsValid() {
			return uuid.Nil
		}
		address = c.IP.Unmap().WithZone("").String()
	}
	return md5.Sum([]byte(address + " " + c.UserAgent)) //nolint:gosec // used only for comparison, not for security
}

// ClickOut is one step of a visitor from a lander to an offer.
type ClickOut struct {
	ID          uuid.UUID `spool:"1"` // a UUIDv7: its time is the time of the step
	ClickID     uuid.UUID `spool:"2"`
	AccountID   uuid.UUID `spool:"3"`
	Slot        int       `spool:"4"`
	OfferID     uuid.UUID `spool:"5"`
	NetworkID   uuid.UUID `spool:"6"`
	Destination string    `spool:"7"`
}

// ClickTrap records that a client followed the hidden link of a click, which no person can see.
type ClickTrap struct {
	ClickID   uuid.UUID `spool:"1"`
	AccountID uuid.UUID `spool:"2"` // zero: unknown to the process that recorded it
	Sender    uuid.UUID `spool:"3"` // the same hash as Click.Sender
}

// Postback is a message about a conversion. It comes from a network or a shop, or the service makes it from a goal. It is stored
// at once, and interpreted later by the job conversion:record.
type Postback struct {
	ID        uuid.UUID         `db:"id" spool:"1" json:"id"`                          // a UUIDv7: its time is when the postback arrived
	AccountID uuid.UUID         `db:"account_id" spool:"2" json:"account_id,omitzero"` // known if the URL names a network or a domain of the account
	NetworkID uuid.UUID         `db:"network_id" spool:"3" json:"network_id,omitzero"` // from the URL /postback/{network id}
	ClickID   uuid.UUID         `db:"click_id" spool:"10" json:"click_id,omitzero"`    // zero: the postback names neither a click of ours nor an imported one
	Source    string            `db:"source" spool:"4" json:"source"`                  // postback, pixel, tag, goal_api
	Domain    string            `db:"domain" spool:"5" json:"domain"`
	IP        netip.Addr        `db:"ip" spool:"6" json:"ip"`
	Params    map[string]string `db:"params,json" spool:"7" json:"params"` // query, form or JSON members: the first value of each, cut to its limit
	// Proof proves who sent the postback. It is sealed. Signature and SignedText are parts of the proof in clear, in a postback
	// that has just arrived or that an older version has stored.
	Proof      []byte `db:"proof" spool:"12" json:"-"`
	Signature  string `db:"signature" spool:"8" json:"-"`
	SignedText string `db:"signed_text" spool:"9" json:"-"`
	// Raw is the message of a network that has a scheme, until it is sealed in Proof.
	Raw *RawMessage `json:"-"`
	// Personal holds those personal data of the message that the service stores, until they are sealed in Proof.
	Personal *Personal `json:"-"`
	// HasPersonalData says that Proof contains personal data. Proof is then deleted after matchkey.Retention.
	HasPersonalData bool `db:"has_personal_data" spool:"14" json:"-"`
	// Received is the path and the query of a postback that may have to be forwarded to an old tracker. Forward is Received in
	// sealed form, if it is forwarded.
	Received string `json:"-"`
	Forward  []byte `spool:"15" json:"-"`
	// OldClick is the click id as received, if it is not a click id of this service. The click may have been imported from
	// another tracker.
	OldClick string `spool:"16" json:"-"`
	// Unmatched says, as a text for people, why the postback names no click. A postback with this text has no job.
	Unmatched string `spool:"11" json:"unmatched,omitempty"`
	// Refused says, as a text for people, why the postback is not trusted. A postback with this text has no job.
	Refused string `spool:"13" json:"refused,omitempty"`
}

// ForwardedHeader marks a postback that was forwarded to an old tracker. It is not forwarded again.
const ForwardedHeader = "Switchyard-Forwarded"

// Personal holds those personal data of a message that the service stores.
type Personal struct {
	Keys          matchkey.Hashes `json:"keys,omitzero"`
	ConsentDenied bool            `json:"consent_denied,omitzero"` // the person refuses the use of their data
}

// RawMessage is a message as it arrived. Headers, query and body together prove its sender.
type RawMessage struct {
	Header map[string]string `json:"header,omitempty"` // by name in lower case
	Query  string            `json:"query,omitempty"`
	Body   []byte            `json:"body,omitempty"` // compressed
}

// IsFromGoal reports whether the service itself made the postback from a goal that the page tag or a server reported. It then needs
// no proof from a network.
func (p *Postback) IsFromGoal() bool { return p.Source == FromTag || p.Source == FromGoalAPI }

// Results of a postback.
const (
	PostbackAccepted  = "accepted"  // stored, not decided yet
	PostbackMatched   = "matched"   // the postback made or changed a conversion, or a later postback counts instead
	PostbackUnmatched = "unmatched" // the click is not known
	PostbackRefused   = "refused"   // the postback is not trusted or not understood
	PostbackDuplicate = "duplicate" // the postback changed nothing
	PostbackIgnored   = "ignored"   // the postback is understood, but reports no conversion, or a change that is not allowed
)

// PostbackResults lists the results of a postback.
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

// The sources of a conversion, as in the field data.source of events.
const (
	FromPostback   = "postback"
	FromPixel      = "pixel"
	FromTag        = "tag"
	FromGoalAPI    = "goal_api"
	FromCorrection = "correction"
	// FromNetworkSync means that a network's API reported the conversion.
	FromNetworkSync = "network_sync"
)

// Conversion is an action that followed a click, such as a sale or a lead. Reports count it at the time and under the dimensions
// of its click. RecordedAt is its own time.
type Conversion struct {
	ID             uuid.UUID       `db:"id"`
	AccountID      uuid.UUID       `db:"account_id"`
	ClickID        uuid.UUID       `db:"click_id"`
	ConversionID   string          `db:"conversion_id"` // the sender's own id; empty: none. A click has at most one conversion without an id for each goal
	Goal           string          `db:"goal"`
	Status         string          `db:"status"`
	OriginalStatus string          `db:"original_status"` // the network's own word for the status
	Payout         decimal.Decimal `db:"payout"`
	Currency       string          `db:"currency"`
	// Rate is the value of one unit of the payout's currency in the account's currency. If it is invalid, the rate is not known,
	// and the conversion counts without money.
	Rate decimal.NullDecimal `db:"rate"`
	// AmountReason says why the payout does not count as it was received.
	AmountReason string          `db:"amount_reason"`
	Cost         decimal.Decimal `db:"cost"` // in the account's currency
	// SaleAmount is the amount of the sale for which the payout is paid, in SaleCurrency. It is invalid if it was never
	// reported.
	SaleAmount   decimal.NullDecimal `db:"sale_amount"`
	SaleCurrency string              `db:"sale_currency"`
	CampaignID   uuid.UUID           `db:"campaign_id"`
	OfferID      uuid.UUID           `db:"offer_id"`
	SourceID     uuid.UUID           `db:"source_id"`
	NetworkID    uuid.UUID           `db:"network_id"`
	Source       string              `db:"source"`
	RecordedAt   time.Time           `db:"recorded_at"`
	UpdatedAt    time.Time           `db:"updated_at"`
	// InvalidTime is a reported time that is not used: see postback.TimeReason.
	InvalidTime string `db:"invalid_time"`
}

// statusMoves lists the statuses to which each status may change. The same status is always allowed.
var statusMoves = map[string][]string{
	StatusPending:    {StatusApproved, StatusRejected},
	StatusApproved:   {StatusRejected, StatusChargeback},
	StatusRejected:   {StatusApproved},
	StatusChargeback: nil, // no other status can follow
}

// ValidStatus reports whether s is one of the four statuses.
func ValidStatus(s string) bool { _, ok := statusMoves[s]; return ok }

// CanMove reports whether a conversion may change from one status to another.
func CanMove(from, to string) bool { return from == to || slices.Contains(statusMoves[from], to) }
