package conversion

import (
	"context"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
)

// Reference is an id by which a shop's later notifications refer to a conversion, such as the id of an order's payment.
type Reference struct {
	AccountID    uuid.UUID `db:"account_id"`
	NetworkID    uuid.UUID `db:"network_id"`
	Reference    string    `db:"reference"`
	ClickID      uuid.UUID `db:"click_id"`
	Goal         string    `db:"goal"`
	ConversionID string    `db:"conversion_id"`
	Payout       string    `db:"payout"` // the amount of the sale as the shop reported it, or empty
}

// MaxReferred is the largest number of conversions that FindReferences returns.
const MaxReferred = 20

var selectReferences = `
SELECT ` + db.Columns[Reference]("r.") + ` FROM unnest($3::text[]) WITH ORDINALITY AS k (reference, place)
CROSS JOIN LATERAL (
	SELECT * FROM postback_references r WHERE r.account_id = $1 AND r.network_id = $2 AND r.reference = k.reference
	ORDER BY created_at, goal, conversion_id LIMIT $4
) r
ORDER BY k.place LIMIT $4`

// FindReferences returns the conversions to which the first known id of a list refers.
func FindReferences(ctx context.Context, c db.Conn, account, network uuid.UUID, ids []string) ([]Reference, error) {
	list, err := db.Select[Reference](ctx, c, "references of notification", selectReferences, account, network, pq.StringArray(ids), MaxReferred)
	for i := range list {
		if list[i].Reference != list[0].Reference {
			return list[:i], err
		}
	}
	return list, err
}

var insertReferences = `
INSERT INTO postback_references (` + db.Columns[Reference]("") + `)
SELECT ` + db.Columns[Reference]("") + ` FROM ` + db.FromRecords[Reference]() + ` r
ON CONFLICT DO NOTHING`

// StoreReferences stores ids of conversions, and returns the number of new ids. A stored id keeps its amount.
func StoreReferences(ctx context.Context, c db.Conn, list []Reference) (int64, error) {
	if len(list) == 0 {
		return 0, nil
	}
	rows, err := db.Records(list)
	if err != nil {
		return 0, err
	}
	return db.Exec(ctx, c, "store references", insertReferences, rows...)
}

// versionKey is the prefix of a reference to the version of an order.
const versionKey = "version "

const selectLaterVersion = `
SELECT EXISTS (SELECT FROM postback_references WHERE account_id = $1 AND network_id = $2 AND click_id = $3 AND conversion_id = $4
	AND starts_with(reference, $5) AND reference COLLATE "C" > $6)`

// hasLaterVersion reports whether a later version of a conversion's order was recorded.
func hasLaterVersion(ctx context.Context, c db.Conn, order Reference, version string) (bool, error) {
	if version == "" {
		return false, nil
	}
	return db.Get[bool](ctx, c, "later version of order", selectLaterVersion,
		order.AccountID, order.NetworkID, order.ClickID, order.ConversionID, versionKey, versionKey+version)
}

// DeleteReferences deletes the ids of the conversions of some clicks.
func DeleteReferences(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	return db.Run(ctx, c, "delete references", `DELETE FROM postback_references WHERE click_id = ANY ($1::uuid[])`, db.UUIDs(clicks))
}

const deleteReferencesBefore = `
DELETE FROM postback_references WHERE ctid = ANY (ARRAY(SELECT ctid FROM postback_references WHERE click_id < $1 LIMIT $2))`

// DeleteReferencesBefore deletes the ids of conversions whose clicks have lower ids than the given one.
func DeleteReferencesBefore(ctx context.Context, c db.Conn, first uuid.UUID) error {
	const atOnce = 2000
	_, err := db.InParts(ctx, c, "delete old references", deleteReferencesBefore, atOnce, first)
	return err
}
