package sourcepostback_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/models"
)

// TestTrial: a test calls the source as for a real conversion. The result is without secrets, and nothing is stored.
func TestTrial(t *testing.T) {
	t.Parallel()
	w := newEnv(t, "/pb?e={external_id}&c={clickid}&p={payout}&cur={currency}&s={status}&g={goal}&id={conversion_id}&key=s3cret")
	w.set("send_payout_pct", "40")
	w.reply(func(rw http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(rw, "took %s", r.URL.RequestURI()) })
	try := func(account uuid.UUID, a jobs.TestPostbackArgs) (jobs.TestedPostback, error) {
		t.Helper()
		a.SourceID = w.source
		ticket, err := jobs.Submit(t.Context(), w.client, jobs.TestPostback, account, a)
		if err != nil {
			t.Fatal(err)
		}
		return jobs.Await(t.Context(), ticket)
	}
	refused := func(account uuid.UUID, a jobs.TestPostbackArgs, code string) {
		t.Helper()
		_, err := try(account, a)
		if e, ok := models.AsError(err); !ok || e.Code != code {
			t.Errorf("%+v: %v, want %s", a, err, code)
		}
	}
	// Without a click id, the test takes the latest click of the source.
	latest := jobs.TestPostbackArgs{Status: models.StatusRejected, Payout: "10", ConversionID: "T 1", Goal: "lead"}
	refused(w.account, latest, "no_click")
	c := w.click()
	got, err := try(w.account, latest)
	if err != nil {
		t.Fatal(err)
	}
	want := "/pb?e=e%2F1&c=" + models.FormatClickID(c.ID) + "&p=4&cur=USD&s=rejected&g=lead&id=T%201&key="
	calls := w.received()
	if len(calls) != 1 || calls[0].uri != want+"s3cret" || calls[0].method != "GET" || len(calls[0].delivery) != 36 {
		t.Errorf("%+v, want %s", calls, want)
	}
	if got.Request.URL != w.receiver.URL+want+"***" || got.Answer != "took "+want+"***" || *got.Status != 200 || !got.Told || got.Wanted ||
		got.ClickID != c.ID || got.Error != "" {
		t.Errorf("%+v", got)
	}

	ofClick := latest
	ofClick.ClickID, ofClick.Status = c.ID, models.StatusApproved
	w.click() // a later click
	w.reply(status(http.StatusTeapot))
	w.set("is_active", false)
	got, err = try(w.account, ofClick)
	if err != nil || got.Told || !got.Wanted || *got.Status != 418 || got.ClickID != c.ID || !strings.Contains(got.Error, "418") {
		t.Errorf("%+v, %v", got, err)
	}
	w.receiver.Close()
	if got, err = try(w.account, ofClick); err != nil || got.Status != nil || got.Error == "" || got.Told {
		t.Errorf("a test while the receiver is down: %+v, %v", got, err)
	}
	refused(uuid.New(), ofClick, "not_found")
	ofClick.ClickID = uuid.Must(uuid.NewV7())
	refused(w.account, ofClick, "no_click")
	foreign := w.newClick()
	foreign.SourceID = uuid.New()
	w.put(foreign)
	ofClick.ClickID = foreign.ID
	refused(w.account, ofClick, "no_click")
	w.set("postback_url", "")
	refused(w.account, latest, "no_url")

	var left int
	if err := w.db.GetContext(t.Context(), &left, `SELECT (SELECT count(*) FROM source_postbacks) + (SELECT count(*) FROM source_failures) +
		(SELECT count(*) FROM conversions) + (SELECT count(*) FROM jobs)`); err != nil || left != 0 {
		t.Errorf("%d rows are left, %v", left, err)
	}
	if n := w.counted(); !maps.Equal(n, map[string]int{}) {
		t.Errorf("counted %v", n)
	}
}
