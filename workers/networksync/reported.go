package networksync

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db/integration"
	"switchyard/db/reported"
	"switchyard/models"
	"switchyard/models/correction"
)

// reported returns the orders of an import as they are stored for the comparison with our figures. For a dry run, and
// if not every row has an outcome, it returns nil.
func (y *syncer) reported(ctx context.Context, u *run, rows []correction.Conversion, outcomes []correction.ConversionOutcome) (
	[]reported.Order, error,
) {
	if !u.Args.Apply || len(outcomes) != len(rows) {
		return nil, nil
	}
	i, err := integration.NewNetworks(y.store).Find(ctx, u.Job.AccountID.UUID, u.Args.Network.NetworkID)
	if err != nil && !errors.Is(err, integration.ErrNotConnected) { // the network may have been disconnected since the orders were read
		return nil, err
	}
	zone, err := time.LoadLocation(i.Settings["timezone"])
	if err != nil {
		zone = time.UTC
	}
	now := y.o.Now()
	list := make([]reported.Order, 0, len(rows))
	for n, r := range rows {
		order := correction.Order{ID: r.ConversionID, Goal: r.Goal} // rows of a job that an earlier version began have no Order
		if r.Order != nil {
			order = *r.Order
		}
		o := reported.Order{
			OrderID: order.ID, ClickID: r.ClickID, OrderGoal: order.Goal, Goal: r.Goal, ConversionID: r.ConversionID, Status: r.Status,
			Currency: r.Currency, Refusal: outcomes[n].Reason,
		}
		if outcomes[n].Accepted {
			o.Goal, o.ConversionID = outcomes[n].Goal, outcomes[n].ConversionID
		}
		if r.Payout != nil {
			o.Payout = r.Payout.String()
		}
		o.Day = orderDay(order.Time, r.ClickID, now, zone)
		list = append(list, o)
	}
	return list, nil
}

// orderDay returns the day of an order in the network's zone. An order without a time is on the day of its click. An order that is
// more than models.AheadOfUTC in the future, or has neither a time nor a click, is on the present day.
func orderDay(at time.Time, click uuid.UUID, now time.Time, zone *time.Location) string {
	if at.IsZero() && click != uuid.Nil {
		at = models.ClickTime(click)
	}
	if at.IsZero() || at.After(now.Add(models.AheadOfUTC)) {
		at = now
	}
	return at.In(zone).Format(time.DateOnly)
}
