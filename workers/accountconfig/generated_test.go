package accountconfig_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/store"
	"switchyard/models/accountconfig"
)

// maker makes random documents that can be applied to an empty account.
type maker struct {
	*rand.Rand
	names int
}

type record = map[string]any

// Most of these texts are hard to write in YAML, or look like values of other types.
var texts = []string{
	"plain", "no", "1e3", "007", "null", "~", "- dash", "a: b", "#hash", "'single'", `"double"`, `back\slash`, "two\nlines", "tab\there",
	"Straße & Übergröße", "日本語", "{clickid}", "[a, b]", "%percent", "@at", "! bang", "ends with:", "😀", "2026-11-27", "0x1F", "=", "<<",
}

func (m *maker) text() string { return texts[m.IntN(len(texts))] }

// name returns a name that it has not returned before.
func (m *maker) name() string {
	m.names++
	return fmt.Sprintf("%s %d", strings.TrimSpace(m.text()), m.names)
}

func (m *maker) one(values ...string) string { return values[m.IntN(len(values))] }
func (m *maker) maybe() bool                 { return m.IntN(2) == 0 }

// some adds about half of the optional members to a record. It goes through them in alphabetical order, so that a seed always makes
// the same document.
func (m *maker) some(must, optional record) record {
	for _, key := range slices.Sorted(maps.Keys(optional)) {
		if m.maybe() {
			must[key] = optional[key]
		}
	}
	return must
}

func (m *maker) tags() []string { return []string{"cpa", m.one("x", "no", "1")} }

func (m *maker) url() string {
	return "https://" + m.one("a", "b") + ".example/" + m.one("", "?c={clickid}", "?a=1&b={sub3}#x", "p%20q")
}

// key returns a random key of records, or an empty text if there are no records.
func (m *maker) key(records record) string {
	if len(records) == 0 {
		return ""
	}
	keys := slices.Sorted(maps.Keys(records))
	return keys[m.IntN(len(keys))]
}

func (m *maker) condition() record {
	return []record{
		{"attribute": "country", "operator": "equals", "value": []string{"DE", "AT"}},
		{"attribute": "country", "operator": "not_equals", "value": "US"},
		{"attribute": "device_type", "operator": "equals", "value": "mobile"},
		{"attribute": "sub3", "operator": "contains", "value": m.text()},
		{"attribute": "param.kind", "operator": "equals", "value": m.text()},
		{"attribute": "ip", "operator": "in_cidr", "value": []string{"192.0.2.0/24"}},
	}[m.IntN(6)]
}

func (m *maker) conditions() (list []record) {
	for range 1 + m.IntN(3) {
		list = append(list, m.condition())
	}
	return list
}

func (m *maker) offer(d map[string]record) record {
	o := m.some(record{"name": m.name(), "url": m.url()}, record{
		"payout": float64(m.IntN(10_000)) / 100, "payout_type": m.one("fixed", "percent"), "currency": m.one("USD", "EUR", "JPY"), "country": "DE",
		"daily_cap": 1 + m.IntN(500), "notes": m.text(), "group_name": m.text(), "payout_from_param": m.maybe(), "tags": m.tags(), "is_active": m.maybe(),
	})
	if key := m.key(d["networks"]); key != "" && m.maybe() {
		o["network"] = key
	}
	return o
}

func (m *maker) path(d map[string]record, n int) record {
	p := m.some(record{"name": fmt.Sprint(m.text(), n)}, record{
		"rule_group": m.IntN(3), "weight": float64(1+m.IntN(1000)) / 8, "daily_cap": 1 + m.IntN(900), "is_active": m.maybe(), "collect_clicks": m.maybe(),
		"logic": m.one("and", "or"), "filters": m.conditions(), "transition": m.one("302", "301", "js", "form_post"),
		"rules": []record{{"name": fmt.Sprint("Own ", n), "logic": m.one("and", "or"), "conditions": m.conditions()}},
	})
	if key := m.key(d["rules"]); key != "" && m.maybe() {
		p["rules"] = []record{{"name": fmt.Sprint("Saved ", n), "rule": key}}
	}
	action, offer := m.one("offer", "lander", "redirect", "nothing"), record{"offer": m.key(d["offers"])}
	p["action"] = action
	switch action {
	case "nothing":
		p["response"] = record{"status": []int{200, 204, 404}[m.IntN(3)], "body": m.text()}
	case "redirect":
		p["destinations"] = []record{{"url": m.url(), "weight": 1 + m.IntN(100)}}
	case "lander":
		p["destinations"] = []record{{"lander": m.key(d["landers"])}, m.some(offer, record{"slot": 1})}
	case "offer":
		p["destinations"] = []record{offer}
	}
	return p
}

