package api

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/routing"
	v1 "switchyard/api/v1"
	"switchyard/cmd/switchyard/cli"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
)

type edgeEnv struct {
	*apitest.Server
	t      *testing.T
	fake   *cloudflaretest.Fake
	client *jobs.Client
	domain uuid.UUID
}

const publishedHost = "go.edge.example"

func newEdgeEnv(t *testing.T) *edgeEnv {
	t.Helper()
	fake, redis := cloudflaretest.Serve(t), jobstest.Redis(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: fake.Server.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config.Config{
		EgressAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, EgressCAFile: ca, EncryptionKey: bytes.Repeat([]byte{7}, 32),
		CloudflareToken: cloudflaretest.Token, CloudflareAccount: cloudflaretest.Account, CloudflareKV: cloudflaretest.Namespace,
		CloudflareURL: fake.Server.URL,
	}
	p := &edgeEnv{t: t, fake: fake, client: jobs.Connect(redis), domain: uuid.New()}
	p.Server = apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: p.client, EdgePublishing: true}})
	dbtest.Exec(p.t, p.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, true)`, p.domain, p.Account.ID, publishedHost)
	runtime, err := cli.NewRuntime(cfg, cli.Readers{Bulk: p.DB, Locks: p.DB}, workers.Options{DB: p.DB, Redis: redis, Client: p.client, Grace: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	jobstest.Run(t, runtime.Run)
	return p
}

func (p *edgeEnv) publish() jobs.PublishedEdge {
	p.t.Helper()
	ticket, err := jobs.Submit(p.t.Context(), p.client, jobs.PublishEdge, p.Account.ID, jobs.None{})
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := jobs.AwaitTimeout(p.t.Context(), ticket, await.Timeout)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func (p *edgeEnv) sweep() {
	p.t.Helper()
	ticket, err := jobs.Submit(p.t.Context(), p.client, jobs.SweepEdge, uuid.Nil, jobs.Tick{At: time.Now()})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := jobs.AwaitTimeout(p.t.Context(), ticket, await.Timeout); err != nil {
		p.t.Fatal(err)
	}
}

// TestPublishedCampaign checks that the sweep publishes a new campaign to the edge, publishes it again after a change of its rule,
// and removes it from the edge after its deletion.
func TestPublishedCampaign(t *testing.T) {
	t.Parallel()
	p := newEdgeEnv(t)
	rule := p.Do("POST", "/rules", map[string]any{"name": "French", "conditions": []any{
		map[string]any{"attribute": "country", "operator": "in", "value": []string{"FR"}},
	}}).Want(201, "").Map()["id"]
	made := p.Do("POST", "/campaigns", map[string]any{"name": "Spring", "alias": "spring-1", "domain_id": p.domain, "streams": []any{
		map[string]any{"action": "redirect", "rules": []any{map[string]any{"rule_id": rule}}, "destinations": []any{map[string]any{"url": "https://fr.example/{clickid}"}}},
		map[string]any{"action": "redirect", "daily_cap": 5, "destinations": []any{map[string]any{"url": "https://rest.example/"}}},
	}}).Want(201, "").Map()
	id, _ := made["id"].(string)
	p.sweep()
	var bundle struct {
		Format    int
		Campaign  string
		Domain    string
		Origin    []string
		Campaigns map[string]struct{ Name string }
	}
	value := p.fake.Values()[models.EdgeKey(publishedHost, "spring-1")]
	if err := json.Unmarshal([]byte(value), &bundle); err != nil {
		t.Fatal(err, value)
	}
	if bundle.Format != routing.EdgeFormat || bundle.Campaign != id || bundle.Domain != publishedHost || fmt.Sprint(bundle.Origin) != "[daily_cap]" ||
		bundle.Campaigns[id].Name != "Spring" || !strings.Contains(value, `"texts":["fr"]`) {
		t.Errorf("the bundle is %s, want the campaign Spring with its rule and its daily cap", value)
	}
	got := p.Do("POST", "/edge", nil).Want(200, "").Map()
	if got["configured"] != true || got["published"] != 1.0 || got["rules"] != 1.0 || got["rulesError"] != nil || got["failed"] != 0.0 {
		t.Errorf("publishing is answered with %v, want one campaign and one rule published", got)
	}
	got = p.Do("GET", "/edge", nil).Want(200, "").Map()
	if got["routableCampaigns"] != 1.0 || got["publishedCampaigns"] != 1.0 || !strings.Contains(fmt.Sprint(got["hint"]), "daily_cap") {
		t.Errorf("the state of the edge is %v, want one published campaign and the hint daily_cap", got)
	}
	p.Do("PUT", "/rules", map[string]any{"id": rule, "name": "Belgian", "notes": "", "logic": "and", "conditions": []any{
		map[string]any{"attribute": "country", "operator": "in", "value": []string{"BE"}},
	}}).Want(200, "")
	p.fake.SetNow(func() time.Time { return time.Now().Add(time.Minute) })
	p.sweep()
	if value = p.fake.Values()[models.EdgeKey(publishedHost, "spring-1")]; !strings.Contains(value, `"texts":["be"]`) {
		t.Errorf("the bundle lacks the country of the changed rule: %s", value)
	}
	p.Do("DELETE", "/campaigns/"+id, nil).Want(200, "")
	p.fake.SetNow(func() time.Time { return time.Now().Add(2 * time.Minute) })
	p.sweep()
	if n := len(p.fake.Values()); n != 0 {
		t.Errorf("%d keys of a deleted campaign are left", n)
	}
}

// TestPublishManyCampaigns logs the cost of publishing 10,000 campaigns with five paths each, and then of publishing one change.
// The campaigns take at most three calls, and the change takes a single call.
func TestPublishManyCampaigns(t *testing.T) {
	t.Parallel()
	p := newEdgeEnv(t)
	const many = 10_000
	dbtest.Exec(p.t, p.DB, `INSERT INTO offers (id, account_id, name, url) SELECT gen_random_uuid(), $1, 'Offer ' || n, 'https://offer' || n || '.example/?c={clickid}&s={sub1}'
		FROM generate_series(1, 50) n`, p.Account.ID)
	dbtest.Exec(p.t, p.DB, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, fallback_url, streams)
		SELECT gen_random_uuid(), $1, 'Campaign ' || n, 'campaign-' || n, $2, 'https://fallback.example/', (
			SELECT jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'name', 'Path ' || i, 'action', 'offer', 'weight', 10 * i,
				'filters', jsonb_build_array(jsonb_build_object('attribute', 'country', 'operator', 'in', 'value', jsonb_build_array('DE', 'AT', 'FR'))),
				'destinations', jsonb_build_array(jsonb_build_object('id', (SELECT id FROM offers WHERE account_id = $1 AND name = 'Offer ' || (n + i) % 50 + 1)))))
			FROM generate_series(1, 5) i)
		FROM generate_series(1, $3::int) n`, p.Account.ID, p.domain, many)
	began := time.Now()
	out := p.publish()
	calls, took := p.fake.Count(""), time.Since(began)
	if out.Published != many || out.Written != many || out.Failed != 0 {
		t.Fatalf("publishing has the result %+v, want all campaigns published and written", out)
	}
	dbtest.Exec(p.t, p.DB, `UPDATE campaigns SET name = 'Winter' WHERE alias = 'campaign-77'`)
	p.fake.SetNow(func() time.Time { return time.Now().Add(time.Minute) })
	began = time.Now()
	p.sweep()
	again, changed := p.fake.Count("")-calls, time.Since(began)
	values := p.fake.Values()
	if key := models.EdgeKey(publishedHost, "campaign-77"); !strings.Contains(values[key], "Winter") || len(values) != many {
		t.Errorf("want a key for each campaign and the new name in the changed one: %d keys, %s", len(values), values[key])
	}
	size := 0
	for _, value := range values {
		size += len(value)
	}
	t.Logf("%d campaigns of %d bytes each: %d calls, %s; then one change: %d call, %s", many, size/many, calls, took.Round(time.Millisecond),
		again, changed.Round(time.Millisecond))
	if calls > 3 || again != 1 {
		t.Errorf("%d calls for all campaigns, want at most 3; then %d for one change, want 1", calls, again)
	}
}
