package click

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/time/rate"

	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bucket"
)

// never is the rate of a bucket that is never refilled.
const never = rate.Limit(1e-9)

func (w *env) openSpool() (*spool.Spool, *ingest.Ingester) {
	w.Helper()
	s, err := spool.Open(w.TempDir(), spool.Options{})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = s.Close() })
	return s, ingest.NewIngester(s, w.db, ingest.Options{})
}

// TestStrangersCannotStallIngest floods the service with postbacks that name no click. Only samplesPerHour of the postbacks are
// stored.
func TestStrangersCannotStallIngest(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	clicks, ingestClicks := w.openSpool()
	postbacks, ingestPostbacks := w.openSpool()
	w.h = w.handler(clicks, "")
	w.h.postbacks = postbacks
	w.h.limits.samples = bucket.New[addressee](never, samplesPerHour, 100)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	huge, junk := "a="+strings.Repeat("x", 65_000), "a="+strings.Repeat("x", 8_000)
	for range 350 {
		if res := w.send("POST", "/postback", huge); res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Fatalf("a body of 65 kB gets the status %d, want 413", res.StatusCode)
		}
	}
	for i := range 2000 {
		res := w.send("POST", "/postback", junk, host(fmt.Sprint("made-up-", i%100, ".test")))
		if res.StatusCode != http.StatusOK {
			t.Fatalf("a body of 8 kB gets the status %d, want 200", res.StatusCode)
		}
	}
	w.get("/summer-sale")
	if err := ingestClicks.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](w, w.db, `SELECT count(*) FROM clicks`); n != 1 {
		t.Errorf("%d clicks are stored, want 1", n)
	}
	if err := ingestPostbacks.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](w, w.db, `SELECT count(*) FROM postbacks WHERE outcome = 'unmatched' AND detail <> ''`); n != samplesPerHour {
		t.Errorf("%d postbacks are stored as samples, want %d", n, samplesPerHour)
	}
	if n := dbtest.Get[int](w, w.db, `SELECT (SELECT count(*) FROM postbacks) + (SELECT count(*) FROM jobs)`); n != samplesPerHour {
		t.Errorf("%d rows of postbacks and jobs are stored, want %d", n, samplesPerHour)
	}
	if n := counter(t, w.h, "switchyard_postbacks_unmatched_total"); n != 2000 {
		t.Errorf("%v postbacks are counted as unmatched, want 2000", n)
	}
}

// blockedDisk is a disk that blocks all writes until it is released.
type blockedDisk struct {
	began   sync.WaitGroup
	release chan struct{}
}

func (s *blockedDisk) Append(context.Context, spool.Record) error {
	s.began.Done()
	<-s.release
	return nil
}

// TestClicksDoNotWaitForPostbacks checks that visitors are recorded and sent on while every write of a postback hangs.
func TestClicksDoNotWaitForPostbacks(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	disk := &blockedDisk{release: make(chan struct{})}
	w.h.postbacks = disk
	const hanging = 50
	disk.began.Add(hanging)
	var all sync.WaitGroup
	for range hanging {
		all.Go(func() { w.get("/postback?clickid=" + models.FormatClickID(models.NewClickID())) })
	}
	disk.began.Wait()
	w.location("/summer-sale")
	if n := len(w.spool.clicks()); n != 1 {
		t.Errorf("%d clicks are recorded, want 1", n)
	}
	close(disk.release)
	all.Wait()
}