func (m *maker) paths(d map[string]record) (list []record) {
	for n := range 1 + m.IntN(5) {
		list = append(list, m.path(d, n))
	}
	list[len(list)-1]["is_active"] = true
	return list
}

func (m *maker) campaign(d map[string]record) record {
	c := m.some(record{"name": m.name(), "domain": "shared", "currency": m.one("USD", "EUR")}, record{
		"cost_model": m.one("cpc", "cpm", "cpa"), "cost_value": float64(m.IntN(1000)) / 1000, "traffic_loss_pct": 2.5,
		"flow_rotation": m.one("position", "weight"), "bind_visitors": m.one("none", "streams", "streams_landers"), "uniqueness_method": m.one("ip", "cookie"),
		"uniqueness_ttl_hours": 1 + m.IntN(100), "destination_url": m.url(), "fallback_url": m.url(), "group_name": m.text(), "country": "US",
		"tags": m.tags(), "is_pinned": true, "notes": m.text(), "status": m.one("paused", "archived", "active"), "paths": m.paths(d),
	})
	for _, member := range []string{"source", "site"} {
		if key := m.key(d[member+"s"]); key != "" && m.maybe() {
			c[member] = key
		}
	}
	if c["destination_url"] == nil && c["paths"] == nil {
		c["paths"] = m.paths(d)
	}
	return c
}

func (m *maker) copilotRule(d map[string]record) record {
	r := m.some(record{
		"name": m.name(), "conditions": []record{{"figure": "clicks", "operator": ">=", "value": 1 + m.IntN(500)}, {"figure": "cost", "operator": ">", "value": 2.5, "times": "payout"}},
	}, record{
		"mode": m.one("shadow", "live"), "window": 1 + m.IntN(24), "window_unit": m.one("hours", "days"), "include_current": m.maybe(),
		"every_minutes": 10 + m.IntN(500), "cooldown_minutes": 60 + m.IntN(500), "max_changes": 1 + m.IntN(50), "is_active": m.maybe(),
		"campaigns": []string{m.key(d["campaigns"])}, "sources": []string{m.key(d["sources"])},
	})
	switch m.IntN(3) {
	case 0:
		r["action"] = "pause"
	case 1:
		r["looks_at"], r["action"], r["factor"], r["min_weight"], r["max_weight"] = "path", "weight", 0.5, 2, 80.25
	case 2:
		r["looks_at"], r["attribute"], r["action"] = "value", m.one("country", "sub3"), "deny"
	}
	return r
}

// document makes a document. Each kind of records comes after the kinds to which it refers.
func (m *maker) document() string {
	d := map[string]record{}
	for _, kind := range []struct {
		name string
		make func(n int) record
	}{
		{"networks", func(_ int) record {
			return m.some(record{"name": m.name(), "currency": m.one("USD", "EUR")}, record{
				"click_param": "sub1", "postback_params": record{"payout": "sum"}, "status_map": record{"approved": []string{"1", m.one("ok", "no")}},
				"minimum_payout": 100.5, "notes": m.text(), "tags": m.tags(), "answer_text": "OK", "is_active": m.maybe(), "manager_name": m.text(),
			})
		}},
		{"sources", func(_ int) record {
			return m.some(record{"name": m.name()}, record{
				"token_macros": record{"zone": "{zoneid}", "cid": "{campaignid}"}, "cost_macro": "{cost}", "external_id_param": "ext", "cost_model": "cpm",
				"traffic_loss_pct": 1.25, "group_name": m.text(), "notes": m.text(), "tags": m.tags(), "is_active": m.maybe(),
			})
		}},
		{"landers", func(_ int) record {
			return m.some(record{"name": m.name(), "url": m.url()}, record{
				"click_slots": 1 + m.IntN(3), "country": "FR", "notes": m.text(), "group_name": m.text(), "tags": m.tags(), "is_active": m.maybe(),
			})
		}},
		{"offers", func(_ int) record { return m.offer(d) }},
		{"sites", func(_ int) record {
			return m.some(record{"name": m.name(), "domain": fmt.Sprintf("shop%d.example.com", m.names)}, record{
				"currency": "EUR", "goals": record{"signup": record{"name": m.text()}, "sale": record{"name": "Sale", "valueMode": "from_event"}},
			})
		}},
		{"rules", func(_ int) record {
			return m.some(record{"name": m.name(), "conditions": m.conditions()}, record{"logic": m.one("and", "or"), "notes": m.text()})
		}},
		{"campaigns", func(_ int) record { return m.campaign(d) }},
		{"flows", func(_ int) record {
			return m.some(record{"name": m.name(), "paths": m.paths(d)}, record{"country": "DE", "notes": m.text(), "tags": m.tags(), "is_active": m.maybe()})
		}},
		{"bot_lists", func(n int) record {
			return m.some(record{"list_type": m.one("deny", "allow"), "attribute": "ip", "operator": "in_cidr", "value": []string{fmt.Sprintf("10.0.%d.0/24", n)}},
				record{"note": m.text(), "campaign": m.key(d["campaigns"])})
		}},
		{"copilot_rules", func(_ int) record { return m.copilotRule(d) }},
	} {
		d[kind.name] = record{}
		for n := range 1 + m.IntN(4) {
			d[kind.name][fmt.Sprintf("%s-%d", kind.name[:3], n)] = kind.make(n)
		}
	}
	if m.maybe() {
		d["bot_detection"] = record{"account": m.some(record{}, record{"threshold": 20 + m.IntN(76), "disabled": []string{m.one("datacenter", "tor_exit")}})}
	}
	whole := record{"version": 1}
	for kind, records := range d {
		whole[kind] = records
	}
	text, err := json.Marshal(whole)
	if err != nil {
		panic(err) // cannot happen
	}
	return string(text)
}

