package sourcepostback_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/retention"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
)

// TestTokensAndLog: tokens without a value are removed. The log has the request and the answer without secrets.
func TestTokensAndLog(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb/{sub1}?e={external_id}&c={clickid}&p={payout}&cur={currency}&s={status}&w={status:approved=1}&"+
		"g={goal}&n={source_name}&x={unknown}&m={offer_name}&profit={profit}&id={conversion_id}&cc={country}&q={param.Land}{param.none}{param.raw}&key=s3cret#f")
	w.set("send_payout_pct", "40")
	w.reply(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(strings.Repeat("ok\x00", 5000))) })
	c := w.click()
	ids := w.convert(c, models.StatusApproved)
	if len(ids) != 1 {
		t.Fatalf("%d postbacks", len(ids))
	}
	s := w.ends(ids[0], models.SentAccepted)
	want := "/pb/zone%207?e=e%2F1&c=" + models.FormatClickID(c.ID) + "&p=4&cur=USD&s=approved&w=1&g=&n=Push%20%26%20Pop&x=&m=" +
		"&profit=3.5&id=tx%201&cc=DE&q=de%26en&key="
	calls := w.received()
	if len(calls) != 1 || calls[0] != (call{method: "GET", uri: want + "s3cret", delivery: ids[0].String()}) {
		t.Errorf("%+v, want %s", calls, want)
	}
	if s.Request != (models.SentRequest{Method: "GET", URL: w.receiver.URL + want + "***"}) || *s.HTTPStatus != 200 ||
		len(s.Answer) < 1000 || len(s.Answer) > models.MaxAnswer || s.job != models.JobDone || s.Attempts != 1 || len(s.Tries) != 1 {
		t.Errorf("the log has %+v, job %s", s.SentPostback, s.job)
	}
	if !s.Payout.Equal(decimal.NewFromInt(10)) || s.ToldAt == nil || s.ClickID != c.ID || s.Reason != "" {
		t.Errorf("the log has %+v", s.SentPostback)
	}
	if n := w.counted(); !maps.Equal(n, map[string]int{"told": 1}) {
		t.Errorf("counted %v", n)
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb?a={external_id}&secret=s3&b={event_time}")
	w.set("postback_method", "POST")
	id := w.convert(w.click(), models.StatusApproved)[0]
	s := w.ends(id, models.SentAccepted)
	want := fmt.Sprintf("a=e%%2F1&secret=s3&b=%d", s.RecordedAt.Unix())
	if calls := w.received(); len(calls) != 1 || calls[0] != (call{
		"POST", "/pb", want, "application/x-www-form-urlencoded", id.String(),
	}) {
		t.Errorf("%+v, want %s", calls, want)
	}
	if s.Request.URL != w.receiver.URL+"/pb" || s.Request.Body != strings.Replace(want, "s3", "***", 1) {
		t.Errorf("the log has %+v", s.Request)
	}
}

