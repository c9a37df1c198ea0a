package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Lander is a landing page: what a visitor sees before the offer.
type Lander struct {
	ID         uuid.UUID  `db:"id"`
	AccountID  uuid.UUID  `db:"account_id"`
	Name       string     `db:"name"`
	URL        string     `db:"url"`         // may hold {token} placeholders
	ClickSlots int        `db:"click_slots"` // call-to-action slots, 1-20
	GroupName  string     `db:"group_name"`
	Country    string     `db:"country"` // two capital letters, or empty
	Tags       []string   `db:"tags"`
	Notes      string     `db:"notes"`
	Protection Protection `db:"protection,json,once"`
	IsActive   bool       `db:"is_active,auto"`
	CreatedAt  time.Time  `db:"created_at,auto"`
	UpdatedAt  time.Time  `db:"updated_at,auto"`
}

// How a protected page recognizes a visitor who came through a tracking link.
const (
	ProtectOff    = "off"    // not at all: only the lists decide
	ProtectClick  = "click"  // the click id must be of a click that was sent to this page
	ProtectSigned = "signed" // the signed key of the link must hold
)

// Protection says who is shown a landing page, and where everybody else is sent. It keeps out scrapers and direct
// hits. An empty list does not restrict. It is stored as JSON; a missing member has its value of DefaultProtection.
type Protection struct {
	Enabled        bool     `json:"enabled"`
	Mode           string   `json:"mode" enum:"off,click,signed"`
	TTLSeconds     int      `json:"ttlSeconds" doc:"how long a key or a click lets a visitor in"`
	BindIP         bool     `json:"bindIp"`
	BindUserAgent  bool     `json:"bindUserAgent"`
	SingleUse      bool     `json:"singleUse"`
	BlockBots      bool     `json:"blockBots"`
	Countries      []string `json:"countries" doc:"only these, two capital letters each"`
	DenyCountries  []string `json:"denyCountries"`
	Devices        []string `json:"devices" doc:"only these device types"`
	Referrers      []string `json:"referrers" doc:"only visitors who come from these domains"`
	FallbackURL    string   `json:"fallbackUrl" doc:"where everybody else goes; empty: nowhere"`
	FallbackStatus int      `json:"fallbackStatus" doc:"302, 403 or 404; without fallbackUrl a 302 is a 404"`
}

// DefaultProtection lets everybody in.
func DefaultProtection() Protection {
	return Protection{
		Mode: ProtectOff, TTLSeconds: 3600, FallbackStatus: 302,
		Countries: []string{}, DenyCountries: []string{}, Devices: []string{}, Referrers: []string{},
	}
}

// UnmarshalJSON reads the stored form over the defaults.
func (p *Protection) UnmarshalJSON(raw []byte) error {
	type plain Protection // without this method
	stored := plain(DefaultProtection())
	if err := json.Unmarshal(raw, &stored); err != nil {
		return err
	}
	*p = Protection(stored)
	return nil
}
