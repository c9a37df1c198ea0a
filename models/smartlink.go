package models

import (
	"time"

	"github.com/google/uuid"
)

// Limits of a smartlink.
const (
	MaxSmartlinkRules = 20
	MaxSlug           = 64
)

// Smartlink is a short link on a tracking domain of the account: the first rule that matches a visitor says where he
// goes, and DestinationURL where nobody's rule does.
type Smartlink struct {
	ID             uuid.UUID       `db:"id"`
	AccountID      uuid.UUID       `db:"account_id"`
	DomainID       uuid.UUID       `db:"domain_id"`
	SourceID       uuid.UUID       `db:"source_id"` // zero: none
	Slug           string          `db:"slug"`      // unique on the domain, among the aliases of campaigns too
	Name           string          `db:"name"`
	Notes          string          `db:"notes"`
	DestinationURL string          `db:"destination_url"` // may hold {token} placeholders, as may those of rules
	Rules          []SmartlinkRule `db:"rules,json"`
	IsActive       bool            `db:"is_active"`
	KeepActive     bool            // an update leaves IsActive as it is
	CreatedAt      time.Time       `db:"created_at,auto"`
	UpdatedAt      time.Time       `db:"updated_at,auto"`

	// Read with the smartlink, not written with it.
	Host        string     `db:"host,joined"` // of the domain
	SourceName  string     `db:"source_name,joined"`
	Clicks      int64      // without bots
	LastClickAt *time.Time // nil: none yet
}

// SmartlinkRule sends the visitors that its conditions match to an address of their own. Its JSON form is also how it
// is stored.
type SmartlinkRule struct {
	ID             uuid.UUID   `json:"id"` // statistics go by it
	Name           string      `json:"name"`
	Logic          string      `json:"logic" enum:"and,or"`
	Conditions     []Condition `json:"conditions"`
	DestinationURL string      `json:"destination_url"`
}

// SmartlinkClick is one arrival on a smartlink. Of the click inside, what belongs to campaigns is empty.
type SmartlinkClick struct {
	Click
	SmartlinkID    uuid.UUID
	RuleID         uuid.UUID // zero: no rule matched
	DestinationURL string    // as it stands in the smartlink; Destination has its tokens filled
}
