// Package certstore stores the certificates that this install has obtained by ACME, their private keys, the keys of its ACME
// accounts, and the open challenges. Keys are encrypted with ENCRYPTION_KEY only, so an install without ENCRYPTION_KEY cannot
// obtain certificates itself.
//
// A certificate belongs to a host, not to an account. A host serves only one account, or the install itself.
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

// Channel is the channel of notifications. The payload is a host whose certificate has changed, or AboutChallenges.
const Channel = "switchyard_edge"

// AboutChallenges is the payload that announces a new challenge. No host has this name.
const AboutChallenges = "?"

// Store stores certificates and challenges in PostgreSQL. It is safe for concurrent use.
type Store struct {
	c   db.Conn
	box *seal.Box
}

// New returns a store.
func New(c db.Conn, box *seal.Box) *Store { return &Store{c, box} }

// Open decrypts a stored certificate and returns its key and chain in PEM. The error is seal.ErrOpen if the certificate cannot be
// decrypted.
func (s *Store) Open(ctx context.Context, c Sealed) ([]byte, error) {
	return s.box.Open(ctx, certPlace(c.Host), c.Sealed)
}

func place(table, row string) seal.Place {
	return seal.Place{Account: uuid.Nil, Table: table, Row: row, Column: "sealed"}
}

func certPlace(host string) seal.Place { return place("edge_hosts", host) }

// Certificate is a certificate of a host.
type Certificate struct {
	Host     string    `db:"host"`
	PEM      []byte    `db:"sealed"` // the private key, then the chain
	CA       string    `db:"ca"`     // URL of the ACME directory of the CA that issued it
	NotAfter time.Time `db:"not_after"`
	RenewAt  time.Time `db:"renew_at"`
}

// ErrLost reports that another issuer has claimed the host, or that the host was released. Nothing was written.
var ErrLost = errors.New("certstore: another issuer has claimed the host, or the host was released")

const claim = `
INSERT INTO edge_hosts AS h (host, fence, lease_until) VALUES ($1, nextval('edge_fences'), now() + $2 * interval '1 second')
ON CONFLICT (host) DO UPDATE SET fence = excluded.fence, lease_until = excluded.lease_until
WHERE h.lease_until IS NULL OR h.lease_until < now()
RETURNING fence`

// Claim claims a host for one issuer until the lease ends. fence is the number of the claim, which the later calls need. Claim does
// not wait: ok is false if another issuer has claimed the host.
func (s *Store) Claim(ctx context.Context, host string, lease time.Duration) (fence int64, ok bool, err error) {
	return db.First[int64](ctx, s.c, "claim host", claim, host, lease.Seconds())
}

// Extend renews the claim for another lease from now. It returns ErrLost if the claim is lost.
func (s *Store) Extend(ctx context.Context, host string, fence int64, lease time.Duration) error {
	return s.fenced(ctx, s.c, `UPDATE edge_hosts SET lease_until = now() + $3 * interval '1 second' WHERE host = $1 AND fence = $2`,
		host, fence, lease.Seconds())
}

// EndClaim ends a claim. It is not an error if the claim is over already.
func (s *Store) EndClaim(ctx context.Context, host string, fence int64) error {
	return db.Run(ctx, s.c, "end claim of host", `UPDATE edge_hosts SET lease_until = NULL WHERE host = $1 AND fence = $2`, host, fence)
}

