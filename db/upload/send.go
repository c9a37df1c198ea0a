package upload

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Due is a traffic source that has uploads to send, or requests whose outcome must be queried.
type Due struct {
	AccountID uuid.UUID `db:"account_id"`
	SourceID  uuid.UUID `db:"source_id"`
	Provider  string    `db:"provider"`
}

// inTurn is SQL that is true if no other upload of the conversion of u must be decided before u. Earlier uploads that are pending
// must be decided first, and so must later uploads whose outcome the platform has not reported yet.
const inTurn = `NOT EXISTS (SELECT FROM conversion_uploads e WHERE e.conversion_id = u.conversion_id
	AND (e.place < u.place AND e.result = 'pending' OR e.place > u.place AND e.result = 'accepted' AND e.request <> ''))`

var (
	// A source with an unfinished job is not due, because that job also sends uploads that are added while the job runs.
	claimDue = `
SELECT i.account_id, i.source_id, i.provider FROM source_integrations i
JOIN traffic_sources s ON s.id = i.source_id AND s.account_id = i.account_id
WHERE i.conversions_enabled AND i.uploads_stopped = '' AND i.upload_next_at <= $1
	AND (i.uploads_ready_at IS NULL OR i.uploads_ready_at <= $1) AND s.is_active AND s.deactivated_at IS NULL
	AND (EXISTS (SELECT FROM conversion_uploads u WHERE u.source_id = i.source_id AND u.result = 'pending' AND u.next_at <= $1
			AND ` + inTurn + `)
		OR EXISTS (SELECT FROM upload_requests r WHERE r.source_id = i.source_id AND r.check_at <= $1))
	AND NOT ` + jobrow.IsOpen("i.upload_job") + `
ORDER BY i.upload_next_at LIMIT $2 FOR UPDATE OF i SKIP LOCKED`

	// Another sweep may have started a job after claimDue began. Only a second query sees this job.
	stillDue = `
SELECT i.account_id, i.source_id, i.provider FROM source_integrations i
WHERE i.source_id = ANY ($1::uuid[]) AND NOT ` + jobrow.IsOpen("i.upload_job") + ` ORDER BY i.upload_next_at`

	recordJob = `UPDATE source_integrations SET upload_job = $3 WHERE account_id = $1 AND source_id = $2`

	skipUnwanted = `
UPDATE conversion_uploads SET result = 'skipped', reason = 'conversions of the traffic source are not uploaded any more', decided_at = $1
WHERE id IN (
	SELECT u.id FROM conversion_uploads u
	LEFT JOIN source_integrations i ON i.source_id = u.source_id AND i.conversions_enabled
	WHERE u.result = 'pending' AND i.source_id IS NULL LIMIT $2 FOR UPDATE OF u SKIP LOCKED)`
)

// ClaimDue returns at most limit traffic sources of all accounts. They have uploads to send, or requests whose outcome must be
// queried, and no unfinished job. They stay locked until the transaction of c ends.
func ClaimDue(ctx context.Context, c db.Conn, now time.Time, limit int) ([]Due, error) {
	due, err := db.Select[Due](ctx, c, "due uploads", claimDue, now, limit)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	ids := db.Map(due, func(d Due) uuid.UUID { return d.SourceID })
	return db.Select[Due](ctx, c, "due uploads", stillDue, db.UUIDs(ids))
}

// RecordJob records the job that sends the uploads of a source.
func RecordJob(ctx context.Context, c db.Conn, d Due, job uuid.UUID) error {
	return db.Run(ctx, c, "job of uploads", recordJob, d.AccountID, d.SourceID, job)
}

// SkipUnwanted skips at most limit pending uploads whose source no longer uploads conversions.
func SkipUnwanted(ctx context.Context, c db.Conn, now time.Time, limit int) error {
	return db.Run(ctx, c, "skip uploads", skipUnwanted, now, limit)
}

// Batch has the arguments of Claim.
type Batch struct {
	AccountID, SourceID uuid.UUID
	Limit               int
	Now                 time.Time
	Live                bool      // false: shadow mode
	Day                 time.Time // start of the account's day, for the caps
	CapCount            int
	CapValue            decimal.Decimal
}

