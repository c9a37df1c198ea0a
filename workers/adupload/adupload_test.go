package adupload_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/integration"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers/adupload"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/rest/resttest"
)

// TestUploads checks that a conversion with a wanted status is uploaded once, with the source's share of the payout. A changed value is
// restated and a chargeback is retracted, if the platform supports it.
func TestUploads(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{models.GoogleAds, models.MicrosoftAds, models.Meta, "tiktok"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t, provider)
			w.connect()
			c := w.storeClicks("one", "bad-two", "three", "four")
			w.convert("pending", 10, c...)
			if got := w.results(c[0]); got != "" {
				t.Errorf("a pending conversion has the uploads %s, want none", got)
			}
			w.convert("approved", 10, c...)
			w.convert("approved", 10, c...)
			w.convert("chargeback", 10, c[3])
			w.sweep()
			w.checkUploads(c[0], "upload accepted")
			w.checkUploads(c[1], "upload rejected")
			w.checkUploads(c[3], "upload skipped, retract skipped")
			// The source's share is half of a payout.
			for _, v := range w.received(2) {
				if v.Sent != 1 || v.Value != "5" || v.Currency != "USD" {
					t.Errorf("%+v", v)
				}
			}
			w.convert("approved", 20, c[2])
			w.convert("chargeback", 10, c[0])
			w.convert("rejected", 10, c[1])
			w.sweep()
			w.checkUploads(c[1], "upload rejected") // the platform has rejected the upload, so there is nothing to retract
			result := " accepted"
			if provider == models.Meta || provider == "tiktok" {
				result = " skipped"
			}
			w.checkUploads(c[0], "upload accepted, retract"+result)
			w.checkUploads(c[2], "upload accepted, restate"+result)
			var retracted, restated int
			for _, v := range w.received(2) {
				if v.Retracted {
					retracted++
				}
				if v.Value == "10" {
					restated++
				}
			}
			if changes := result == " accepted"; changes != (retracted == 1) || changes != (restated == 1) {
				t.Errorf("%d conversions retracted and %d restated, want 1 of each if the platform accepts changes, else 0", retracted, restated)
			}
			w.sweep()
			if got := dbtest.Get[string](w, w.db, `SELECT count(*) FROM integration_runs WHERE kind = 'conversion_upload' AND ended_at IS NOT NULL AND applied`); got != "2" {
				t.Errorf("%s runs have ended and are applied, want 2", got)
			}
		})
	}
}

// TestShadow checks that uploads in shadow mode do not count at the platform. After a change to live mode, nothing of the shadow
// mode is retracted.
func TestShadow(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.GoogleAds)
	w.connect(func(c *integration.SourceConnect) { c.UploadMode = nil })
	c := w.storeClicks("one", "bad-two")
	c = append(c, w.storeClicks("three")...)
	w.convert("approved", 10, c...)
	w.sweep()
	w.checkUploads(c[0], "upload shadow")
	w.checkUploads(c[1], "upload shadow")
	if got := dbtest.Get[string](w, w.db, `SELECT reason FROM conversion_uploads WHERE click_id = $1`, c[1]); !strings.Contains(got, "INVALID_GCLID") {
		t.Error(got)
	}
	w.convert("chargeback", 10, c[0])
	w.sweep()
	w.checkUploads(c[0], "upload shadow, retract shadow")
	w.connect()
	w.convert("rejected", 10, c[1])
	w.convert("approved", 20, c[2])
	w.sweep()
	w.checkUploads(c[1], "upload shadow")
	w.checkUploads(c[2], "upload shadow, upload accepted")
	if list := w.received(1); list[0].Value != "10" {
		t.Errorf("%+v", list)
	}
}

// TestUploadedPage checks that the platform gets the address of the landing page, without the click's id.
func TestUploadedPage(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta)
	w.connect()
	w.convert("approved", 10, w.storeClicks("one")...)
	w.sweep()
	fields := w.received(1)[0].Fields
	if fields["event_source_url"] != "https://lander.example/page?a=1" || fields["referrer_url"] != "https://social.example/" {
		t.Errorf("%v", fields)
	}
}

