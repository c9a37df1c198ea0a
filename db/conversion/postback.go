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

// The job of a postback has the same id as the postback, and the account of the click. A postback that is already stored is not
// changed. A postback whose click is not stored, or belongs to another account, gets no job yet: it waits for MatchPostbacks.
// Because of OFFSET 0, each postback is looked up only in the partition of its click, even if the ids of a batch are from many
// days.
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
// stored, or if it belongs to another account than the account that the postback names.
const joinOwner = `LEFT JOIN LATERAL (
	SELECT a.id AS account_id, k.campaign_id FROM clicks k JOIN accounts a ON a.id = k.account_id
	WHERE k.id = p.click_id AND p.account_id IN (a.id, '00000000-0000-0000-0000-000000000000') OFFSET 0
) owner ON true`

// StorePostbacks stores raw postbacks. For each new postback whose click is stored, it adds a job that will read the postback. It
// returns the new jobs, including jobs that forward postbacks to the trackers that accounts used before.
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

// findOldClicks returns all postbacks of list. If a postback names a click by its id at another tracker, and this click was imported,
// findOldClicks sets the postback's click id. The postback is then not forwarded to that tracker, because the click is known here.
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

// initialOutcome returns the outcome with which a postback is stored.
func initialOutcome(p *models.Postback) string {
	switch {
	case p.Refused != "":
		return PostbackRefused
	case p.Unmatched != "":
		return PostbackUnmatched
	}
	return PostbackPending
}

// arrivedPostback has the columns of a postback that are set when it arrives.
type arrivedPostback struct {
	models.Postback
	ReceivedAt time.Time `db:"received_at"`
	Outcome    string    `db:"outcome"`
	Detail     string    `db:"detail"` // detail of the outcome, for people
}

// StoredPostback is a raw postback and its outcome so far.
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
	PostbackIgnored   = "ignored"   // the postback was understood, but changes nothing
	PostbackRefused   = "refused"   // the postback was not trusted or not understood
	PostbackUnmatched = "unmatched" // no stored click was found for the postback
)

// FindPostback reads a raw postback. It returns models.NotFound if there is no such postback.
func FindPostback(ctx context.Context, c db.Conn, id uuid.UUID) (StoredPostback, error) {
	return db.Get[StoredPostback](ctx, c, "postback", selectPostback, id)
}

const selectUndecided = `
SELECT id FROM (
	SELECT id FROM postbacks WHERE click_id = $1 AND id < $2 AND outcome = 'pending' ORDER BY id DESC LIMIT $3
) p ORDER BY id`

// UndecidedBefore returns the ids of undecided postbacks that name a click. The parameter "before" is the id of a postback: only
// postbacks that arrived before it are returned. If there are more than limit, only the latest are returned. They are in the order
// of arrival.
func UndecidedBefore(ctx context.Context, c db.Conn, click, before uuid.UUID, limit int) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, c, "undecided postbacks", selectUndecided, click, before, limit)
}

// Postbacks are always locked in the order of arrival, so that two transactions never deadlock.
const lockPostbacks = `
SELECT id FROM postbacks
WHERE id = $1 AND outcome NOT IN ('recorded', 'ignored') OR id = ANY ($2::uuid[]) AND outcome = 'pending'
ORDER BY id FOR UPDATE`

// LockPostbacks locks a postback and earlier postbacks of its click in the transaction of c. If another transaction is deciding
// one of them, LockPostbacks waits, so that the next decision knows the result. It returns the postbacks that are still to be
// decided, in the order of arrival. If the postback itself is already recorded or ignored, the list is empty. Call LockPostbacks
// before the click is locked. retention.Clear locks in the same order.
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
	AccountID    uuid.UUID // the click's account, so that its owner sees the postback; without a click, the postback's account
	ClickID      uuid.UUID // the click that the postback names
	// Params replace the stored parameters, and the stored proof and signature are deleted. Params must therefore contain no
	// secret. If Params is nil, the stored parameters, the proof and the signature are kept for another attempt.
	Params map[string]string
	// InvalidPayout is the payout that the postback names, if it is not an amount.
	InvalidPayout string
	// InvalidTime is the time that the postback names, if that time is not used. See postback.TimeReason.
	InvalidTime string
	// AmountReason says why an amount or a currency of the postback does not count as it was received.
	AmountReason string
	// UnknownWord is the status word of a trusted postback if the word has no known meaning. It is counted, so that the network's
	// owner sees it.
	UnknownWord Word
}

// Word is a status word of a network.
type Word struct {
	NetworkID uuid.UUID // zero: the message belongs to no network
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

// DecidePostback stores the outcome of a postback. It runs in the transaction that also stores the effect of the postback.
func DecidePostback(ctx context.Context, c db.Conn, id uuid.UUID, p PostbackDecision) error {
	var params any
	if p.Params != nil {
		params = db.Document(p.Params)
	}
	return db.Run(ctx, c, "decide postback", decidePostback, id, p.Outcome, p.Detail, db.OrNull(p.ConversionID),
		p.AccountID, p.ClickID, params, p.InvalidPayout, p.InvalidTime, p.AmountReason)
}
