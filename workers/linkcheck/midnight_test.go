package linkcheck_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers/linkcheck"
)

// listedAll is a list in which all addresses are unsafe.
type listedAll struct{ *fakeList }

func (listedAll) Lookup(_ context.Context, urls []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, u := range urls {
		out[u] = []string{"MALWARE"}
	}
	return out, nil
}

// TestMidnight checks that a link with the date in it gets a result, although the day changes while a batch is under way.
func TestMidnight(t *testing.T) {
	t.Parallel()
	var w *env
	w = newEnv(t, func(o *linkcheck.Options) {
		o.List = listedAll{&fakeList{}}
		o.Now = func() time.Time { return time.Unix(w.now.Add(24*60*60), 0) } // each reading of the clock is a day later
	})
	offer := w.add("offers", "A", w.url("a", "/p?day={date:Y-m-d}"))
	w.run(jobs.SweepLinks)
	states, err := w.store.Links().States(t.Context(), w.account, models.LinkOffer, []uuid.UUID{offer})
	if s := states[offer]; err != nil || s.Status == nil || *s.Status != 200 {
		t.Errorf("the result of the check: %+v, %v", s, err)
	}
	w.run(jobs.ScreenLinks)
	if unsafe, err := w.store.Links().Unsafe(t.Context(), w.account); err != nil || len(unsafe) != 1 {
		t.Errorf("unsafe %+v, %v", unsafe, err)
	}
}
