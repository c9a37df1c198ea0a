package click

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/flow"
)

func (w *env) block(scope string, id uuid.UUID, dimension string, values ...string) models.BlockChange {
	w.Helper()
	c, _, err := storeOn(w.db).Blocks().Add(w.Context(), w.account, models.BlockTarget{Scope: scope, ScopeID: id, Dimension: dimension},
		values, store.Author{Person: "Ann"})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *env) undo(c models.BlockChange) {
	w.Helper()
	if _, err := storeOn(w.db).Blocks().Undo(w.Context(), w.account, c.ID); err != nil {
		w.Fatal(err)
	}
}

func places(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("place-", i)
	}
	return list
}

// TestBlockedValuesAreLiveInAllProcesses blocks 5,000 placements in one change while two processes route, and then undoes the
// change.
func TestBlockedValuesAreLiveInAllProcesses(t *testing.T) {
	t.Parallel()
	first := newEnv(t)
	second := *first
	second.spool = &memorySpool{}
	second.h = second.handler(second.spool, "")
	processes := []*env{first, &second}
	for _, w := range processes {
		w.run()
	}
	id := first.campaign("summer-sale", m{"fallback_url": fallback}, path("redirect", nil, m{"url": "https://in.test/"}))
	becomes := func(what, want string) {
		t.Helper()
		for _, w := range processes {
			for _, value := range []string{"place-0", "place-4999"} {
				await.Until(t, what, func() bool { return w.get("/summer-sale?zone="+value).Header.Get("Location") == want })
			}
		}
	}
	becomes("the campaign is there", "https://in.test/")
	change := first.block(models.BlockCampaign, id, "sub1", places(models.MaxBlockedAtOnce)...)
	if change.Blocked != models.MaxBlockedAtOnce {
		t.Errorf("%d values were blocked, want %d", change.Blocked, models.MaxBlockedAtOnce)
	}
	becomes("5,000 placements are blocked", fallback)
	for _, w := range processes {
		if got := w.location("/summer-sale?zone=other"); got != "https://in.test/" {
			t.Errorf("a placement that is not blocked goes to %s, want https://in.test/", got)
		}
	}
	first.undo(change)
	becomes("the change is undone", "https://in.test/")
}

func TestBlockedVisitorIsRecordedAsBlocked(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.campaign("summer-sale", m{"fallback_url": fallback, "destination_url": "https://d.test/"},
		path("redirect", m{"stream_type": "forced"}, m{"url": "https://in.test/"}),
		path("redirect", m{"stream_type": "default"}, m{"url": "https://default.test/"}))
	w.block(models.BlockCampaign, id, "sub1", "bad")
	w.reload()
	if got := w.location("/summer-sale?zone=bad"); got != fallback {
		t.Errorf("a blocked visitor is sent to %s, want the fallback, although there are a forced and a default path", got)
	}
	c := w.spool.last()
	if c.PassedReason != string(flow.RefusedBlocked) || c.PassedStreamID != uuid.Nil || flow.Via(c.Via) != flow.ViaFallback || c.IsBot {
		t.Errorf("the blocked visitor's click has the reason %q, the path %s, via %d and bot %v; want the reason of a blocked value, "+
			"no path, the fallback and false", c.PassedReason, c.PassedStreamID, c.Via, c.IsBot)
	}
	w.location("/summer-sale?zone=good")
	if c := w.spool.last(); c.PassedReason != "" {
		t.Errorf("the click of a visitor who is not blocked has the reason %q, want none", c.PassedReason)
	}
}

func TestBlockedVisitorWithoutFallbackGets404(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.campaign("summer-sale", m{"destination_url": "https://d.test/"})
	w.block(models.BlockCampaign, id, "sub1", "bad")
	w.reload()
	if res := w.get("/summer-sale?zone=bad"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a blocked visitor gets the status %d, want 404", res.StatusCode)
	}
	if got := w.location("/summer-sale?zone=good"); got != "https://d.test/" {
		t.Errorf("a visitor who is not blocked is sent to %s, want https://d.test/", got)
	}
}

// TestScopesOfBlockedValues blocks a value in each scope and checks in which campaigns the value is blocked.
func TestScopesOfBlockedValues(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	in := path("redirect", nil, m{"url": "https://in.test/"})
	id := w.campaign("first-sale", m{"fallback_url": fallback}, in)
	w.campaign("second-sale", m{"fallback_url": fallback}, in)
	w.campaign("no-source", m{"fallback_url": fallback, "source_id": nil}, in)
	w.campaign("hands-over", m{"fallback_url": fallback}, path("campaign", m{"campaign_id": id}))
	for _, tt := range []struct {
		scope            string
		id               uuid.UUID
		dimension, value string
		query            string
		blocks           []string
	}{
		{models.BlockCampaign, id, "sub2", "x", "sub2=x", []string{"first-sale", "hands-over"}},
		{models.BlockSource, w.source, "sub2", "y", "sub2=y", []string{"first-sale", "second-sale", "hands-over"}},
		{models.BlockAccount, w.account, "sub2", "z", "sub2=z", []string{"first-sale", "second-sale", "no-source", "hands-over"}},
		{models.BlockAccount, w.account, "browser", "Chrome", "", []string{"first-sale", "second-sale", "no-source", "hands-over"}},
		{models.BlockAccount, w.account, "sub2", "Z", "sub2=z", nil}, // values are compared exactly
		{models.BlockAccount, w.newAccount(), "sub2", "x", "sub2=x", nil},
	} {
		change := w.block(tt.scope, tt.id, tt.dimension, tt.value)
		w.reload()
		for _, alias := range []string{"first-sale", "second-sale", "no-source", "hands-over"} {
			want := "https://in.test/"
			for _, blocked := range tt.blocks {
				if blocked == alias {
					want = fallback
				}
			}
			if got := w.location("/" + alias + "?" + tt.query); got != want {
				t.Errorf("blocked in %s: %s %s; the link %s leads to %s, want %s", tt.scope, tt.dimension, tt.value, alias, got, want)
			}
		}
		w.undo(change)
	}
}
