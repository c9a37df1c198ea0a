package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
)

// TestSentPostbackLog: for each conversion, the log shows the postback to the traffic source, its result and the answer.
func TestSentPostbackLog(t *testing.T) {
	t.Parallel()
	x := newInboxEnv(t)
	var status atomic.Int32
	status.Store(http.StatusGone)
	var asked atomic.Pointer[string]
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uri := r.URL.RequestURI()
		asked.Store(&uri)
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte("thanks"))
	}))
	t.Cleanup(receiver.Close)
	made := x.Do("POST", "/traffic-sources", map[string]any{
		"name": "Pop", "send_payout_pct": 50, "postback_url": receiver.URL + "/?e={external_id}&p={payout}&key=s3cret",
	}).Want(201, "").Map()
	source := uuid.MustParse(made["id"].(string))
	c := &models.Click{
		ID: models.NewClickID(), AccountID: x.Account.ID, CampaignID: uuid.New(), NetworkID: x.id, SourceID: source,
		ExternalID: "abc", UniqueHours: 24,
	}
	put(x.t, x.spool, spool.Record{Click: c})
	convert := func(txid, result string) map[string]any {
		t.Helper()
		params := map[string]string{"myclick": models.FormatClickID(c.ID), "payout": "5", "txid": txid, "status": "approved"}
		in := x.send(params)
		x.ingestAll()
		x.Do("POST", "/logs/postbacks/"+in.String()+"/redeliver", nil).Want(404, "not_found")
		var rows []map[string]any
		await.Until(t, "the postback to the source has its result", func() bool {
			rows = x.rows("direction=out&limit=1")
			return len(rows) == 1 && rows[0]["sent"].(map[string]any)["conversion_reference"] == txid && rows[0]["result"] == result
		})
		return rows[0]
	}
	row := convert("1", "failed")
	sent := row["sent"].(map[string]any)
	if *asked.Load() != "/?e=abc&p=2.5&key=s3cret" || row["reason"] != "the source answered 410" || row["direction"] != "out" ||
		row["click_id"] != models.FormatClickID(c.ID) || row["network_name"] != "Net" || sent["source_name"] != "Pop" ||
		sent["payout"] != 5.0 || sent["status"] != "approved" || sent["attempts"] != 1.0 || sent["answer"] != "thanks" ||
		sent["url"] != receiver.URL+"/?e=abc&p=2.5&key=***" || sent["http_status"] != 410.0 || len(sent["tries"].([]any)) != 1 {
		t.Errorf("the source got the request %s, and the log shows %v", *asked.Load(), row)
	}

	one := "/logs/postbacks/" + row["id"].(string)
	status.Store(http.StatusNoContent)
	x.As(x.ReadKey).Do("POST", one+"/redeliver", nil).Want(403, "read_only_key")
	_, key, _ := x.NewAccount("scale")
	foreign := x.As(key)
	foreign.Do("GET", one, nil).Want(404, "not_found")
	foreign.Do("POST", one+"/redeliver", nil).Want(404, "not_found")
	again := x.Do("POST", one+"/redeliver", nil).Want(200, "").Map()
	if again["told"] != true || again["http_status"] != 204.0 || again["error"] != nil || again["id"] != row["id"] {
		t.Errorf("sending again is answered with %v, want the same postback accepted with 204", again)
	}
	if got := x.Do("GET", one, nil).Want(200, "").Map(); got["result"] != "told" || got["decided_at"] == nil {
		t.Errorf("after sending again the log shows %v, want the result told", got)
	}

	x.Do("PATCH", "/traffic-sources", map[string]any{"id": source, "is_active": false}).Want(200, "")
	if row := convert("2", "skipped"); row["reason"] != "the traffic source is paused" {
		t.Errorf("the postback of a paused source is %v, want the reason that the source is paused", row)
	}
	for query, want := range map[string]int{
		"": 2, "&result=told": 1, "&source=" + source.String(): 2, "&source=" + uuid.NewString(): 0, "&network=" + x.id.String(): 2,
		"&campaign=" + c.CampaignID.String() + "&result=skipped": 1, "&from=2026-01-01&to=2026-01-02": 0, "&offset=1": 1,
		"&click_id=" + fmt.Sprint(row["click_id"]): 2, "&click_id=" + models.FormatClickID(models.NewClickID()): 0,
		"&transaction=1": 1, "&transaction=3": 0, "&conversion=" + fmt.Sprint(row["conversion_id"]): 1,
	} {
		if n := len(x.rows("direction=out" + query)); n != want {
			t.Errorf("the log with %s has %d rows, want %d", query, n, want)
		}
	}
	x.Do("GET", "/logs/postbacks?direction=out&result=matched", nil).Want(400, "invalid_input")
	x.Do("GET", "/logs/postbacks?direction=out&source=x", nil).Want(400, "invalid_id")
	x.Do("GET", "/logs/postbacks?direction=out&click_id=x", nil).Want(400, "invalid_id")
	if rows := foreign.Do("GET", "/logs/postbacks?direction=out", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("another account sees %v", rows)
	}
}
