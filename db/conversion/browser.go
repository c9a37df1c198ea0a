package conversion

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

func (in Input) fromBrowser() bool { return slices.Contains(browserSources, in.Source) }

// The query stops at one conversion above the limit, because the conversion that the input changes does not count.
const countBrowser = `
SELECT k.id, (SELECT count(*) FROM (SELECT FROM conversions v WHERE v.account_id = $1 AND v.click_id = k.id
	AND v.source = ANY ($3) LIMIT $4) AS mine) AS count
FROM unnest($2::uuid[]) AS k (id)`

func (b *correcting) loadBrowser(ctx context.Context, c db.Conn) (err error) {
	clicks := map[uuid.UUID]bool{}
	for _, in := range b.inputs {
		if in.fromBrowser() && b.clicks[in.ClickID] != nil {
			clicks[in.ClickID] = true
		}
	}
	if len(clicks) == 0 {
		return nil
	}
	b.browser, err = db.Pairs[uuid.UUID, int](ctx, c, "conversions by browsers", countBrowser, b.account, db.UUIDs(db.SortedIDs(clicks)),
		browserSources, models.MaxBrowserConversions+1)
	return err
}

// limitBrowser limits the effect of reports by browsers. It refuses an invalid payout if the conversion would be worth nothing
// without it. Conversions of a click beyond models.MaxBrowserConversions are pending, and a browser cannot approve them.
func (b *correcting) limitBrowser(in *Input, current *Conversion, t terms) error {
	if !in.fromBrowser() {
		return nil
	}
	if value, _, _ := t.payout(*in); in.InvalidPayout && value.IsZero() {
		return models.Invalid("invalid_payout", "the payout is not an amount from 0 to 1,000,000,000")
	}
	others := b.browser[in.ClickID]
	if current != nil && slices.Contains(browserSources, current.Source) {
		others--
	}
	if others >= models.MaxBrowserConversions && (current == nil || current.Status == models.StatusPending) && !in.Reversal {
		in.Status = models.StatusPending
	}
	return nil
}