const (
	// skipRetracted covers only uploads that were never tried. The platform may have received an upload that was tried.
	skipRetracted = `
UPDATE conversion_uploads u SET result = 'skipped', reason = 'the conversion was taken back before the upload was sent', decided_at = $3
WHERE u.account_id = $1 AND u.source_id = $2 AND u.result = 'pending' AND u.attempts = 0 AND u.action <> 'retract' AND EXISTS (
	SELECT FROM conversion_uploads r WHERE r.conversion_id = u.conversion_id AND r.place > u.place AND r.action = 'retract')`

	// A conversion that the platform never received can be neither changed nor retracted at the platform.
	skipNeverThere = `
UPDATE conversion_uploads u SET result = 'skipped', reason = 'the platform does not have the conversion', decided_at = $3
WHERE u.account_id = $1 AND u.source_id = $2 AND u.result = 'pending' AND u.action <> 'upload' AND NOT EXISTS (
	SELECT FROM conversion_uploads o WHERE o.conversion_id = u.conversion_id AND o.place < u.place AND o.action = 'upload'
	AND (o.provider = u.provider OR o.provider = '')
	AND (o.result IN ('pending', 'accepted') OR o.result = 'shadow' AND NOT $4))`

	// skipOvertaken skips uploads that would undo a later upload of the same conversion, which the platform has already accepted.
	skipOvertaken = `
UPDATE conversion_uploads u SET result = 'skipped', reason = 'the platform has already accepted a later upload of the conversion', decided_at = $3
WHERE u.account_id = $1 AND u.source_id = $2 AND u.result = 'pending' AND EXISTS (
	SELECT FROM conversion_uploads e WHERE e.conversion_id = u.conversion_id AND e.place > u.place AND e.result = 'accepted' AND e.request = '')`

	// rateUploads sets the missing worth of pending uploads. It uses the exchange rate of the conversion's day, or else the
	// conversion's own rate if the currency is the same.
	rateUploads = `
UPDATE conversion_uploads u SET worth = u.value * n.rate, next_at = $3 FROM (
	SELECT w.id, coalesce(k.rate, CASE WHEN v.currency = w.currency THEN v.rate END) AS rate
	FROM conversion_uploads w JOIN conversions v ON v.id = w.conversion_id AND v.account_id = w.account_id
	LEFT JOIN account_rates k ON k.account_id = w.account_id AND k.day = (v.recorded_at AT TIME ZONE 'UTC')::date AND k.currency = w.currency
	WHERE w.account_id = $1 AND w.source_id = $2 AND w.result = 'pending' AND w.worth IS NULL
) n WHERE u.id = n.id AND n.rate IS NOT NULL`

	usedToday = `
SELECT count(*) AS n, coalesce(sum(worth) FILTER (WHERE result = 'accepted'), 0) AS worth FROM conversion_uploads
WHERE source_id = $1 AND result IN ('accepted', 'rejected') AND action <> 'retract' AND decided_at >= $2`

	putOff = `
UPDATE conversion_uploads SET next_at = $2, reason = $3 WHERE id = ANY ($1::uuid[])`

	countAttempt = `UPDATE conversion_uploads SET attempts = attempts + 1 WHERE id = ANY ($1::uuid[])`
)

var claimBatch = `
SELECT u.worth, ` + columns + ` FROM conversion_uploads u
WHERE u.account_id = $1 AND u.source_id = $2 AND u.result = 'pending' AND u.next_at <= $3 AND ` + inTurn + `
ORDER BY u.place LIMIT $4 FOR UPDATE OF u SKIP LOCKED`

