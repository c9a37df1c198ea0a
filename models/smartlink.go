package models

import (
	"time"

	"github.com/google/uuid"
)

// MaxSlug is the length of a smartlink's slug in bytes.
const MaxSlug = 64

// Smartlink is a short link on a tracking domain of the account. The first rule that matches sends the visitor to its
// own destination. Without a match he goes to DestinationURL.
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
	KeepActive     bool            // for an update: IsActive stays as saved
	CreatedAt      time.Time       `db:"created_at,auto"`
	UpdatedAt      time.Time       `db:"updated_at,auto"`

	// Read with the smartlink, never written.
	Host        string     `db:"host,joined"` // of the domain
	SourceName  string     `db:"source_name,joined"`
	Clicks      int64      // without bots
	LastClickAt *time.Time // nil: none yet
}

// SmartlinkRule sends the visitors that match its conditions to its own destination. It is stored as its JSON form.
type SmartlinkRule struct {
	ID             uuid.UUID   `json:"id"` // statistics refer to it
	Name           string      `json:"name"`
	Logic          string      `json:"logic" enum:"and,or"`
	Conditions     []Condition `json:"conditions"`
	DestinationURL string      `json:"destination_url"`
}

// SmartlinkClick is one visit to a smartlink. The campaign fields of its Click are empty.
type SmartlinkClick struct {
	Click
	SmartlinkID    uuid.UUID
	RuleID         uuid.UUID // zero: no rule matched
	DestinationURL string    // as saved; Destination has its tokens filled
}
