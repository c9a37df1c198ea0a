package api

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/click"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/postback"
	"switchyard/workers"
	"switchyard/workers/conversion"
	"switchyard/workers/egress"
	"switchyard/workers/oldtracker"
	"switchyard/workers/sourcepostback"
)

// inboxEnv is an API, a spool that receives postbacks, and a worker.
type inboxEnv struct {
	*apitest.Server
	t      *testing.T
	client *jobs.Client
	spool  *spool.Spool
	id     uuid.UUID
}

func newInboxEnv(t *testing.T) *inboxEnv {
	t.Helper()
	redis := jobstest.Redis(t)
	x := &inboxEnv{t: t, client: jobs.Connect(redis)}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	x.Server = apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: x.client, EgressAllow: loopback}})
	runtime := workers.New(workers.Options{DB: x.DB, Redis: redis, Client: x.client, Grace: 4 * time.Second})
	clicks := click.Log{Conn: x.DB}
	conversion.Register(runtime, x.Store, clicks)
	pages, err := egress.New(egress.Options{Allow: loopback, Schemes: []string{"https", "http"}, MaxHeaders: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	sourcepostback.Register(runtime, x.Store, sourcepostback.Options{Egress: pages, Clicks: clicks})
	oldtracker.Register(runtime, x.Store, oldtracker.Options{Egress: pages, Schedule: []time.Duration{10 * time.Millisecond, 10 * time.Millisecond}})
	jobstest.Run(t, runtime.Run)
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	x.spool = log
	made := x.Do("POST", "/networks", map[string]any{"name": "Net", "postback_params": map[string]any{"click_id": "myclick"}}).
		Want(201, "").Map()
	x.id = uuid.MustParse(fmt.Sprint(made["id"]))
	return x
}

func (x *inboxEnv) send(params map[string]string) uuid.UUID {
	x.t.Helper()
	p := &models.Postback{
		ID: models.NewClickID(), AccountID: x.Account.ID, NetworkID: x.id, Source: models.FromPostback, Params: params,
	}
	n, _, err := x.Store.PostbackNetwork(x.t.Context(), x.id)
	if err != nil {
		x.t.Fatal(err)
	}
	p.ClickID, p.Unmatched = postback.NamedClick(params, n.Network, time.Now())
	if proof, ok := postback.Hide(p, n.Network, func(string) bool { return false }); ok {
		if p.Proof, err = x.Store.SealProof(x.t.Context(), p.ID, proof); err != nil {
			x.t.Fatal(err)
		}
	}
	put(x.t, x.spool, spool.Record{Postback: p})
	return p.ID
}

func (x *inboxEnv) ingestAll() {
	x.t.Helper()
	drain(x.t, x.spool, x.DB, ingest.Options{OnPostbacks: func(ctx context.Context, rows []models.JobRef) {
		x.client.Dispatch(ctx, rows...)
	}})
	await.Until(x.t, "all postbacks are decided", func() bool {
		ticket, err := jobs.Submit(x.t.Context(), x.client, jobs.MatchPostbacks, uuid.Nil, jobs.Tick{})
		if err == nil {
			_, err = jobs.Await(x.t.Context(), ticket)
		}
		if err != nil {
			x.t.Fatal(err)
		}
		return len(x.rows("result=accepted")) == 0
	})
}

func (x *inboxEnv) rows(query string) (rows []map[string]any) {
	x.t.Helper()
	for _, row := range x.Do("GET", "/logs/postbacks?"+query, nil).Want(200, "").Map()["rows"].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// TestPostbackLog: the log shows the result of each postback.
func TestPostbackLog(t *testing.T) {
	t.Parallel()
	x := newInboxEnv(t)
	campaign := uuid.New()
	var clicks []string
	for range 2 {
		c := &models.Click{ID: models.NewClickID(), AccountID: x.Account.ID, CampaignID: campaign, NetworkID: x.id, UniqueHours: 24}
		clicks = append(clicks, models.FormatClickID(c.ID))
		put(x.t, x.spool, spool.Record{Click: c})
	}
	type p = map[string]string
	sent := []struct {
		params         p
		result, reason string
	}{
		{p{"myclick": clicks[0], "payout": "5", "txid": "1", "key": "s3cret", "foo": "b4r"}, "matched", "created"},
		{p{"myclick": clicks[0], "payout": "5", "txid": "1"}, "duplicate", "duplicate"},
		{p{"myclick": clicks[0], "status": "hold", "txid": "1"}, "ignored", "a conversion does not go from approved to pending"},
		{p{"myclick": clicks[0], "status": "Deal", "payout": "{payout}", "txid": "2"}, "matched", "created"},
		{p{"theirs": clicks[1], "payout": "7", "status": "Deal"}, "unmatched", "still a macro"},
	}
	ids := make([]uuid.UUID, len(sent))
	for i, s := range sent {
		ids[i] = x.send(s.params)
	}
	x.ingestAll()
	_, foreign, _ := x.NewAccount("scale")
	rows := x.rows("")
	if len(rows) != len(sent) {
		t.Fatalf("the log has %d rows, want one for each postback: %v", len(rows), rows)
	}
	for i, s := range sent {
		row := rows[len(sent)-1-i]
		if row["id"] != ids[i].String() || row["result"] != s.result || !strings.HasSuffix(fmt.Sprint(row["reason"]), s.reason) ||
			row["network_name"] != "Net" || row["direction"] != "in" || row["sample"] != (s.result == "unmatched") {
			t.Errorf("the postback %v is in the log as %v", s, row)
		}
		one := "/logs/postbacks/" + ids[i].String()
		if got := x.Do("GET", one, nil).Want(200, "").Map(); got["query"] != row["query"] {
			t.Errorf("a single postback is shown as %v, want the query of the list", got)
		}
		x.As(foreign).Do("GET", one, nil).Want(404, "not_found")
		x.As(foreign).Do("POST", one+"/replay", nil).Want(404, "not_found")
	}
	if row := rows[4]; row["query"] != "foo=b4r&key=***&myclick="+clicks[0]+"&payout=5&txid=1" || row["campaign_id"] != campaign.String() {
		t.Errorf("the row of the first postback is %v, want its query without the secret, and its campaign", row)
	}
	if row := rows[0]; row["query"] != "payout=7&status=Deal&theirs=***" || row["click_id"] != nil {
		t.Errorf("the row of the last postback is %v, want its query with the unknown value hidden, and no click", row)
	}
	if rows[1]["invalid_payout"] != "{payout}" || rows[4]["invalid_payout"] != nil {
		t.Errorf("the rows are %v, want an invalid payout only in the second", rows)
	}
	perClick := map[any]int{}
	for _, row := range rows {
		perClick[row["click_id"]]++
	}
	for query, want := range map[string]int{
		"result=matched": 2, "network=" + x.id.String(): 5, "network=" + uuid.NewString(): 0, "campaign=" + campaign.String(): 4,
		"campaign=" + campaign.String() + "&result=ignored": 1, "from=2026-01-01&to=2026-01-02": 0, "direction=in&limit=2": 2,
		"click_id=" + models.FormatClickID(models.NewClickID()): 0, "click_id=" + fmt.Sprint(rows[4]["click_id"]): perClick[rows[4]["click_id"]],
	} {
		if n := len(x.rows(query)); n != want {
			t.Errorf("the log with %s has %d rows, want %d", query, n, want)
		}
	}
	for _, query := range []string{"result=none", "direction=up", "resultt=matched"} {
		x.Do("GET", "/logs/postbacks?"+query, nil).Want(400, "invalid_input")
	}
	x.Do("GET", "/logs/postbacks?network=x", nil).Want(400, "invalid_id")
	x.Do("GET", "/logs/postbacks?click_id=x", nil).Want(400, "invalid_id")
	if got := x.As(foreign).Do("GET", "/logs/postbacks", nil).Want(200, "").Map(); len(got["rows"].([]any)) != 0 {
		t.Errorf("another account sees %v", got)
	}
	x.replays(ids)
}

func (x *inboxEnv) replays(ids []uuid.UUID) {
	x.t.Helper()
	x.As(x.ReadKey).Do("POST", "/logs/postbacks/replay", nil).Want(403, "read_only_key")
	x.Do("POST", "/logs/postbacks/replay", map[string]any{"network": uuid.NewString()}).Want(404, "not_found")
	replay := func(want float64) {
		x.t.Helper()
		got := x.Do("POST", "/logs/postbacks/replay", map[string]any{"network": x.id}).Want(200, "").Map()
		if got["replayed"] != want {
			x.t.Errorf("the replay is answered with %v, want %v replayed postbacks", got, want)
		}
		x.ingestAll()
	}
	preview := x.Do("POST", "/logs/postbacks/replay", map[string]any{"network": x.id, "dry_run": true}).Want(200, "").Map()
	if list := preview["outcomes"].([]any); len(list) != 1 || list[0].(map[string]any)["result"] != "unmatched" {
		x.t.Errorf("the preview returns %v, want one unmatched postback", preview)
	}
	replay(1)
	if rows := x.rows("result=unmatched"); len(rows) != 1 {
		x.t.Errorf("the unmatched rows after the replay are %v, want one", rows)
	}
	x.Do("PUT", "/networks", map[string]any{
		"id": x.id, "name": "Net", "postback_params": map[string]any{"click_id": "theirs"},
		"status_map": map[string]any{"approved": []string{"deal"}},
	}).Want(200, "")
	preview = x.Do("POST", "/logs/postbacks/replay", map[string]any{"network": x.id, "dry_run": true}).Want(200, "").Map()
	if list := preview["outcomes"].([]any); preview["dry_run"] != true || len(list) != 1 || list[0].(map[string]any)["result"] != "matched" {
		x.t.Errorf("the dry run returns %v, want one matched postback", preview)
	}
	if rows := x.rows("result=unmatched"); len(rows) != 1 {
		x.t.Errorf("after the dry run the unmatched rows are %v, want still one", rows)
	}
	replay(1)
	row := x.rows("")[0]
	if row["id"] != ids[4].String() || row["result"] != "matched" || row["conversion_id"] == nil || row["sample"] != false {
		x.t.Errorf("the replayed postback is %v, want it matched with a conversion", row)
	}
	replay(0)
	conversion := func() (statuses []string) {
		for _, row := range x.Do("GET", "/logs/conversions", nil).Want(200, "").Map()["rows"].([]any) {
			v := row.(map[string]any)
			statuses = append(statuses, fmt.Sprint(v["conversion_id"], " ", v["status"], " ", v["payout"]))
		}
		return statuses
	}
	x.same(conversion(), " approved 7", "2 pending 0", "1 approved 5")
	// A replay reads a recorded postback again with the new status map.
	x.Do("PUT", "/networks", map[string]any{
		"id": x.id, "name": "Net", "postback_params": map[string]any{"click_id": "myclick"},
		"status_map": map[string]any{"approved": []string{"deal"}},
	}).Want(200, "")
	x.Do("POST", "/logs/postbacks/"+ids[3].String()+"/replay", nil).Want(200, "")
	x.ingestAll()
	x.same(conversion(), " approved 7", "2 approved 0", "1 approved 5")
	x.Do("PUT", "/networks", map[string]any{
		"id": x.id, "name": "Net", "postback_params": map[string]any{"click_id": "myclick", "conversion_id": "payout"},
	}).Want(200, "")
	x.Do("POST", "/logs/postbacks/"+ids[0].String()+"/replay", nil).Want(200, "")
	x.ingestAll()
	if row := x.rows("")[4]; row["result"] != "ignored" || row["conversion_id"] == nil {
		x.t.Errorf("a postback that is replayed with another conversion id is %v, want the result ignored", row)
	}
	x.same(conversion(), " approved 7", "2 approved 0", "1 approved 5")
}

func (x *inboxEnv) same(got []string, want ...string) {
	x.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.t.Errorf("the conversions are %q, want %q", got, want)
	}
}
