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
	ID             uuid.UUID
	AccountID      uuid.UUID
	DomainID       uuid.UUID
	SourceID       uuid.UUID // zero: none
	Slug           string    // unique on the domain, among the aliases of campaigns too
	Name           string
	Notes          string
	DestinationURL string // may hold {token} placeholders, as may those of rules
	Rules          []SmartlinkRule
	IsActive       bool
	CreatedAt      time.Time
	UpdatedAt      time.Time

	// Read with the smartlink, not written with it.
	Host        string // of the domain
	SourceName  string
	Clicks      int64     // without bots
	LastClickAt time.Time // zero: none yet
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
