package copilot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/botlist"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

// Applied is a change that was made or undone. Deliveries are the webhook deliveries to dispatch after the commit.
type Applied struct {
	Change     copilot.Change
	Deliveries []uuid.UUID
}

// Apply applies an open suggestion in one transaction. Errors: not_found, not_open, advice_only, invalid, and "stale" if the
// record has changed since the suggestion was made.
func (k Suggestions) Apply(ctx context.Context, account, id uuid.UUID, variant string, now time.Time) (Applied, error) {
	return store.TxOf(ctx, k.s, func(s *store.Store) (out Applied, err error) {
		found, err := NewSuggestions(s).Suggestion(ctx, account, id, now)
		switch {
		case err != nil:
			return out, err
		case found.Status != copilot.StatusOpen:
			return out, models.Conflict("not_open", "the suggestion is %s", found.Status)
		case found.AdviceOnly():
			return out, models.Invalid("advice_only", "this suggestion is only advice: it contains no change that can be made")
		}
		action, err := found.Action.Variant(variant)
		if err != nil {
			return out, err
		}
		out, err = NewSuggestions(s).apply(ctx, copilot.Change{
			Owned: models.Owned{AccountID: account}, SuggestionID: uuid.NullUUID{UUID: id, Valid: true}, CampaignID: found.CampaignID,
			Title: found.Title, Action: action,
		}, found.Digest)
		if err == nil {
			err = NewSuggestions(s).SetSuggestion(ctx, account, id, copilot.StatusApplied, nil)
		}
		return out, err
	})
}

const (
	lockProposal = ` FROM copilot_proposals WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`
	setProposal  = `UPDATE copilot_proposals SET status = $3, decided_at = clock_timestamp() WHERE account_id = $1 AND id = $2`
)

// lock returns an open proposal and locks it. Errors: not_found, not_open.
func (p Proposals) lock(ctx context.Context, account, id uuid.UUID, now time.Time) (copilot.Proposal, error) {
	found, err := db.Get[copilot.Proposal](ctx, p.s.Conn(), "proposal", `SELECT `+db.Columns[copilot.Proposal]("")+lockProposal, account, id)
	switch {
	case err != nil:
	case found.Status != copilot.StatusOpen:
		err = models.Conflict("not_open", "the proposal is %s", found.Status)
	case !found.ExpiresAt.After(now):
		err = models.Conflict("not_open", "the proposal is too old")
	}
	return found, err
}

// Apply applies an open proposal like a suggestion. An error with the code "stale" also ends the proposal, so only one of several
// concurrent callers gets it.
func (p Proposals) Apply(ctx context.Context, account, id uuid.UUID, now time.Time) (Applied, error) {
	var stale error
	out, err := store.TxOf(ctx, p.s, func(s *store.Store) (out Applied, err error) {
		found, err := NewProposals(s).lock(ctx, account, id, now)
		if err != nil {
			return out, err
		}
		out, err = store.TxOf(ctx, s, func(s *store.Store) (Applied, error) {
			return NewSuggestions(s).apply(ctx, copilot.Change{
				Owned: models.Owned{AccountID: account}, ProposalID: uuid.NullUUID{UUID: id, Valid: true}, CampaignID: found.CampaignID,
				Title: found.Title, Action: found.Action,
			}, found.Digest)
		})
		status := copilot.StatusApplied
		if e, ok := models.AsError(err); ok && e.Code == "stale" {
			stale, err, status = err, nil, copilot.StatusStale
		}
		if err == nil {
			err = db.ExecOne(ctx, s.Conn(), "proposal", setProposal, account, id, status)
		}
		return out, err
	})
	return out, cmp.Or(err, stale)
}

// Cancel ends an open proposal. Errors: not_found, not_open.
func (p Proposals) Cancel(ctx context.Context, account, id uuid.UUID, now time.Time) error {
	return p.s.Tx(ctx, func(s *store.Store) error {
		if _, err := NewProposals(s).lock(ctx, account, id, now); err != nil {
			return err
		}
		return db.ExecOne(ctx, s.Conn(), "proposal", setProposal, account, id, copilot.StatusCancelled)
	})
}

