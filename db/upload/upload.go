// Package upload stores the conversions that are uploaded to the APIs of traffic sources' ad platforms.
//
// An upload is stored in the transaction that changes its conversion. Uploads are sent in batches: see ClaimDue.
package upload

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// uploading is a traffic source whose conversions are uploaded to its platform.
type uploading struct {
	SourceID uuid.UUID    `db:"source_id"`
	Provider string       `db:"provider"`
	Statuses []string     `db:"conversion_statuses"`
	Percent  models.Money `db:"send_payout_pct"`
}

func (u uploading) share(amount decimal.Decimal) decimal.Decimal {
	return models.SourcePostback{SendPayoutPct: u.Percent}.Share(amount)
}

const selectUploading = `
SELECT i.source_id, i.provider, i.conversion_statuses, s.send_payout_pct FROM source_integrations i
JOIN traffic_sources s ON s.id = i.source_id AND s.account_id = i.account_id
WHERE i.account_id = $1 AND i.source_id = ANY ($2::uuid[]) AND i.conversions_enabled AND s.deactivated_at IS NULL`

var columns = db.Columns[models.ConversionUpload]("u.")

// selectLastUploads selects up to two uploads of each conversion: the last that the platform refused, and the last that it did
// not refuse, latest first. Skipped uploads are left out, because the platform never received them. Shadow uploads count only in
// shadow mode: a connection that becomes live must still send the conversion. Uploads to a former platform of the source do not
// count either.
var selectLastUploads = `
SELECT ` + columns + ` FROM (
	SELECT DISTINCT ON (e.conversion_id, e.result = 'rejected') e.* FROM conversion_uploads e
	JOIN source_integrations i ON i.source_id = e.source_id AND i.account_id = e.account_id
	WHERE e.account_id = $1 AND e.conversion_id = ANY ($2::uuid[]) AND e.result <> 'skipped' AND (e.result <> 'shadow' OR i.upload_mode = 'shadow')
		AND e.provider IN ('', i.provider)
	ORDER BY e.conversion_id, e.result = 'rejected', e.place DESC
) u ORDER BY u.conversion_id, u.place DESC`

// The identity column `place` numbers the new uploads in the order of the list.
const insert = `
INSERT INTO conversion_uploads (id, account_id, source_id, provider, click_id, conversion_id, goal, action, happened_at, status, value, currency, worth,
	changed_at)
SELECT new_id(), $1, p.source_id, p.provider, p.click_id, p.conversion_id, p.goal, p.action, p.happened_at, p.status, p.value, p.currency, p.worth, p.changed_at
FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::timestamptz[], $9::text[], $10::numeric[],
	$11::text[], $12::numeric[], $13::timestamptz[]) WITH ORDINALITY
	AS p (source_id, provider, click_id, conversion_id, goal, action, happened_at, status, value, currency, worth, changed_at, nth)
ORDER BY p.nth`

const afterClick = time.Second

// Add stores the uploads that report changed conversions to the ad platforms of an account's traffic sources, in the order of
// the list. The caller must have locked the clicks of the conversions.
func Add(ctx context.Context, c db.Conn, account uuid.UUID, list []models.Conversion) error {
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
	found, err := db.Select[uploading](ctx, c, "uploading sources", selectUploading, account, db.UUIDs(slices.Collect(maps.Keys(sources))))
	if err != nil || len(found) == 0 {
		return err
	}
	last, err := db.Select[models.ConversionUpload](ctx, c, "last uploads", selectLastUploads, account, db.UUIDs(conversions))
	if err != nil {
		return err
	}
	w := writing{sources: db.ByKey(found, func(u uploading) uuid.UUID { return u.SourceID }), states: platformStates(last)}
	for _, v := range list {
		w.add(v)
	}
	return w.write(ctx, c, account)
}

// platformState has the last uploads of a conversion: `there` is the last upload that the platform did not refuse, and `refused` is
// a later upload that the platform refused. `fresh` is the upload `there` if this upload is not stored yet.
type platformState struct {
	there, refused *models.ConversionUpload
	fresh          *newUpload
}

func platformStates(last []models.ConversionUpload) map[uuid.UUID]*platformState {
	out := map[uuid.UUID]*platformState{}
	for i := range last {
		u := &last[i]
		h := out[u.ConversionID]
		switch {
		case h == nil && u.Result == models.UploadRejected:
			out[u.ConversionID] = &platformState{refused: u}
		case h == nil:
			out[u.ConversionID] = &platformState{there: u}
		case h.there == nil:
			h.there = u
		}
	}
	return out
}

// newUpload is an upload to store, or the new content of a pending upload. worth is in the account's currency.
type newUpload struct {
	models.ConversionUpload
	worth decimal.NullDecimal
}

type writing struct {
	sources map[uuid.UUID]uploading
	states  map[uuid.UUID]*platformState
	amended []*newUpload // changes of pending uploads, with the ids of these uploads
	fresh   []*newUpload
}

// add adds the upload that reports the present state of a conversion, if there is something to report.
func (w *writing) add(v models.Conversion) {
	u, ok := w.sources[v.SourceID]
	if !ok {
		return
	}
	h := w.states[v.ID]
	if h == nil {
		h = &platformState{}
		w.states[v.ID] = h
	}
	value := u.share(v.Payout)
	action := models.NextUpload(h.there, h.refused, slices.Contains(u.Statuses, v.Status), v.Status, value, v.Currency)
	if action == "" {
		return
	}
	next := h.next(v, action, value)
	next.Provider = u.Provider
	switch {
	case action != models.UploadAmend:
		w.fresh = append(w.fresh, next)
		h.there, h.refused, h.fresh = &next.ConversionUpload, nil, next
	case h.fresh != nil:
		next.Action = h.fresh.Action
		*h.fresh = *next
	default:
		next.ID, next.Action = h.there.ID, h.there.Action
		w.amended = append(w.amended, next)
		h.there = &next.ConversionUpload
	}
}