// TestDestinationRefused checks that uploads stop after the first request if the platform refuses every event because of a
// setting. They go on after the setting has changed.
func TestDestinationRefused(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.GoogleAds)
	action := "555666777" // the fake refuses it, because the id does not name the account that owns the conversion action
	w.connect(func(c *integration.SourceConnect) { c.ConversionAction = &action })
	c := w.storeClicks("one", "two")
	w.convert("approved", 10, c...)
	w.sweep()
	w.checkUploads(c[0], "upload pending")
	for _, column := range []string{"uploads_stopped", "upload_failure"} {
		if got := dbtest.Get[string](w, w.db, `SELECT `+column+` FROM source_integrations`); !strings.Contains(got, "INVALID_CONVERSION_ACTION_ID") {
			t.Errorf("%s: %q", column, got)
		}
	}
	calls := w.platform.Calls()
	w.convert("approved", 20, c[1])
	if w.sweep(); w.platform.Calls() != calls || calls != 1 {
		t.Errorf("%d requests in all, of which %d came before the second sweep, want 1 and 1", w.platform.Calls(), calls)
	}
	action = adstest.GoogleShared
	w.connect(func(c *integration.SourceConnect) { c.ConversionAction = &action })
	w.sweep()
	w.checkUploads(c[0], "upload accepted")
	w.received(2)
}

// TestAmended checks that a waiting upload takes the new value of its conversion. Meta accepts no changes of uploads that were
// sent.
func TestAmended(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta)
	w.connect()
	c := w.storeClicks("one", "two")
	w.convert("approved", 10, c[0])
	w.convert("approved", 30, c[0])
	w.checkUploads(c[0], "upload pending")
	var once sync.Once
	w.platform.Pause(func(string) {
		once.Do(func() { w.convert("approved", 40, c[0]); w.convert("approved", 50, c[0]) })
	})
	w.sweep()
	w.checkUploads(c[0], "upload accepted, restate skipped")
	if list := w.received(1); list[0].Value != "15" {
		t.Errorf("%+v", list)
	}
	if got := dbtest.Get[string](w, w.db, `SELECT value::float FROM conversion_uploads WHERE action = 'restate'`); got != "25" {
		t.Errorf("the conversion was restated to %s, want 25", got)
	}
}

// TestOtherPlatform uploads conversions to one platform and then connects the traffic source to another. The other platform gets
// no changes of conversions that it never received.
func TestOtherPlatform(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta)
	w.connect()
	c := w.storeClicks("one&ttclid=one", "two&ttclid=two")
	w.convert("approved", 10, c...)
	w.sweep()
	w.received(2)
	w.of = "tiktok"
	w.connect(func(c *integration.SourceConnect) { c.Connection = nil })
	w.convert("approved", 30, c[0])
	w.convert("chargeback", 10, c[1])
	w.sweep()
	w.checkUploads(c[0], "upload accepted, upload accepted")
	w.checkUploads(c[1], "upload accepted")
	if list := w.received(1); list[0].Value != "15" {
		t.Errorf("%+v", list)
	}
}

// TestRefusedIsUploadedAgainAfterAChange checks that a refused conversion is uploaded again only if its value has changed.
func TestRefusedIsUploadedAgainAfterAChange(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.MicrosoftAds)
	w.connect()
	c := w.storeClicks("bad-one")
	w.convert("approved", 10, c...)
	w.sweep()
	w.checkUploads(c[0], "upload rejected")
	w.convert("approved", 11, c...)
	w.sweep()
	w.checkUploads(c[0], "upload rejected, upload rejected")
	w.convert("rejected", 11, c...)
	w.convert("approved", 11, c...) // the same as in the refused upload
	w.sweep()
	w.checkUploads(c[0], "upload rejected, upload rejected")
}

