package models

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/models/timetext"
)

// Account is a customer of the service.
type Account struct {
	ID         uuid.UUID `db:"id"`
	Name       string    `db:"name"`
	Plan       string    `db:"plan"`
	Currency   string    `db:"currency"`
	Timezone   string    `db:"timezone"`
	DateFormat string    `db:"date_format"`
	TimeFormat string    `db:"time_format"`
	SiteKey    string    `db:"site_key"`
	CreatedAt  time.Time `db:"created_at"`
	// DomainToken is the text in DNS records by which the account proves that it owns a domain.
	DomainToken string `db:"domain_token"`
	// Assistants says whether AI assistants may call /mcp for the account. AssistantChanges is the number of changes that a key or
	// a connected assistant may make through /mcp in 24 hours.
	Assistants       bool `db:"assistants"`
	AssistantChanges int  `db:"assistant_changes"`
}

// DateOrder returns the order of day and month in the account's format of dates.
func (a Account) DateOrder() timetext.Order {
	switch {
	case strings.HasPrefix(a.DateFormat, "DD"):
		return timetext.DayFirst
	case strings.HasPrefix(a.DateFormat, "MM"):
		return timetext.MonthFirst
	}
	return timetext.NoOrder
}

// Allowances returns the account's entry in Plans. A plan that no longer exists allows nothing.
func (a Account) Allowances() Plan {
	p, _ := PlanNamed(a.Plan)
	return p
}

// AheadOfUTC is the difference to UTC in the easternmost time zone. A date from an unknown time zone can be ahead of UTC by this
// much.
const AheadOfUTC = 14 * time.Hour

// DayStart returns the start of the account's current day, in the account's time zone. An unknown time zone counts as UTC.
func (a Account) DayStart(now time.Time) time.Time {
	zone, err := time.LoadLocation(a.Timezone)
	if err != nil {
		zone = time.UTC
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// The scopes of an API key.
const (
	ScopeFull     = "full"
	ScopeReadOnly = "read_only"
)

// KeyDays lists the lifetimes that a key can have, in days. 0 means that it never expires.
var KeyDays = []int{0, 30, 90, 365}

// Key is the record of an API key. The key itself is shown once and never stored.
type Key struct {
	ID        uuid.UUID     `db:"id"`
	AccountID uuid.UUID     `db:"account_id"`
	Name      string        `db:"name"`
	Scope     string        `db:"scope"`
	Hint      string        `db:"hint"` // first and last characters of the key
	CreatedAt time.Time     `db:"created_at"`
	ExpiresAt *time.Time    `db:"expires_at"`
	RevokedAt *time.Time    `db:"revoked_at"`
	UsedAt    *time.Time    `db:"used_at"`    // precise to a few minutes; nil: never
	RotatedTo uuid.NullUUID `db:"rotated_to"` // the new key that replaced this key
}

// State returns the state of the key at a moment: active, rotated (replaced, but still valid), expired or revoked.
func (k Key) State(now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return "expired"
	case k.RotatedTo.Valid:
		return "rotated"
	}
	return "active"
}
