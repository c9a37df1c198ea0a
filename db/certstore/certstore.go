// Package certstore keeps the certificates that this install has obtained by ACME, with their keys, the keys of its ACME
// accounts, and the challenges under way. Keys are sealed under ENCRYPTION_KEY and nothing else: without it there is
// no edge of one's own.
//
// Rows are by host and not by account, because a host serves one account at a time, or the install itself. Who may ask for a
// host's certificate is decided by the caller.
package certstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
)

// Channel is notified when a certificate or a challenge has changed.
const Channel = "switchyard_edge"

// Store keeps them in PostgreSQL. It is safe for concurrent use.
type Store struct {
	c   db.Conn
	box *seal.Box
}

// New makes a store on the pool.
func New(c db.Conn, box *seal.Box) *Store { return &Store{c, box} }

// Box opens what is sealed.
func (s *Store) Box() *seal.Box { return s.box }

func place(table, row string) seal.Place {
	return seal.Place{Account: uuid.Nil, Table: table, Row: row, Column: "sealed"}
}

// CertPlace is where the certificate of a host is sealed for. A copy of the row opens by it too.
func CertPlace(host string) seal.Place { return place("edge_hosts", host) }

// Certificate is a certificate of a host.
type Certificate struct {
	Host     string
	PEM      []byte // its key and its chain
	CA       string // the directory that it is from
	NotAfter time.Time
	RenewAt  time.Time
}

// ErrLost says that another issuer has the host now, or that its certificate was released: nothing was written.
var ErrLost = errors.New("certstore: the host is another issuer's now")

const claim = `
INSERT INTO edge_hosts AS h (host, fence, lease_until) VALUES ($1, 1, now() + $2 * interval '1 second')
ON CONFLICT (host) DO UPDATE SET fence = h.fence + 1, lease_until = excluded.lease_until
WHERE h.lease_until IS NULL OR h.lease_until < now()
RETURNING fence`

// Claim gives the host to one issuer until the lease is over. ok is false while another one has it; nothing is waited for.
func (s *Store) Claim(ctx context.Context, host string, lease time.Duration) (fence int64, ok bool, err error) {
	return db.First[int64](ctx, s.c, "claim host", claim, host, lease.Seconds())
}

// Extend gives the host to the issuer for another lease from now.
func (s *Store) Extend(ctx context.Context, host string, fence int64, lease time.Duration) error {
	return s.fenced(ctx, s.c, `UPDATE edge_hosts SET lease_until = now() + $3 * interval '1 second' WHERE host = $1 AND fence = $2`,
		host, fence, lease.Seconds())
}

// Free ends a claim. One that is over already is no error.
func (s *Store) Free(ctx context.Context, host string, fence int64) error {
	_, err := db.Exec(ctx, s.c, "free host", `UPDATE edge_hosts SET lease_until = NULL WHERE host = $1 AND fence = $2`, host, fence)
	return err
}

func (s *Store) fenced(ctx context.Context, c db.Conn, q string, args ...any) error {
	n, err := db.Exec(ctx, c, "host", q, args...)
	if err == nil && n == 0 {
		return ErrLost
	}
	return err
}

const find = `SELECT sealed, ca, not_after, renew_at FROM edge_hosts WHERE host = $1 AND sealed IS NOT NULL`

// Find gives the certificate of a host. ok is false if there is none, or none that opens with this key.
func (s *Store) Find(ctx context.Context, host string) (c Certificate, ok bool, err error) {
	row, ok, err := db.First[struct {
		Sealed   []byte    `db:"sealed"`
		CA       string    `db:"ca"`
		NotAfter time.Time `db:"not_after"`
		RenewAt  time.Time `db:"renew_at"`
	}](ctx, s.c, "certificate", find, host)
	if err != nil || !ok {
		return c, false, err
	}
	c = Certificate{Host: host, CA: row.CA, NotAfter: row.NotAfter, RenewAt: row.RenewAt}
	c.PEM, err = s.box.Open(ctx, CertPlace(host), row.Sealed)
	if errors.Is(err, seal.ErrOpen) {
		return c, false, nil
	}
	return c, err == nil, err
}

const (
	// lockVersions makes versions visible in their order: who reads on from the last one misses none.
	lockVersions = `SELECT pg_advisory_xact_lock(hashtext('edge_versions'))`

	save = `
UPDATE edge_hosts SET sealed = $3, ca = $4, not_after = $5, renew_at = $6, version = nextval('edge_versions'),
	changed_at = now(), lease_until = NULL
WHERE host = $1 AND fence = $2`

	release = `
UPDATE edge_hosts SET sealed = NULL, ca = '', not_after = NULL, renew_at = NULL, version = nextval('edge_versions'),
	changed_at = now(), lease_until = NULL, fence = fence + 1
WHERE host = $1 AND (sealed IS NOT NULL OR lease_until IS NOT NULL)`

	notify = `SELECT pg_notify('` + Channel + `', '')`
)