// TestOncePerStatus checks the order of the statuses too.
func TestOncePerStatus(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb?s={status}&g={goal}", time.Second)
	w.set("postback_statuses", "{approved,rejected}")
	w.set("postback_goals", document([]models.GoalPostback{
		{Goal: "Deposit", URL: w.receiver.URL + "/deposit?s={status}", Statuses: []string{models.StatusPending}},
		{Goal: "mute", Statuses: []string{}},
	}))
	var fails atomic.Int32
	fails.Store(1) // the first postback is sent again, and the second one waits for it
	w.reply(func(rw http.ResponseWriter, _ *http.Request) {
		if fails.Add(-1) >= 0 {
			rw.WriteHeader(http.StatusBadGateway)
		}
	})
	c := w.click()
	ids := w.convert(c, "pending", "approved", "approved", "rejected", "approved", "chargeback")
	ids = append(ids, w.convert(c, "chargeback")...)
	if len(ids) != 2 {
		t.Fatalf("%d postbacks, want one for each status that the source wants", len(ids))
	}
	for _, id := range ids {
		w.ends(id, models.SentAccepted)
	}
	uris := func() []string { return db.Map(w.received(), func(c call) string { return c.uri }) }
	if got, want := uris(), []string{"/pb?s=approved&g=", "/pb?s=approved&g=", "/pb?s=rejected&g="}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	goal := func(goal, status string) conversion.Input {
		return conversion.Input{ClickID: c.ID, Goal: goal, Status: status}
	}
	other := w.record(goal("deposit", "pending"), goal("deposit", "approved"), goal("mute", "approved"), goal("lead", "approved"))
	for _, id := range other {
		w.ends(id, models.SentAccepted)
	}
	got := uris()[3:]
	slices.Sort(got)
	if want := []string{"/deposit?s=pending", "/pb?s=approved&g=lead"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAnswers: 2xx is a success, and 410 ends the attempts. After any other answer, the remaining attempts follow.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb", 0, 0)
	w.reply(status(http.StatusGone))
	id := w.convert(w.click(), models.StatusApproved)[0]
	s := w.ends(id, models.SentFailed)
	if s.Attempts != 1 || s.Reason != "the source answered 410" || s.job != models.JobDone {
		t.Errorf("after 410: %+v, job %s", s.SentPostback, s.job)
	}
	if a, err := w.resend(w.account, id); err != nil || a.Told || *a.Status != 410 || a.Error == "" {
		t.Errorf("sent again after 410: %+v, %v", a, err)
	}

	w.reply(status(http.StatusFound))
	id = w.convert(w.click(), models.StatusApproved)[0]
	s = w.ends(id, models.SentFailed)
	if s.Attempts != 3 || len(s.Tries) != 3 || s.Tries[2].Error != "the source answered 302" || s.job != models.JobFailed {
		t.Errorf("after 302: %+v, job %s", s.SentPostback, s.job)
	}
	w.reply(status(http.StatusAccepted))
	if a, err := w.resend(w.account, id); err != nil || !a.Told || *a.Status != 202 || a.Error != "" || a.ID != id {
		t.Errorf("sent again after 302: %+v, %v", a, err)
	}
	w.reply(status(http.StatusTeapot))
	if a, err := w.resend(w.account, id); err != nil || a.Told {
		t.Errorf("sent again: %+v, %v", a, err)
	}
	if s := w.read(id); s.Result != models.SentAccepted || s.Attempts != 5 {
		t.Errorf("a failed repetition changed the result of a sent postback: %+v", s.SentPostback)
	}
	if _, err := w.resend(uuid.New(), id); err == nil || !strings.Contains(err.Error(), "not_found") && !strings.Contains(err.Error(), "no ") {
		t.Errorf("resending a postback of another account: %v", err)
	}
	for _, c := range w.received() {
		if _, err := uuid.Parse(c.delivery); err != nil {
			t.Errorf("a request without a delivery id: %+v", c)
		}
	}
	if n := w.counted(); !maps.Equal(n, map[string]int{"told": 1, "stopped": 2, "retried": 2, "failed": 2}) {
		t.Errorf("counted %v", n)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb", time.Second)
	w.reply(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "900")
		rw.WriteHeader(http.StatusTooManyRequests)
	})
	id := w.convert(w.click(), models.StatusApproved)[0]
	w.until(id, func(s state) bool { return s.Attempts == 1 && s.job == models.JobPending })
	var wait float64
	if err := w.db.GetContext(t.Context(), &wait,
		`SELECT extract(epoch FROM j.next_attempt_at - p.last_attempt)::float8 FROM jobs j JOIN source_postbacks p USING (id)
		WHERE id = $1`, id); err != nil {
		t.Fatal(err)
	}
	if wait < 900 {
		t.Errorf("the next attempt is after %f s, want 900", wait)
	}
}

// TestSkipped: the log shows why a postback was skipped, and the postback can be sent by hand.
func TestSkipped(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb")
	c := w.click()
	skipped := func(column string, value any, why string) uuid.UUID {
		t.Helper()
		w.set(column, value)
		id := w.record(conversion.Input{ClickID: c.ID, ConversionID: why, Status: models.StatusApproved})[0]
		if s := w.ends(id, models.SentSkipped); s.Reason != why || s.Attempts != 0 || s.job != models.JobDone {
			t.Errorf("%s: %+v, job %s", why, s.SentPostback, s.job)
		}
		return id
	}
	id := skipped("is_active", false, "the traffic source is paused")
	if a, err := w.resend(w.account, id); err != nil || !a.Told {
		t.Errorf("sent by hand: %+v, %v", a, err)
	}
	skipped("deactivated_at", time.Now(), "the traffic source is deactivated")
	w.set("deactivated_at", nil)
	w.set("is_active", true)

	w.reply(status(http.StatusBadGateway))
	id = w.convert(c, models.StatusApproved)[0]
	w.until(id, func(s state) bool { return s.Attempts == 1 })
	w.set("postback_url", "")
	if _, err := w.resend(w.account, id); err == nil {
		t.Error("a postback was sent although the source has no address")
	}
	w.set("postback_url", w.receiver.URL+"/new")
	dbtest.Exec(w, w.db, `DELETE FROM clicks WHERE id = $1`, c.ID)
	if a, err := w.resend(w.account, id); err != nil || a.Told || a.Error != "its click is deleted" {
		t.Errorf("resending a postback whose click is deleted: %+v, %v", a, err)
	}
	for _, address := range []string{"", w.receiver.URL + "/pb?aid=YOUR_AID"} {
		w.set("postback_url", address)
		if ids := w.convert(w.click(), models.StatusApproved); len(ids) != 0 {
			t.Errorf("a source with the address %q gets %d postbacks", address, len(ids))
		}
		if _, err := w.resend(w.account, id); err == nil {
			t.Errorf("a postback was sent to %q", address)
		}
	}
}