func TestPostbacksAreLimited(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	network := "/postback/" + w.network().String()
	w.reload()
	click := "?clickid=" + models.FormatClickID(models.NewClickID()) + "&myclick=" + models.FormatClickID(models.NewClickID())
	status := func(target, from string, edits ...edit) int {
		res := w.get(target+click, append(edits, peer(from))...)
		if wait := res.Header.Get("Retry-After"); (res.StatusCode == 429) != (wait == "1") {
			t.Errorf("%s gets the status %d with Retry-After %q, want 1 with a 429 and none otherwise", target, res.StatusCode, wait)
		}
		return res.StatusCode
	}
	w.h.limits.senders = bucket.New[netip.Prefix](never, 2, 100)
	for i, tt := range []struct {
		from string
		want int
	}{
		{"8.8.8.8:1", 200},
		{"8.8.8.8:2", 200},
		{"8.8.8.8:3", 429},
		{"8.8.8.9:1", 200},
		{"[::ffff:8.8.8.8]:1", 429},
		{"[2001:db8:0:1::1]:1", 200},
		{"[2001:db8:0:1::2]:1", 200},
		{"[2001:db8:0:1:ffff::3]:1", 429},
		{"[2001:db8:0:2::1]:1", 200},
	} {
		if got := status("/postback", tt.from); got != tt.want {
			t.Errorf("sender %d, %s: %d, want %d", i, tt.from, got, tt.want)
		}
	}
	w.h.limits = newPostbackLimits()
	w.h.limits.addressees = bucket.New[addressee](never, 2, 100)
	w.h.limits.reserve = bucket.New[netip.Prefix](never, 0, 100)
	for i, tt := range []struct {
		target, host string
		want         int
	}{
		{"/postback", sharedHost, 200},
		{"/postback", sharedHost, 200},
		{"/postback", sharedHost, 429},
		{"/postback", ownHost, 200},
		{network, sharedHost, 200},
		{network, ownHost, 200},
		{network, sharedHost, 429},
		{network, "made-up.test", 429},
		{"/postback", "one.test", 200},
		{"/postback", "two.test", 200},
		{"/postback", "three.test", 429},
	} {
		if got := status(tt.target, fmt.Sprintf("9.9.9.%d:1", i), host(tt.host)); got != tt.want {
			t.Errorf("addressee %d, %s at %s: %d, want %d", i, tt.target, tt.host, got, tt.want)
		}
	}
	w.h.limits.reserve = bucket.New[netip.Prefix](never, 1, 100)
	for i, want := range []int{200, 429, 429} {
		if got := status("/postback", "9.9.9.99:1", host(sharedHost)); got != want {
			t.Errorf("the addressee is over its limit; message %d of a sender of few messages gets %d, want %d", i, got, want)
		}
	}
	w.h.limits.reserve = bucket.New[netip.Prefix](never, 0, 100)
	before := len(w.spool.records)
	if res := w.get("/pixel.gif" + click); res.StatusCode != 200 || len(w.spool.records) != before {
		t.Errorf("a pixel over the limit gets the status %d and stores %d records, want 200 and none", res.StatusCode, len(w.spool.records)-before)
	}
	if n := counter(t, w.h, "switchyard_postbacks_limited_total"); n != 10 {
		t.Errorf("%v messages are counted as refused by a limit, want 10", n)
	}
}

// TestPostbackNamesItsClick checks by which parameters the handler finds a postback's click.
func TestPostbackNamesItsClick(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	network := w.network()
	w.reload()
	id := models.NewClickID()
	text := models.FormatClickID(id)
	for target, named := range map[string]bool{
		"/postback?clickid=" + text:                             true,
		"/postback?clickid={clickid}&cid=" + text:               true,
		"/postback?myclick=" + text:                             false,
		"/postback/" + network.String() + "?myclick=" + text:    true,
		"/postback?clickid=0000000000000000000001":              false,
		"/postback/" + network.String() + "?payout=1&x=" + text: false,
	} {
		w.get(target)
		p := w.spool.postback()
		if named != (p.ClickID == id) || named != (p.Unmatched == "") {
			t.Errorf("the postback of %s is stored with the click %q, unmatched %q, want a click: %v", target, p.ClickID, p.Unmatched, named)
		}
	}
	w.h.routes.Current().Network(network).Postbacks = nil // as in an old snapshot that was read from disk
	w.get("/postback/" + network.String() + "?other=" + text)
	if p := w.spool.postback(); p.Unmatched != "" || p.NetworkID != network {
		t.Errorf("a postback is called unmatched although the snapshot lacks its network's parameters: %+v", p)
	}
}