const insertChange = `
INSERT INTO copilot_changes (id, account_id, suggestion_id, proposal_id, rule_id, campaign_id, title, action, before, after, evidence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING status, created_at`

// apply carries out the action of a change and stores the change. judgedDigest is the record's digest when the action was
// suggested. If it has changed, the error has the code "stale".
func (k Suggestions) apply(ctx context.Context, change copilot.Change, judgedDigest string) (out Applied, err error) {
	change.ID = uuid.Must(uuid.NewV7())
	a := change.Action
	deliveries, entries, err := k.carryOut(ctx, change.AccountID, a, nil, func(r copilot.Record) (copilot.Record, error) {
		if a.JudgedDigest(r) != judgedDigest {
			return r, models.Conflict("stale", "the record has changed since this change was suggested")
		}
		after, was, is, err := a.Apply(r)
		change.Before, change.After = was, is
		return after, err
	})
	if err != nil {
		return out, changedSince(err)
	}
	change.After.Entries, out.Deliveries = entries, deliveries
	row, err := db.Get[struct {
		Status    string       `db:"status"`
		CreatedAt models.Stamp `db:"created_at"`
	}](ctx, k.s.Conn(), "change", insertChange, change.ID, change.AccountID, change.SuggestionID, change.ProposalID, change.RuleID,
		change.CampaignID, change.Title, db.Document(a), db.Document(change.Before), db.Document(change.After), db.Document(change.Evidence))
	change.Status, change.CreatedAt = row.Status, row.CreatedAt
	out.Change = change
	return out, err
}

// changedSince gives refusals the code "stale": the action was possible when it was suggested. Errors with the code "invalid",
// and errors that are no refusals, stay.
func changedSince(err error) error {
	if e, ok := models.AsError(err); ok && e.Code != "stale" && e.Code != "invalid" {
		return models.Conflict("stale", "%s", e.Message)
	}
	return err
}

const (
	lockChange = ` FROM copilot_changes WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`
	undoChange = `UPDATE copilot_changes SET status = 'undone', undone_at = clock_timestamp() WHERE account_id = $1 AND id = $2 RETURNING `

	// The next run must not suggest an undone change again.
	dismissUndone = `
UPDATE copilot_suggestions s SET status = 'dismissed', decided_at = clock_timestamp() WHERE account_id = $1 AND id = $2
	AND NOT EXISTS (SELECT FROM copilot_suggestions o WHERE o.account_id = $1 AND o.kind = s.kind AND o.key = s.key
		AND o.status IN ('open', 'dismissed', 'snoozed'))`
)

// Undo reverts a change, once. Its suggestion becomes dismissed, and its rule must wait for the cool-down. Errors: not_found,
// already_undone, and "stale" if the record was changed again.
func (k Suggestions) Undo(ctx context.Context, account, id uuid.UUID) (Applied, error) {
	return store.TxOf(ctx, k.s, func(s *store.Store) (out Applied, err error) {
		change, err := db.Get[copilot.Change](ctx, s.Conn(), "change", `SELECT `+db.Columns[copilot.Change]("")+lockChange, account, id)
		switch {
		case err != nil:
			return out, err
		case change.Status == copilot.StatusUndone:
			return out, models.Conflict("already_undone", "the change was undone on %s", change.UndoneAt.Format(time.RFC3339))
		}
		out.Deliveries, _, err = NewSuggestions(s).carryOut(ctx, account, change.Action, change.After.Entries,
			func(r copilot.Record) (copilot.Record, error) {
				return change.Action.Undo(r, change.Before, change.After)
			})
		if err != nil {
			return out, changedSince(err)
		}
		out.Change, err = db.Get[copilot.Change](ctx, s.Conn(), "change", undoChange+db.Columns[copilot.Change](""), account, id)
		if err == nil && change.SuggestionID.Valid {
			err = db.Run(ctx, s.Conn(), "dismiss suggestion", dismissUndone, account, change.SuggestionID.UUID)
		}
		if err == nil && change.RuleID.Valid {
			err = db.Run(ctx, s.Conn(), "cool-down", coolAfterUndo, account, id)
		}
		return out, err
	})
}

