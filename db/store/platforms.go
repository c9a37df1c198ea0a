package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Integrations accesses the connections of networks, or of traffic sources, to the APIs of their platforms.
type Integrations struct {
	s *Store
	t integrationTable
}

// integrationTable is a table of connections to platforms.
type integrationTable struct {
	CredentialTable
	owners  string
	zone    string // expression for the time zone of the account at the platform
	changed string // expression that is true if changes are due ($1: now)
	since   string // expression for the time until which changes are stored
	older   string // expression for the day with which the next import of older orders begins
	failing string // expressions about failures in a row: the reason, their number, and the time of the first
	account string // sets the columns of the account at the platform: $7 (currency) and $8 (zone); empty: no such columns
}

func integrationColumns[I any](t integrationTable) string {
	return strings.Replace(db.Columns[I](""), "target_id", t.Key+" AS target_id", 1)
}

func findIntegration[I any](ctx context.Context, k Integrations, account, target uuid.UUID) (I, error) {
	return db.Get[I](ctx, k.s.c, k.t.What, `SELECT `+integrationColumns[I](k.t)+`
		FROM `+k.t.Name+` WHERE account_id = $1 AND `+k.t.Key+` = $2`, account, target)
}

// ErrNoIntegration is the error for a network or a traffic source without a connection.
var ErrNoIntegration = models.NotFound("connection")

// Find returns the connection of a network or of a traffic source. The error is ErrNoIntegration if there is no connection.
func (k Integrations) Find(ctx context.Context, account, target uuid.UUID) (models.Integration, error) {
	return findIntegration[models.Integration](ctx, k, account, target)
}

// Credentials returns all credentials of a connection, decrypted. The error is seal.ErrOpen if they can no longer be decrypted.
func (k Integrations) Credentials(ctx context.Context, i models.Integration) (map[string]string, error) {
	return k.t.Read(ctx, k.s, i.AccountID, i.TargetID, i.Settings)
}

// Remove disconnects a network or a traffic source and deletes the credentials. ok is false if there was no connection.
func (k Integrations) Remove(ctx context.Context, account, target uuid.UUID) (ok bool, err error) {
	n, err := k.s.exec(ctx, "remove the "+k.t.What, `DELETE FROM `+k.t.Name+` WHERE account_id = $1 AND `+k.t.Key+` = $2`, account, target)
	return n > 0, err
}

// IntegrationResult is the result of a request to a platform.
type IntegrationResult struct {
	Failure        string // empty: success
	Synced         bool   // true if orders were imported or spend was read
	Currency, Zone string // currency and zone of the account at the platform; empty: not returned
}

// Record stores the result of a request to the platform. If the connection has changed since i was read, nothing is stored.
func (k Integrations) Record(ctx context.Context, i models.Integration, r IntegrationResult, now time.Time) error {
	args := []any{i.AccountID, i.TargetID, i.SavedAt, r.Failure, r.Synced, now}
	if k.t.account != "" {
		args = append(args, r.Currency, r.Zone)
	}
	return k.s.run(ctx, "result of the "+k.t.What, `UPDATE `+k.t.Name+` SET checked_at = $6, failure = $4,
			failures = CASE WHEN $4 = '' THEN 0 ELSE failures + 1 END,
			failing_since = CASE WHEN $4 = '' THEN NULL ELSE coalesce(failing_since, $6) END,
			synced_at = CASE WHEN $5 THEN $6 ELSE synced_at END`+k.t.account+`
		WHERE account_id = $1 AND `+k.t.Key+` = $2 AND saved_at = $3`, args...)
}

// SetNext stores the time of the next automatic import. The first import after the time `wide` covers a longer window. If `wide` is
// zero, the stored time stays. If the connection has changed since i was read, nothing is stored.
func (k Integrations) SetNext(ctx context.Context, i models.Integration, at, wide time.Time) error {
	q := `UPDATE ` + k.t.Name + ` SET next_at = $4, wide_at = coalesce($5, wide_at) WHERE account_id = $1 AND ` + k.t.Key + ` = $2 AND saved_at = $3`
	return k.s.run(ctx, "next run of the "+k.t.What, q, i.AccountID, i.TargetID, i.SavedAt, at, sql.NullTime{Time: wide, Valid: !wide.IsZero()})
}

// DueIntegration is a connection whose import is due.
type DueIntegration struct {
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
func (k Integrations) ClaimDue(ctx context.Context, now, next time.Time, limit int) ([]DueIntegration, error) {
	return db.Select[DueIntegration](ctx, k.s.c, "due "+k.t.owners, `
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

// FailingIntegration is a network or a traffic source whose requests to its platform fail.
type FailingIntegration struct {
	ID        uuid.UUID  `db:"id"`
	Name      string     `db:"name"`
	Provider  string     `db:"provider"`
	Failure   string     `db:"failure"`
	Failures  int        `db:"failures"`
	Since     time.Time  `db:"failing_since"`
	CheckedAt *time.Time `db:"checked_at"`
}

// Failing lists at most 500 of the account's networks or traffic sources whose requests have failed several times in a row.
func (k Integrations) Failing(ctx context.Context, account uuid.UUID) ([]FailingIntegration, error) {
	return db.Select[FailingIntegration](ctx, k.s.c, "failing "+k.t.owners, `
		SELECT o.id, o.name, i.provider, f.failure, f.failures, f.failing_since, i.checked_at
		FROM `+k.t.Name+` i JOIN `+k.t.owners+` o ON o.id = i.`+k.t.Key+` AND o.account_id = i.account_id
		CROSS JOIN LATERAL (SELECT `+k.t.failing+`) AS f (failure, failures, failing_since)
		WHERE i.account_id = $1 AND f.failures >= $2 AND o.is_active AND o.deactivated_at IS NULL
		ORDER BY f.failing_since DESC, o.id LIMIT $3`, account, models.FailingIntegration, MaxAlerts)
}
