package market_test

import (
	"testing"

	"switchyard/models/longtest"
	"switchyard/ops/lab/bench/market"
)

// TestLimits: suggestions stay within the limits that are promised for them.
func TestLimits(t *testing.T) {
	t.Parallel()
	campaigns := longtest.Size(24, 60)
	r, err := market.Run(market.Options{Seed: 7, Campaigns: campaigns, Equal: campaigns, Days: 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v, right %.3f, wrong pauses %.3f, A/A %.3f", r, r.RightShare(), r.WrongShare(), r.EqualShare())
	if r.Pauses < campaigns/3 || r.Suggestions < 2*campaigns/3 {
		t.Errorf("%d suggestions, %d of them pauses: too few for a verdict", r.Suggestions, r.Pauses)
	}
	if r.WrongShare() > 0.02 {
		t.Errorf("%.1f %% of the pauses are wrong, want at most 2 %%", 100*r.WrongShare())
	}
	if r.EqualShare() > 0.05 {
		t.Errorf("%.1f %% of the campaigns with equal paths got a suggestion, want at most 5 %%", 100*r.EqualShare())
	}
	if r.Blocks < r.Fraud/2 {
		t.Errorf("%d placements are blocked, want at least half of the %d that return nothing", r.Blocks, r.Fraud)
	}
	if r.WrongBlockShare() > 0.02 {
		t.Errorf("%.1f %% of the blocked placements pay, want at most 2 %%", 100*r.WrongBlockShare())
	}
	hasty, err := market.Run(market.Options{Seed: 7, Campaigns: campaigns, Days: 12, Hasty: true})
	if err != nil || hasty.WrongBlock == 0 {
		t.Errorf("a hasty run blocks no placement that pays, so the market does not simulate delays well; %+v, %v", hasty, err)
	}
	if r.Applied <= r.Nothing || r.Applied <= r.Even {
		t.Errorf("profit %.0f with suggestions, %.0f without, %.0f with an even split, want the first to be the highest", r.Applied, r.Nothing, r.Even)
	}
}
