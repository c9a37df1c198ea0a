package models

import (
	"time"

	"github.com/google/uuid"
)

// MaxSlug is the maximum length of a smartlink's slug in bytes.
const MaxSlug = 64

// Smartlink is a short link on a tracking domain of the account. The first rule that matches sends the visitor to the rule's own
// destination.
type Smartlink struct {
	Owned
	SmartlinkFields
	Name       string          `db:"name" json:"name"`
	Notes      string          `db:"notes" json:"notes"`
	Rules      []SmartlinkRule `db:"rules,json" json:"-"`
	MatchBytes int             `db:"match_bytes" json:"-"` // memory that the rules' conditions take: see package cond
	IsActive   bool            `db:"is_active" json:"is_active"`
	KeepActive bool            `json:"-"` // for an update: IsActive keeps its stored value

	// These fields are set when the smartlink is read, and never written.
	Host        string     `db:"host,joined" json:"domain"`
	SourceName  string     `db:"source_name,joined" json:"-"`
	Clicks      int64      `json:"clicks" doc:"number of clicks, without bots"`
	LastClickAt *time.Time `json:"-"` // nil: no click yet

	Dated
}

// SmartlinkFields hold the address of a smartlink, its destination and its traffic source. The slug is unique on the domain: no
// other smartlink has it, and no campaign has it as its alias.
type SmartlinkFields struct {
	Slug           string        `db:"slug" json:"slug" bad:"invalid_slug" required:"true" trim:"true" maxLength:"64" format:"slug" send:"letters, digits, _ and -"`
	DestinationURL string        `db:"destination_url" json:"destination_url" bad:"invalid_url,too_long" required:"true" trim:"true" maxLength:"4000" format:"routable" send:"where a visitor goes when no rule matches; http(s)"`
	DomainID       uuid.UUID     `db:"domain_id" json:"domain_id" bad:"invalid_domain" required:"true" send:"a tracking domain of the account"`
	SourceID       uuid.NullUUID `db:"source_id" json:"source_id" bad:"invalid_source" send:"a traffic source of the account"`
}

// SmartlinkRule sends visitors that match its conditions to its own destination.
type SmartlinkRule struct {
	ID             uuid.UUID   `json:"id"`
	Name           string      `json:"name"`
	Logic          string      `json:"logic" enum:"and,or"`
	Conditions     []Condition `json:"conditions"`
	DestinationURL string      `json:"destination_url"`
}

// SmartlinkClick is one visit to a smartlink. The campaign fields of its Click are empty.
type SmartlinkClick struct {
	Click
	SmartlinkID    uuid.UUID `spool:"201"`
	RuleID         uuid.UUID `spool:"202"` // zero: no rule matched
	DestinationURL string    `spool:"203"` // as stored; Destination has the tokens filled
}