// routed returns what the redirect reads of an account, with keys in the place of ids, so that two accounts can be compared.
func (e *env) routed(account uuid.UUID) string {
	e.Helper()
	state, err := dbconfig.Load(e.Context(), e.store, account)
	if err != nil {
		e.Fatal(err)
	}
	names := []string{account.String(), "the account"}
	for _, kind := range accountconfig.Kinds {
		for key := range state.Records[kind] {
			if id, ok := state.ID(kind, key); ok {
				names = append(names, id.String(), string(kind)+"."+key)
			}
		}
	}
	versions, err := store.RoutingVersions(e.Context(), e.db)
	if err != nil {
		e.Fatal(err)
	}
	keys := make([]store.RoutingKey, len(versions))
	for i, v := range versions {
		keys[i] = v.RoutingKey
	}
	r, err := store.LoadRouting(e.Context(), e.db, keys)
	if err != nil {
		e.Fatal(err)
	}
	keyOf := strings.NewReplacer(names...)
	var lines []string
	for _, row := range r.Rows {
		text, err := json.Marshal(row)
		if err != nil {
			e.Fatal(err)
		}
		var members record
		if err := json.Unmarshal(text, &members); err != nil {
			e.Fatal(err)
		}
		if id, own := members["AccountID"]; !own || id != account.String() {
			continue
		}
		for _, member := range []string{"Version", "Alias"} { // an alias on the shared domain is generated
			delete(members, member)
		}
		if row.Head().Table == "goals" {
			delete(members, "ID")
		}
		paths, _ := members["Streams"].([]any)
		for i, p := range paths {
			p.(record)["id"] = i
		}
		if text, err = json.Marshal(members); err != nil {
			e.Fatal(err)
		}
		lines = append(lines, row.Head().Table+" "+keyOf.Replace(string(text)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestGeneratedAccounts: if the document of an account is applied to an empty account, that account has the same document, byte
// for byte, and the same routing.
func TestGeneratedAccounts(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for range 8 {
		seed := rand.Uint64()
		t.Log("seed", seed)
		m := &maker{Rand: rand.New(rand.NewPCG(seed, 0))}
		made := m.document()
		first, second := e.account(), e.account()
		e.applied(first, made, accountconfig.Prune{})
		exported := e.text(first)
		if p := e.plan(first, made, accountconfig.Prune{}); p.Work != 0 {
			t.Errorf("applying the same document again would change the account: %+v", e.items(first, p))
		}
		e.applied(second, exported, accountconfig.Prune{})
		if again := e.text(second); again != exported {
			t.Errorf("the document\n%s\ncomes back as\n%s", exported, again)
		}
		if was, is := e.routed(first), e.routed(second); was != is || was == "" {
			t.Errorf("the routing\n%s\ncomes back as\n%s", was, is)
		}
	}
}
