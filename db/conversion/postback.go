package conversion

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/db/oldtracker"
	"switchyard/models"
)

// The job of a postback has the same id. A postback without a stored click of its account waits for MatchPostbacks.
var insertPostbacks = `
WITH given AS MATERIALIZED (
	SELECT ` + db.Columns[arrivedPostback]("p.") + `, owner.account_id AS owner, owner.campaign_id
	FROM ` + db.FromRecords[arrivedPostback]() + ` p ` + joinOwner + `
), fresh AS (
	INSERT INTO postbacks (` + db.Columns[arrivedPostback]("") + `, decided_at, match_at, campaign_id)
	SELECT ` + db.Columns[arrivedPostback]("") + `, CASE WHEN outcome <> 'pending' THEN clock_timestamp() END,
		CASE WHEN outcome = 'pending' AND owner IS NULL THEN clock_timestamp() END, campaign_id
	FROM given
	ON CONFLICT (id) DO NOTHING
	RETURNING id
), open AS MATERIALIZED (
	SELECT DISTINCT id, owner AS account_id FROM given JOIN fresh USING (id) WHERE outcome = 'pending' AND owner IS NOT NULL
), due AS (
	` + jobrow.InsertFrom("open", recordKind, "NULL") + `
	ON CONFLICT (id) DO NOTHING
)
SELECT ` + recordKind + ` AS kind, id, account_id FROM open`

// recordKind is the kind of a postback's job as an SQL literal.
const recordKind = `'` + models.KindRecordConversion + `'`

// joinOwner joins, as owner, the account and the campaign of the click that a postback p names. They are null if the click is not
// stored or belongs to another account. OFFSET 0 makes PostgreSQL look for each click only in its own partition.
const joinOwner = `LEFT JOIN LATERAL (
	SELECT a.id AS account_id, k.campaign_id FROM clicks k JOIN accounts a ON a.id = k.account_id
	WHERE k.id = p.click_id AND p.account_id IN (a.id, '00000000-0000-0000-0000-000000000000') OFFSET 0
) owner ON true`

// StorePostbacks stores raw postbacks, with a job for each new postback whose click is stored. It returns the new jobs, including
// jobs that forward postbacks to accounts' former trackers.
func StorePostbacks(ctx context.Context, c db.Conn, list []*models.Postback) ([]models.JobRef, error) {
	if len(list) == 0 {
		return nil, nil
	}
	list, err := findOldClicks(ctx, c, list)
	if err != nil {
		return nil, err
	}
	rows, err := db.Records(db.Map(list, func(p *models.Postback) arrivedPostback {
		return arrivedPostback{*p, models.ClickTime(p.ID), initialOutcome(p), cmp.Or(p.Refused, p.Unmatched)}
	}))
	if err != nil {
		return nil, err
	}
	refs, err := db.Select[models.JobRef](ctx, c, "store postbacks", insertPostbacks, rows...)
	if err != nil {
		return nil, err
	}
	forwarded, err := oldtracker.Add(ctx, c, list)
	return append(refs, forwarded...), err
}

// findOldClicks sets the click ids of postbacks that name an imported click by its id at another tracker. Such a postback is not
// forwarded to that tracker.
func findOldClicks(ctx context.Context, c db.Conn, list []*models.Postback) ([]*models.Postback, error) {
	named := map[uuid.UUID][]string{}
	for _, p := range list {
		if p.OldClick != "" {
			named[p.AccountID] = append(named[p.AccountID], p.OldClick)
		}
	}
	if len(named) == 0 {
		return list, nil
	}
	list = slices.Clone(list)
	for account, ids := range named {
		found, err := oldtracker.FindClicks(ctx, c, account, ids)
		if err != nil {
			return nil, err
		}
		for i, p := range list {
			if id, ok := found[p.OldClick]; ok && p.AccountID == account {
				known := *p
				known.ClickID, known.Unmatched, known.Forward = id, "", nil
				list[i] = &known
			}
		}
	}
	return list, nil
}

func initialOutcome(p *models.Postback) string {
	switch {
	case p.Refused != "":
		return PostbackRefused
	case p.Unmatched != "":
		return PostbackUnmatched
	}
	return PostbackPending
}

type arrivedPostback struct {
	models.Postback
	ReceivedAt time.Time `db:"received_at"`
	Outcome    string    `db:"outcome"`
	Detail     string    `db:"detail"` // detail of the outcome, for people
}

// StoredPostback is a stored postback and its outcome so far.
type StoredPostback struct {
	arrivedPostback
	DecidedAt     *time.Time `db:"decided_at"`
	ConversionID  uuid.UUID  `db:"conversion_id"` // the conversion that the postback created or changed; zero: none
	InvalidPayout string     `db:"invalid_payout"`
	InvalidTime   string     `db:"invalid_time"`
	AmountReason  string     `db:"amount_reason"`
}

// NewPostback returns a postback that is not stored yet.
func NewPostback(p models.Postback) (s StoredPostback) {
	s.Postback = p
	return s
}

var selectPostback = `SELECT ` + db.Columns[StoredPostback]("") + ` FROM postbacks WHERE id = $1`

