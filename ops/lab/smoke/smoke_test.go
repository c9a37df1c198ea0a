package smoke

import (
	"testing"
	"time"

	"switchyard/models"
)

// TestClickIDs compares the smoke test's own code for click ids with the service's code.
func TestClickIDs(t *testing.T) {
	t.Parallel()
	id := models.NewClickID()
	if got, want := idTime(models.FormatClickID(id)), models.ClickTime(id); !got.Equal(want) {
		t.Errorf("the time of the click id is %v instead of %v", got, want)
	}
	before := time.Now().Truncate(time.Millisecond)
	made := makeID(1 << 60)
	back, err := models.ParseClickID(made)
	if err != nil || back.Version() != 7 || models.ClickTime(back).Before(before) || models.ClickTime(back).After(time.Now()) {
		t.Errorf("%s is not a click id with the current time: %v %v", made, back, err)
	}
	for _, text := range []string{"", "abc", "zzzzzzzzzzzzzzzzzzzzzz", "0000000000-00000000000"} {
		if !idTime(text).IsZero() {
			t.Errorf("%q was taken for a click id", text)
		}
	}
}

// TestScenario checks that the tables of scenario.go are complete.
func TestScenario(t *testing.T) {
	t.Parallel()
	total := 0
	for _, c := range campaigns {
		total += c.share
		for _, p := range c.paths {
			if p.takes == nil || p.action == "offer" && len(p.offers) != 1 || p.action == "lander" && landers[p.lander] != len(p.offers) {
				t.Errorf("%s/%s is not complete", c.name, p.name)
			}
			for _, o := range p.offers {
				offerNamed(o)
			}
		}
		if c.cost == nil && !c.uncounted && c.target == "" {
			t.Errorf("campaign %s has no cost function", c.name)
		}
	}
	if total != 100 {
		t.Errorf("the shares add up to %d instead of 100", total)
	}
}
