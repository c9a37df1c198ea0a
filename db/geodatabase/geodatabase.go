// Package geodatabase stores the geo databases that accounts have connected, and their answers.
package geodatabase

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// Databases stores the geo databases that accounts have connected, and their answers.
type Databases struct{ s *store.Store }

// New returns Databases in a store.
func New(s *store.Store) Databases { return Databases{s} }

const columns = `account_id, provider, enabled, saved_at, looked_after, failing_since, failure`

// Find returns the geo database of an account.
func (g Databases) Find(ctx context.Context, account uuid.UUID) (models.GeoDatabase, error) {
	return db.Get[models.GeoDatabase](ctx, g.s.Conn(), "geo database", `SELECT `+columns+`
		FROM geo_databases WHERE account_id = $1`, account)
}

func keyPlace(account uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "geo_databases", Row: account.String(), Column: "key"}
}

// Seal encrypts a key for Save. Without an ENCRYPTION_KEY the error is no_encryption_key.
func (g Databases) Seal(account uuid.UUID, key string) ([]byte, error) {
	return g.s.Box().Seal(keyPlace(account), []byte(key))
}

// Open decrypts a sealed key.
func (g Databases) Open(ctx context.Context, account uuid.UUID, sealed []byte) (string, error) {
	key, err := g.s.Box().Open(ctx, keyPlace(account), sealed)
	return string(key), err
}

// Key returns the decrypted key of an account.
func (g Databases) Key(ctx context.Context, account uuid.UUID) (string, error) {
	sealed, err := db.Get[[]byte](ctx, g.s.Conn(), "geo database", `SELECT key FROM geo_databases WHERE account_id = $1`, account)
	if err != nil {
		return "", err
	}
	return g.Open(ctx, account, sealed)
}

const saveDatabase = `
INSERT INTO geo_databases (account_id, provider, key, enabled, looked_after) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id) DO UPDATE SET provider = $2, key = $3, enabled = $4, looked_after = $5, saved_at = now(),
	failing_since = NULL, failure = ''`

// Save stores a geo database with a sealed key. It replaces the account's previous one. Only clicks that arrive from now on are
// looked up.
func (g Databases) Save(ctx context.Context, account uuid.UUID, provider string, sealed []byte, enabled bool) error {
	return db.Run(ctx, g.s.Conn(), "save geo database", saveDatabase, account, provider, sealed, enabled, models.FloorClickID(time.Now()))
}

const switchDatabase = `
UPDATE geo_databases SET enabled = $3, saved_at = now(),
	looked_after = CASE WHEN $3 AND NOT enabled THEN $4 ELSE looked_after END
WHERE account_id = $1 AND provider = $2`

// SetEnabled switches a geo database on or off. Clicks that arrive while it is off are never looked up.
func (g Databases) SetEnabled(ctx context.Context, account uuid.UUID, provider string, enabled bool) error {
	return db.ExecOne(ctx, g.s.Conn(), "geo database", switchDatabase, account, provider, enabled, models.FloorClickID(time.Now()))
}

// Delete disconnects the geo database of an account and deletes its key and its answers. ok is false if there was no database.
func (g Databases) Delete(ctx context.Context, account uuid.UUID) (ok bool, err error) {
	err = g.s.Tx(ctx, func(s *store.Store) error {
		n, err := db.Exec(ctx, s.Conn(), "delete geo database", `DELETE FROM geo_databases WHERE account_id = $1`, account)
		if err != nil {
			return err
		}
		ok = n > 0
		return db.Run(ctx, s.Conn(), "delete geo answers", `DELETE FROM geo_answers WHERE account_id = $1`, account)
	})
	return ok, err
}

const selectIdle = `
SELECT account_id, looked_after FROM geo_databases WHERE enabled AND (leased_until IS NULL OR leased_until < now())`

// Idle returns the accounts whose geo database is switched on and not leased. The value is the id of the last click that was
// looked up. Before the first look-up, it stands for the time at which the database was switched on.
func (g Databases) Idle(ctx context.Context) (map[uuid.UUID]uuid.UUID, error) {
	return db.Pairs[uuid.UUID, uuid.UUID](ctx, g.s.Conn(), "geo databases", selectIdle)
}

