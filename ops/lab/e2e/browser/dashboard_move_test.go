package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardMove checks an imported campaign before the DNS is changed. The screen compares the campaign's destinations
// with the answers of the old tracker.
func TestDashboardMove(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	type object = map[string]any
	b := newEnv(t)
	b.signIn()
	b.goTo(b.f.URL + "/app/move")
	b.waitText("Once a plan is applied")
	var plan struct {
		ID string `json:"plan_id"`
	}
	do := func(path string, body, into any) {
		t.Helper()
		if err := b.api.Do(t.Context(), http.StatusOK, "POST", path, body, into); err != nil {
			t.Fatal(err)
		}
	}
	do("/config/plan", object{
		"document": object{"version": 1, "campaigns": object{"moved": object{
			"name": "Moved", "domain": "shared", "currency": "USD", "destination_url": "https://here.example/?c={clickid}",
		}}},
		"read": object{"tracker": "keitaro", "links": []object{{"form": "path", "id": "old1", "campaign": "moved"}}},
	}, &plan)
	do("/config/apply", object{"plan_id": plan.ID}, nil)
	b.goTo(b.f.URL + "/app/move")
	b.waitText("1 imported campaign, 20 visitors")
	var checks struct {
		Rows []struct{ Visitors []struct{ ID string } }
	}
	if err := b.api.Get(t.Context(), "/config/checks", &checks); err != nil {
		t.Fatal(err)
	}
	var answers strings.Builder
	for i, v := range checks.Rows[0].Visitors {
		to := "https://here.example/?c=abc"
		if i == 3 {
			to = "https://there.example/"
		}
		fmt.Fprintf(&answers, "%s - 302 %s\n", v.ID, to)
	}
	b.fill(`document.querySelector('textarea[aria-label="Or paste the lines here"]')`, answers.String())
	b.tap(button("Compare"))
	for _, text := range []string{"20 visitors:", "19 same", "1 differ", "Here: https://here.example/?c={clickid}", "There: https://there.example/", "Another URL"} {
		b.waitText(text)
	}
}
