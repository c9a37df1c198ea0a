package copilot

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/copilot"
)

// Record returns the record that an action would change. It takes no lock.
func (k Suggestions) Record(ctx context.Context, account uuid.UUID, a copilot.Action) (r copilot.Record, err error) {
	target := a.Target()
	switch target.Kind {
	case copilot.TargetOffer:
		o, err := k.s.Offers().Find(ctx, account, target.ID)
		return copilot.Record{Offer: &o}, err
	case copilot.TargetNetwork:
		n, err := k.s.Networks().Find(ctx, account, target.ID)
		return copilot.Record{Network: &n}, err
	case copilot.TargetCampaign, copilot.TargetBotLists:
		c, err := k.s.Campaigns().Find(ctx, account, target.ID)
		return copilot.Record{Campaign: &c}, err
	}
	f, err := k.s.Campaigns().Flow(ctx, account, target.ID)
	if err != nil {
		return r, err
	}
	c, err := k.s.Campaigns().Find(ctx, account, target.ID)
	if err != nil {
		return r, err
	}
	r = copilot.Record{Campaign: &c, Paths: f.Paths, Names: map[string]string{}}
	for _, id := range a.Destinations() {
		name, err := k.destination(ctx, account, id)
		switch {
		case err == nil:
			r.Names[id] = name
		case id == a.To || !errors.Is(err, models.NotFound("")): // a destination that the action removes may no longer exist
			return r, err
		}
	}
	return r, nil
}

// destination returns the name of an offer or a landing page.
func (k Suggestions) destination(ctx context.Context, account uuid.UUID, text string) (string, error) {
	id, _ := models.ParseID(text) // Validate has checked it
	o, err := k.s.Offers().Find(ctx, account, id)
	if !errors.Is(err, models.NotFound("")) {
		return o.Name, err
	}
	l, err := k.s.Landers().Find(ctx, account, id)
	return l.Name, err
}
