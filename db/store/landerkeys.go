package store

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
)

// UseLanderKey records the use of a landing page's key and reports whether it was the first. hash identifies the key.
// The record may be deleted after expires.
func UseLanderKey(ctx context.Context, c db.Conn, hash []byte, expires time.Time) (first bool, err error) {
	const q = `INSERT INTO lander_keys (key_hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	res, err := c.ExecContext(ctx, q, hash, expires)
	if err != nil {
		return false, fmt.Errorf("store: use lander key: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// PruneLanderKeys deletes used keys that have expired.
func PruneLanderKeys(ctx context.Context, c db.Conn) error {
	if _, err := c.ExecContext(ctx, `DELETE FROM lander_keys WHERE expires_at < now()`); err != nil {
		return fmt.Errorf("store: prune lander keys: %w", err)
	}
	return nil
}
