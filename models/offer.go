package models

import (
	"time"

	"github.com/google/uuid"
)

// The ways an offer pays.
const (
	PayoutFixed   = "fixed"
	PayoutPercent = "percent"
)

// Offer is the destination where a visitor converts.
type Offer struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Name            string
	URL             string    // may hold {token} placeholders
	NetworkID       uuid.UUID // zero: none
	Payout          Money
	PayoutType      string
	Currency        string
	Country         string // two capital letters, or empty
	DailyCap        *int   // conversions a day; nil: no cap
	Notes           string
	GroupName       string
	PayoutFromParam bool
	Tags            []string
	IsActive        bool
	CreatedAt       time.Time
	UpdatedAt       time.Time
}