// Save stores a certificate and ends the claim. Errors: ErrLost.
func (s *Store) Save(ctx context.Context, fence int64, c Certificate) error {
	sealed, err := s.box.Seal(CertPlace(c.Host), c.PEM)
	if err != nil {
		return err
	}
	return s.change(ctx, func(tx db.Conn) error {
		return s.fenced(ctx, tx, save, c.Host, fence, sealed, c.CA, c.NotAfter, c.RenewAt)
	})
}

// SetRenewal changes when a certificate is renewed.
func (s *Store) SetRenewal(ctx context.Context, host string, at time.Time) error {
	_, err := db.Exec(ctx, s.c, "renewal", `UPDATE edge_hosts SET renew_at = $2 WHERE host = $1 AND sealed IS NOT NULL`, host, at)
	return err
}

// Release forgets the certificate of a host with its key, and cuts off an issuer that is at work. There may be none.
func (s *Store) Release(ctx context.Context, host string) error {
	return s.change(ctx, func(tx db.Conn) error {
		_, err := db.Exec(ctx, tx, "release certificate", release, host)
		return err
	})
}

// change runs fn in a transaction that makes one new version visible.
func (s *Store) change(ctx context.Context, fn func(db.Conn) error) error {
	return db.Tx(ctx, s.c, func(tx db.Conn) error {
		if _, err := db.Exec(ctx, tx, "lock versions", lockVersions); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		_, err := db.Exec(ctx, tx, "notify", notify)
		return err
	})
}

// Change is a certificate that has changed, as it is stored: sealed for CertPlace, or gone.
type Change struct {
	Host    string `db:"host"`
	Sealed  []byte `db:"sealed"` // nil: it is gone
	Version int64  `db:"version"`
}

const changes = `SELECT host, sealed, version FROM edge_hosts WHERE version > $1 ORDER BY version LIMIT $2`

// Changes lists what has changed after a version, the oldest first.
func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]Change, error) {
	return db.Select[Change](ctx, s.c, "changed certificates", changes, after, limit)
}

// forgetAfter is how long the row of a released host stays, so that every process hears of it.
const forgetAfter = 30 * 24 * time.Hour

const (
	forgetHosts = `DELETE FROM edge_hosts WHERE sealed IS NULL AND NOT install AND version > 0
		AND lease_until IS NULL AND changed_at < now() - $1 * interval '1 second'`
	forgetChallenges = `DELETE FROM acme_challenges WHERE expires_at < now()`
)

// Forget deletes what nobody needs any more.
func (s *Store) Forget(ctx context.Context) error {
	_, err := db.Exec(ctx, s.c, "released hosts", forgetHosts, forgetAfter.Seconds())
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, s.c, "old challenges", forgetChallenges)
	return err
}

const mayServe = `SELECT EXISTS (SELECT FROM domains WHERE host = $1 AND (is_verified OR account_id IS NULL))`

// Verified reports whether a host is a verified domain, or a shared one.
func (s *Store) Verified(ctx context.Context, host string) (bool, error) {
	return db.Get[bool](ctx, s.c, "verified host", mayServe, host)
}

const ensureAccount = `
INSERT INTO acme_accounts (directory, contact, sealed) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`

// AccountKey gives the key of the ACME account at a directory, for an address of contact. The first call stores the fresh
// key. Of calls at once all get the same key.
func (s *Store) AccountKey(ctx context.Context, directory, contact string, fresh func() ([]byte, error)) ([]byte, error) {
	at := place("acme_accounts", directory+" "+contact)
	const q = `SELECT sealed FROM acme_accounts WHERE directory = $1 AND contact = $2`
	for range 2 {
		sealed, ok, err := db.First[[]byte](ctx, s.c, "acme account", q, directory, contact)
		if err != nil {
			return nil, err
		}
		if ok {
			key, err := s.box.Open(ctx, at, sealed)
			if !errors.Is(err, seal.ErrOpen) {
				return key, err
			}
			// It was sealed under a key that is lost: begin anew.
			if _, err := db.Exec(ctx, s.c, "acme account", `DELETE FROM acme_accounts WHERE directory = $1 AND contact = $2
				AND sealed = $3`, directory, contact, sealed); err != nil {
				return nil, err
			}
		}
		key, err := fresh()
		if err != nil {
			return nil, err
		}
		if sealed, err = s.box.Seal(at, key); err != nil {
			return nil, err
		}
		if _, err := db.Exec(ctx, s.c, "acme account", ensureAccount, directory, contact, sealed); err != nil {
			return nil, err
		}
	}
	sealed, err := db.Get[[]byte](ctx, s.c, "acme account", q, directory, contact)
	if err != nil {
		return nil, err
	}
	key, err := s.box.Open(ctx, at, sealed)
	if err != nil {
		return nil, fmt.Errorf("certstore: key of the acme account at %s: %w", directory, err)
	}
	return key, nil
}