// TestHostThatHangs: a host that hangs for one source does not delay the postbacks of another source to the same host.
func TestHostThatHangs(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/hangs", time.Hour)
	release := make(chan struct{})
	var hanging, most atomic.Int32
	w.reply(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/hangs" {
			return
		}
		n := hanging.Add(1)
		defer hanging.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		select {
		case <-release:
		case <-r.Context().Done(): // the sender no longer waits
		}
	})
	t.Cleanup(func() { close(release) })
	for range 30 {
		w.convert(w.click(), models.StatusApproved)
	}
	await.Until(t, "postbacks hang", func() bool { return most.Load() >= 2 })
	well := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO traffic_sources (id, account_id, name, postback_url) VALUES ($1, $2, 'well', $3)`, well, w.account,
		w.receiver.URL+"/well")
	c := w.newClick()
	c.SourceID = well
	w.put(c)
	w.ends(w.convert(c, models.StatusApproved)[0], models.SentAccepted)
	// For each source, a host gets two of the 60 places until its first postback has ended, and eight afterwards.
	if n := most.Load(); n > 8 {
		t.Errorf("%d requests hang at the same time, want at most 8", n)
	}
}

func TestDeletedWithItsClick(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb")
	w.reply(status(http.StatusBadGateway))
	c := w.click()
	id := w.convert(c, models.StatusApproved)[0]
	w.until(id, func(s state) bool { return s.Attempts == 1 && s.job == models.JobPending })
	err := db.Tx(t.Context(), w.db, func(conn db.Conn) error {
		_, err := retention.Clear(t.Context(), w.clicks, conn, retention.ClearQuery{
			AccountID: w.account, Of: []uuid.UUID{c.CampaignID}, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour),
		}, 100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var left int
	const q = `SELECT (SELECT count(*) FROM source_postbacks) + (SELECT count(*) FROM jobs WHERE kind = 'postback:send')`
	if err := w.db.GetContext(t.Context(), &left, q); err != nil || left != 0 {
		t.Errorf("%d rows are left, %v", left, err)
	}
}

// TestResendFailed: each failed postback of the window is sent once more, under the same id. Accepted postbacks, and postbacks of
// other accounts and of paused sources, stay unchanged.
func TestResendFailed(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb", 0)
	accepted := w.convert(w.click(), models.StatusApproved)[0]
	w.ends(accepted, models.SentAccepted)
	w.reply(status(http.StatusInternalServerError))
	failed := []uuid.UUID{w.convert(w.click(), models.StatusApproved)[0], w.convert(w.click(), models.StatusApproved)[0]}
	w.reply(status(http.StatusGone))
	failed = append(failed, w.convert(w.click(), models.StatusApproved)[0])
	for _, id := range failed {
		w.ends(id, models.SentFailed)
	}
	before := len(w.received())
	again := func(account uuid.UUID, args jobs.ResendFailedArgs) int64 {
		t.Helper()
		ticket, err := jobs.Submit(t.Context(), w.client, jobs.ResendFailed, account, args)
		if err != nil {
			t.Fatal(err)
		}
		out, err := jobs.Await(t.Context(), ticket)
		if err != nil {
			t.Fatal(err)
		}
		return out.Requeued
	}
	window := jobs.ResendFailedArgs{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}
	other, old := window, window
	other.Source, old.To = uuid.New(), window.From.Add(time.Minute)
	if n := again(uuid.New(), window) + again(w.account, other) + again(w.account, old); n != 0 {
		t.Errorf("%d postbacks of other accounts, sources or windows were requeued", n)
	}
	w.set("is_active", false)
	if n := again(w.account, window); n != 0 {
		t.Errorf("%d postbacks of a paused source were requeued", n)
	}
	w.set("is_active", true)
	if n := again(w.account, window); n != 3 {
		t.Errorf("%d requeued, want 3", n)
	}
	attempts := map[uuid.UUID]int{}
	for _, id := range failed {
		s := w.until(id, func(s state) bool { return s.Result == models.SentFailed })
		attempts[id] = s.Attempts
	}
	if n := len(w.received()); n != before+3 {
		t.Errorf("%d requests, want one for each failed postback", n-before)
	}
	w.reply(status(http.StatusOK))
	window.Source = w.source
	if n := again(w.account, window); n != 3 {
		t.Errorf("%d requeued, want 3", n)
	}
	for _, id := range failed {
		if s := w.ends(id, models.SentAccepted); s.Attempts != attempts[id]+1 || s.ToldAt == nil {
			t.Errorf("the postback that was sent again is %+v", s.SentPostback)
		}
	}
	if n := again(w.account, window); n != 0 {
		t.Errorf("%d postbacks were requeued although the source had accepted all", n)
	}
}
