package conversion

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
)

// keptColumns are the columns from which a conversion's ledger key and cost follow. The table converted_clicks has them.
var keptColumns = click.AllColumns.Named(
	"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "network_id", "source_id", "country",
	"device_type", "os", "browser", "currency", "rate", "conversion_cost", "revenue_share",
)

const (
	// The locks wait for transactions that are recording conversions of these clicks.
	lockExpiring = `SELECT count(*) FROM (SELECT FROM clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3 ORDER BY id
		FOR NO KEY UPDATE) k`
	converted = ` AND EXISTS (SELECT FROM conversions v WHERE v.account_id = k.account_id AND v.click_id = k.id) ON CONFLICT DO NOTHING`
)

var (
	insertKept = `INSERT INTO converted_clicks (` + keptColumns.SQL() + `) SELECT ` + keptColumns.SQL() + ` FROM clicks k WHERE `
	selectKept = `SELECT ` + keptColumns.SQL() + ` FROM converted_clicks
		WHERE id = ANY ($1::uuid[]) AND (account_id = $2 OR $2 = '` + db.ZeroID + `') ORDER BY id`
)

// StoreConverted stores data of the clicks that have conversions. The data is needed if a network later changes these conversions.
// StoreConverted runs in the transaction that deletes the clicks by age. ids must be sorted, and their clicks must be in PostgreSQL.
func StoreConverted(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	first, last := click.Bounds(ids)
	if _, err := db.Get[int](ctx, c, "lock expiring clicks", lockExpiring, db.UUIDs(ids), first, last); err != nil {
		return err
	}
	return db.Run(ctx, c, "keep converted clicks", insertKept+`k.id = ANY ($1::uuid[]) AND k.id BETWEEN $2 AND $3`+converted,
		db.UUIDs(ids), first, last)
}

// StoreConvertedBefore does the same as StoreConverted for all clicks before t that are in PostgreSQL, but locks no clicks.
func StoreConvertedBefore(ctx context.Context, c db.Conn, t time.Time) error {
	return db.Run(ctx, c, "keep converted clicks", insertKept+`k.id < $1`+converted, models.FloorClickID(t))
}

// DeleteKept deletes what StoreConverted has stored about clicks of campaigns in a time range. If a network later changes their
// conversions, no click is found.
func DeleteKept(ctx context.Context, c db.Conn, account uuid.UUID, campaigns []uuid.UUID, from, to time.Time) error {
	return db.Run(ctx, c, "delete converted clicks", `DELETE FROM converted_clicks
		WHERE account_id = $1 AND campaign_id = ANY ($2::uuid[]) AND id >= $3 AND id < $4`, account, db.UUIDs(campaigns),
		models.FloorClickID(from), models.FloorClickID(to))
}

// readKept returns what StoreConverted has stored about clicks. The zero account means any account.
func readKept(ctx context.Context, c db.Conn, account uuid.UUID, ids []uuid.UUID, lock bool) ([]*click.StoredClick, error) {
	q := selectKept
	if lock {
		q += ` FOR NO KEY UPDATE`
	}
	return keptColumns.ReadPointers(ctx, c, "converted clicks", q, db.UUIDs(ids), account)
}
