package visitors_test

import (
	"testing"

	"switchyard/ops/visitors"
)

// TestLoad: there are many user agents, of people and of bots, and many countries.
func TestLoad(t *testing.T) {
	t.Parallel()
	s, err := visitors.Load()
	if err != nil {
		t.Fatal(err)
	}
	countries := map[string]bool{}
	for _, a := range s.Addresses {
		countries[a.Country] = true
	}
	if len(s.People)+len(s.Bots) < 200 || len(s.People) == 0 || len(s.Bots) == 0 || len(countries) < 20 {
		t.Errorf("%d user agents of people, %d of bots and %d countries, want at least 200 user agents and 20 countries", len(s.People), len(s.Bots), len(countries))
	}
}
