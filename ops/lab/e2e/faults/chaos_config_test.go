package faults

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/workers/providers/trackers/keitaro/keitarotest"
)

// document returns a document with campaigns, each with an offer of its own, and their links at another tracker.
func document(campaigns int) map[string]any {
	type object = map[string]any
	offers, list, links := object{}, object{}, []object{}
	for i := range campaigns {
		key := fmt.Sprintf("moved-%05d", i)
		offers[key] = object{"name": "Offer " + key, "url": "https://offer.example/" + key, "currency": "USD"}
		list[key] = object{
			"name": "Campaign " + key, "alias": key, "domain": "shared", "currency": "USD",
			"paths": []object{{"action": "offer", "destinations": []object{{"offer": key}}}},
		}
		links = append(links, object{"form": "path", "id": fmt.Sprint("old", i), "campaign": key})
	}
	return object{"document": object{"version": 1, "offers": offers, "campaigns": list}, "read": object{"tracker": "keitaro", "links": links}}
}

func (m *midwayEnv) planned(path string, body map[string]any) (plan string, took time.Duration) {
	m.t.Helper()
	worker, began := m.worker(), time.Now()
	defer worker.Stop()
	plan = fmt.Sprint(m.final(m.call("POST", path, body)())["plan_id"])
	took = time.Since(began)
	var p struct {
		State, Problem string
		Counts         map[string]int
	}
	if err := m.api.Get(m.t.Context(), "/config/plans/"+plan, &p); err != nil || p.State != "planned" || p.Counts["refused"] > 0 {
		m.t.Fatalf("the plan is %+v, want it planned and nothing refused: %v", p, err)
	}
	return plan, took
}

// TestKilledConfig kills the worker with -9 while it applies a plan with many campaigns, and while it undoes the plan. Each
// campaign is written once, and the undo leaves exactly the earlier document.
func TestKilledConfig(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	m := newMidwayEnv(t)
	campaigns := longtest.Size(300, 5000)
	before := m.download("/config")
	plan, _ := m.planned("/config/plan", document(campaigns))
	items := dbtest.Get[int](t, m.db, `SELECT count(*) FROM config_items WHERE plan_id = $1`, plan)
	if items != 2*campaigns {
		t.Fatalf("the plan has %d records, want two for each campaign", items)
	}
	const done = `SELECT count(*) FROM config_items WHERE done`
	at := func(position int) obstacle {
		return obstacle{`SELECT FROM config_items WHERE plan_id = $1 AND position = $2 FOR UPDATE`, []any{plan, position}, "UPDATE config_items"}
	}
	began := time.Now()
	got := m.call("POST", "/config/apply", map[string]any{"plan_id": plan})
	for _, position := range []int{items / 3, items - 7} {
		m.stopAt(at(position), func() { m.checkCount("records that are written", position, done) })
	}
	worker := m.worker()
	m.checkData(m.final(got()), map[string]any{"done": items})
	worker.Stop()
	t.Logf("%d campaigns were applied in %.1f s, with two workers killed", campaigns, time.Since(began).Seconds())
	for what, table := range map[string]string{"offers": "offers", "campaigns": "campaigns"} {
		m.checkCount(what, campaigns, `SELECT count(*) FROM `+table+` WHERE account_id = $1 AND name LIKE '%moved-%'`, m.account)
	}
	m.checkCount("links", campaigns, `SELECT count(DISTINCT campaign_id) FROM foreign_links`)
	m.checkCount("entries of the audit", 1, `SELECT count(*) FROM audit WHERE account_id = $1 AND route LIKE 'POST %/config/apply'`, m.account)
	text := m.download("/config")
	if n := strings.Count(text, "name: Campaign moved-"); n != campaigns {
		t.Errorf("the document has %d of the campaigns, want all", n)
	}

	got = m.call("POST", "/config/undo", map[string]any{"plan_id": plan})
	m.stopAt(at(items/2), func() { m.checkCount("records that are still written", items/2+1, done) })
	defer m.worker().Stop()
	m.checkData(m.final(got()), map[string]any{"done": items, "kept": "[]"})
	if after := m.download("/config"); after != before {
		t.Errorf("after the undo the account has\n%.2000s\nand had\n%.2000s", after, before)
	}
	m.checkCount("links", 0, `SELECT count(*) FROM foreign_links`)
}

func (m *midwayEnv) printProgress(plan string, began time.Time) {
	m.t.Helper()
	tenth := 0
	m.until("the plan is applied", func() bool {
		var p struct {
			State      string
			Done, Work int
		}
		if err := m.api.Get(m.t.Context(), "/config/plans/"+plan, &p); err != nil {
			m.t.Fatal(err)
		}
		if now := 10 * p.Done / max(p.Work, 1); now > tenth {
			tenth = now
			m.t.Logf("%d of %d records after %.1f s", p.Done, p.Work, time.Since(began).Seconds())
		}
		return p.State != "planned" && p.State != "applying"
	})
}

// TestBigMove imports the records of a large Keitaro tracker, and logs the times.
func TestBigMove(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	campaigns, offers := longtest.Size(40, 5000), longtest.Size(160, 20_000)
	fake := httptest.NewServer(keitarotest.New(keitarotest.Big(campaigns, offers)))
	t.Cleanup(fake.Close)
	m := newMidwayEnv(t, "EGRESS_ALLOW=127.0.0.0/8", "ENCRYPTION_KEY="+strings.Repeat("07", 32))
	plan, planning := m.planned("/config/import", map[string]any{"tracker": "keitaro", "url": fake.URL, "key": keitarotest.Key})
	defer m.worker().Stop()
	began := time.Now()
	applied := m.call("POST", "/config/apply", map[string]any{"plan_id": plan})
	m.printProgress(plan, began)
	done := m.final(applied())
	applying := time.Since(began)
	m.checkCount("campaigns", campaigns, `SELECT count(*) FROM campaigns WHERE account_id = $1 AND name LIKE 'Campaign %'`, m.account)
	m.checkCount("offers", offers, `SELECT count(*) FROM offers WHERE account_id = $1 AND name LIKE 'Offer %'`, m.account)
	m.checkCount("campaigns with links", campaigns, `SELECT count(DISTINCT campaign_id) FROM foreign_links`)
	t.Logf("%d campaigns and %d offers (%v records): read and planned in %.1f s, applied in %.1f s", campaigns, offers, done["done"], planning.Seconds(), applying.Seconds())
}