// TestUnrated checks that an upload with a value waits until there is an exchange rate to the account's currency, and shows that
// reason. With the rate, it counts towards the daily cap on the value. An upload with the value 0 does not wait.
func TestUnrated(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta)
	w.connect(func(c *integration.SourceConnect) {
		m := models.NewMoney(decimal.NewFromInt(22))
		c.DailyCapValue = &m
	})
	c := w.storeClicks("a", "b", "c", "free")
	w.convertIn("EUR", "approved", 10, c[:3]...)
	w.convertIn("EUR", "approved", 0, c[3])
	w.sweep()
	w.received(1)
	w.checkUploads(c[3], "upload accepted")
	for _, id := range c[:3] {
		w.checkUploads(id, "upload pending")
	}
	const waiting = `SELECT count(*) FROM conversion_uploads WHERE result = 'pending' AND attempts = 0 AND reason LIKE $1 AND next_at > now()`
	if got := dbtest.Get[string](w, w.db, waiting, "there is no exchange rate yet%"); got != "3" {
		t.Errorf("%s uploads wait for a rate, want 3", got)
	}
	sweepAll := func() {
		dbtest.Exec(w, w.db, `UPDATE conversion_uploads SET next_at = now() WHERE result = 'pending'`)
		w.sweep()
	}
	sweepAll()
	w.received(1)
	dbtest.SetRates(t, w.db, "2")
	if err := exchangerate.UpdateFixed(t.Context(), w.db); err != nil {
		t.Fatal(err)
	}
	sweepAll()
	w.received(3) // the free conversion, and two of 5 euros each
	if got := dbtest.Get[string](w, w.db, waiting, "the daily cap on the value of uploads%"); got != "1" {
		t.Errorf("%s uploads wait for the next day, want 1", got)
	}
}

// TestCaps checks that uploads beyond the daily caps wait for the next day and show the reason.
func TestCaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*integration.SourceConnect)
		sent   int
	}{
		"number": {func(c *integration.SourceConnect) { n := 3; c.DailyCapCount = &n }, 3},
		"value": {func(c *integration.SourceConnect) {
			m := models.NewMoney(decimal.NewFromInt(22))
			c.DailyCapValue = &m
		}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t, models.Meta)
			w.connect(c.change)
			clicks := w.storeClicks(numbered("c", 10)...)
			w.convert("approved", 10, clicks...)
			w.sweep()
			w.sweep()
			w.received(c.sent)
			const waiting = `SELECT count(*) FROM conversion_uploads WHERE result = 'pending' AND reason LIKE 'the daily cap on the ' || $1 || ' of uploads%'
				AND next_at > now() AND next_at <= now() + interval '24 hours'`
			if got, want := dbtest.Get[string](w, w.db, waiting, name), 10-c.sent; got != decimal.NewFromInt(int64(want)).String() {
				t.Errorf("%s uploads wait, want %d", got, want)
			}
			dbtest.Exec(w, w.db, `UPDATE conversion_uploads SET decided_at = decided_at - interval '24 hours', next_at = now()`)
			w.sweep()
			w.received(2 * c.sent)
		})
	}
}

// TestBreaker checks that a platform that accepts too few conversions gets no more until the connection is saved again.
func TestBreaker(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.MicrosoftAds)
	w.connect()
	c := w.storeClicks(append(numbered("bad-", 20), numbered("good-", 30)...)...)
	w.convert("approved", 10, c...)
	w.sweep()
	w.sweep()
	w.received(0)
	const stopped = `SELECT uploads_stopped FROM source_integrations`
	if got := dbtest.Get[string](w, w.db, stopped); got != "the platform accepted 0 of the last 20 conversions" {
		t.Errorf("the reason why uploads are stopped is %q, want 0 of 20 accepted", got)
	}
	w.connect()
	w.sweep()
	w.received(30)
	if got := dbtest.Get[string](w, w.db, stopped); got != "" {
		t.Errorf("uploads are still stopped after the connection was saved again: %q", got)
	}
}

// TestSwitch checks that nothing is sent while CONVERSION_UPLOADS is off, and that the upload waits.
func TestSwitch(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta, func(o *adupload.Options) { o.Off = true })
	w.connect()
	c := w.storeClicks("one")
	w.convert("approved", 10, c...)
	w.sweep()
	w.checkUploads(c[0], "upload pending")
	if n := w.platform.Calls(); n != 0 {
		t.Errorf("%d requests although uploads are switched off", n)
	}
}

