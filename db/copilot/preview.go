package copilot

import (
	"context"
	"maps"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/copilot"
)

// Preview describes the change that an action makes.
type Preview struct {
	Action        copilot.Action
	Before, After copilot.Part
	Names         map[string]string // names of paths, offers and landing pages, by id
	// Stale is the reason why the action can no longer be carried out as suggested; nil: it can be, or was.
	Stale *models.Error
}

// Preview returns the change that a suggestion or a proposal would make now, or that a change has made. It takes no lock. Errors:
// not_found, advice_only, invalid.
func (k Suggestions) Preview(ctx context.Context, account, id uuid.UUID, variant string) (p Preview, err error) {
	change, ok, err := db.First[copilot.Change](ctx, k.s.Conn(), "change",
		`SELECT `+db.Columns[copilot.Change]("")+` FROM copilot_changes WHERE account_id = $1 AND id = $2`, account, id)
	if err != nil {
		return p, err
	}
	if ok {
		p = Preview{Action: change.Action, Before: change.Before, After: change.After}
		_, err = k.nameRecord(ctx, account, &p)
		p.Stale = nil // the change was made, even if the record no longer exists
		return p, err
	}
	suggestion, ok, err := db.First[copilot.Suggestion](ctx, k.s.Conn(), "suggestion",
		`SELECT `+suggestionColumns+` FROM copilot_suggestions s WHERE s.account_id = $1 AND s.id = $2`, account, id)
	switch {
	case err != nil:
		return p, err
	case ok && suggestion.AdviceOnly():
		return p, models.Invalid("advice_only", "this suggestion is only advice: it contains no change that can be made")
	case ok:
		if p.Action, err = suggestion.Action.Variant(variant); err == nil {
			err = k.previewChange(ctx, account, suggestion.Digest, &p)
		}
		return p, err
	}
	proposal, ok, err := db.First[copilot.Proposal](ctx, k.s.Conn(), "proposal",
		`SELECT `+db.Columns[copilot.Proposal]("")+` FROM copilot_proposals WHERE account_id = $1 AND id = $2`, account, id)
	switch {
	case err != nil:
		return p, err
	case !ok:
		return p, models.NotFound("suggestion, change or proposal")
	}
	p.Action = proposal.Action
	err = k.previewChange(ctx, account, proposal.Digest, &p)
	return p, err
}

// previewChange fills in the change that a preview's action would make. It sets Stale if that is not possible, or if the record
// has changed since the suggestion.
func (k Suggestions) previewChange(ctx context.Context, account uuid.UUID, digest string, p *Preview) error {
	r, err := k.nameRecord(ctx, account, p)
	if err == nil && p.Stale == nil {
		if p.Action.JudgedDigest(r) != digest {
			p.Stale = models.Conflict("stale", "the record has changed since this change was suggested")
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

// nameRecord returns the record of a preview and sets the preview's names. It sets Stale if the record, or a destination that the
// action adds, does not exist.
func (k Suggestions) nameRecord(ctx context.Context, account uuid.UUID, p *Preview) (copilot.Record, error) {
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
