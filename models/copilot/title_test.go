package copilot_test

import (
	"strings"
	"testing"
)

// TestTitle checks that the title of an action says what the action does, and to which records. Unknown names are replaced by
// ids.
func TestTitle(t *testing.T) {
	t.Parallel()
	r := record()
	r.Campaign.Name, r.Offer.Name, r.Network.Name, r.Names = "Shoes", "Shop", "Deals", map[string]string{offer.UUID.String(): "Shop", spare: "Spare"}
	for i := range r.Paths {
		r.Paths[i].Name = map[string]string{pathA: "A", pathB: "B"}[r.Paths[i].ID]
	}
	want := []string{
		`Pause campaign “Shoes”`,
		`Pause path “A” of campaign “Shoes”`,
		`Set weights of paths of campaign “Shoes”: “A” 10, “B” 190.001`,
		`Set weights in path “A” of campaign “Shoes”: “Shop” 0`,
		`Replace “Shop” by “Spare” in path “A” of campaign “Shoes”`,
		`Keep device_type “mobile” out of the paths of campaign “Shoes”`,
		`Pause offer “Shop”`,
		`Set the cap of offer “Shop” to 20 conversions a day`,
		`Count sub1 “p1”, “p2” as bots in campaign “Shoes”`,
		`Read click_id from parameter “aff_sub” in postbacks of network “Deals”`,
	}
	for i, a := range actions() {
		if got := a.Title(r); got != want[i] {
			t.Errorf("%s: %s, want %s", a.Op, got, want[i])
		}
		r := r
		r.Names = nil
		for _, id := range a.Destinations() {
			if got := a.Title(r); !strings.Contains(got, id) {
				t.Errorf("without names, the title of %s is %s, want the id %s in it", a.Op, got, id)
			}
		}
	}
	long := actions()[8] // counts values as bots
	long.Values = []string{strings.Repeat("x", 400) + "end", "2", "3", "4", "5"}
	if got := long.Title(r); strings.Contains(got, "end") || !strings.Contains(got, "“3” and 2 more") {
		t.Errorf("the title of a long list is %s, want a cut value, and the number of values that are left out", got)
	}
}
