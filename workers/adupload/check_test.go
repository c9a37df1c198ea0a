package adupload_test

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/workers/adupload"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/rest/resttest"
)

// TestOutcomes checks outcomes that Google reports only some time after a request. In the end the service stops asking for them.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var ahead time.Duration
	w := newEnv(t, models.GoogleAds, func(o *adupload.Options) {
		o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().Add(ahead) }
	})
	advance := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); ahead += d }
	w.connect()
	click := w.storeClicks("fails", "partly", "fine", "silent")
	for _, c := range click {
		w.convert("approved", 10, c)
		w.sweep() // in a request of its own
	}
	w.platform.Outcome("req-1", adstest.RequestOutcome{Status: "FAILED", Reason: "PROCESSING_ERROR_OPERATING_ACCOUNT_MISMATCH_FOR_AD_IDENTIFIER"})
	w.platform.Outcome("req-2", adstest.RequestOutcome{Status: "PARTIAL_SUCCESS", Reason: "PROCESSING_ERROR_REASON_EVENT_TOO_OLD"})
	w.sweep() // no check is due yet
	for _, c := range click {
		w.checkUploads(c, "upload accepted")
	}
	reason := func(n int, want string) {
		t.Helper()
		if got := dbtest.Get[string](w, w.db, `SELECT reason FROM conversion_uploads WHERE click_id = $1`, click[n]); got != want {
			t.Errorf("the reason of upload %d is %q, want %q", n, got, want)
		}
	}
	wantRequests := func(want string) {
		t.Helper()
		if got := dbtest.Get[string](w, w.db, `SELECT count(*) FROM upload_requests`); got != want {
			t.Errorf("%s requests are left, want %s", got, want)
		}
	}
	wantRequests("4")
	advance(time.Hour)
	w.platform.Fail(resttest.Refusal)
	w.sweep() // a failed check fails no upload
	wantRequests("4")
	w.platform.Fail(resttest.None)
	advance(time.Hour)
	w.sweep()
	w.checkUploads(click[0], "upload rejected")
	reason(0, "request req-1 failed: PROCESSING_ERROR_OPERATING_ACCOUNT_MISMATCH_FOR_AD_IDENTIFIER (1)")
	w.checkUploads(click[1], "upload accepted")
	reason(1, "request req-2: processed, except for some events, which the platform does not name: PROCESSING_ERROR_REASON_EVENT_TOO_OLD (1)")
	reason(2, "request req-3")
	wantRequests("2")
	w.platform.Outcome("req-3", adstest.RequestOutcome{Status: "SUCCESS"})
	advance(time.Hour)
	w.sweep()
	reason(2, "request req-3: processed")
	advance(3 * 24 * time.Hour)
	w.sweep()
	w.checkUploads(click[3], "upload accepted")
	reason(3, "request req-4: accepted; the platform has not reported a result")
	wantRequests("0")
	dbtest.Exec(w, w.db, `INSERT INTO upload_requests (source_id, request, account_id, made_at, check_at)
		SELECT source_id, 'old', account_id, now() - interval '1 year', now() + interval '1 year' FROM source_integrations`)
	w.convert("chargeback", 10, click[0])
	w.sweep()
	w.checkUploads(click[0], "upload rejected")
	wantRequests("0")
}

// TestTooSoon checks that a conversion that was uploaded too soon after its click is uploaded again, unless the platform has
// accepted a retraction or a new value since.
func TestTooSoon(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var ahead time.Duration
	w := newEnv(t, models.GoogleAds, func(o *adupload.Options) {
		o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().Add(ahead) }
	})
	advance := func(d time.Duration) { mu.Lock(); ahead += d; mu.Unlock(); w.sweep() }
	const soon, known = "PROCESSING_ERROR_REASON_TOO_RECENT_CLICK", "PROCESSING_ERROR_REASON_DUPLICATE_TRANSACTION_ID"
	w.connect()
	click := w.storeClicks("all", "some", "undone", "changed", "known", "twice", "overtaken")
	for i, c := range click {
		w.convert("approved", 10, c)
		w.sweep() // in a request of its own
		w.platform.Outcome(fmt.Sprint("req-", i+1), adstest.RequestOutcome{Status: "FAILED", Reason: soon})
	}
	w.platform.Outcome("req-2", adstest.RequestOutcome{Status: "PARTIAL_SUCCESS", Reason: soon})
	w.platform.Outcome("req-5", adstest.RequestOutcome{Status: "FAILED", Reason: "PROCESSING_ERROR_REASON_DUPLICATE_GCLID"})
	w.convert("chargeback", 10, click[2])
	w.convert("approved", 60, click[5])
	w.sweep()
	w.platform.Outcome("req-8", adstest.RequestOutcome{Status: "FAILED", Reason: soon})
	w.convert("approved", 70, click[6])
	w.sweep()
	w.platform.Outcome("req-9", adstest.RequestOutcome{Status: "SUCCESS"})
	advance(time.Hour)
	for i, want := range []string{
		"upload pending", "upload pending", "upload rejected, retract accepted", "upload pending", "upload accepted",
		"upload pending, restate pending", "upload skipped, restate accepted",
	} {
		w.checkUploads(click[i], want)
	}
	if got := dbtest.Get[string](w, w.db, `SELECT reason FROM conversion_uploads WHERE click_id = $1`, click[0]); got != "request req-1 failed: "+soon+" (1)" {
		t.Error(got)
	}
	w.convert("approved", 30, click[3])
	w.convert("approved", 30, click[1]) // the platform may have the first upload
	w.convert("approved", 40, click[4])
	w.sweep()
	w.checkUploads(click[3], "upload pending")
	w.checkUploads(click[1], "upload pending, restate pending")
	w.checkUploads(click[4], "upload accepted, restate accepted")
	w.platform.Outcome("req-10", adstest.RequestOutcome{Status: "FAILED", Reason: known})
	advance(6 * time.Hour)
	for i, want := range []string{
		"upload accepted", "upload accepted, restate accepted", "upload rejected, retract accepted", "upload accepted", "upload accepted, restate rejected",
		"upload accepted, restate accepted", "upload skipped, restate accepted",
	} {
		w.checkUploads(click[i], want)
	}
	// The source sends half of a payout.
	values := map[string]int{}
	for _, v := range w.received(7) {
		values[v.Value] += v.Sent
	}
	if want := map[string]int{"5": 3, "15": 5, "20": 2, "30": 4, "35": 2}; !maps.Equal(values, want) {
		t.Errorf("values and how often each was uploaded: %v, want %v", values, want)
	}
}