func (s *Store) fenced(ctx context.Context, c db.Conn, q string, args ...any) error {
	n, err := db.Exec(ctx, c, "host", q, args...)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

const find = `SELECT host, sealed, ca, not_after, renew_at FROM edge_hosts WHERE host = $1 AND sealed IS NOT NULL`

// Find returns the certificate of a host. ok is false if there is no certificate, or if ENCRYPTION_KEY cannot decrypt it.
func (s *Store) Find(ctx context.Context, host string) (c Certificate, ok bool, err error) {
	c, ok, err = db.First[Certificate](ctx, s.c, "certificate", find, host)
	if err != nil || !ok {
		return c, false, err
	}
	c.PEM, err = s.box.Open(ctx, certPlace(host), c.PEM)
	if errors.Is(err, seal.ErrOpen) {
		return c, false, nil
	}
	return c, err == nil, err
}

const (
	save = `
UPDATE edge_hosts SET sealed = $3, ca = $4, not_after = $5, renew_at = $6, version = fence, lease_until = NULL
WHERE host = $1 AND fence = $2`

	release = `DELETE FROM edge_hosts WHERE host = $1`

	notify = `SELECT pg_notify('` + Channel + `', $1)`
)

// Save stores a certificate and ends the claim. It returns ErrLost if the claim is lost.
func (s *Store) Save(ctx context.Context, fence int64, c Certificate) error {
	sealed, err := s.box.Seal(certPlace(c.Host), c.PEM)
	if err != nil {
		return err
	}
	return s.change(ctx, c.Host, func(tx db.Conn) error {
		return s.fenced(ctx, tx, save, c.Host, fence, sealed, c.CA, c.NotAfter, c.RenewAt)
	})
}

// SetRenewal sets the time at which the certificate of a host is to be renewed.
func (s *Store) SetRenewal(ctx context.Context, host string, at time.Time) error {
	return db.Run(ctx, s.c, "renewal", `UPDATE edge_hosts SET renew_at = $2 WHERE host = $1 AND sealed IS NOT NULL`, host, at)
}

// Delete deletes the certificate of a host with its key, and ends any claim of the host. It is not an error if there is no
// certificate.
func (s *Store) Delete(ctx context.Context, host string) error {
	return s.change(ctx, host, func(tx db.Conn) error {
		return db.Run(ctx, tx, "release certificate", release, host)
	})
}

// change runs fn in a transaction that also notifies the web processes. about is the payload of the notification.
func (s *Store) change(ctx context.Context, about string, fn func(db.Conn) error) error {
	return db.Tx(ctx, s.c, func(tx db.Conn) error {
		if err := fn(tx); err != nil {
			return err
		}
		return db.Run(ctx, tx, "notify", notify, about)
	})
}

// Versions returns the hosts that have a certificate, with the version of each certificate. No two certificates have the same
// version.
func (s *Store) Versions(ctx context.Context) (map[string]int64, error) {
	return db.Pairs[string, int64](ctx, s.c, "certificates", `SELECT host, version FROM edge_hosts WHERE sealed IS NOT NULL`)
}

// Sealed is an encrypted certificate.
type Sealed struct {
	Host    string `db:"host"`
	Version int64  `db:"version"`
	Sealed  []byte `db:"sealed"`
}

const load = `SELECT host, version, sealed FROM edge_hosts WHERE host = ANY ($1) AND sealed IS NOT NULL`

// Load returns the certificates of hosts. Hosts without a certificate are missing from the result.
func (s *Store) Load(ctx context.Context, hosts []string) ([]Sealed, error) {
	return db.Select[Sealed](ctx, s.c, "certificates", load, hosts)
}

// DeleteExpiredChallenges deletes expired challenges, which are left over if an issuer dies.
func (s *Store) DeleteExpiredChallenges(ctx context.Context) error {
	return db.Run(ctx, s.c, "old challenges", `DELETE FROM acme_challenges WHERE expires_at < now()`)
}

// Claimed reports whether an issuer has claimed the host.
func (s *Store) Claimed(ctx context.Context, host string) (bool, error) {
	const q = `SELECT EXISTS (SELECT FROM edge_hosts WHERE host = $1 AND lease_until > now())`
	return db.Get[bool](ctx, s.c, "claim", q, host)
}

// Attempts returns the number of consecutive failed attempts to obtain a certificate for a host of the install itself, and the
// time of the next attempt.
func (s *Store) Attempts(ctx context.Context, host string) (attempts int, next time.Time, err error) {
	row, ok, err := db.First[struct {
		Attempts int        `db:"attempts"`
		Next     *time.Time `db:"next_at"`
	}](ctx, s.c, "attempts", `SELECT attempts, next_at FROM edge_hosts WHERE host = $1`, host)
	if ok && row.Next != nil {
		next = *row.Next
	}
	return row.Attempts, next, err
}

const setAttempts = `
INSERT INTO edge_hosts (host, attempts, next_at) VALUES ($1, $2, $3)
ON CONFLICT (host) DO UPDATE SET attempts = excluded.attempts, next_at = excluded.next_at`

// SetAttempts stores the values that Attempts returns.
func (s *Store) SetAttempts(ctx context.Context, host string, attempts int, next time.Time) error {
	return db.Run(ctx, s.c, "attempts", setAttempts, host, attempts, next)
}

const ensureAccount = `
INSERT INTO acme_accounts (directory, contact, sealed) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`

// AccountKey returns the key of the ACME account at a directory, for a contact address. If no stored key can be decrypted, it stores
// a key from the function fresh. Concurrent calls all get the same key.
func (s *Store) AccountKey(ctx context.Context, directory, contact string, fresh func() ([]byte, error)) ([]byte, error) {
	at := place("acme_accounts", directory+" "+contact)
	for range 3 { // a key that another process stored first is read in the next round
		sealed, ok, err := db.First[[]byte](ctx, s.c, "acme account", `SELECT sealed FROM acme_accounts WHERE directory = $1 AND contact = $2`,
			directory, contact)
		if err != nil {
			return nil, err
		}
		if ok {
			key, err := s.box.Open(ctx, at, sealed)
			if !errors.Is(err, seal.ErrOpen) {
				return key, err
			}
			// The key was encrypted with an encryption key that is lost. A fresh key replaces it.
			if err := db.Run(ctx, s.c, "acme account", `DELETE FROM acme_accounts WHERE directory = $1 AND contact = $2
				AND sealed = $3`, directory, contact, sealed); err != nil {
				return nil, err
			}
		}
		key, err := fresh()
		if err == nil {
			sealed, err = s.box.Seal(at, key)
		}
		if err != nil {
			return nil, err
		}
		if err := db.Run(ctx, s.c, "acme account", ensureAccount, directory, contact, sealed); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("certstore: key of the acme account at %s: %w", directory, seal.ErrOpen)
}
