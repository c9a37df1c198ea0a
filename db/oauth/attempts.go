package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// Attempts stores the OAuth sign-ins in progress. Each has a state, by which it is recognized when the browser returns from the
// platform. Only the hash of the state is stored.
type Attempts struct {
	s                *store.Store
	account, session uuid.NullUUID
}

// NewAttempts returns Attempts for sign-ins that were started with an API key or from the command line. Consume and DeleteExpired do
// not check how a sign-in was started.
func NewAttempts(s *store.Store) Attempts { return Attempts{s: s} }

// ForSession returns Attempts for sign-ins that only the given dashboard session can complete.
func (k Attempts) ForSession(account, session uuid.UUID) Attempts {
	return Attempts{k.s, uuid.NullUUID{UUID: account, Valid: true}, uuid.NullUUID{UUID: session, Valid: true}}
}

// maxAttempts is the maximum number of sign-ins that an account may have in progress. A further one replaces the oldest.
const maxAttempts = 20

func hashState(state string) []byte {
	sum := sha256.Sum256([]byte(state))
	return sum[:]
}

func attemptPlace(account, id uuid.UUID, column string) seal.Place {
	return seal.Place{Account: account, Table: "oauth_attempts", Row: id.String(), Column: column}
}

// Begin starts a sign-in at a provider. redirect is the address to which the platform will send the browser. Begin returns the
// state, which cannot be read later. Errors: too_many, no_encryption_key.
func (k Attempts) Begin(ctx context.Context, account uuid.UUID, provider, redirect string, now time.Time) (
	a models.OAuthAttempt, state string, err error,
) {
	state = rand.Text()
	if k.session.Valid {
		state = models.OAuthSessionState + state
	}
	a = models.OAuthAttempt{
		ID: uuid.Must(uuid.NewV7()), AccountID: account, Provider: provider, Redirect: redirect, ExpiresAt: now.Add(models.OAuthAttemptTime),
		Verifier: rand.Text() + rand.Text(),
	}
	sealed, err := k.s.Box().Seal(attemptPlace(account, a.ID, "verifier"), []byte(a.Verifier))
	if err != nil {
		return a, "", err
	}
	err = k.s.LockedTx(ctx, account, func(s *store.Store) error {
		if err := NewConnections(s).checkRoom(ctx, account); err != nil {
			return err
		}
		if err := db.Run(ctx, s.Conn(), "begin sign-in", `INSERT INTO oauth_attempts
			(id, account_id, provider, state_hash, redirect, verifier, expires_at, session_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			a.ID, account, provider, hashState(state), redirect, sealed, a.ExpiresAt, k.session); err != nil {
			return err
		}
		return db.Run(ctx, s.Conn(), "forget sign-ins", `DELETE FROM oauth_attempts WHERE account_id = $1 AND id IN (
			SELECT id FROM oauth_attempts WHERE account_id = $1 ORDER BY id DESC OFFSET $2)`, account, maxAttempts)
	})
	return a, state, err
}

// openAttempt selects a sign-in that has not expired and whose browser has not returned yet. $1 is the hash of the state, $2 the
// current time, $3 the session (NULL: only sign-ins that no session has started) and $4 the account (NULL: any).
const openAttempt = `a.state_hash = $1 AND a.code IS NULL AND a.expires_at > $2
	AND a.session_id IS NOT DISTINCT FROM $3::uuid AND ($4::uuid IS NULL OR a.account_id = $4)`

const attemptColumns = `a.id, a.account_id, a.provider, a.redirect, a.expires_at`

type sealedAttempt struct {
	models.OAuthAttempt
	Sealed []byte `db:"verifier"`
	Code   []byte `db:"code"`
}

// open returns the sign-in of a row, with its decrypted verifier. Without a row, the error is signin_expired.
func (k Attempts) open(ctx context.Context, row sealedAttempt, found bool, err error) (models.OAuthAttempt, error) {
	if err != nil {
		return row.OAuthAttempt, err
	}
	if !found {
		return row.OAuthAttempt, models.Invalid("signin_expired", "this sign-in was completed already or has taken too long: start it again")
	}
	plain, err := k.s.Box().Open(ctx, attemptPlace(row.AccountID, row.ID, "verifier"), row.Sealed)
	row.Verifier = string(plain)
	return row.OAuthAttempt, err
}

// Find returns a sign-in whose browser has not returned yet. Error: signin_expired.
func (k Attempts) Find(ctx context.Context, state string, now time.Time) (models.OAuthAttempt, error) {
	row, found, err := db.First[sealedAttempt](ctx, k.s.Conn(), "sign-in", `SELECT `+attemptColumns+`, a.verifier, k.name AS account
		FROM oauth_attempts a JOIN accounts k ON k.id = a.account_id
		WHERE `+openAttempt, hashState(state), now, k.session, k.account)
	return k.open(ctx, row, found, err)
}

// RecordCode stores the code with which the browser has returned from the platform. A state accepts only one code. Error:
// signin_expired.
func (k Attempts) RecordCode(ctx context.Context, state, code string, now time.Time) (models.OAuthAttempt, error) {
	return store.TxOf(ctx, k.s, func(s *store.Store) (a models.OAuthAttempt, err error) {
		row, found, err := db.First[sealedAttempt](ctx, s.Conn(), "sign-in", `SELECT `+attemptColumns+`, a.verifier
			FROM oauth_attempts a WHERE `+openAttempt+` FOR UPDATE`, hashState(state), now, k.session, k.account)
		if a, err = NewAttempts(s).open(ctx, row, found, err); err != nil {
			return a, err
		}
		sealed, err := s.Box().Seal(attemptPlace(a.AccountID, a.ID, "code"), []byte(code))
		if err != nil {
			return a, err
		}
		err = db.Run(ctx, s.Conn(), "keep code", `UPDATE oauth_attempts SET code = $3 WHERE account_id = $1 AND id = $2`, a.AccountID, a.ID, sealed)
		return a, err
	})
}

// Cancel deletes a sign-in whose browser has not returned yet.
func (k Attempts) Cancel(ctx context.Context, state string, now time.Time) error {
	return db.Run(ctx, k.s.Conn(), "cancel sign-in", `DELETE FROM oauth_attempts a WHERE `+openAttempt, hashState(state), now, k.session, k.account)
}

// Consume deletes a sign-in that has its code, and returns the sign-in and the code. Later calls get the error signin_expired.
func (k Attempts) Consume(ctx context.Context, account, id uuid.UUID, now time.Time) (a models.OAuthAttempt, code string, err error) {
	row, found, err := db.First[sealedAttempt](ctx, k.s.Conn(), "sign-in", `DELETE FROM oauth_attempts a
		WHERE account_id = $1 AND id = $2 AND code IS NOT NULL AND expires_at > $3
		RETURNING `+attemptColumns+`, a.verifier, a.code`, account, id, now)
	if a, err = k.open(ctx, row, found, err); err != nil {
		return a, "", err
	}
	plain, err := k.s.Box().Open(ctx, attemptPlace(account, id, "code"), row.Code)
	return a, string(plain), err
}

// DeleteExpired deletes the expired sign-ins of all accounts.
func (k Attempts) DeleteExpired(ctx context.Context, now time.Time) error {
	return db.Run(ctx, k.s.Conn(), "forget sign-ins", `DELETE FROM oauth_attempts WHERE expires_at <= $1`, now)
}
