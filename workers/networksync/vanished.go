package networksync

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db/conversion"
	"switchyard/db/integration"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers/providers/networks"
)

// vanishedWord is the status word of a conversion that the network no longer reports.
const vanishedWord = "no longer reported"

// listedRetention is how long the orders that reports have listed are stored. The longest reports that need such orders,
// Everflow's, reach 365 days back.
const listedRetention = 400 * 24 * time.Hour

// vanished appends a row for each approved or pending order that has disappeared. The row rejects the order. An order has
// disappeared if this connection once listed it, and the present report covers its day but does not list it. A report without any
// order rejects nothing: that may be a fault of the platform. A status that a person has set stays. If remember is true, vanished
// stores the orders that the present report lists.
func (y *syncer) vanished(ctx context.Context, o opened, window networks.Range, orders []networks.Order, rows []correction.Conversion,
	remember bool,
) ([]correction.Conversion, error) {
	k, account, network := integration.NewNetworks(y.store), o.AccountID, o.TargetID
	present := map[conversion.Key]bool{}
	var listed []integration.ListedOrder
	for i, v := range rows {
		present[keyOf(v)] = true
		if at := orders[i].At.Time; v.Refusal == "" && !at.IsZero() {
			listed = append(listed, integration.ListedOrder{ClickID: v.ClickID, Goal: v.Goal, ConversionID: v.ConversionID, OrderedAt: at})
		}
	}
	before, err := k.Listed(ctx, account, network, o.SavedAt, window.From, window.End())
	if err != nil {
		return nil, err
	}
	if remember {
		if err := k.SetListed(ctx, account, network, o.SavedAt, listed, y.o.Now()); err != nil {
			return nil, err
		}
	}
	missing, clicks := map[conversion.Key]bool{}, []uuid.UUID{}
	for _, b := range before {
		if key := (conversion.Key{ClickID: b.ClickID, Goal: b.Goal, ConversionID: b.ConversionID}); !present[key] && len(rows) > 0 {
			missing[key] = true
			clicks = append(clicks, b.ClickID)
		}
	}
	known, err := conversion.FindKnown(ctx, y.store.Conn(), account, clicks)
	if err != nil {
		return nil, err
	}
	for _, c := range known {
		if missing[c.Key] && c.Source != models.FromCorrection && (c.Status == models.StatusApproved || c.Status == models.StatusPending) {
			rows = append(rows, correction.Conversion{
				Row: correction.Row{Line: len(rows) + 1}, ClickText: models.FormatClickID(c.ClickID), ClickID: c.ClickID,
				ConversionID: c.ConversionID, Goal: c.Goal, Status: models.StatusRejected, Word: vanishedWord, Precision: time.Second,
			})
		}
	}
	return rows, nil
}
