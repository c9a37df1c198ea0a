// Package matchkey stores the hashed personal data of people who converted, for the uploads of their conversions. The hashes are
// called keys and are encrypted by store.SealKeys. They belong to a click, because all messages about a click are about one
// person.
//
// The table conversion_match_keys is not part of a backup, and its rows are kept for at most matchkey.Retention. A row names the
// kinds of its keys. A row without names means that the person has refused the use of their data: keys that were received before
// the refusal are not used.
package matchkey

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/matchkey"
)

// Row has the keys of one message. Its id is the id of the message, so that a repeated message has one row.
type Row struct {
	ID         uuid.UUID `db:"id"`
	AccountID  uuid.UUID `db:"account_id"`
	ClickID    uuid.UUID `db:"click_id"`
	Names      []string  `db:"names"`
	Sealed     []byte    `db:"sealed"`
	ReceivedAt time.Time `db:"received_at"`
}

// refused is a condition on a row k: a message about the same click, received at the same time or later, refuses the use of the
// data.
const refused = `EXISTS (SELECT FROM conversion_match_keys w WHERE w.click_id = k.click_id AND w.account_id = k.account_id
	AND w.names = '{}' AND w.received_at >= k.received_at)`

// The statement leaves out rows without keys, rows of deleted accounts, rows beyond the retention, and rows that are withdrawn by a
// refusal.
var insert = `
INSERT INTO conversion_match_keys (` + db.Columns[Row]("") + `)
SELECT ` + db.Columns[Row]("k.") + ` FROM ` + db.FromRecords[Row]() + ` k JOIN accounts a ON a.id = k.account_id
WHERE k.received_at > $7 AND k.sealed IS NOT NULL AND NOT ` + refused + `
ON CONFLICT (id) DO NOTHING`

// Store stores the keys of messages. Keys of messages beyond the retention are not stored.
func Store(ctx context.Context, c db.Conn, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	args, err := db.Records(rows)
	if err != nil {
		return err
	}
	return db.Run(ctx, c, "store match keys", insert, append(args, Oldest(time.Now()))...)
}

// Oldest returns the time before which messages must not be used.
func Oldest(now time.Time) time.Time { return now.Add(-matchkey.Retention) }

var selectForClicks = `
SELECT ` + db.Columns[Row]("k.") + ` FROM conversion_match_keys k
WHERE k.account_id = $1 AND k.click_id = ANY ($2::uuid[]) AND k.received_at > $3 AND k.names <> '{}' AND NOT ` + refused + `
ORDER BY k.click_id, k.received_at DESC, k.id LIMIT $4`

// maxPerClick limits the rows that ForClicks reads to this number per click on average.
const maxPerClick = 20

// ForClicks returns the rows of some clicks of an account. For each click, the latest row comes first.
func ForClicks(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID, now time.Time) ([]Row, error) {
	return db.Select[Row](ctx, c, "match keys of clicks", selectForClicks, account, db.UUIDs(clicks), Oldest(now), maxPerClick*len(clicks))
}

// A message can be received twice with the same id: with keys, then with the refusal.
var withdraw = `
WITH refusals AS MATERIALIZED (
	SELECT r.* FROM ` + db.FromRecords[Row]() + ` r JOIN accounts a ON a.id = r.account_id
), deleted AS (
	DELETE FROM conversion_match_keys k USING refusals r
	WHERE k.account_id = r.account_id AND k.click_id = r.click_id AND k.received_at <= r.received_at AND k.id NOT IN (SELECT id FROM refusals)
)
INSERT INTO conversion_match_keys AS k (` + db.Columns[Row]("") + `)
SELECT id, account_id, click_id, '{}', '', received_at FROM refusals
ON CONFLICT (id) DO UPDATE SET names = '{}', sealed = '', received_at = greatest(k.received_at, excluded.received_at)
WHERE k.account_id = excluded.account_id`

const (
	deleteOfClicks = `DELETE FROM conversion_match_keys WHERE click_id = ANY ($1::uuid[])`

	deleteExpired = `DELETE FROM conversion_match_keys WHERE id = ANY (ARRAY(
	SELECT id FROM conversion_match_keys WHERE received_at < $1 ORDER BY received_at LIMIT $2))`

	// The encrypted proof of a postback's sender can contain personal data. Without the proof, the postback cannot be read again.
	clearProofs = `
UPDATE postbacks SET proof = NULL, signature = '', signed_text = '', has_personal_data = false WHERE id = ANY (ARRAY(
	SELECT id FROM postbacks WHERE has_personal_data AND received_at < $1 ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED))`
)

// DeleteOf deletes the keys of some clicks, in the transaction of c.
func DeleteOf(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	return db.Run(ctx, c, "delete match keys", deleteOfClicks, db.UUIDs(clicks))
}

// Withdraw deletes the keys of clicks whose visitors have refused the use of their data. A row has the id, the click and the time
// of the refusing message. Keys that were received before the refusal, but are stored after it, are not used.
func Withdraw(ctx context.Context, c db.Conn, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	once := slices.SortedFunc(slices.Values(rows), func(a, b Row) int {
		return cmp.Or(strings.Compare(a.ID.String(), b.ID.String()), b.ReceivedAt.Compare(a.ReceivedAt))
	})
	args, err := db.Records(slices.CompactFunc(once, func(a, b Row) bool { return a.ID == b.ID }))
	if err != nil {
		return err
	}
	return db.Run(ctx, c, "withdraw match keys", withdraw, args...)
}

const deletedAtOnce = 2000

// beforeTheEnd is how long before the end of the retention the hourly job deletes rows, so that no row is kept beyond it.
const beforeTheEnd = 2 * time.Hour

// DeleteExpired deletes keys, and clears encrypted proofs that contain personal data, shortly before the end of their retention.
func DeleteExpired(ctx context.Context, c db.Conn, now time.Time) (keys, proofs int64, err error) {
	before := Oldest(now).Add(beforeTheEnd)
	if keys, err = db.InParts(ctx, c, "delete old match keys", deleteExpired, deletedAtOnce, before); err != nil {
		return keys, proofs, err
	}
	proofs, err = db.InParts(ctx, c, "clear old proofs", clearProofs, deletedAtOnce, before)
	return keys, proofs, err
}

// countedUploads is the maximum number of uploads that Shares counts.
const countedUploads = 10_000

var shares = `
WITH latest AS MATERIALIZED (
	SELECT u.click_id, u.account_id FROM conversion_uploads u
	WHERE u.account_id = $1 AND u.source_id = $2 AND u.created_at > $3 AND u.action = 'upload' ORDER BY u.created_at DESC LIMIT $4
)
SELECT '' AS name, count(*) AS n FROM latest
UNION ALL
SELECT k.name, count(*) FROM latest CROSS JOIN LATERAL (
	SELECT DISTINCT unnest(k.names) AS name FROM conversion_match_keys k
	WHERE k.click_id = latest.click_id AND k.account_id = latest.account_id AND k.received_at > $3 AND NOT ` + refused + `
) k GROUP BY k.name`

// Shares counts a source's latest uploads of conversions within the retention, and how many of them have each kind of key.
func Shares(ctx context.Context, c db.Conn, account, source uuid.UUID, now time.Time) (conversions int, with map[string]int, err error) {
	with, err = db.Pairs[string, int](ctx, c, "shares of match keys", shares, account, source, Oldest(now), countedUploads)
	conversions = with[""]
	delete(with, "")
	return conversions, with, err
}
