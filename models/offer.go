package models

import (
	"time"

	"github.com/google/uuid"
)

// Offer is the destination where a visitor converts.
type Offer struct {
	ID              uuid.UUID `db:"id"`
	AccountID       uuid.UUID `db:"account_id"`
	Name            string    `db:"name"`
	URL             string    `db:"url"`        // may hold {token} placeholders
	NetworkID       uuid.UUID `db:"network_id"` // zero: none
	Payout          Money     `db:"payout"`
	PayoutType      string    `db:"payout_type"`
	Currency        string    `db:"currency"`
	Country         string    `db:"country"`   // two capital letters, or empty
	DailyCap        *int      `db:"daily_cap"` // conversions a day; nil: no cap
	Notes           string    `db:"notes"`
	GroupName       string    `db:"group_name"`
	PayoutFromParam bool      `db:"payout_from_param"`
	Tags            []string  `db:"tags"`
	IsActive        bool      `db:"is_active,auto"`
	CreatedAt       time.Time `db:"created_at,auto"`
	UpdatedAt       time.Time `db:"updated_at,auto"`
}
