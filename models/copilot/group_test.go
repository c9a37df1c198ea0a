package copilot

import "testing"

func TestGroupsHaveTheirOwnKeys(t *testing.T) {
	t.Parallel()
	c, seen := &CampaignInput{}, map[string]bool{}
	for _, g := range []group{
		{campaign: c, what: "path"},
		{campaign: c, what: "path", draw: "1x"},
		{campaign: c, what: "path", draw: "2x"},
		{campaign: c, what: "offer", path: "p"},
		{campaign: c, what: "offer", path: "p", slot: 1},
		{campaign: c, what: "offer", path: "p", slot: 2},
	} {
		if seen[g.key()] {
			t.Errorf("two groups have the key %s", g.key())
		}
		seen[g.key()] = true
	}
}
