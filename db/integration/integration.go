// Package integration stores the connections of networks and traffic sources to the APIs of their platforms, the runs of their
// imports, and the orders that the networks have listed.
package integration

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// Connections stores the connections of networks, or of traffic sources, to the APIs of their platforms.
type Connections struct {
	s *store.Store
	t table
}

// table is a table of connections to platforms.
type table struct {
	store.CredentialTable
	owners  string
	zone    string // expression for the time zone of the account at the platform
	changed string // expression that is true if changes are due ($1: now)
	since   string // expression for the time until which changes are stored
	older   string // expression for the day with which the next import of older orders begins
	failing string // expressions about failures in a row: the reason, their number, and the time of the first
	account string // sets the columns of the account at the platform: $7 (currency) and $8 (zone); empty: no such columns
}

func columns[I any](t table) string {
	return strings.Replace(db.Columns[I](""), "target_id", t.Key+" AS target_id", 1)
}

func find[I any](ctx context.Context, k Connections, account, target uuid.UUID) (I, error) {
	return db.Get[I](ctx, k.s.Conn(), k.t.What, `SELECT `+columns[I](k.t)+`
		FROM `+k.t.Name+` WHERE account_id = $1 AND `+k.t.Key+` = $2`, account, target)
}

// ErrNotConnected is the error for a network or a traffic source without a connection.
var ErrNotConnected = models.NotFound("connection")

// Find returns the connection of a network or of a traffic source. The error is ErrNotConnected if there is no connection.
func (k Connections) Find(ctx context.Context, account, target uuid.UUID) (models.Integration, error) {
	return find[models.Integration](ctx, k, account, target)
}

// Credentials returns all credentials of a connection, decrypted. The error is seal.ErrOpen if they can no longer be decrypted.
func (k Connections) Credentials(ctx context.Context, i models.Integration) (map[string]string, error) {
	return k.t.Read(ctx, k.s, i.AccountID, i.TargetID, i.Settings)
}

// Remove disconnects a network or a traffic source and deletes the credentials. ok is false if there was no connection.
func (k Connections) Remove(ctx context.Context, account, target uuid.UUID) (ok bool, err error) {
	n, err := db.Exec(ctx, k.s.Conn(), "remove the "+k.t.What, `DELETE FROM `+k.t.Name+` WHERE account_id = $1 AND `+k.t.Key+` = $2`, account, target)
	return n > 0, err
}

// Result is the result of a request to a platform.
type Result struct {
	Failure        string // empty: success
	Synced         bool   // true if orders were imported or spend was read
	Currency, Zone string // currency and zone of the account at the platform; empty: not returned
}

// Record stores the result of a request to the platform. If the connection has changed since i was read, nothing is stored.
func (k Connections) Record(ctx context.Context, i models.Integration, r Result, now time.Time) error {
	args := []any{i.AccountID, i.TargetID, i.SavedAt, r.Failure, r.Synced, now}
	if k.t.account != "" {
		args = append(args, r.Currency, r.Zone)
	}
	return db.Run(ctx, k.s.Conn(), "result of the "+k.t.What, `UPDATE `+k.t.Name+` SET checked_at = $6, failure = $4,
			failures = CASE WHEN $4 = '' THEN 0 ELSE failures + 1 END,
			failing_since = CASE WHEN $4 = '' THEN NULL ELSE coalesce(failing_since, $6) END,
			synced_at = CASE WHEN $5 THEN $6 ELSE synced_at END`+k.t.account+`
		WHERE account_id = $1 AND `+k.t.Key+` = $2 AND saved_at = $3`, args...)
}

