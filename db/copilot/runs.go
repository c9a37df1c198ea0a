package copilot

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
)

// Run is the result of the last run of the Copilot for an account.
type Run struct {
	RunAt  *time.Time     `db:"run_at"`     // nil: never
	Judged int            `db:"judged"`     // number of judged cases: campaigns, offers, values and so on
	Scope  *copilot.Scope `db:"scope,json"` // the judged data; nil: unknown
}

// LastRun returns the last run of an account. It is zero before the first run.
func (k Suggestions) LastRun(ctx context.Context, account uuid.UUID) (Run, error) {
	run, _, err := db.First[Run](ctx, k.s.Conn(), "copilot run", `SELECT run_at, judged, scope FROM copilot_runs WHERE account_id = $1`, account)
	return run, err
}

// RefreshPause is the minimum time between two requested refreshes.
const RefreshPause = 2 * time.Minute

const requestRefresh = `
INSERT INTO copilot_runs AS r (account_id, asked_at, attempt) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET asked_at = $2, attempt = $3
WHERE r.asked_at IS NULL OR r.asked_at <= $4 OR r.asked_at > $2 OR r.attempt = $3`

// RequestRefresh records that a refresh is requested. The error is too_soon within RefreshPause after another request, unless both
// have the same attempt and it is not zero.
func (k Suggestions) RequestRefresh(ctx context.Context, account, attempt uuid.UUID, now time.Time) error {
	n, err := db.Exec(ctx, k.s.Conn(), "request a refresh", requestRefresh, account, now, db.OrNull(attempt), now.Add(-RefreshPause))
	if err == nil && n == 0 {
		err = models.Errorf(models.KindTooMany, "too_soon", "the suggestions were refreshed within the last two minutes")
	}
	return err
}

// A run that did not end is due again after an hour.
const claimDueAccounts = `
INSERT INTO copilot_runs AS r (account_id, next_at)
SELECT a.id, $1::timestamptz + interval '1 hour' FROM accounts a LEFT JOIN copilot_runs d ON d.account_id = a.id
WHERE d.account_id IS NULL OR d.next_at <= $1
ORDER BY d.next_at NULLS FIRST, a.id LIMIT $2
ON CONFLICT (account_id) DO UPDATE SET next_at = excluded.next_at WHERE r.next_at <= $1
RETURNING r.account_id`

// ClaimDue claims at most limit accounts whose run is due. Only workers call it.
func (k Suggestions) ClaimDue(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, k.s.Conn(), "due copilots", claimDueAccounts, now, limit)
}

// FoundSuggestions is the result of a run.
type FoundSuggestions struct {
	List   []copilot.Suggestion // the most important first
	Judged int                  // number of judged cases
	Scope  *copilot.Scope       // the judged data
	At     time.Time
	Next   time.Time // when the next run is due
	Unread []string  // kinds that the run did not look for: their suggestions stay until their expires_at
	// Skipped are campaigns that the run did not judge: their suggestions stay until their expires_at.
	Skipped []uuid.UUID
}

// A known suggestion keeps its id, status and creation time. A snoozed one opens after its time, and a dismissed one after 90
// days.
const foundSuggestion = `
INSERT INTO copilot_suggestions AS s (account_id, id, kind, key, campaign_id, campaign_name, title, detail, evidence, effect, action,
	digest, judged_at, expires_at, place)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (account_id, kind, key) WHERE status IN ('open', 'dismissed', 'snoozed') DO UPDATE SET
	campaign_name = excluded.campaign_name, title = excluded.title, detail = excluded.detail, evidence = excluded.evidence,
	effect = excluded.effect, action = excluded.action, digest = excluded.digest, judged_at = excluded.judged_at,
	expires_at = excluded.expires_at, place = excluded.place,
	status = CASE WHEN s.status = 'snoozed' AND s.snoozed_until <= excluded.judged_at OR s.status = 'dismissed' AND s.decided_at < $16
		THEN 'open' ELSE s.status END,
	decided_at = CASE WHEN s.status = 'dismissed' AND s.decided_at < $16 THEN NULL ELSE s.decided_at END
WHERE s.judged_at <= excluded.judged_at`

// An open suggestion expires if the run did not find it again, unless the run did not look for it: then it expires at its
// expires_at. The same applies to a snoozed suggestion after its time. A dismissed one expires after 90 days.
const endSuggestions = `
UPDATE copilot_suggestions SET status = 'expired', decided_at = coalesce(decided_at, $2)
WHERE account_id = $1 AND judged_at < $2
	AND ((status = 'open' OR status = 'snoozed' AND snoozed_until <= $2)
			AND (kind <> ALL ($4::text[]) AND (campaign_id IS NULL OR campaign_id <> ALL ($5::uuid[])) OR expires_at <= $2)
		OR status = 'dismissed' AND decided_at < $3)`

const expireAmounts = `
UPDATE copilot_suggestions SET status = 'expired', decided_at = clock_timestamp() WHERE account_id = $1
	AND status IN ('open', 'snoozed') AND (effect <> 'null' OR action ->> 'attribute' IS NOT NULL)`

// ExpireAmounts expires the suggestions that depend on amounts, because the account has a new currency.
func (k Suggestions) ExpireAmounts(ctx context.Context, account uuid.UUID) error {
	return db.Run(ctx, k.s.Conn(), "outdate suggestions", expireAmounts, account)
}

const deleteExpired = `
WITH changes AS (DELETE FROM copilot_changes WHERE account_id = $1 AND created_at < $3)
DELETE FROM copilot_suggestions WHERE account_id = $1 AND status IN ('applied', 'expired') AND decided_at < $2`

// Save stores the result of a run, in one transaction. Runs of an account are saved one after the other.
func (k Suggestions) Save(ctx context.Context, account uuid.UUID, f FoundSuggestions) error {
	return k.s.Tx(ctx, func(s *store.Store) error {
		err := db.Run(ctx, s.Conn(), "copilot run", `INSERT INTO copilot_runs AS r (account_id, run_at, judged, next_at, scope) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (account_id) DO UPDATE SET run_at = $2, judged = $3, next_at = $4, scope = $5`, account, f.At, f.Judged, f.Next, db.Document(f.Scope))
		if err != nil {
			return err
		}
		for i, v := range f.List[:min(len(f.List), maxSuggestions)] {
			err := db.Run(ctx, s.Conn(), "suggestion", foundSuggestion, account, uuid.Must(uuid.NewV7()), v.Kind, v.Key, v.CampaignID, v.CampaignName,
				v.Title, v.Detail, db.Document(v.Evidence), db.Document(v.Effect), db.Document(v.Action), v.Digest, f.At,
				v.ExpiresAt.Time, i, f.At.Add(-suggestionRetention))
			if err != nil {
				return err
			}
		}
		if err := db.Run(ctx, s.Conn(), "end suggestions", endSuggestions, account, f.At, f.At.Add(-suggestionRetention),
			append([]string{}, f.Unread...), db.UUIDs(f.Skipped)); err != nil {
			return err
		}
		return db.Run(ctx, s.Conn(), "delete old suggestions", deleteExpired, account, f.At.Add(-suggestionRetention), f.At.Add(-changeRetention))
	})
}
