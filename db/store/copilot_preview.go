package store

import (
	"context"
	"maps"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/copilot"
)

// Preview is what an action changes, in the words of its record.
type Preview struct {
	Action        copilot.Action
	Before, After copilot.Part
	Names         map[string]string // of paths, offers and landing pages, by id
	// Stale says why the action cannot be carried out as it was judged; nil: it can be, or has been.
	Stale *models.Error
}

// Preview tells what a suggestion or a proposal would change by now, or what a change has changed, without a lock. Errors:
// not_found, advice_only, invalid.
func (k Copilot) Preview(ctx context.Context, account, id uuid.UUID, variant string) (p Preview, err error) {
	change, ok, err := db.First[copilot.Change](ctx, k.s.c, "change",
		`SELECT `+db.Columns[copilot.Change]("")+` FROM copilot_changes WHERE account_id = $1 AND id = $2`, account, id)
	if err != nil {
		return p, err
	}
	if ok {
		p = Preview{Action: change.Action, Before: change.Before, After: change.After}
		_, err = k.named(ctx, account, &p)
		p.Stale = nil // it has been carried out, whatever became of the record
		return p, err
	}
	suggestion, ok, err := db.First[copilot.Suggestion](ctx, k.s.c, "suggestion",
		`SELECT `+suggestionColumns+` FROM copilot_suggestions s WHERE s.account_id = $1 AND s.id = $2`, account, id)
	switch {
	case err != nil:
		return p, err
	case ok && suggestion.AdviceOnly():
		return p, models.Invalid("advice_only", "this is advice: nothing can be changed by itself")
	case ok:
		if p.Action, err = suggestion.Action.Variant(variant); err == nil {
			err = k.foresee(ctx, account, suggestion.Digest, &p)
		}
		return p, err
	}
	proposal, ok, err := db.First[copilot.Proposal](ctx, k.s.c, "proposal",
		`SELECT `+db.Columns[copilot.Proposal]("")+` FROM copilot_proposals WHERE account_id = $1 AND id = $2`, account, id)
	switch {
	case err != nil:
		return p, err
	case !ok:
		return p, models.NotFound("suggestion, change or proposal")
	}
	p.Action = proposal.Action
	err = k.foresee(ctx, account, proposal.Digest, &p)
	return p, err
}

// foresee fills in what the action of a preview would change. It sets Stale if the record is not the judged one any more, or
// refuses the action.
func (k Copilot) foresee(ctx context.Context, account uuid.UUID, digest string, p *Preview) error {
	r, err := k.named(ctx, account, p)
	if err == nil && p.Stale == nil {
		if p.Action.Judged(r) != digest {
			p.Stale = models.Conflict("stale", "what it was about has changed since")
		}
		var refused error
		_, p.Before, p.After, refused = p.Action.Apply(r)
		if e, ok := models.AsError(refused); ok {
			p.Stale = e
		} else {
			err = refused
		}
	}
	return err
}

// named reads the record of a preview and the names that it contains. It sets Stale if the record cannot be found.
func (k Copilot) named(ctx context.Context, account uuid.UUID, p *Preview) (copilot.Record, error) {
	r, err := k.Record(ctx, account, p.Action)
	if e, ok := models.AsError(err); ok {
		p.Stale, err = e, nil
	}
	if err != nil {
		return r, err
	}
	p.Names = map[string]string{}
	var ids []string
	for _, path := range r.Paths {
		p.Names[path.ID] = path.Name
		for _, d := range path.Destinations {
			ids = append(ids, d.ID)
		}
	}
	for _, d := range append(p.Before.Destinations, p.After.Destinations...) {
		ids = append(ids, d.ID)
	}
	ids = append(ids, p.Action.From, p.Action.To)
	found, err := k.s.NamesOf(ctx, account, map[string][]string{"offer_id": ids, "lander_id": ids})
	maps.Copy(p.Names, found)
	return r, err
}