// SetNext stores the time of the next automatic import. The first import after the time `wide` covers a longer window. If `wide` is
// zero, the stored time stays. If the connection has changed since i was read, nothing is stored.
func (k Connections) SetNext(ctx context.Context, i models.Integration, at, wide time.Time) error {
	q := `UPDATE ` + k.t.Name + ` SET next_at = $4, wide_at = coalesce($5, wide_at) WHERE account_id = $1 AND ` + k.t.Key + ` = $2 AND saved_at = $3`
	return db.Run(ctx, k.s.Conn(), "next run of the "+k.t.What, q, i.AccountID, i.TargetID, i.SavedAt, at, sql.NullTime{Time: wide, Valid: !wide.IsZero()})
}

// Due is a connection whose import is due.
type Due struct {
	AccountID uuid.UUID `db:"account_id"`
	TargetID  uuid.UUID `db:"target_id"`
	Provider  string    `db:"provider"`
	Zone      string    `db:"zone"` // time zone of the account at the platform; empty: not known
	Wide      bool      `db:"wide"` // the import uses the longer window
	// Changed says that the import reads the changes after Since. For a provider whose API cannot select orders by the date of a
	// change, it reads older orders instead. A nil Since means that no changes were read yet.
	Changed   bool       `db:"changed"`
	Since     *time.Time `db:"since"`
	OlderFrom *time.Time `db:"older_from"` // first day of the next import of older orders; nil: it begins with the oldest orders
	SavedAt   time.Time  `db:"saved_at"`
}

// ClaimDue claims at most limit connections of all accounts whose import is due. They become due again at the time next. After an
// odd number of failures in a row, the import uses the shorter window, because perhaps only the longer window fails.
func (k Connections) ClaimDue(ctx context.Context, now, next time.Time, limit int) ([]Due, error) {
	return db.Select[Due](ctx, k.s.Conn(), "due "+k.t.owners, `
		UPDATE `+k.t.Name+` i SET next_at = $2
		FROM (
			SELECT k.`+k.t.Key+` AS target_id, k.wide_at <= $1 AND k.failures % 2 = 0 AS wide, `+k.t.changed+` AS changed,
				`+k.t.since+` AS since, `+k.t.older+` AS older_from
			FROM `+k.t.Name+` k JOIN `+k.t.owners+` o ON o.id = k.`+k.t.Key+`
			WHERE k.is_enabled AND k.next_at <= $1 AND o.is_active AND o.deactivated_at IS NULL
			ORDER BY k.next_at LIMIT $3 FOR UPDATE OF k SKIP LOCKED
		) d
		WHERE i.`+k.t.Key+` = d.target_id RETURNING i.account_id, d.target_id, i.provider, `+k.t.zone+` AS zone,
			d.wide, d.changed AND NOT d.wide AS changed, d.since, d.older_from, i.saved_at`, now, next, limit)
}

// Failing is a network or a traffic source whose requests to its platform fail.
type Failing struct {
	ID        uuid.UUID  `db:"id"`
	Name      string     `db:"name"`
	Provider  string     `db:"provider"`
	Failure   string     `db:"failure"`
	Failures  int        `db:"failures"`
	Since     time.Time  `db:"failing_since"`
	CheckedAt *time.Time `db:"checked_at"`
}

// Failing lists at most 500 of the account's networks or traffic sources whose requests have failed several times in a row.
func (k Connections) Failing(ctx context.Context, account uuid.UUID) ([]Failing, error) {
	return db.Select[Failing](ctx, k.s.Conn(), "failing "+k.t.owners, `
		SELECT o.id, o.name, i.provider, f.failure, f.failures, f.failing_since, i.checked_at
		FROM `+k.t.Name+` i JOIN `+k.t.owners+` o ON o.id = i.`+k.t.Key+` AND o.account_id = i.account_id
		CROSS JOIN LATERAL (SELECT `+k.t.failing+`) AS f (failure, failures, failing_since)
		WHERE i.account_id = $1 AND f.failures >= $2 AND o.is_active AND o.deactivated_at IS NULL
		ORDER BY f.failing_since DESC, o.id LIMIT $3`, account, models.FailingIntegration, store.MaxAlerts)
}
