package bench

import (
	"context"
	"fmt"

	"switchyard/ops/lab/bench/market"
)

// Goals of suggestions.
const (
	goalWrongPauses = 0.02
	goalEqualMoved  = 0.05
	goalWrongBlocks = 0.02
)

// suggestions applies the suggestions of 30 simulated days to campaigns whose true rates are known. It needs no service and no server.
func (r *run) suggestions(context.Context) error {
	m, err := market.Run(market.Options{Seed: 1, Campaigns: 200, Equal: 200, Days: 30})
	if err != nil {
		return err
	}
	percent := func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
	r.add("suggestions of 30 days on 200 campaigns that were right", fmt.Sprintf("%s of %d", percent(m.RightShare()), m.Suggestions), "", true)
	r.add("pauses of a path that was the better one", fmt.Sprintf("%s of %d", percent(m.WrongShare()), m.Pauses), "2 %", m.WrongShare() <= goalWrongPauses)
	r.add("A/A campaigns with a suggestion in 30 days", fmt.Sprintf("%s of %d", percent(m.EqualShare()), m.Equal), "5 %", m.EqualShare() <= goalEqualMoved)
	r.add("blocked placements that pay", fmt.Sprintf("%s of %d, %d return nothing", percent(m.WrongBlockShare()), m.Blocks, m.Fraud), "2 %",
		m.WrongBlockShare() <= goalWrongBlocks)
	r.add("profit with suggestions applied", fmt.Sprintf("%.0f", m.Applied), "more than without", m.Applied > m.Nothing)
	r.add("profit without, with an even split, knowing the truth",
		fmt.Sprintf("%.0f, %.0f, %.0f", m.Nothing, m.Even, m.Knowing), "", true)
	return nil
}
