package copilot

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestEachCampaignHasOneTurn checks that byTurn chooses each campaign on one day of a turn, and at most maxTurn campaigns on any
// day.
func TestEachCampaignHasOneTurn(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", -5*60*60)
	for _, n := range []int{0, 1, 30, 1000, 4000} {
		list := make([]uuid.UUID, n)
		for i := range list {
			list[i] = uuid.New()
		}
		seen := map[uuid.UUID]int{}
		_, turn := byTurn(list, time.Now())
		for day := range turn {
			at := time.Date(2026, 3, 1+day, 0, 0, 0, 0, zone)
			today, again := byTurn(list, at)
			if again != turn || len(today) > maxTurn {
				t.Fatalf("%d campaigns: %d are chosen on one day; the first call returned a turn of %d days, and this call %d days", n, len(today), turn, again)
			}
			for _, id := range today {
				seen[id]++
			}
		}
		if len(seen) != n || slices.ContainsFunc(list, func(id uuid.UUID) bool { return seen[id] != 1 }) {
			t.Errorf("%d campaigns: %d had their turn in %d days", n, len(seen), turn)
		}
	}
}