// TestReady checks that uploads wait until the time uploads_ready_at. If conversion uploads are switched off, they are skipped.
func TestReady(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.MicrosoftAds)
	w.connect()
	c := w.storeClicks("one", "two")
	dbtest.Exec(w, w.db, `UPDATE source_integrations SET uploads_ready_at = now() + interval '2 hours'`)
	w.convert("approved", 10, c[0])
	w.sweep()
	w.checkUploads(c[0], "upload pending")
	dbtest.Exec(w, w.db, `UPDATE source_integrations SET uploads_ready_at = now() - interval '1 second'`)
	w.sweep()
	w.checkUploads(c[0], "upload accepted")
	w.convert("approved", 10, c[1])
	w.connect(func(c *integration.SourceConnect) { off := false; c.ConversionsEnabled = &off })
	w.sweep()
	w.checkUploads(c[1], "upload skipped")
}

// TestFailures checks that uploads wait for another job after a failure of the platform. A run names the request that failed. No
// credential occurs in the log or in a row.
func TestFailures(t *testing.T) { //nolint:paralleltest // it watches the log
	w := newEnv(t, models.Meta)
	w.watchLogs()
	w.connect()
	c := w.storeClicks("one")
	w.convert("approved", 10, c...)
	for i, fault := range []resttest.Fault{resttest.Down, resttest.Echo, resttest.Expired} {
		w.platform.Fail(fault)
		dbtest.Exec(w, w.db, `UPDATE source_integrations SET upload_next_at = now()`)
		w.sweep()
		w.checkUploads(c[0], "upload pending")
		if got := dbtest.Get[string](w, w.db, `SELECT upload_failures::text FROM source_integrations`); got != decimal.NewFromInt(int64(i+1)).String() {
			t.Errorf("after fault %d, %s failures in a row are stored", fault, got)
		}
	}
	for _, table := range []string{"jobs", "source_integrations", "integration_runs", "conversion_uploads"} {
		if n := dbtest.Get[string](w, w.db, `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%canary%'`); n != "0" {
			t.Errorf("%s rows of %s have a credential", n, table)
		}
	}
	const named = `SELECT count(*) FROM integration_runs WHERE provider_request = $1 AND failure NOT LIKE '%' || $1 || '%'`
	if n := dbtest.Get[string](w, w.db, named, resttest.RequestID); n == "0" {
		t.Error("no run names the request that failed")
	}
	w.logs.mu.Lock()
	text := w.logs.text.String()
	w.logs.mu.Unlock()
	if strings.Contains(text, "canary") || !strings.Contains(text, "uploads:send") {
		t.Errorf("the log contains a credential, or does not name the job: %s", text)
	}
}

// TestFenced uploads 1,000 conversions whose job loses its lease after the platform has received a batch. All are accepted, and the
// conversions of the batch are sent once more under the same ids.
func TestFenced(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta)
	w.connect()
	c := w.storeClicks(numbered("c", 1000)...)
	w.convert("approved", 10, c...)
	var once sync.Once
	w.platform.Pause(func(string) {
		if len(w.platform.Stored(models.Meta)) > 20 {
			once.Do(func() {
				dbtest.Exec(w, w.db, `UPDATE jobs SET state = 'failed', fence = fence + 1, lease_until = NULL, finished_at = now() WHERE kind = 'uploads:send'`)
			})
		}
	})
	w.sweepUntil(func() bool {
		return dbtest.Get[string](w, w.db, `SELECT count(*) FROM conversion_uploads WHERE result = 'accepted'`) == "1000"
	})
	again := 0
	for _, v := range w.received(1000) {
		again += v.Sent - 1
	}
	// The first batch has 20 conversions. The batch that is sent twice has the other 980.
	if again != 980 {
		t.Errorf("%d conversions were sent again, want 980", again)
	}
	if got := dbtest.Get[string](w, w.db, `SELECT count(DISTINCT conversion_id) FROM conversion_uploads`); got != "1000" {
		t.Errorf("%s conversions have an upload, want 1000", got)
	}
}

func (w *env) sweepUntil(ok func() bool) {
	w.Helper()
	await.Until(w.T, "the uploads are as awaited", func() bool { w.sweepOnce(); return ok() })
}
