package models

import "encoding/json"

// Lander is a landing page: the page that a visitor sees before the offer.
type Lander struct {
	Owned
	LanderFields
	Protection Protection `db:"protection,json,once" json:"protection"`
	Pausable
}

// LanderFields are the fields of a landing page that an account chooses.
type LanderFields struct {
	Name       string `db:"name" json:"name" required:"true" trim:"true" maxLength:"255"`
	URL        string `db:"url" json:"url" required:"true" trim:"true" maxLength:"4000" format:"routable" send:"http(s); {token} placeholders allowed"`
	ClickSlots int    `db:"click_slots" json:"click_slots" bad:"invalid_number,out_of_range" optional:"true" min:"1" max:"20" default:"1" send:"number of call-to-action slots on the page"`
	GroupName  string `db:"group_name" json:"group_name" trim:"true" maxLength:"255"`
	Country    string `db:"country" json:"country" bad:"invalid_country" trim:"true" format:"country" send:"two letters, or empty"`
	Tags       Tags   `db:"tags" json:"tags"`
	Notes      string `db:"notes" json:"notes" maxLength:"2000"`
}

// The ways in which a protected page checks that a visitor came through a tracking link.
const (
	ProtectOff    = "off" // no check: only the other settings of Protection decide
	ProtectClick  = "click"
	ProtectSigned = "signed"
)

// Protection determines which visitors see a landing page, and where all other visitors are sent. An empty list does not
// restrict.
type Protection struct {
	Enabled        bool     `json:"enabled"`
	Mode           string   `json:"mode" enum:"off,click,signed"`
	TTLSeconds     int      `json:"ttlSeconds" doc:"seconds for which a key or a click lets a visitor in"`
	BindIP         bool     `json:"bindIp"`
	BindUserAgent  bool     `json:"bindUserAgent"`
	SingleUse      bool     `json:"singleUse"`
	BlockBots      bool     `json:"blockBots"`
	Countries      []string `json:"countries" doc:"only visitors from these countries, codes of two capital letters"`
	DenyCountries  []string `json:"denyCountries"`
	Devices        []string `json:"devices" doc:"only visitors with these device types"`
	Referrers      []string `json:"referrers" doc:"only visitors who come from these domains"`
	FallbackURL    string   `json:"fallbackUrl" doc:"where all other visitors are sent if fallbackStatus is 302; empty: nowhere"`
	FallbackStatus int      `json:"fallbackStatus" doc:"302, 403 or 404; without fallbackUrl, 302 means 404"`
}

// DefaultProtection returns the protection that lets every visitor in.
func DefaultProtection() Protection {
	return Protection{
		Mode: ProtectOff, TTLSeconds: 3600, FallbackStatus: 302,
		Countries: []string{}, DenyCountries: []string{}, Devices: []string{}, Referrers: []string{},
	}
}

// UnmarshalJSON keeps the defaults of missing members.
func (p *Protection) UnmarshalJSON(raw []byte) error {
	type plain Protection
	stored := plain(DefaultProtection())
	if err := json.Unmarshal(raw, &stored); err != nil {
		return err
	}
	*p = Protection(stored)
	return nil
}