// carryOut locks the record that an action changes, applies edit to it and saves the result. entries are the bot list entries
// that the action created before. It returns the deliveries of events and the new entries.
func (k Suggestions) carryOut(ctx context.Context, account uuid.UUID, a copilot.Action, entries []uuid.UUID,
	edit func(copilot.Record) (copilot.Record, error),
) (deliveries, made []uuid.UUID, err error) {
	target := a.Target()
	switch target.Kind {
	case copilot.TargetCampaign:
		_, deliveries, err = k.s.Campaigns().Change(ctx, account, target.ID, store.Author{Part: models.ByCopilot}, func(c *models.Campaign) error {
			r, err := edit(copilot.Record{Campaign: c})
			if err == nil {
				*c = *r.Campaign
			}
			return err
		})
	case copilot.TargetFlow:
		if a.Op == copilot.OpSwapDestination {
			if _, err := k.destination(ctx, account, a.To); err != nil {
				return nil, nil, err
			}
		}
		_, err = k.s.Campaigns().ChangeFlow(ctx, account, target.ID, func(f store.CampaignFlow) ([]flow.Path, error) {
			r, err := edit(copilot.Record{Paths: f.Paths})
			if err == nil {
				flow.Canonical(r.Paths)
			}
			return r.Paths, err
		})
	case copilot.TargetOffer:
		err = k.editOffer(ctx, account, target.ID, edit)
	case copilot.TargetNetwork:
		n, err := k.s.Networks().Lock(ctx, account, target.ID)
		if err != nil {
			return nil, nil, err
		}
		r, err := edit(copilot.Record{Network: &n})
		if err != nil {
			return nil, nil, err
		}
		_, err = k.s.Networks().Update(ctx, *r.Network)
		return nil, nil, err
	case copilot.TargetBotLists:
		made, err = k.editEntries(ctx, account, target.ID, entries, edit)
	}
	return deliveries, made, err
}

// editOffer saves the offer that edit returns. If edit changes IsActive, only this change is saved.
func (k Suggestions) editOffer(ctx context.Context, account, id uuid.UUID, edit func(copilot.Record) (copilot.Record, error)) error {
	before, err := k.s.Offers().Lock(ctx, account, id)
	if err != nil {
		return err
	}
	r, err := edit(copilot.Record{Offer: &before})
	if err != nil {
		return err
	}
	if r.Offer.IsActive != before.IsActive {
		return k.s.Offers().SetActive(ctx, account, id, bool(r.Offer.IsActive))
	}
	_, err = k.s.Offers().Update(ctx, *r.Offer)
	return err
}

// editEntries creates the bot list entries that edit returns. If there are earlier entries (had), it only removes these.
func (k Suggestions) editEntries(ctx context.Context, account, campaign uuid.UUID, had []uuid.UUID,
	edit func(copilot.Record) (copilot.Record, error),
) (made []uuid.UUID, err error) {
	c, err := k.s.Campaigns().Lock(ctx, account, campaign)
	if err != nil {
		return nil, err
	}
	r := copilot.Record{Campaign: &c}
	for _, id := range had {
		e, err := k.s.BotEntries().Find(ctx, account, id)
		if err != nil && !errors.Is(err, models.NotFound("entry")) {
			return nil, err
		}
		if err == nil {
			r.Entries = append(r.Entries, e)
		}
	}
	if r, err = edit(r); err != nil {
		return nil, err
	}
	if len(had) > 0 {
		for _, id := range had {
			if err := k.s.BotEntries().Remove(ctx, account, id); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	for _, e := range r.Entries {
		e.AccountID = account
		if err := checkEntry(&e); err != nil {
			return nil, err
		}
		saved, err := k.s.BotEntries().Create(ctx, e)
		if err != nil {
			return nil, err
		}
		made = append(made, saved.ID)
	}
	return made, nil
}

// checkEntry refuses an invalid bot list entry, and an entry that would apply to all or most visitors.
func checkEntry(e *models.BotEntry) error {
	if err := botlist.Check(e, func(i int) string { return fmt.Sprintf("value[%d]", i) }); err != nil {
		return err
	}
	if why := botlist.TooBroad(e); why != "" {
		return models.Invalid("invalid", "the entry would apply to all or most visitors: %s", why)
	}
	return nil
}
