package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	dbclick "switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/foreign"
)

type movedEnv struct {
	*inboxEnv
	campaign uuid.UUID
	handler  http.Handler
}

const movedHost = "ads.moved.example"

func newMovedEnv(t *testing.T) *movedEnv {
	t.Helper()
	x := &movedEnv{inboxEnv: newInboxEnv(t)}
	domain := uuid.New()
	dbtest.Exec(t, x.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, true)`, domain, x.Account.ID, movedHost)
	add := func(path string, body object) string {
		return fmt.Sprint(x.Do("POST", path, body).Want(201, "").Map()["id"])
	}
	offer := add("/offers", object{"name": "Offer", "url": "https://offer.example/?s={clickid}", "payout": 4})
	page := add("/landers", object{"name": "Page", "url": "https://page.example/?t={clickid}"})
	x.campaign = uuid.MustParse(add("/campaigns", object{
		"name": "Imported", "alias": "imported-one", "domain_id": domain, "streams": []object{{
			"action": "lander", "destinations": []object{{"id": page, "weight": 100}, {"id": offer, "weight": 100}},
		}},
	}))
	return x
}

func (x *movedEnv) open() {
	x.t.Helper()
	d, err := visitor.New(visitor.Options{})
	if err != nil {
		x.t.Fatal(err)
	}
	x.handler, err = click.New(x.t.Context(), click.Deps{
		DB: x.DB, Clicks: dbclick.Log{Conn: x.DB}, Usage: report.Reader{Conn: x.DB}, Spool: x.spool, Postbacks: x.spool,
		Proofs: x.Store, Visitors: d, Timeout: time.Minute,
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *movedEnv) get(target string, headers map[string]string) *http.Response {
	x.t.Helper()
	r := httptest.NewRequestWithContext(x.t.Context(), http.MethodGet, target, nil)
	r.Host, r.RemoteAddr = movedHost, netip.AddrPortFrom(netip.MustParseAddr("8.8.8.8"), 4000).String()
	r.Header.Set("User-Agent", "Mozilla/5.0 (Linux; Android 14)")
	r.Header.Set("Accept-Language", "de")
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	a := httptest.NewRecorder()
	x.handler.ServeHTTP(a, r)
	return a.Result()
}

// TestForeignAddresses: links, landing page links and postbacks with the addresses of other trackers lead to the imported campaign,
// to its offer and to a conversion.
func TestForeignAddresses(t *testing.T) {
	t.Parallel()
	x := newMovedEnv(t)
	ways := []struct{ form, id, link, out, postback string }{
		{foreign.FormPath, "x", "/x?sub_id_1=z", "/?_lp=1&_token=CLICK", "/0a1b2c3/postback?subid=CLICK&payout=3&status=sale"},
		{foreign.FormPath, "0a2b3c4d-1111-2222-3333-444455556666", "/0a2b3c4d-1111-2222-3333-444455556666", "/click/1?cid=CLICK", "/postback?cid=CLICK&payout=3&txid=7"},
		{foreign.FormPath, "Größe~50", "/Gr%C3%B6%C3%9Fe~50", "/click?cid=CLICK", "/conversion.gif?cid=CLICK&payout=3"},
		{foreign.FormPath, "65f0a1b2c3d4e5f60718293a", "/65f0a1b2c3d4e5f60718293a", "/click?clickid=CLICK", "/postback?clickid=CLICK&sum=3"},
		{foreign.FormQuery, "K1", "/click?key=K1&t1=z", "/click?lp=1&uclick=CLICK", "/click?cnv_id=CLICK&payout=3"},
		{foreign.FormPHP, "K2", "/click.php?key=K2", "/click.php?lp=1&uclick=CLICK", "/click.php?cnv_id=CLICK&payout=3"},
		{foreign.FormPHP, "K3", "/index.php?key=K3", "/index.php?lp=1&uclick=CLICK", "/index.php?cnv_id=CLICK&payout=3"},
		{foreign.FormGo, "77", "/go/77", "/click/1?cid=CLICK", "/postback?cid=CLICK&payout=3"},
		{foreign.FormCF, "0f", "/cf/r/0f", "/cf/click/1?cf_click_id=CLICK", "/cf/cv?click_id=CLICK&payout=3&txid=9&ct=sale"},
		{foreign.FormCF, "1f", "/cf/r/1f", "/cf/click?cf_click_id=CLICK", "/cf/postback?cid=CLICK&payout=3"},
	}
	var links []models.ForeignLink
	for _, way := range ways {
		links = append(links, models.ForeignLink{Form: way.form, ForeignID: way.id})
	}
	if err := x.Store.Tx(t.Context(), func(s *store.Store) error {
		return s.ForeignLinks().Replace(t.Context(), x.Account.ID, x.campaign, links)
	}); err != nil {
		t.Fatal(err)
	}
	x.open()
	clicks := map[string]uuid.UUID{}
	for _, way := range ways {
		landed, err := url.Parse(x.get(way.link, nil).Header.Get("Location"))
		if err != nil || landed.Host != "page.example" {
			t.Fatalf("the link %s leads to %s, want the landing page: %v", way.link, landed, err)
		}
		id := landed.Query().Get("t")
		put := func(address string) string { return strings.ReplaceAll(address, "CLICK", id) }
		if got := x.get(put(way.out), nil).Header.Get("Location"); got != "https://offer.example/?s="+id {
			t.Fatalf("the address %s leads to %s, want the offer with the click id", way.out, got)
		}
		if res := x.get(put(way.postback), nil); res.StatusCode != http.StatusOK {
			t.Fatalf("the postback %s is answered with %d, want 200", way.postback, res.StatusCode)
		}
		if clicks[way.link], err = models.ParseClickID(id); err != nil {
			t.Fatal(err)
		}
	}
	x.ingestAll()
	for link, id := range clicks {
		var got struct {
			Campaign uuid.UUID `db:"campaign_id"`
			Payout   string    `db:"payout"`
			Offer    bool      `db:"has_offer"`
		}
		await.Until(t, "the conversion of "+link+" is recorded", func() bool {
			const q = `SELECT campaign_id, payout::float8::text AS payout, offer_id <> '00000000-0000-0000-0000-000000000000' AS has_offer FROM conversions WHERE click_id = $1`
			return x.DB.GetContext(t.Context(), &got, q, id) == nil
		})
		if got.Campaign != x.campaign || got.Payout != "3" || !got.Offer {
			t.Errorf("the conversion of %s is %+v, want the campaign, its offer and a payout of 3", link, got)
		}
	}
}

// TestOldTrackerGetsItsPostbacks: a postback about a click of the old tracker is sent to it unchanged, and again after a failure.
func TestOldTrackerGetsItsPostbacks(t *testing.T) {
	t.Parallel()
	x := newMovedEnv(t)
	var mu sync.Mutex
	var received []string
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		received = append(received, r.Method+" "+r.RequestURI+" "+r.Header.Get(models.ForwardedHeader))
		if len(received) == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	t.Cleanup(old.Close)
	x.Do("PUT", "/old-tracker", object{"tracker": "keitaro", "url": old.URL}).Want(200, "")
	links := []models.ForeignLink{{Form: foreign.FormPath, ForeignID: "x"}}
	if err := x.Store.ForeignLinks().Replace(t.Context(), x.Account.ID, x.campaign, links); err != nil {
		t.Fatal(err)
	}
	x.open()
	landed, err := url.Parse(x.get("/x", nil).Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	const theirs = "/0a1b2c3/postback?subid=2lb3kd1a8u4h&payout={payout}&secret=s%20t"
	for _, target := range []string{theirs, "/0a1b2c3/postback?subid=NOBODY&payout=1", "/0a1b2c3/postback?payout=1&subid=" + landed.Query().Get("t")} {
		x.get(target, nil)
	}
	x.get("/0a1b2c3/postback?subid=9lb3kd1a8u4h", map[string]string{models.ForwardedHeader: "1"})
	x.ingestAll()
	await.Until(t, "the postback is sent on", func() bool { return x.sentOn("sent") == 1 })
	mu.Lock()
	defer mu.Unlock()
	if want := "GET " + theirs + " 1"; len(received) != 2 || received[0] != want || received[1] != want {
		t.Errorf("the old tracker received the requests %q, want its own postback twice, because it refused the first request", received)
	}
	var left int
	if err := x.DB.GetContext(t.Context(), &left, `SELECT count(*) FROM forwarded_postbacks WHERE request IS NOT NULL`); err != nil || left != 0 {
		t.Errorf("%d requests are kept after they were sent, want none: %v", left, err)
	}
	if n := len(x.rows("result=unmatched")); n != 3 {
		t.Errorf("%d postbacks are unmatched, want 3", n)
	}
	var got struct{ Days []map[string]any }
	x.Do("GET", "/old-tracker", nil).Want(200, "").Into(&got)
	if len(got.Days) != 1 || fmt.Sprint(got.Days[0]["known"], got.Days[0]["sent_on"], got.Days[0]["unknown"], got.Days[0]["waiting"], got.Days[0]["failed"]) != "1 1 2 0 0" {
		t.Errorf("the days are %v, want one day: 1 postback known, 1 sent on, 2 unknown, 0 waiting, 0 failed", got.Days)
	}
	_, stranger, _ := x.NewAccount("scale")
	x.As(stranger).Do("GET", "/old-tracker", nil).Want(200, "").Into(&got)
	if len(got.Days) != 0 {
		t.Errorf("another account sees %v", got.Days)
	}
}

// TestOldTrackerLeadsHere: a postback is not sent to a host that has become a domain of this service, and not after the old
// tracker has been removed.
func TestOldTrackerLeadsHere(t *testing.T) {
	t.Parallel()
	x := newMovedEnv(t)
	called := make(chan string, 10)
	old := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called <- r.RequestURI }))
	t.Cleanup(old.Close)
	x.Do("PUT", "/old-tracker", object{"tracker": "voluum", "url": old.URL + "/postback"}).Want(200, "")
	x.open()
	dbtest.Exec(t, x.DB, `INSERT INTO domains (id, host, is_verified) VALUES ($1, '127.0.0.1', true)`, uuid.New())
	x.get("/postback?cid=wS6JB2HNB7KV3LDQE0PPGBM0", nil)
	x.ingestAll()
	await.Until(t, "the postback is skipped", func() bool { return x.sentOn("skipped") == 1 })
	dbtest.Exec(t, x.DB, `DELETE FROM domains WHERE host = '127.0.0.1'`)
	x.get("/postback?cid=wS6JB2HNB7KV3LDQE0PPGBM1", nil)
	x.Do("PUT", "/old-tracker", object{}).Want(200, "")
	x.ingestAll()
	await.Until(t, "the next postback is skipped too", func() bool { return x.sentOn("skipped") == 2 })
	select {
	case target := <-called:
		t.Errorf("the old tracker received a request for %s, want no request", target)
	default:
	}
}

func (x *movedEnv) sentOn(result string) int {
	x.t.Helper()
	return dbtest.Get[int](x.t, x.DB, `SELECT count(*) FROM forwarded_postbacks WHERE result = $1`, result)
}
