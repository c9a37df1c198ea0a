package accountconfig_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/report"
	"switchyard/db/retention"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/foreign"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/redtrack/redtracktest"
)

// oldLog returns the RedTrack account of a fixture with a log of one day, in which some rows cannot be imported.
func oldLog(t *testing.T, day string) []byte {
	t.Helper()
	var tracker record
	if err := json.Unmarshal(redtracktest.Fixture("plain/in/tracker.json"), &tracker); err != nil {
		t.Fatal(err)
	}
	track := func(n, campaign int) record {
		return record{
			"id": redtracktest.ID(9, n), "campaign_id": redtracktest.ID(5, campaign), "source_id": redtracktest.ID(2, 1), "offer_id": redtracktest.ID(4, 1),
			"landing_id": redtracktest.ID(3, 1), "track_time": fmt.Sprintf("%sT10:%02d:00Z", day, n), "country": "DE", "device": "Mobile", "os": "Android",
			"browser": "Chrome", "sub1": fmt.Sprint("zone-", n), "fingerprint": fmt.Sprint("visitor ", n/2), "ip": "192.0.2.1", "cost": 0.045,
		}
	}
	conversionOf := func(n, of int, status, payout, currency string) record {
		return record{
			"id": redtracktest.ID(10, n), "clickid": redtracktest.ID(9, of), "conv_time": day + "T12:00:00Z", "status": status, "payout": json.Number(payout),
			"currency": currency, "type": "Purchase", "default_type": 0,
		}
	}
	tracker["tracks"] = []record{track(1, 1), track(2, 1), track(3, 1), track(4, 2), track(5, 77), {"id": "", "track_time": day + "T10:00:00Z"}}
	tracker["conversions"] = []record{
		conversionOf(1, 1, "approved", "12.5", "USD"), conversionOf(2, 1, "approved", "3.25", "USD"), conversionOf(3, 2, "pending", "7", "USD"),
		conversionOf(4, 3, "approved", "5", ""), conversionOf(5, 99, "approved", "5", "USD"), conversionOf(6, 4, "in the mail", "5", "USD"),
	}
	raw, err := json.Marshal(tracker)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// readLog imports the log of RedTrack for one day. It returns the job's status and id.
func (e *env) readLog(account uuid.UUID, url, key, day string) (models.JobStatus, uuid.UUID) {
	e.Helper()
	access, err := json.Marshal(trackers.Access{URL: url, Key: key})
	if err == nil {
		err = e.store.Box().Ready(e.Context())
	}
	if err != nil {
		e.Fatal(err)
	}
	sealed, err := dbconfig.PlansOf(e.store).SealHistory(e.Context(), account, access)
	if err != nil {
		e.Fatal(err)
	}
	args := jobs.ImportHistoryArgs{Access: sealed, From: day, To: day, Zone: "UTC"}
	return run(e, account, jobs.ImportHistory, args, func(*store.Store, uuid.UUID) error { return nil })
}

// TestHistory: the log of RedTrack becomes clicks and conversions of the imported campaigns, once. Webhooks, traffic sources and ad
// platforms are not notified. RedTrack's ids are deleted with the clicks.
func TestHistory(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	day := time.Now().UTC().AddDate(0, 0, -3).Format(time.DateOnly)
	fake := httptest.NewServer(redtracktest.New(oldLog(t, day)))
	defer fake.Close()
	e.importRedTrack(account, fake.URL)
	want := `{"clicks": 4, "skipped": {"whose campaign does not exist here": 1, "whose click was not imported": 1, "with an amount that cannot be read, or without a currency": 1, "with an unknown status": 1, "without an id or a time": 1}, "conversions": 3}`
	status, job := e.readLog(account, fake.URL, redtracktest.Key, day)
	if got := dbtest.Get[string](t, e.db, `SELECT result::text FROM jobs WHERE id = $1`, job); status.Status != models.JobDone || !sameJSON(t, got, want) {
		t.Fatalf("%+v: %s, want %s", status, got, want)
	}
	figures := `SELECT sum(clicks) || ' clicks, ' || sum(unique_clicks) || ' unique, ' || sum(revenue)::float8 || ' earned' FROM ledger WHERE account_id = $1`
	first := dbtest.Get[string](t, e.db, figures, account)
	if first != "4 clicks, 3 unique, 15.75 earned" {
		t.Error(first)
	}
	kept := dbtest.Get[string](t, e.db, `SELECT string_agg(goal || ' ' || status || ' ' || payout::float8 || ' ' || currency, ', ' ORDER BY payout) FROM conversions WHERE account_id = $1`, account)
	if kept != "Purchase approved 3.25 USD, Purchase pending 7 USD, Purchase approved 12.5 USD" {
		t.Error(kept)
	}
	for _, table := range []string{"source_postbacks", "webhook_deliveries", "conversion_uploads"} {
		if n := dbtest.Get[int](t, e.db, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("%d rows of %s notify about past conversions", n, table)
		}
	}
	if _, job = e.readLog(account, fake.URL, redtracktest.Key, day); dbtest.Get[string](t, e.db, `SELECT (result ->> 'clicks') || (result ->> 'conversions') FROM jobs WHERE id = $1`, job) != "00" {
		t.Error("a second run has added rows")
	}
	if again := dbtest.Get[string](t, e.db, figures, account); again != first {
		t.Errorf("the figures are %s after the second run, and were %s", again, first)
	}
	if n := dbtest.Get[int](t, e.db, `SELECT count(*) FROM jobs WHERE kind = 'config:history' AND args ? 'access'`); n != 0 {
		t.Error("the credentials are still there")
	}
	e.checkAllowance(account, day)
	e.findsOldClick(account)
	if _, err := retention.DeleteBefore(t.Context(), e.db, time.Now()); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](t, e.db, `SELECT (SELECT count(*) FROM old_clicks) + (SELECT count(*) FROM old_conversions)`); n != 0 {
		t.Errorf("%d old ids are left without their clicks", n)
	}
}

