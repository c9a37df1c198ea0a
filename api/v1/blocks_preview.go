package v1

import (
	"cmp"
	"errors"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/copilot"
)

// BlockPreview shows what values did in the window, and what blocking them would have saved.
type BlockPreview struct {
	Range   bind.Range `json:"range"`
	Found   int        `json:"found" doc:"values that had figures in the window"`
	Already int        `json:"already" doc:"values that are blocked in the scope already"`

	Figures answer.Figures `json:"figures" doc:"figures of the values in the scope"`
	Rest    answer.Figures `json:"rest" doc:"figures of all other visitors in the scope"`
	Saved   models.Money   `json:"saved" doc:"cost minus revenue of the visitors with these values, pending revenue included. This amount would have been saved if the traffic source had not sent these visitors; below zero: they earned money"`
	Chance  *float64       `json:"chance" doc:"the probability that values look as bad as these by chance although they pay for their clicks; at 0.05 or less it is hardly chance; null: the value of a conversion is not known"`

	models.BlockReach
}

// previewBlock reads the figures of values. It reads a report by their dimension, because the filters of a report take fewer
// values than a call may block.
func (d Deps) previewBlock(c *route.Call, b BlockBody) (out BlockPreview, err error) {
	t, values, err := b.read(c)
	if err == nil {
		err = c.Store.Blocks().CheckTarget(c.Context(), c.Account.ID, t)
	}
	if err != nil {
		return out, err
	}
	sum, rest, found, err := d.figuresOf(c, t, values)
	if err != nil {
		return out, err
	}
	out = BlockPreview{Range: c.Window.Range(), Found: found, Figures: sum.Row(), Rest: rest.Row()}
	returns := sum.Revenue.Add(sum.PendingRevenue)
	out.Saved = models.NewMoney(sum.Cost.Sub(returns))
	if all := sum.Plus(rest); all.Conversions() > 0 && all.Revenue.Add(all.PendingRevenue).IsPositive() {
		payout := all.Revenue.Add(all.PendingRevenue).InexactFloat64() / float64(all.Conversions())
		out.Chance = new(copilot.LossChance(sum.Cost.InexactFloat64(), returns.InexactFloat64(), payout))
	}
	if out.Already, err = c.Store.Blocks().CountBlocked(c.Context(), c.Account.ID, t, values); err != nil {
		return out, err
	}
	out.BlockReach, err = c.Store.Blocks().Reach(c.Context(), c.Account.ID, t)
	return out, err
}

// figuresOf sums the window's clicks in the scope of the target: sum has the given values, and rest the others. found is the
// number of given values that have figures.
func (d Deps) figuresOf(c *route.Call, t models.BlockTarget, values []string) (sum, rest models.Figures, found int, err error) {
	most := cmp.Or(d.LargeReport, report.Large)
	q := report.Query{
		AccountID: c.Account.ID, From: c.Window.From, To: c.Window.End(), Dimensions: []string{t.Dimension}, MaxClicks: most,
		Limit: int(most),
	}
	if column := map[string]string{models.BlockCampaign: "campaign_id", models.BlockSource: "source_id"}[t.Scope]; column != "" {
		q.Filters = []report.Filter{report.IDs(column, t.ScopeID)}
	}
	wanted := make(map[string]bool, len(values))
	for _, v := range values {
		wanted[v] = true
	}
	err = d.reports(c).Each(c.Context(), q, func(row report.Row) error {
		if wanted[row.Dims[0]] {
			sum, found = sum.Plus(row.Figures), found+1
		} else {
			rest = rest.Plus(row.Figures)
		}
		return nil
	})
	return sum, rest, found, tooLarge(err)
}

// tooLarge turns the error of a report that reads too many clicks into the error too_large.
func tooLarge(err error) error {
	if errors.Is(err, report.ErrLarge) {
		return models.Invalid("too_large", "the window has too many clicks to look at: choose a shorter one")
	}
	return err
}
