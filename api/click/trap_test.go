package click

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	dbclick "switchyard/db/click"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bucket"
)

// traps returns the recorded requests for hidden links (models.ClickTrap) without their senders.
func (s *memorySpool) traps() (list []models.ClickTrap) {
	for _, t := range s.trapsWithSenders() {
		t.Sender = uuid.Nil
		list = append(list, t)
	}
	return list
}

func (s *memorySpool) trapsWithSenders() (list []models.ClickTrap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Trap != nil {
			list = append(list, *r.Trap)
		}
	}
	return list
}

func (w *env) storeClick(account uuid.UUID, age time.Duration) uuid.UUID {
	w.Helper()
	id := idBefore(age)
	log, err := spool.Open(w.TempDir(), spool.Options{})
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	if err := log.Append(w.Context(), spool.Record{Click: &models.Click{ID: id, AccountID: account, CampaignID: uuid.New()}}); err != nil {
		w.Fatal(err)
	}
	if err := ingest.NewIngester(log, w.db, ingest.Options{}).Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
	return id
}

func (w *env) follow(method, text string, edits ...edit) {
	w.Helper()
	res := w.send(method, "/t/h/"+text, "", edits...)
	if h := res.Header; res.StatusCode != http.StatusNoContent || h.Get("X-Robots-Tag") != "noindex, nofollow" || h.Get("Cache-Control") != "no-store" {
		w.Errorf("%s %s is answered %d %v, want 204 that is neither indexed nor stored", method, text, res.StatusCode, h)
	}
}

// TestHiddenLink checks which requests for hidden links are recorded, and with which account.
func TestHiddenLink(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	old, foreign := w.storeClick(w.account, time.Hour), w.storeClick(w.newAccount(), time.Hour)
	ancient, fresh := w.storeClick(w.account, maxTrapAge+time.Hour), models.NewClickID()
	w.reload()
	for _, c := range []struct {
		name, method, text string
		edits              []edit
		want               []models.ClickTrap
	}{
		{"a click", "GET", models.FormatClickID(old), nil, []models.ClickTrap{{ClickID: old, AccountID: w.account}}},
		{"on its own domain", "GET", models.FormatClickID(old), []edit{host(ownHost)}, []models.ClickTrap{{ClickID: old, AccountID: w.account}}},
		{"of another account", "GET", models.FormatClickID(foreign), []edit{host(ownHost)}, nil},
		{"perhaps not stored yet", "GET", models.FormatClickID(fresh), nil, []models.ClickTrap{{ClickID: fresh}}},
		{"perhaps not stored yet, own domain", "GET", models.FormatClickID(fresh), []edit{host(ownHost)}, []models.ClickTrap{{ClickID: fresh, AccountID: w.account}}},
		{"headers only", "HEAD", models.FormatClickID(old), nil, nil},
		{"fetched ahead", "GET", models.FormatClickID(old), []edit{header("Sec-Purpose", "prefetch;prerender")}, nil},
		{"too old", "GET", models.FormatClickID(ancient), nil, nil},
		{"unknown id", "GET", models.FormatClickID(idBefore(2 * time.Minute)), nil, nil},
		{"from the future", "GET", models.FormatClickID(idBefore(-time.Hour)), nil, nil},
		{"no click id", "GET", "22-characters-but-none", nil, nil},
		{"an empty id", "GET", "", nil, nil},
		{"the zero id", "GET", models.FormatClickID(uuid.Nil), nil, nil},
		{"a slash after the id", "GET", models.FormatClickID(old) + "/", nil, []models.ClickTrap{{ClickID: old, AccountID: w.account}}},
		{"a further part of the path", "GET", models.FormatClickID(old) + "/x", nil, nil},
	} {
		w.spool.records = nil
		w.follow(c.method, c.text, c.edits...)
		if diff := cmp.Diff(c.want, w.spool.traps()); diff != "" || len(w.spool.records) != len(c.want) {
			t.Errorf("%s: the recorded links differ (-want +got):\n%s", c.name, diff)
		}
	}
	if n := counter(t, w.h, "switchyard_hidden_links_followed_total"); n != 5 {
		t.Errorf("%v followed links are counted, want 5", n)
	}
	if res := w.send(http.MethodPost, "/t/h/"+models.FormatClickID(old), ""); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST gets the status %d, want 405", res.StatusCode)
	}
	if res := w.get("/t/h/"+models.FormatClickID(old), host("nobody.test")); res.StatusCode != http.StatusNotFound {
		t.Errorf("a hidden link on a host that is no tracking domain gets the status %d, want 404", res.StatusCode)
	}
}

// TestHiddenLinkTellsSender: the record of a followed hidden link tells whether the visitor who made the click followed it, or
// another client that knows the id of the click.
func TestHiddenLinkTellsSender(t *testing.T) {
	t.Parallel()
	for _, privacy := range []models.IPPrivacy{models.IPFull, models.IPTruncated, models.IPNone} {
		w := newEnv(t)
		w.h.privacy = privacy
		w.campaign("summer-sale", nil, path("redirect", m{}, m{"url": "https://a.test/", "weight": 1}))
		w.reload()
		w.location("/summer-sale")
		click := w.spool.clicks()[0]
		for _, e := range []edit{nil, peer("198.51.100.77:1"), header("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0")} {
			w.spool.records = nil
			edits := []edit{}
			if e != nil {
				edits = append(edits, e)
			}
			w.follow("GET", models.FormatClickID(click.ID), edits...)
			list := w.spool.trapsWithSenders()
			if len(list) != 1 || list[0].Sender == uuid.Nil || (list[0].Sender == click.Sender()) != (e == nil) {
				t.Errorf("%s: the recorded links are %+v, want one with a sender; the click has the sender %v", privacy, list, click.Sender())
			}
		}
	}
}

// TestHiddenLinkInTrouble: a followed hidden link is recorded while PostgreSQL cannot be reached. Only a limited number of
// followed links are recorded for each address.
func TestHiddenLinkInTrouble(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.reload()
	id := idBefore(time.Hour)
	w.h.clicks = dbclick.Log{Conn: unreachableDB(t)}
	w.follow("GET", models.FormatClickID(id))
	if diff := cmp.Diff([]models.ClickTrap{{ClickID: id}}, w.spool.traps()); diff != "" {
		t.Error(diff)
	}
	w.spool.full = true
	w.follow("GET", models.FormatClickID(id))
	if n := counter(t, w.h, "switchyard_clicks_unrecorded_total"); n != 1 {
		t.Errorf("%v lost traps are counted, want 1", n)
	}
	w.spool.full = false
	w.h.eventLimits.senders = bucket.New[netip.Prefix](never, 2, 100)
	w.spool.records = nil
	for range 4 {
		w.follow("GET", models.FormatClickID(id))
	}
	w.follow("GET", models.FormatClickID(id), peer("9.9.9.9:1"))
	if n := len(w.spool.traps()); n != 3 {
		t.Errorf("%d traps are recorded, want two from one address and one from another", n)
	}
}

func idBefore(age time.Duration) uuid.UUID {
	id, floor := models.NewClickID(), models.FloorClickID(time.Now().Add(-age))
	copy(id[:6], floor[:6])
	return id
}