// Outcomes of a postback.
const (
	PostbackPending   = "pending"
	PostbackRecorded  = "recorded"
	PostbackIgnored   = "ignored"   // it was understood, but changes nothing
	PostbackRefused   = "refused"   // it was not trusted or not understood
	PostbackUnmatched = "unmatched" // its click was not found
)

// FindPostback reads a raw postback. It returns models.NotFound if there is no such postback.
func FindPostback(ctx context.Context, c db.Conn, id uuid.UUID) (StoredPostback, error) {
	return db.Get[StoredPostback](ctx, c, "postback", selectPostback, id)
}

const selectUndecided = `
SELECT id FROM (
	SELECT id FROM postbacks WHERE click_id = $1 AND id < $2 AND outcome = 'pending' ORDER BY id DESC LIMIT $3
) p ORDER BY id`

// UndecidedBefore returns the ids of a click's undecided postbacks that arrived before the given postback, in the order of
// arrival. If there are more than `limit`, it returns the latest ones.
func UndecidedBefore(ctx context.Context, c db.Conn, click, before uuid.UUID, limit int) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, c, "undecided postbacks", selectUndecided, click, before, limit)
}

// Postbacks are locked in the order of arrival, so that two transactions never deadlock.
const lockPostbacks = `
SELECT id FROM postbacks
WHERE id = $1 AND outcome NOT IN ('recorded', 'ignored') OR id = ANY ($2::uuid[]) AND outcome = 'pending'
ORDER BY id FOR UPDATE`

// LockPostbacks locks a postback and earlier postbacks of its click in the transaction of c. It waits for transactions that are
// deciding one of them. It returns the postbacks that are still to be decided, in the order of arrival, or nothing if the
// postback itself is recorded or ignored. Call it before the click is locked: retention.Clear locks in the same order.
func LockPostbacks(ctx context.Context, c db.Conn, id uuid.UUID, earlier []uuid.UUID) ([]uuid.UUID, error) {
	locked, err := db.Select[uuid.UUID](ctx, c, "lock postbacks", lockPostbacks, id, db.UUIDs(earlier))
	if err != nil || !slices.Contains(locked, id) {
		return nil, err
	}
	return locked, nil
}

const decidePostback = `
UPDATE postbacks SET outcome = $2, detail = left($3, 500), conversion_id = coalesce($4, conversion_id), account_id = $5,
	click_id = $6, invalid_payout = $8, invalid_time = $9, amount_reason = left($10, 500),
	params = coalesce($7::jsonb, params), proof = CASE WHEN $7::jsonb IS NULL THEN proof END,
	signature = CASE WHEN $7::jsonb IS NULL THEN signature ELSE '' END,
	signed_text = CASE WHEN $7::jsonb IS NULL THEN signed_text ELSE '' END,
	has_personal_data = $7::jsonb IS NULL AND has_personal_data,
	attempts = attempts + 1, decided_at = now(), match_at = NULL,
	campaign_id = coalesce((SELECT k.campaign_id FROM clicks k WHERE k.id = $6 AND k.account_id = $5), campaign_id)
WHERE id = $1`

// PostbackDecision is the outcome of a postback.
type PostbackDecision struct {
	Outcome      string
	Detail       string    // a text for people, cut to 500 characters
	ConversionID uuid.UUID // zero: unchanged
	AccountID    uuid.UUID // account of the click or, without a click, of the postback
	ClickID      uuid.UUID
	// Params replace the stored parameters, and the proof and the signature are deleted. Params must contain no secret. If Params
	// is nil, everything is kept for another attempt.
	Params map[string]string
	// InvalidPayout is the payout that is not an amount, as received.
	InvalidPayout string
	// InvalidTime is the time that is not used, as received (see postback.TimeReason).
	InvalidTime string
	// AmountReason says why an amount or a currency of the postback does not count as it was received.
	AmountReason string
	// UnknownWord is an unknown status word of a trusted postback. It is counted, so that the network's owner sees it.
	UnknownWord Word
}

// Word is a status word of a network.
type Word struct {
	NetworkID uuid.UUID // zero: no network
	Text      string
}

// Result returns the outcome as the log of postbacks names it. selectPostbackLog does the same in SQL.
func (p PostbackDecision) Result() string {
	switch {
	case p.Outcome == PostbackPending:
		return models.PostbackAccepted
	case p.Outcome != PostbackRecorded:
		return p.Outcome
	case p.Detail == ResultDuplicate:
		return models.PostbackDuplicate
	}
	return models.PostbackMatched
}

// DecidePostback stores the outcome of a postback.
func DecidePostback(ctx context.Context, c db.Conn, id uuid.UUID, p PostbackDecision) error {
	var params any
	if p.Params != nil {
		params = db.Document(p.Params)
	}
	return db.Run(ctx, c, "decide postback", decidePostback, id, p.Outcome, p.Detail, db.OrNull(p.ConversionID),
		p.AccountID, p.ClickID, params, p.InvalidPayout, p.InvalidTime, p.AmountReason)
}
