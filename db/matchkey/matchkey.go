// Package matchkey stores the hashed personal data of people who converted, for the uploads of their conversions. The hashes are
// sealed by store.SealKeys. They belong to a click: all messages about a click are about the same person.
//
// The table is no part of a backup, and its rows live for at most matchkey.Retention.
package matchkey

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/matchkey"
)

// Row has the keys of one message. Its id is the id of the message, so that a message that is read again has one row.
type Row struct {
	ID         uuid.UUID `db:"id"`
	AccountID  uuid.UUID `db:"account_id"`
	ClickID    uuid.UUID `db:"click_id"`
	Names      []string  `db:"names"`
	Sealed     []byte    `db:"sealed"`
	ReceivedAt time.Time `db:"received_at"`
}

// The rows of a deleted account, and rows that waited too long, are left out.
var insert = `
INSERT INTO conversion_match_keys (` + db.Columns[Row]("") + `)
SELECT ` + db.Columns[Row]("r.") + ` FROM ` + db.FromRecords[Row]() + ` r JOIN accounts a ON a.id = r.account_id
WHERE r.received_at > $7 AND r.sealed IS NOT NULL
ON CONFLICT (id) DO NOTHING`

// Store stores the keys of messages. Keys of a message that is older than the retention are not stored.
func Store(ctx context.Context, c db.Conn, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	args, err := db.Records(rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, c, "store match keys", insert, append(args, Oldest(time.Now()))...)
	return err
}

// Oldest returns the time before which messages must not be used any more.
func Oldest(now time.Time) time.Time { return now.Add(-matchkey.Retention) }

var selectOfClicks = `
SELECT ` + db.Columns[Row]("") + ` FROM conversion_match_keys
WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) AND received_at > $3 ORDER BY click_id, received_at DESC, id LIMIT $4`

// maxPerClick is the largest number of messages per click whose keys are read, on average of the clicks.
const maxPerClick = 20

// OfClicks returns the rows of some clicks of an account. The latest row of a click comes first.
func OfClicks(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID, now time.Time) ([]Row, error) {
	return db.Select[Row](ctx, c, "match keys of clicks", selectOfClicks, account, db.UUIDs(clicks), Oldest(now), maxPerClick*len(clicks))
}

const (
	deleteOfClicks = `DELETE FROM conversion_match_keys WHERE click_id = ANY ($1::uuid[])`

	withdraw = `DELETE FROM conversion_match_keys WHERE account_id = $1 AND click_id = ANY ($2::uuid[])`

	deleteExpired = `DELETE FROM conversion_match_keys WHERE id = ANY (ARRAY(
	SELECT id FROM conversion_match_keys WHERE received_at < $1 ORDER BY received_at LIMIT $2))`

	// The sealed proof of a postback that was not believed yet can contain personal data. Without it the postback cannot be read again.
	clearProofs = `
UPDATE postbacks SET proof = NULL, signature = '', signed_text = '', has_personal_data = false WHERE id = ANY (ARRAY(
	SELECT id FROM postbacks WHERE has_personal_data AND received_at < $1 ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED))`
)

// DeleteOf deletes the keys of some clicks, in the transaction of c.
func DeleteOf(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	_, err := db.Exec(ctx, c, "delete match keys", deleteOfClicks, db.UUIDs(clicks))
	return err
}

// Withdraw deletes the keys of an account's clicks whose visitors have withdrawn their consent.
func Withdraw(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID) error {
	if len(clicks) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, c, "withdraw match keys", withdraw, account, db.UUIDs(clicks))
	return err
}

// deletedAtOnce is the largest number of rows that one statement deletes.
const deletedAtOnce = 2000

// beforeTheEnd is how long before the end of the retention the hourly job deletes rows, so that none is kept longer.
const beforeTheEnd = 2 * time.Hour

// DeleteExpired deletes keys shortly before the end of their retention. It also clears the sealed proofs of postbacks that contain
// personal data and are as old.
func DeleteExpired(ctx context.Context, c db.Conn, now time.Time) (keys, proofs int64, err error) {
	before := Oldest(now).Add(beforeTheEnd)
	if keys, err = db.InParts(ctx, c, "delete old match keys", deleteExpired, deletedAtOnce, before); err != nil {
		return keys, proofs, err
	}
	proofs, err = db.InParts(ctx, c, "clear old proofs", clearProofs, deletedAtOnce, before)
	return keys, proofs, err
}

// countedUploads is the largest number of conversions of a source that Shares counts, the latest first.
const countedUploads = 10_000

var shares = `
WITH latest AS MATERIALIZED (
	SELECT u.click_id, u.account_id FROM conversion_uploads u
	WHERE u.account_id = $1 AND u.source_id = $2 AND u.created_at > $3 AND u.action = 'upload' ORDER BY u.created_at DESC LIMIT $4
)
SELECT '' AS name, count(*) AS n FROM latest
UNION ALL
SELECT k.name, count(*) FROM latest CROSS JOIN LATERAL (
	SELECT DISTINCT unnest(m.names) AS name FROM conversion_match_keys m
	WHERE m.click_id = latest.click_id AND m.account_id = latest.account_id AND m.received_at > $3
) k GROUP BY k.name`

// Shares counts the latest conversions of a source that are for its platform, and how many of them have each key. It counts only
// conversions within the retention.
func Shares(ctx context.Context, c db.Conn, account, source uuid.UUID, now time.Time) (conversions int, with map[string]int, err error) {
	with, err = db.Pairs[string, int](ctx, c, "shares of match keys", shares, account, source, Oldest(now), countedUploads)
	conversions = with[""]
	delete(with, "")
	return conversions, with, err
}