// Claim claims the next uploads of a source in the transaction of c. The claimed uploads count as tried. An upload that would
// exceed the day's caps waits for the next day. Uploads of other conversions may be sent before it.
func Claim(ctx context.Context, c db.Conn, b Batch) ([]models.ConversionUpload, error) {
	if err := db.Run(ctx, c, "skip retracted uploads", skipRetracted, b.AccountID, b.SourceID, b.Now); err != nil {
		return nil, err
	}
	if err := db.Run(ctx, c, "skip overtaken uploads", skipOvertaken, b.AccountID, b.SourceID, b.Now); err != nil {
		return nil, err
	}
	if err := db.Run(ctx, c, "skip changes of conversions that were never sent", skipNeverThere, b.AccountID, b.SourceID, b.Now, b.Live); err != nil {
		return nil, err
	}
	if err := db.Run(ctx, c, "worth of uploads", rateUploads, b.AccountID, b.SourceID, b.Now); err != nil {
		return nil, err
	}
	found, err := db.Select[pendingUpload](ctx, c, "take uploads", claimBatch, b.AccountID, b.SourceID, b.Now, b.Limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	taken, err := b.within(ctx, c, found)
	if err != nil {
		return nil, err
	}
	err = db.Run(ctx, c, "attempt of uploads", countAttempt, idsOf(taken))
	return taken, err
}

type pendingUpload struct {
	models.ConversionUpload
	Worth decimal.NullDecimal `db:"worth"` // in the account's currency; NULL if there is no rate yet
}

type postponement struct {
	why   string
	until time.Time
}

const rateEvery = time.Hour

func idsOf(list []models.ConversionUpload) string {
	return db.UUIDs(db.Map(list, func(u models.ConversionUpload) uuid.UUID { return u.ID }))
}

func (b Batch) within(ctx context.Context, c db.Conn, found []pendingUpload) (taken []models.ConversionUpload, err error) {
	used, err := db.Get[struct {
		N     int             `db:"n"`
		Worth decimal.Decimal `db:"worth"`
	}](ctx, c, "uploads of the day", usedToday, b.SourceID, b.Day)
	if err != nil {
		return nil, err
	}
	tomorrow, postponed := b.Day.AddDate(0, 0, 1), map[postponement][]models.ConversionUpload{}
	for _, u := range found {
		var wait postponement
		worth := used.Worth.Add(u.Worth.Decimal)
		switch {
		case !b.Live || u.Action == models.UploadRetract:
			taken = append(taken, u.ConversionUpload)
			continue
		case used.N >= b.CapCount:
			wait = postponement{"the daily cap on the number of uploads is reached", tomorrow}
		case !u.Worth.Valid:
			wait = postponement{"there is no exchange rate yet: the upload cannot be counted towards the daily cap on value", b.Now.Add(rateEvery)}
		case worth.GreaterThan(b.CapValue):
			wait = postponement{"the daily cap on the value of uploads is reached", tomorrow}
		default:
			used.N, used.Worth, taken = used.N+1, worth, append(taken, u.ConversionUpload)
			continue
		}
		postponed[wait] = append(postponed[wait], u.ConversionUpload)
	}
	for wait, list := range postponed {
		if err := db.Run(ctx, c, "postpone uploads", putOff, idsOf(list), wait.until, wait.why); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// Decision is the result of an upload. A pending upload is sent again at Next.
type Decision struct {
	ID     uuid.UUID
	Result string
	Reason string
	Next   time.Time
	// Request is the platform's id of the request, if its outcome is reported later.
	Request string
	Keys    []string // names of the hashed personal data that were sent or, in shadow mode, would be
}

const (
	decide = `
UPDATE conversion_uploads u SET result = d.result, reason = d.reason, next_at = d.next_at, request = d.request,
	keys = string_to_array(d.keys, ','),
	decided_at = CASE WHEN d.result = 'pending' THEN NULL ELSE $6::timestamptz END
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $7::text[], $8::text[]) AS d (id, result, reason, next_at, request, keys)
WHERE u.account_id = $1 AND u.id = d.id AND u.result = 'pending'`

	// Without a connection the platform cannot be queried, so no request is stored.
	addRequests = `
INSERT INTO upload_requests (source_id, request, account_id, made_at, check_at)
SELECT DISTINCT i.source_id, r.request, i.account_id, $4::timestamptz, $5::timestamptz
FROM unnest($3::text[]) AS r (request) JOIN source_integrations i ON i.account_id = $1 AND i.source_id = $2
ON CONFLICT DO NOTHING`

	recentShare = `
SELECT count(*) AS n, count(*) FILTER (WHERE result = 'accepted') AS accepted FROM (
	SELECT result FROM conversion_uploads u JOIN source_integrations i ON i.source_id = u.source_id
	WHERE u.source_id = $1 AND u.result IN ('accepted', 'rejected') AND u.decided_at >= i.uploads_since
	ORDER BY u.decided_at DESC LIMIT $2) r`

	stop = `
UPDATE source_integrations SET uploads_stopped = $3, uploads_stopped_at = $4
WHERE account_id = $1 AND source_id = $2 AND uploads_stopped = ''`

	recordResult = `
UPDATE source_integrations SET upload_failure = $3, upload_next_at = $4,
	upload_failures = CASE WHEN $3 = '' THEN 0 ELSE upload_failures + 1 END,
	upload_failing_since = CASE WHEN $3 = '' THEN NULL ELSE coalesce(upload_failing_since, $5) END
WHERE account_id = $1 AND source_id = $2`
)

// Decide records the results of uploads of a source. Uploads that are already decided do not change.
func Decide(ctx context.Context, c db.Conn, account, source uuid.UUID, now time.Time, list []Decision) error {
	err := db.Run(ctx, c, "decide uploads", decide, account,
		db.UUIDs(db.Map(list, func(d Decision) uuid.UUID { return d.ID })),
		db.Map(list, func(d Decision) string { return d.Result }),
		db.Map(list, func(d Decision) string { return models.AnswerText([]byte(d.Reason)) }),
		db.Map(list, func(d Decision) string { return d.Next.UTC().Format(time.RFC3339Nano) }), now,
		db.Map(list, func(d Decision) string { return d.Request }),
		db.Map(list, func(d Decision) string { return strings.Join(d.Keys, ",") }))
	if err != nil {
		return err
	}
	requests := slices.DeleteFunc(db.Map(list, func(d Decision) string { return d.Request }), func(id string) bool { return id == "" })
	if len(requests) == 0 {
		return nil
	}
	return db.Run(ctx, c, "add requests of uploads", addRequests, account, source, pq.Array(requests), now, now.Add(CheckEvery))
}

// Share counts the latest uploads of a source that the platform has decided since uploads were started.
type Share struct {
	Decided  int `db:"n"`
	Accepted int `db:"accepted"`
}

// RecentShare returns the Share of a source, over at most window uploads.
func RecentShare(ctx context.Context, c db.Conn, source uuid.UUID, window int) (Share, error) {
	return db.Get[Share](ctx, c, "share of accepted uploads", recentShare, source, window)
}

// Stop stops the uploads of a source until a person starts them again.
func Stop(ctx context.Context, c db.Conn, account, source uuid.UUID, why string, now time.Time) error {
	return db.Run(ctx, c, "stop uploads", stop, account, source, why, now)
}

// RecordResult records the result of sending the uploads of a source and the time when the next job may start. An empty failure
// means success.
func RecordResult(ctx context.Context, c db.Conn, account, source uuid.UUID, failure string, next, now time.Time) error {
	return db.Run(ctx, c, "note uploads", recordResult, account, source, failure, next, now)
}
