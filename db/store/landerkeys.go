package store

import (
	"context"
	"time"

	"switchyard/db"
)

// LanderKeys is the name under which seal.InstallSecret derives Routing.LanderSecret.
const LanderKeys = "lander keys"

// UseLanderKey records the use of a key or click that lets a visitor into a landing page, and reports whether it was the first use.
// hash identifies the key or click. expires is the time from which the record may be deleted.
func UseLanderKey(ctx context.Context, c db.Conn, hash []byte, expires time.Time) (first bool, err error) {
	const q = `INSERT INTO lander_keys (key_hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	n, err := db.Exec(ctx, c, "use lander key", q, hash, expires)
	return n == 1, err
}

// PruneLanderKeys deletes the expired records of UseLanderKey.
func PruneLanderKeys(ctx context.Context, c db.Conn) error {
	return db.Run(ctx, c, "prune lander keys", `DELETE FROM lander_keys WHERE expires_at < now()`)
}
