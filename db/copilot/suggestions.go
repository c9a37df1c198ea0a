// Package copilot stores the Copilot's suggestions and proposals, its rules, the changes that it has made, and the connections to
// language models.
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

// Suggestions accesses the suggestions of accounts, the changes that the Copilot has made, and the last runs.
type Suggestions struct{ s *store.Store }

// NewSuggestions returns Suggestions in a store.
func NewSuggestions(s *store.Store) Suggestions { return Suggestions{s} }

const (
	maxSuggestions      = 200
	maxChanges          = 50
	suggestionRetention = 90 * 24 * time.Hour // also how long a dismissed suggestion is not suggested again
	changeRetention     = 365 * 24 * time.Hour
)

var suggestionColumns = db.Columns[copilot.Suggestion]("s.")

// openSuggestion selects the suggestions that wait for a decision at the time $2.
const openSuggestion = `(s.status = 'open' OR s.status = 'snoozed' AND s.snoozed_until <= $2) AND s.expires_at > $2`

// Open lists at most 200 suggestions that are open at the given time, the most recently judged first.
func (k Suggestions) Open(ctx context.Context, account uuid.UUID, now time.Time) ([]copilot.Suggestion, error) {
	return db.Select[copilot.Suggestion](ctx, k.s.Conn(), "suggestions", `SELECT `+suggestionColumns+` FROM copilot_suggestions s
		WHERE s.account_id = $1 AND `+openSuggestion+` ORDER BY s.judged_at DESC, s.place, s.id LIMIT $3`, account, now, maxSuggestions)
}

// OpenOf lists at most 200 suggestions of a kind that are open at the given time, newest first.
func (k Suggestions) OpenOf(ctx context.Context, account uuid.UUID, kind string, now time.Time) ([]copilot.Suggestion, error) {
	return db.Select[copilot.Suggestion](ctx, k.s.Conn(), "suggestions", `SELECT `+suggestionColumns+` FROM copilot_suggestions s
		WHERE s.account_id = $1 AND `+openSuggestion+` AND s.kind = $3 ORDER BY s.created_at DESC, s.id LIMIT $4`, account, now, kind, maxSuggestions)
}

// CountOpen counts the suggestions that are open at the given time.
func (k Suggestions) CountOpen(ctx context.Context, account uuid.UUID, now time.Time) (int, error) {
	return db.Get[int](ctx, k.s.Conn(), "suggestions", `SELECT count(*) FROM copilot_suggestions s
		WHERE s.account_id = $1 AND `+openSuggestion, account, now)
}

// Suggestion returns a suggestion and locks it until the transaction ends. The returned status is open if the suggestion waits for
// a decision at the given time. A stored open suggestion whose time is over is returned as expired.
func (k Suggestions) Suggestion(ctx context.Context, account, id uuid.UUID, now time.Time) (copilot.Suggestion, error) {
	row, err := db.Get[struct {
		copilot.Suggestion
		Waits bool `db:"waits"`
	}](ctx, k.s.Conn(), "suggestion", `SELECT `+suggestionColumns+`, `+openSuggestion+` AS waits FROM copilot_suggestions s
		WHERE s.account_id = $1 AND s.id = $3 FOR NO KEY UPDATE`, account, now, id)
	switch {
	case row.Waits:
		row.Status = copilot.StatusOpen
	case row.Status == copilot.StatusOpen:
		row.Status = copilot.StatusExpired
	}
	return row.Suggestion, err
}

// SetSuggestion sets the status of a suggestion. The parameter until is the end of a snooze.
func (k Suggestions) SetSuggestion(ctx context.Context, account, id uuid.UUID, status string, until *time.Time) error {
	return db.ExecOne(ctx, k.s.Conn(), "suggestion", `UPDATE copilot_suggestions SET status = $3, snoozed_until = $4, decided_at = clock_timestamp()
		WHERE account_id = $1 AND id = $2`, account, id, status, until)
}

// Decide sets the status of an open suggestion. Errors: not_found, not_open.
func (k Suggestions) Decide(ctx context.Context, account, id uuid.UUID, now time.Time, status string, until *time.Time) (copilot.Suggestion, error) {
	return store.TxOf(ctx, k.s, func(s *store.Store) (copilot.Suggestion, error) {
		found, err := NewSuggestions(s).Suggestion(ctx, account, id, now)
		if err == nil && found.Status != copilot.StatusOpen {
			err = models.Conflict("not_open", "the suggestion is %s", found.Status)
		}
		if err == nil {
			err = NewSuggestions(s).SetSuggestion(ctx, account, id, status, until)
		}
		found.Status = status
		return found, err
	})
}

// Changes lists the newest 50 changes, newest first.
func (k Suggestions) Changes(ctx context.Context, account uuid.UUID) ([]copilot.Change, error) {
	return db.Select[copilot.Change](ctx, k.s.Conn(), "changes", `SELECT `+db.Columns[copilot.Change]("c.")+` FROM copilot_changes c
		WHERE c.account_id = $1 ORDER BY c.created_at DESC, c.id LIMIT $2`, account, maxChanges)
}
