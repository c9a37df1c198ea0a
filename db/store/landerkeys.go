package store

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
)

// UseLanderKey notes that a key of a protected landing page let somebody in, and tells whether it is the first time.
// Hash stands for the key; after expires it may be forgotten.
func UseLanderKey(ctx context.Context, c db.Conn, hash []byte, expires time.Time) (first bool, err error) {
	const q = `INSERT INTO lander_keys (key_hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	res, err := c.ExecContext(ctx, q, hash, expires)
	if err != nil {
		return false, fmt.Errorf("store: use lander key: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// ForgetLanderKeys deletes the used keys that have expired.
func ForgetLanderKeys(ctx context.Context, c db.Conn) error {
	if _, err := c.ExecContext(ctx, `DELETE FROM lander_keys WHERE expires_at < now()`); err != nil {
		return fmt.Errorf("store: forget lander keys: %w", err)
	}
	return nil
}