func (h *platformState) next(v models.Conversion, action string, value decimal.Decimal) *newUpload {
	out := &newUpload{ConversionUpload: models.ConversionUpload{
		SourceID: v.SourceID, ClickID: v.ClickID, ConversionID: v.ID, Goal: v.Goal, Status: v.Status, Action: action, Result: models.UploadPending,
		Value: value, Currency: v.Currency, ChangedAt: v.UpdatedAt, HappenedAt: v.RecordedAt.Truncate(time.Second),
	}}
	earliest := models.ClickTime(v.ClickID).Truncate(time.Second).Add(afterClick)
	switch {
	case h.there != nil:
		out.HappenedAt = h.there.HappenedAt
	case h.refused != nil:
		out.HappenedAt = h.refused.HappenedAt
	case out.HappenedAt.Before(earliest):
		out.HappenedAt = earliest
	}
	if first := out.HappenedAt.Add(time.Second); out.ChangedAt.Before(first) {
		out.ChangedAt = first
	}
	switch {
	case action == models.UploadRetract:
		out.Value, out.Currency, out.worth = h.there.Value, h.there.Currency, decimal.NewNullDecimal(decimal.Zero)
	case v.Rate.Valid || value.IsZero():
		out.worth = decimal.NewNullDecimal(value.Mul(v.Rate.Decimal))
	}
	return out
}

// write stores the collected uploads. After the first attempt to send an upload, it cannot be amended: a restatement is added
// instead.
func (w *writing) write(ctx context.Context, c db.Conn, account uuid.UUID) error {
	if len(w.amended) > 0 {
		done, err := db.Select[uuid.UUID](ctx, c, "amend uploads", amend, append([]any{account, ids(w.amended,
			func(u *newUpload) uuid.UUID { return u.ID })}, columnsOf(w.amended)...)...)
		if err != nil {
			return err
		}
		var late []*newUpload
		for _, u := range w.amended {
			if !slices.Contains(done, u.ID) {
				u.Action = models.UploadRestate
				late = append(late, u)
			}
		}
		w.fresh = append(late, w.fresh...)
	}
	return insertAll(ctx, c, account, w.fresh)
}

// The last of several amendments counts. Rows are locked in the order of their ids.
const amend = `
WITH waiting AS MATERIALIZED (
	SELECT id FROM conversion_uploads WHERE account_id = $1 AND id = ANY ($2::uuid[]) AND result = 'pending' AND attempts = 0
	ORDER BY id FOR NO KEY UPDATE
), last AS (
	SELECT DISTINCT ON (id) * FROM unnest($2::uuid[], $3::text[], $4::numeric[], $5::text[], $6::numeric[], $7::timestamptz[]) WITH ORDINALITY
		AS p (id, status, value, currency, worth, changed_at, nth) ORDER BY id, nth DESC
)
UPDATE conversion_uploads u SET status = last.status, value = last.value, currency = last.currency, worth = last.worth,
	changed_at = last.changed_at FROM last JOIN waiting USING (id) WHERE u.id = last.id RETURNING u.id`

func insertAll(ctx context.Context, c db.Conn, account uuid.UUID, list []*newUpload) error {
	if len(list) == 0 {
		return nil
	}
	args := append([]any{
		account, ids(list, func(u *newUpload) uuid.UUID { return u.SourceID }), texts(list, func(u *newUpload) string { return u.Provider }),
		ids(list, func(u *newUpload) uuid.UUID { return u.ClickID }),
		ids(list, func(u *newUpload) uuid.UUID { return u.ConversionID }), texts(list, func(u *newUpload) string { return u.Goal }),
		texts(list, func(u *newUpload) string { return u.Action }), moments(list, func(u *newUpload) time.Time { return u.HappenedAt }),
	}, columnsOf(list)...)
	return db.Run(ctx, c, "add uploads", insert, args...)
}

func ids(list []*newUpload, id func(*newUpload) uuid.UUID) string { return db.UUIDs(db.Map(list, id)) }

func texts(list []*newUpload, text func(*newUpload) string) pq.StringArray { return db.Map(list, text) }

func moments(list []*newUpload, moment func(*newUpload) time.Time) pq.StringArray {
	return db.Map(list, func(u *newUpload) string { return moment(u).UTC().Format(time.RFC3339Nano) })
}

func columnsOf(list []*newUpload) []any {
	return []any{
		texts(list, func(u *newUpload) string { return u.Status }), texts(list, func(u *newUpload) string { return u.Value.String() }),
		texts(list, func(u *newUpload) string { return u.Currency }),
		pq.Array(db.Map(list, func(u *newUpload) decimal.NullDecimal { return u.worth })),
		moments(list, func(u *newUpload) time.Time { return u.ChangedAt }),
	}
}

const (
	convertCaps   = `UPDATE source_integrations SET daily_cap_value = round(daily_cap_value * $2, 6) WHERE account_id = $1`
	convertWorths = `
UPDATE conversion_uploads SET worth = worth * $2 WHERE account_id = $1 AND (result = 'pending' OR decided_at >= $3)`
)

// ConvertCaps converts an account's daily caps on the value of uploads, and the worth of the uploads that count towards these caps.
// Such an upload is pending, or was decided since the given time.
func ConvertCaps(ctx context.Context, c db.Conn, account uuid.UUID, rate decimal.Decimal, since time.Time) error {
	if err := db.Run(ctx, c, "convert caps", convertCaps, account, rate); err != nil {
		return err
	}
	return db.Run(ctx, c, "convert uploads", convertWorths, account, rate, since)
}
