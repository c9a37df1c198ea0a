package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/copilot"
)

// CopilotRun is when an account was last judged.
type CopilotRun struct {
	RunAt  *time.Time `db:"run_at"` // nil: never
	Judged int        `db:"judged"` // how many things
}

// LastRun tells when an account was last judged.
func (k Copilot) LastRun(ctx context.Context, account uuid.UUID) (CopilotRun, error) {
	run, _, err := db.First[CopilotRun](ctx, k.s.c, "copilot run", `SELECT run_at, judged FROM copilot_runs WHERE account_id = $1`, account)
	return run, err
}

// RefreshPause is how long a refresh keeps the next one from being requested.
const RefreshPause = 2 * time.Minute

const askRefresh = `
INSERT INTO copilot_runs AS r (account_id, asked_at, attempt) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET asked_at = $2, attempt = $3
WHERE r.asked_at IS NULL OR r.asked_at <= $4 OR r.asked_at > $2 OR r.attempt = $3`

// Ask records that a call asks for a refresh. The error is too_soon within RefreshPause after another refresh. A repeated call
// with the same attempt counts as the same refresh. The zero attempt counts as a new refresh each time.
func (k Copilot) Ask(ctx context.Context, account, attempt uuid.UUID, now time.Time) error {
	n, err := k.s.exec(ctx, "ask for a refresh", askRefresh, account, now, db.OrNull(attempt), now.Add(-RefreshPause))
	if err == nil && n == 0 {
		err = models.Errorf(models.KindTooMany, "too_soon", "the suggestions were refreshed within the last two minutes")
	}
	return err
}

// A run that was never ended is due again after an hour.
const takeDueCopilots = `
INSERT INTO copilot_runs AS r (account_id, next_at)
SELECT a.id, $1::timestamptz + interval '1 hour' FROM accounts a LEFT JOIN copilot_runs d ON d.account_id = a.id
WHERE d.account_id IS NULL OR d.next_at <= $1
ORDER BY d.next_at NULLS FIRST, a.id LIMIT $2
ON CONFLICT (account_id) DO UPDATE SET next_at = excluded.next_at WHERE r.next_at <= $1
RETURNING r.account_id`

// TakeDue gives accounts whose figures are to be judged, at most limit. It is for workers.
func (k Copilot) TakeDue(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, k.s.c, "due copilots", takeDueCopilots, now, limit)
}

// FoundSuggestions are what a run has found.
type FoundSuggestions struct {
	List   []copilot.Suggestion // the most important first
	Judged int                  // how many things were judged
	At     time.Time
	Next   time.Time // when the next run is due
	Unread []string  // kinds that were not looked for: their open suggestions stay
	// Skipped are campaigns that were not looked at: their open suggestions stay.
	Skipped []uuid.UUID
}

// An existing suggestion keeps its id, its state and its time of creation. A snoozed one opens once its time is over.
const foundSuggestion = `
INSERT INTO copilot_suggestions AS s (account_id, id, kind, key, campaign_id, campaign_name, title, detail, evidence, effect, action,
	digest, judged_at, expires_at, place)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (account_id, kind, key) WHERE status IN ('open', 'dismissed', 'snoozed') DO UPDATE SET
	campaign_name = excluded.campaign_name, title = excluded.title, detail = excluded.detail, evidence = excluded.evidence,
	effect = excluded.effect, action = excluded.action, digest = excluded.digest, judged_at = excluded.judged_at,
	expires_at = excluded.expires_at, place = excluded.place,
	status = CASE WHEN s.status = 'snoozed' AND s.snoozed_until <= excluded.judged_at THEN 'open' ELSE s.status END
WHERE s.judged_at <= excluded.judged_at`

// An open suggestion that was not found again expires. If it was not looked for, its own expiry time decides. A dismissed
// suggestion stays away for its time.
const endSuggestions = `
UPDATE copilot_suggestions SET status = 'expired', decided_at = coalesce(decided_at, $2)
WHERE account_id = $1 AND judged_at < $2
	AND ((status = 'open' OR status = 'snoozed' AND snoozed_until <= $2)
			AND (kind <> ALL ($4::text[]) AND (campaign_id IS NULL OR campaign_id <> ALL ($5::uuid[])) OR expires_at <= $2)
		OR status = 'dismissed' AND decided_at < $3)`

const outdateSuggestions = `
UPDATE copilot_suggestions SET status = 'expired', decided_at = clock_timestamp() WHERE account_id = $1
	AND status IN ('open', 'snoozed') AND (effect <> 'null' OR action ->> 'attribute' IS NOT NULL)`

// Outdate ends the open suggestions that were judged by amounts, because the account now has another currency. The next run finds
// them again.
func (k Copilot) Outdate(ctx context.Context, account uuid.UUID) error {
	_, err := k.s.exec(ctx, "outdate suggestions", outdateSuggestions, account)
	return err
}

// forgetSuggestions forgets what has been over for long.
const forgetSuggestions = `
WITH changes AS (DELETE FROM copilot_changes WHERE account_id = $1 AND created_at < $3)
DELETE FROM copilot_suggestions WHERE account_id = $1 AND status IN ('applied', 'expired') AND decided_at < $2`

// Save writes what a run has found, in one transaction. Two runs of an account come one after the other.
func (k Copilot) Save(ctx context.Context, account uuid.UUID, f FoundSuggestions) error {
	return k.s.Tx(ctx, func(s *Store) error {
		_, err := s.exec(ctx, "copilot run", `INSERT INTO copilot_runs AS r (account_id, run_at, judged, next_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (account_id) DO UPDATE SET run_at = $2, judged = $3, next_at = $4`, account, f.At, f.Judged, f.Next)
		if err != nil {
			return err
		}
		for i, v := range f.List[:min(len(f.List), maxSuggestions)] {
			_, err := s.exec(ctx, "suggestion", foundSuggestion, account, uuid.Must(uuid.NewV7()), v.Kind, v.Key, v.CampaignID, v.CampaignName,
				v.Title, v.Detail, db.Document(v.Evidence), db.Document(v.Effect), db.Document(v.Action), v.Digest, f.At,
				v.ExpiresAt.Time, i)
			if err != nil {
				return err
			}
		}
		if _, err := s.exec(ctx, "end suggestions", endSuggestions, account, f.At, f.At.Add(-keepSuggestion),
			append([]string{}, f.Unread...), db.UUIDs(f.Skipped)); err != nil {
			return err
		}
		_, err = s.exec(ctx, "forget suggestions", forgetSuggestions, account, f.At.Add(-keepSuggestion), f.At.Add(-keepChange))
		return err
	})
}
