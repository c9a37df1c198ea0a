package store

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

var keyColumns = db.Columns[models.Key]("")

const keyOverlap = "1 day"

// Caller is the caller of a request, identified by a valid key, with the key's account.
type Caller struct {
	Account models.Account `db:"account"`
	KeyID   uuid.UUID      `db:"key_id"`
	Scope   string         `db:"key_scope"`
	Seen    bool           `db:"key_seen"` // the key's use was recorded within the last five minutes
}

var findCaller = `
SELECT k.id AS key_id, k.scope AS key_scope, coalesce(k.used_at > now() - interval '5 minutes', false) AS key_seen, ` +
	Nested(AccountColumns, "a", "account") + `
FROM api_keys k JOIN accounts a ON a.id = k.account_id
WHERE k.hash = $1 AND k.kind = 'key' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`

// Nested lists columns so that they are read into a nested struct with the given field name.
func Nested(columns, table, field string) string {
	return strings.Join(db.Map(strings.Split(columns, ", "), func(c string) string {
		return table + `.` + c + ` AS "` + field + `.` + c + `"`
	}), ", ")
}

// Authenticate returns the caller that a key identifies. For an unknown, revoked or expired key the error is 401
// unauthenticated. Authenticate reads the database each time, so that every process refuses a revoked key at once.
func (s *Store) Authenticate(ctx context.Context, key string) (Caller, error) {
	unknown := models.Errorf(models.KindUnauthenticated, "unauthenticated", "the API key is missing, revoked or expired")
	if !models.LooksLikeAPIKey(key) {
		return Caller{}, unknown
	}
	found, ok, err := db.First[Caller](ctx, s.c, "authenticate", findCaller, models.HashToken(key))
	if err == nil && !ok {
		err = unknown
	}
	if err == nil && !found.Seen {
		s.RecordKeyUse(ctx, found.KeyID)
	}
	return found, err
}

// RecordKeyUse records the use of a key. A failure is only logged.
func (s *Store) RecordKeyUse(ctx context.Context, id uuid.UUID) {
	const q = `UPDATE api_keys SET used_at = now() WHERE id = $1`
	if err := s.run(ctx, "use of a key", q, id); err != nil {
		slog.WarnContext(ctx, "the use of a key was not recorded", "error", err)
	}
}

var insertKey = `
INSERT INTO api_keys (id, account_id, name, scope, hash, hint, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
RETURNING ` + keyColumns

// CreateKey creates a key. It returns the key in clear, because the key cannot be read later. If life is zero, the key does not
// expire.
func (s *Store) CreateKey(ctx context.Context, account uuid.UUID, name, scope string, life time.Duration,
) (models.Key, string, error) {
	if _, err := s.FindAccount(ctx, account); err != nil {
		return models.Key{}, "", err
	}
	clear := models.NewAPIKey(scope)
	var seconds *float64
	if life > 0 {
		v := life.Seconds()
		seconds = &v
	}
	k, err := db.Get[models.Key](ctx, s.c, "key", insertKey, uuid.Must(uuid.NewV7()), account, name, scope,
		models.HashToken(clear), models.HintOfAPIKey(clear), seconds)
	return k, clear, err
}

// ListKeys lists the keys of an account, newest first, including revoked ones. Keys of connected assistants are left out.
func (s *Store) ListKeys(ctx context.Context, account uuid.UUID) ([]models.Key, error) {
	q := `SELECT ` + keyColumns + ` FROM api_keys WHERE account_id = $1 AND kind = 'key' ORDER BY created_at DESC, id DESC`
	return db.Select[models.Key](ctx, s.c, "list keys", q, account)
}

// FindKey returns a key of an account. It does not find the keys of connected assistants.
func (s *Store) FindKey(ctx context.Context, account, id uuid.UUID) (models.Key, error) {
	q := `SELECT ` + keyColumns + ` FROM api_keys WHERE account_id = $1 AND id = $2 AND kind = 'key'`
	return db.Get[models.Key](ctx, s.c, "key", q, account, id)
}

// RotateKey replaces a valid key by a new key with the same name, scope and lifetime. The old key stays valid for a day, or until
// it expires if that is earlier. If the old key is no longer active, the error is the conflict not_active.
func (s *Store) RotateKey(ctx context.Context, id uuid.UUID) (fresh models.Key, clear string, err error) {
	err = s.Tx(ctx, func(s *Store) error {
		old, err := db.Get[models.Key](ctx, s.c, "key", `SELECT `+keyColumns+` FROM api_keys WHERE id = $1 AND kind = 'key' FOR UPDATE`, id)
		if err != nil {
			return err
		}
		if state := old.State(time.Now()); state != "active" {
			return models.Conflict("not_active", "the key is already %s", state)
		}
		var life time.Duration
		if old.ExpiresAt != nil {
			life = old.ExpiresAt.Sub(old.CreatedAt)
		}
		if fresh, clear, err = s.CreateKey(ctx, old.AccountID, old.Name, old.Scope, life); err != nil {
			return err
		}
		const q = `UPDATE api_keys SET rotated_to = $2, expires_at = least(expires_at, now() + $3::interval) WHERE id = $1`
		return s.execOne(ctx, "key", q, id, fresh.ID, keyOverlap)
	})
	return fresh, clear, err
}

// RevokeKey revokes a key at once. A repeated call changes nothing.
func (s *Store) RevokeKey(ctx context.Context, id uuid.UUID) (models.Key, error) {
	q := `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING ` + keyColumns
	return db.Get[models.Key](ctx, s.c, "key", q, id)
}
