package models_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/models"
)

// TestCostPresets checks that each preset can be saved without changes, sends the first wanted day and the token, and names the page
// from which it was taken.
func TestCostPresets(t *testing.T) {
	t.Parallel()
	if !slices.IsSortedFunc(models.CostPresets, func(a, b models.CostPreset) int { return strings.Compare(a.Label, b.Label) }) {
		t.Error("the presets are not sorted by label")
	}
	seen := map[string]bool{}
	for _, p := range models.CostPresets {
		e := p.Endpoint
		sent := e.URL + string(e.Body) + strings.Join(slices.Collect(maps.Values(e.Headers)), " ")
		_, dateErr := time.Parse(time.DateOnly, p.Checked)
		if err := e.Check(); err != nil || !strings.Contains(sent, "{from}") || !strings.Contains(sent, "{token}") || seen[p.Name] ||
			p.Help == "" || p.Page == "" || dateErr != nil || len(e.Currency) != 3 {
			t.Errorf("%s cannot be saved, appears twice, or lacks a text, the day of its check or a placeholder: %v, %+v", p.Name, err, p)
		}
		if _, hasAdapter := models.SourceProviderNamed(p.Name); hasAdapter {
			t.Errorf("%s has an adapter of its own", p.Name)
		}
		seen[p.Name] = true
	}
}

// TestCostEndpointPages checks that {page} and PageRows are only accepted together, and that days have the form of DateFormat.
func TestCostEndpointPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e  models.CostEndpoint
		ok bool
	}{
		{models.CostEndpoint{URL: "https://a.example/?p={page}", PageRows: 100}, true},
		{models.CostEndpoint{URL: "https://a.example/", Body: []byte(`{"p": "{page}"}`), PageRows: 100}, true},
		{models.CostEndpoint{URL: "https://a.example/?p={page}"}, false},
		{models.CostEndpoint{URL: "https://a.example/", PageRows: 100}, false},
		{models.CostEndpoint{}, true},
	} {
		if err := c.e.Check(); (err == nil) != c.ok {
			t.Errorf("Check of %+v returns %v, want it to be valid: %t", c.e, err, c.ok)
		}
	}
	day := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	for form, want := range map[string]string{
		"": "2026-11-02", "YYYY-MM-DD": "2026-11-02", "DD.MM.YYYY": "02.11.2026", "DD/MM/YYYY": "02/11/2026", "MM/DD/YYYY": "11/02/2026", "YYYYMMDD": "20261102",
	} {
		if got := (models.CostEndpoint{DateFormat: form}).Date(day); got != want {
			t.Errorf("with the date format %q, the day is %s, want %s", form, got, want)
		}
	}
}
