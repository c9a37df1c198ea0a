package linkcheck_test

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/models"
)

// TestCheckOne checks that a link is requested immediately when a caller asks for it. Repeated requests by a caller do not make a
// link broken.
func TestCheckOne(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	offer := w.add("offers", "Shop", w.url("a", "/gone?c={clickid}"))
	ask := func(account uuid.UUID, kind string) (jobs.CheckLinkAnswer, error) {
		t.Helper()
		ticket, err := jobs.Submit(t.Context(), w.client, jobs.CheckLink, account, jobs.CheckLinkArgs{Kind: kind, ID: offer})
		if err != nil {
			t.Fatal(err)
		}
		return jobs.Await(t.Context(), ticket)
	}
	if a, err := ask(w.account, models.LinkOffer); err != nil || a.Error != "" || *a.Status != 200 || a.ID != offer ||
		a.URL != w.url("a", "/gone?c=0000000000000000000000") {
		t.Errorf("%+v, %v", a, err)
	}
	w.set("/gone", 410)
	for range 3 {
		if a, err := ask(w.account, models.LinkOffer); err != nil || a.Error == "" || *a.Status != 410 {
			t.Errorf("%+v, %v", a, err)
		}
	}
	states, err := w.store.Links().States(t.Context(), w.account, models.LinkOffer, []uuid.UUID{offer, uuid.New()})
	if s := states[offer]; err != nil || len(states) != 1 || s.Failures != 1 || s.BrokenAt != nil {
		t.Errorf("%+v, %v", states, err)
	}
	w.sweep()
	if e := w.events(models.EventLinkBroken); len(e) != 1 {
		t.Errorf("%d events after the next sweep, want 1", len(e))
	}
	for name, wrong := range map[string]struct {
		account uuid.UUID
		kind    string
	}{"of another account": {uuid.New(), models.LinkOffer}, "of another kind": {w.account, models.LinkLander}} {
		if _, err := ask(wrong.account, wrong.kind); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
