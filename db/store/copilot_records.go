package store

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/copilot"
)

// Record reads what an action would change, without a lock.
func (k Copilot) Record(ctx context.Context, account uuid.UUID, a copilot.Action) (r copilot.Record, err error) {
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
	if err == nil && a.Op == copilot.OpSwapDestination {
		err = k.destination(ctx, account, a.To)
	}
	return copilot.Record{Paths: f.Paths}, err
}

// destination finds an offer or a landing page.
func (k Copilot) destination(ctx context.Context, account uuid.UUID, to string) error {
	id, _ := models.ParseID(to) // Validate has read it
	_, err := k.s.Offers().Find(ctx, account, id)
	if errors.Is(err, models.NotFound("")) {
		_, err = k.s.Landers().Find(ctx, account, id)
	}
	return err
}