const leaseDatabase = `
UPDATE geo_databases SET leased_until = now() + make_interval(secs => $2)
WHERE account_id = $1 AND enabled AND (leased_until IS NULL OR leased_until < now()) RETURNING ` + columns

// Lease leases the geo database of an account to a worker. The error is models.NotFound if no database is switched on, or if
// another worker has the lease.
func (g Databases) Lease(ctx context.Context, account uuid.UUID, term time.Duration) (models.GeoDatabase, error) {
	return db.Get[models.GeoDatabase](ctx, g.s.Conn(), "geo database", leaseDatabase, account, term.Seconds())
}

const releaseDatabase = `
UPDATE geo_databases SET leased_until = NULL, looked_after = greatest(looked_after, $3), failure = $4,
	failing_since = CASE WHEN $4 <> '' THEN coalesce(failing_since, now()) WHEN $5 THEN NULL ELSE failing_since END
WHERE account_id = $1 AND provider = $2`

// Release ends a lease. `after` is the id of the last click that was looked up. `failure` says why look-ups failed. `worked` reports
// whether at least one look-up succeeded.
func (g Databases) Release(ctx context.Context, d models.GeoDatabase, after uuid.UUID, failure string, worked bool) error {
	if failure == "" && !worked {
		failure = d.Failure
	}
	return db.Run(ctx, g.s.Conn(), "release geo database", releaseDatabase, d.AccountID, d.Provider, after, failure, worked)
}

// Answer is the answer of a geo database for all addresses of a prefix.
type Answer struct {
	Prefix netip.Prefix
	Place  models.Place
}

// Answers returns the places that the account's provider has returned for the prefixes since the given time.
func (g Databases) Answers(ctx context.Context, account uuid.UUID, provider string, prefixes []netip.Prefix, since time.Time) (
	map[netip.Prefix]models.Place, error,
) {
	list, err := db.Select[struct {
		Prefix string       `db:"prefix"`
		Place  models.Place `db:"place,json"`
	}](ctx, g.s.Conn(), "geo answers", `SELECT prefix::text AS prefix, place FROM geo_answers
		WHERE account_id = $1 AND provider = $2 AND prefix = ANY ($3::cidr[]) AND asked_at > $4`, account, provider,
		db.Map(prefixes, netip.Prefix.String), since)
	if err != nil {
		return nil, err
	}
	out := make(map[netip.Prefix]models.Place, len(list))
	for _, a := range list {
		prefix, err := netip.ParsePrefix(a.Prefix)
		if err != nil {
			return nil, fmt.Errorf("geodatabase: geo answers: %w", err)
		}
		out[prefix] = a.Place
	}
	return out, nil
}

const upsertAnswers = `
INSERT INTO geo_answers (account_id, provider, prefix, place)
SELECT $1, $2, prefix, place FROM unnest($3::cidr[], $4::jsonb[]) AS a (prefix, place)
WHERE EXISTS (SELECT FROM geo_databases WHERE account_id = $1 AND provider = $2)
ON CONFLICT (account_id, provider, prefix) DO UPDATE SET place = excluded.place, asked_at = now()`

// StoreAnswers stores answers of the account's provider. It stores nothing if the provider has been disconnected.
func (g Databases) StoreAnswers(ctx context.Context, account uuid.UUID, provider string, answers []Answer) error {
	prefixes, places := make([]string, len(answers)), make([]string, len(answers))
	for i, a := range answers {
		raw, err := json.Marshal(a.Place)
		if err != nil {
			return fmt.Errorf("geodatabase: keep geo answers: %w", err)
		}
		prefixes[i], places[i] = a.Prefix.String(), string(raw)
	}
	return db.Run(ctx, g.s.Conn(), "keep geo answers", upsertAnswers, account, provider, prefixes, places)
}

// DeleteExpiredAnswers deletes at most `limit` answers that are older than the given time.
func (g Databases) DeleteExpiredAnswers(ctx context.Context, before time.Time, limit int) error {
	return db.Run(ctx, g.s.Conn(), "forget geo answers", `DELETE FROM geo_answers WHERE ctid IN (
		SELECT ctid FROM geo_answers WHERE asked_at < $1 LIMIT $2)`, before, limit)
}