// checkAllowance checks that the clicks of the log do not count towards the clicks that the account's subscription includes.
func (e *env) checkAllowance(account uuid.UUID, day string) {
	e.Helper()
	from, err := time.Parse(time.DateOnly, day)
	if err != nil {
		e.Fatal(err)
	}
	reports := report.Reader{Conn: e.db}
	for _, want := range []int64{0, 1} {
		used, err := reports.ClicksOf(e.Context(), []uuid.UUID{account}, from, from.AddDate(0, 0, 1))
		if err != nil || used[account] != want {
			e.Errorf("%v: %d clicks of the plan are used, want %d", err, used[account], want)
		}
		days, err := reports.Daily(e.Context(), account, from.AddDate(0, 0, -1), from.AddDate(0, 0, 1))
		if err != nil || len(days) != 3 || days[0].Clicks != 0 || days[1].Clicks != want || days[2].Clicks != 0 {
			e.Errorf("%v: by day %+v, want %d on the second day", err, days, want)
		}
		own := models.Click{AccountID: account, CampaignID: uuid.New(), Currency: "USD", ID: models.FloorClickID(from.Add(time.Hour))}
		own.ID[15] = 1
		if err := db.Tx(e.Context(), e.db, func(c db.Conn) error {
			_, err := ingest.StorePast(e.Context(), click.Log{Conn: e.db}, c, []models.Click{own})
			return err
		}); err != nil {
			e.Fatal(err)
		}
	}
}

