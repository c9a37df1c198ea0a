package outgoing

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// uploading is a traffic source whose platform is told of conversions.
type uploading struct {
	SourceID uuid.UUID    `db:"source_id"`
	Statuses []string     `db:"conversion_statuses"`
	Percent  models.Money `db:"send_payout_pct"`
}

// share is what the platform is told of an amount.
func (u uploading) share(amount decimal.Decimal) decimal.Decimal {
	return models.SourcePostback{SendPayoutPct: u.Percent}.Share(amount)
}

const selectUploading = `
SELECT i.source_id, i.conversion_statuses, s.send_payout_pct FROM source_integrations i
JOIN traffic_sources s ON s.id = i.source_id AND s.account_id = i.account_id
WHERE i.account_id = $1 AND i.source_id = ANY ($2::uuid[]) AND i.conversions_enabled AND s.deactivated_at IS NULL`

var uploadColumns = db.Columns[models.ConversionUpload]("u.")

// What was skipped was told to nobody.
var selectLastUploads = `
SELECT DISTINCT ON (u.conversion_id) ` + uploadColumns + ` FROM conversion_uploads u
WHERE u.account_id = $1 AND u.conversion_id = ANY ($2::uuid[]) AND u.result <> 'skipped' ORDER BY u.conversion_id, u.place DESC`

// The identity column place follows the order of the list.
const insertUploads = `
INSERT INTO conversion_uploads (id, account_id, source_id, click_id, conversion_id, goal, status, action, value, currency, worth,
	happened_at, changed_at)
SELECT new_id(), $1, p.source_id, p.click_id, p.conversion_id, p.goal, p.status, p.action, p.value, p.currency, p.worth,
	p.happened_at, p.changed_at
FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::numeric[], $9::text[], $10::numeric[],
	$11::timestamptz[], $12::timestamptz[]) WITH ORDINALITY
	AS p (source_id, click_id, conversion_id, goal, status, action, value, currency, worth, happened_at, changed_at, nth)
ORDER BY p.nth`

// afterClick is how long after its click a conversion happened at least, as platforms take it.
const afterClick = time.Second

// addUploads stores what the ad platforms of an account's traffic sources are told of conversions that have changed, in this
// order. The clicks of the conversions are locked.
func addUploads(ctx context.Context, c db.Conn, account uuid.UUID, list []models.Conversion) error {
	sources, conversions := map[uuid.UUID]bool{}, []uuid.UUID(nil)
	for _, v := range list {
		if v.SourceID != uuid.Nil {
			sources[v.SourceID] = true
			conversions = append(conversions, v.ID)
		}
	}
	if len(sources) == 0 {
		return nil
	}
	found, err := db.Select[uploading](ctx, c, "uploading sources", selectUploading, account, db.UUIDs(keys(sources)))
	if err != nil || len(found) == 0 {
		return err
	}
	last, err := db.Select[models.ConversionUpload](ctx, c, "last uploads", selectLastUploads, account, db.UUIDs(conversions))
	if err != nil {
		return err
	}
	of := db.ByKey(found, func(u uploading) uuid.UUID { return u.SourceID })
	told := map[uuid.UUID]*models.ConversionUpload{}
	for i := range last {
		told[last[i].ConversionID] = &last[i]
	}
	var fresh []newUpload
	for _, v := range list {
		u, ok := of[v.SourceID]
		if !ok {
			continue
		}
		if next, ok := u.next(v, told[v.ID]); ok {
			fresh, told[v.ID] = append(fresh, next), &next.ConversionUpload
		}
	}
	return insertAll(ctx, c, account, fresh)
}

// newUpload is an upload that is stored, with its value in the account's currency.
type newUpload struct {
	models.ConversionUpload
	worth decimal.Decimal
}

// next is what the platform is told of a conversion as it is now. last is what it was told.
func (u uploading) next(v models.Conversion, last *models.ConversionUpload) (out newUpload, ok bool) {
	value := u.share(v.Payout)
	action := models.NextUpload(last, slices.Contains(u.Statuses, v.Status), v.Status, value, v.Currency)
	if action == "" {
		return out, false
	}
	out = newUpload{models.ConversionUpload{
		SourceID: v.SourceID, ClickID: v.ClickID, ConversionID: v.ID, Goal: v.Goal, Status: v.Status, Action: action,
		Value: value, Currency: v.Currency, ChangedAt: v.UpdatedAt, HappenedAt: v.RecordedAt.Truncate(time.Second),
	}, value.Mul(v.Rate.Decimal)} // without a rate it counts no money
	switch earliest := models.ClickTime(v.ClickID).Truncate(time.Second).Add(afterClick); {
	case last != nil:
		out.HappenedAt = last.HappenedAt
	case out.HappenedAt.Before(earliest):
		out.HappenedAt = earliest
	}
	if action == models.UploadRetract {
		out.Value, out.Currency, out.worth = last.Value, last.Currency, decimal.Zero
	}
	if first := out.HappenedAt.Add(time.Second); out.ChangedAt.Before(first) {
		out.ChangedAt = first
	}
	return out, true
}

func insertAll(ctx context.Context, c db.Conn, account uuid.UUID, list []newUpload) error {
	if len(list) == 0 {
		return nil
	}
	ids := func(of func(newUpload) uuid.UUID) string { return db.UUIDs(db.Map(list, of)) }
	texts := func(of func(newUpload) string) any { return db.Map(list, of) }
	moment := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	_, err := db.Exec(ctx, c, "add uploads", insertUploads, account,
		ids(func(u newUpload) uuid.UUID { return u.SourceID }), ids(func(u newUpload) uuid.UUID { return u.ClickID }),
		ids(func(u newUpload) uuid.UUID { return u.ConversionID }),
		texts(func(u newUpload) string { return u.Goal }), texts(func(u newUpload) string { return u.Status }),
		texts(func(u newUpload) string { return u.Action }), texts(func(u newUpload) string { return u.Value.String() }),
		texts(func(u newUpload) string { return u.Currency }), texts(func(u newUpload) string { return u.worth.String() }),
		texts(func(u newUpload) string { return moment(u.HappenedAt) }), texts(func(u newUpload) string { return moment(u.ChangedAt) }))
	return err
}

func keys(set map[uuid.UUID]bool) []uuid.UUID {
	list := make([]uuid.UUID, 0, len(set))
	for id := range set {
		list = append(list, id)
	}
	return list
}

const (
	convertCaps   = `UPDATE source_integrations SET daily_cap_value = round(daily_cap_value * $2, 6) WHERE account_id = $1`
	convertWorths = `
UPDATE conversion_uploads SET worth = worth * $2 WHERE account_id = $1 AND (result = 'pending' OR decided_at >= $3)`
)

// ConvertCaps converts, in the transaction of c, the caps of an account on the value of uploads, and what uploads count of them:
// those that wait, and those that were decided since a moment.
func ConvertCaps(ctx context.Context, c db.Conn, account uuid.UUID, rate decimal.Decimal, since time.Time) error {
	if _, err := db.Exec(ctx, c, "convert caps", convertCaps, account, rate); err != nil {
		return err
	}
	_, err := db.Exec(ctx, c, "convert uploads", convertWorths, account, rate, since)
	return err
}
