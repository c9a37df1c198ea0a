package click

import (
	"context"
	"net/http"
	"testing"

	"github.com/shopspring/decimal"

	dbclick "switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestFromTheLinkToTheRows runs the whole chain of the web process: a campaign made by SQL, a click over HTTP, the spool on disk,
// the ingester, the rows in PostgreSQL and the job of the postback.
func TestFromTheLinkToTheRows(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	w.h = w.handler(log, "")
	var dispatched []models.JobRef
	ingester := ingest.NewIngester(log, w.db, ingest.Options{
		OnPostbacks: func(_ context.Context, rows []models.JobRef) { dispatched = append(dispatched, rows...) },
	})
	drain := func() {
		t.Helper()
		if err := ingester.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	n := w.network()
	l, o := w.lander("https://lander.test/?c={clickid}"), w.offer("https://one.test/?c={clickid}&s={sub5}&k={country}", n)
	campaign := w.campaign("summer-sale", m{"cost_model": "cpuc", "cost_value": "0.5"}, path("lander", nil, to(l), to(o)))
	w.reload()

	first := w.get("/summer-sale?sub5=five")
	landed := first.Header.Get("Location")
	w.location("/summer-sale?sub5=again")                                    // the same visitor
	w.location("/summer-sale", header("User-Agent", "Googlebot/2.1 (+bot)")) // a bot
	w.send(http.MethodHead, "/summer-sale", "")
	id := landed[len("https://lander.test/?c="):]
	drain()

	// Another process, which has not seen the click, finds it in PostgreSQL.
	w.h = w.handler(log, "")
	if got := w.location("/out?clickid="+id, withCookies(first.Cookies())); got != "https://one.test/?c="+id+"&s=five&k=US" {
		t.Errorf("the click-out at another process leads to %s, want the offer with the click's data", got)
	}
	if res := w.get("/postback/" + n.String() + "?myclick=" + id + "&payout=2"); res.StatusCode != http.StatusOK {
		t.Errorf("the postback gets the status %d, want 200", res.StatusCode)
	}
	drain()

	click, err := models.ParseClickID(id)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dbclick.Log{Conn: w.db}.FindClick(t.Context(), w.account, click)
	if err != nil {
		t.Fatal(err)
	}
	if d.CampaignID != campaign || d.LanderID != l || d.OfferID != o || d.NetworkID != n || d.LPClicks != 1 ||
		!d.IsUnique || !d.Cost.Equal(decimal.RequireFromString("0.5")) || d.Subs[4] != "five" || len(d.Hops) != 1 {
		t.Errorf("the stored click is %+v, want the visit with its landing page, its offer and its cost", d)
	}
	var sums struct{ Clicks, Unique, Bots, Views, Outs int }
	row := w.db.QueryRowxContext(t.Context(), `
		SELECT sum(clicks), sum(unique_clicks), sum(bot_clicks), sum(lp_views), sum(lp_clicks) FROM ledger WHERE campaign_id = $1`, campaign)
	if err := row.Scan(&sums.Clicks, &sums.Unique, &sums.Bots, &sums.Views, &sums.Outs); err != nil {
		t.Fatal(err)
	}
	if sums != (struct{ Clicks, Unique, Bots, Views, Outs int }{2, 1, 1, 2, 1}) { // the HEAD request counts nowhere
		t.Errorf("the sums of the ledger are %+v, want 2 clicks, 1 unique, 1 bot, 2 views and 1 click-out", sums)
	}
	if len(dispatched) != 1 || dispatched[0].Kind != models.KindRecordConversion || dispatched[0].Account != w.account {
		t.Fatalf("the jobs are %v, want one that records the conversion", dispatched)
	}
	p, err := conversion.FindPostback(t.Context(), w.db, dispatched[0].ID)
	if err != nil || p.Outcome != conversion.PostbackPending || p.NetworkID != n || p.AccountID != w.account ||
		p.Params["myclick"] != id {
		t.Errorf("the stored postback is %+v, want it pending, with its network and click; error %v", p, err)
	}
}

func TestReadyWithAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dbtest.Exec(w, w.db, `DELETE FROM domains`)
	dbtest.Exec(w, w.db, `DELETE FROM accounts`)
	if h := w.handler(w.spool, ""); !h.Ready() {
		t.Error("an install without records is not ready, want it to be ready")
	}
}