// TestHistoryTakenBack: a history is taken back by deleting the statistics of its campaigns. Then the log can be read again.
func TestHistoryTakenBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	from := time.Now().UTC().AddDate(0, 0, -3).Truncate(24 * time.Hour)
	day := from.Format(time.DateOnly)
	fake := httptest.NewServer(redtracktest.New(oldLog(t, day)))
	defer fake.Close()
	e.importRedTrack(account, fake.URL)
	const left = `SELECT (SELECT count(*) FROM (SELECT FROM ledger WHERE account_id = $1 GROUP BY hour, campaign_id, country
			HAVING sum(clicks) <> 0 OR sum(unique_clicks) <> 0 OR sum(revenue) <> 0) l) || ' sums, '
		|| (SELECT count(*) FROM clicks WHERE account_id = $1) || ' clicks, ' || (SELECT count(*) FROM conversions WHERE account_id = $1) || ' conversions, '
		|| (SELECT count(*) FROM old_clicks) + (SELECT count(*) FROM old_conversions) || ' old ids'`
	var before string
	for range 2 {
		if status, job := e.readLog(account, fake.URL, redtracktest.Key, day); status.Status != models.JobDone ||
			dbtest.Get[string](t, e.db, `SELECT (result ->> 'clicks') || (result ->> 'conversions') FROM jobs WHERE id = $1`, job) != "43" {
			t.Fatalf("%+v: the log was not read as a whole", status)
		}
		now := dbtest.Get[string](t, e.db, left, account)
		if before != "" && now != before || now == "0 sums, 0 clicks, 0 conversions, 0 old ids" {
			t.Errorf("this reading has stored %s, and the first one %s", now, before)
		}
		before = now
		campaigns := dbtest.Select[uuid.UUID](t, e.db, `SELECT id FROM campaigns WHERE account_id = $1`, account)
		q := retention.ClearQuery{AccountID: account, Of: campaigns, From: from, To: from.AddDate(0, 0, 1)}
		for done := false; !done; {
			if err := db.Tx(t.Context(), e.db, func(c db.Conn) error {
				out, err := retention.Clear(t.Context(), click.Log{Conn: e.db}, c, q, 2)
				q.After, done = out.After, out.Done
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		if got := dbtest.Get[string](t, e.db, left, account); got != "0 sums, 0 clicks, 0 conversions, 0 old ids" {
			t.Errorf("%s are left, want none", got)
		}
	}
}

// findsOldClick checks that a postback that names an old click finds the imported click, and is not forwarded to RedTrack.
func (e *env) findsOldClick(account uuid.UUID) {
	e.Helper()
	old := redtracktest.ID(9, 2)
	p := models.Postback{
		ID: models.NewClickID(), AccountID: account, Source: models.FromPostback, Params: map[string]string{"clickid": old, "status": "approved", "type": "Purchase"},
		Unmatched: "it names no click", OldClick: old, Forward: []byte("sealed"),
	}
	refs, err := conversion.StorePostbacks(e.Context(), e.db, []*models.Postback{&p})
	if err != nil || len(refs) != 1 || refs[0].Kind != models.KindRecordConversion {
		e.Fatalf("%v: %+v", err, refs)
	}
	m, err := conversion.Reader{Store: e.store, Clicks: click.Log{Conn: e.db}}.Read(e.Context(), conversion.NewMessage(storedPostback(e, p.ID)), false)
	want := dbtest.Get[uuid.UUID](e, e.db, `SELECT click_id FROM old_clicks WHERE account_id = $1 AND old_id = $2`, account, old)
	if err != nil || m.Click == nil || m.Click.ID != want {
		e.Errorf("%v: the postback is about %+v, want the click %s", err, m.Decision, want)
	}
	if n := dbtest.Get[int](e, e.db, `SELECT count(*) FROM forwarded_postbacks`); n != 0 {
		e.Error("a postback is forwarded although its click is stored here")
	}
}

func storedPostback(e *env, id uuid.UUID) models.Postback {
	e.Helper()
	p, err := conversion.FindPostback(e.Context(), e.db, id)
	if err != nil {
		e.Fatal(err)
	}
	return p.Postback
}

func (e *env) importRedTrack(account uuid.UUID, url string) {
	e.Helper()
	access, err := json.Marshal(trackers.Access{URL: url, Key: redtracktest.Key})
	if err == nil {
		err = e.store.Box().Ready(e.Context())
	}
	if err != nil {
		e.Fatal(err)
	}
	_, id := run(e, account, jobs.ImportConfig, jobs.ImportConfigArgs{}, func(s *store.Store, id uuid.UUID) error {
		return dbconfig.PlansOf(s).AddImport(e.Context(), account, id, foreign.RedTrack, access, nil)
	})
	p, err := dbconfig.PlansOf(e.store).Find(e.Context(), account, id)
	if err != nil || p.State != dbconfig.Planned {
		e.Fatalf("%v: %s %s", err, p.State, p.Problem)
	}
	if p = e.apply(account, p, false); p.State != dbconfig.Applied {
		e.Fatalf("%s: %s", p.State, p.Problem)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatal("not JSON: ", a, b)
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

// TestHistoryRefused: a key that RedTrack does not accept makes the import fail, and is deleted.
func TestHistoryRefused(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	fake := httptest.NewServer(redtracktest.New(redtracktest.Fixture("plain/in/tracker.json")))
	defer fake.Close()
	day := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	status, _ := e.readLog(account, fake.URL, redtracktest.Limited, day)
	if status.Status != models.JobFailed || status.Error == nil || status.Error.Code != "not_read" {
		t.Errorf("%+v: %v, want not_read", status, status.Error)
	}
	if n := dbtest.Get[int](t, e.db, `SELECT count(*) FROM jobs WHERE args ? 'access' OR error::text LIKE '%' || $1 || '%'`, redtracktest.Limited); n != 0 {
		t.Error("the credentials are still there")
	}
}
