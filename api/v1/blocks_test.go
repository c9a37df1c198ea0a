package v1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// block returns the body of a call that blocks or allows values of sub1 in a campaign.
func block(campaign any, values ...string) object {
	return object{"scope": "campaign", "campaign_id": campaign, "dimension": "sub1", "values": values}
}

func manyValues(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("place-%05d", i)
	}
	return list
}

func TestBlockedValuesRoundTrip(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	dbtest.Exec(t, d.DB, `UPDATE traffic_sources SET token_macros = '{"zone": "{zoneid}", "sub2": "{b}"}' WHERE id = $1`, d.source)
	campaign := d.make(t, with(d.campaign("Push DE"), "source_id", d.source))["id"]
	added := d.Do("POST", "/blocks", block(campaign, "b", " a ", "b")).Want(200, "").Map()
	same(t, added, map[string]any{"blocked": 2.0, "allowed": 0.0, "total": 2.0, "propagationSeconds": 1.0})
	same(t, d.Do("POST", "/blocks", block(campaign, "a", "c")).Want(200, "").Map(), map[string]any{"blocked": 1.0, "total": 3.0, "list_id": added["list_id"]})
	d.Do("POST", "/blocks", object{"scope": "source", "source_id": d.source, "dimension": "country", "values": []string{"germany"}}).Want(200, "")
	d.Do("POST", "/blocks", object{"scope": "account", "dimension": "asn", "values": []string{"3320"}}).Want(200, "")

	var list struct{ Rows []models.BlockedValue }
	d.Do("GET", "/blocks", nil).Want(200, "").Into(&list)
	if len(list.Rows) != 5 || list.Rows[0].Value != "3320" || list.Rows[1].Value != "DE" || list.Rows[1].Name != "Source" {
		t.Errorf("want five blocked values, the newest first, each with the name of its scope: %+v", list.Rows)
	}
	path := fmt.Sprint("/blocks?q=A&list=", added["list_id"])
	d.Do("GET", path, nil).Want(200, "").Into(&list)
	if len(list.Rows) != 1 || list.Rows[0].Value != "a" || list.Rows[0].Name != "Push DE" || list.Rows[0].Who == "" {
		t.Errorf("%s: want only the value a, with its campaign and who blocked it: %+v", path, list.Rows)
	}
	same(t, d.Do("GET", fmt.Sprint("/blocks/lists/", added["list_id"]), nil).Want(200, "").Map(), map[string]any{
		"source": "Source", "parameter": "zone", "macro": "{zoneid}", "values": "[a b c]", "count": 3.0, "name": "Push DE", "scope": "campaign",
	})
	other := d.make(t, d.campaign("Without a source"))["id"]
	for id, want := range map[any][]string{campaign: {"account", "campaign", "source"}, other: {"account"}} {
		var lists struct{ Lists []models.BlockList }
		d.Do("GET", fmt.Sprint("/blocks/lists?campaign=", id), nil).Want(200, "").Into(&lists)
		var scopes []string
		for _, l := range lists.Lists {
			scopes = append(scopes, l.Scope)
		}
		if slices.Sort(scopes); !slices.Equal(scopes, want) {
			t.Errorf("the lists of campaign %s are of %v, want %v", id, scopes, want)
		}
	}
	_, key, _ := d.NewAccount("scale")
	if rows := d.As(key).Do("GET", "/blocks", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("another account sees %v", rows)
	}
	d.As(d.ReadKey).Do("POST", "/blocks", block(campaign, "x")).Want(403, "read_only_key")
}

func TestAllowAndUndo(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("Push DE"))["id"]
	values := func() string {
		t.Helper()
		var list struct{ Rows []models.BlockedValue }
		d.Do("GET", "/blocks", nil).Want(200, "").Into(&list)
		var out []string
		for _, r := range list.Rows {
			out = append(out, r.Scope+":"+r.Value)
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	expect := func(what, want string) {
		t.Helper()
		if got := values(); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	undo := func(id any) map[string]any {
		t.Helper()
		return d.Do("POST", "/blocks/undo", object{"id": id}).Want(200, "").Map()
	}
	first := d.Do("POST", "/blocks", block(campaign, "a", "b")).Want(200, "").Map()
	second := d.Do("POST", "/blocks", block(campaign, "b", "c")).Want(200, "").Map()
	d.Do("POST", "/blocks", object{"scope": "account", "dimension": "sub1", "values": []string{"a", "z"}}).Want(200, "")
	expect("two scopes", "account:a account:z campaign:a campaign:b campaign:c")
	same(t, undo(second["id"]), map[string]any{"allowed": 1.0, "blocked": 0.0, "total": 4.0})
	expect("the second call undone", "account:a account:z campaign:a campaign:b")
	d.Do("POST", "/blocks/undo", object{"id": second["id"]}).Want(404, "not_found")

	removed := d.Do("POST", "/blocks/remove", object{"dimension": "sub1", "values": []string{"a", "unknown"}}).Want(200, "").Map()
	same(t, removed, map[string]any{"allowed": 2.0, "total": 2.0})
	expect("allowed wherever it was blocked", "account:z campaign:b")
	again := undo(removed["id"])
	same(t, again, map[string]any{"blocked": 2.0, "allowed": 0.0, "total": 4.0})
	expect("the removal undone", "account:a account:z campaign:a campaign:b")
	undo(again["id"])
	expect("the undoing undone", "account:z campaign:b")
	d.Do("POST", "/blocks/remove", block(campaign, "z")).Want(200, "")
	expect("a value that is blocked in another scope", "account:z campaign:b")
	var list struct{ Rows []models.BlockedValue }
	d.Do("GET", "/blocks?q=z", nil).Want(200, "").Into(&list)
	same(t, d.Do("POST", "/blocks/remove", object{"ids": []any{list.Rows[0].ID, uuid.New()}}).Want(200, "").Map(), map[string]any{"allowed": 1.0})
	expect("one id", "campaign:b")
	d.Do("POST", "/blocks", block(campaign, "a")).Want(200, "")
	undo(first["id"])
	expect("the first call undone: a later call has blocked a", "campaign:a")
}

func TestBlockErrors(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("Push DE"))["id"]
	good := func() object { return block(campaign, "x") }
	for what, c := range map[string]struct {
		body object
		code string
	}{
		"no scope":             {with(good(), "scope", nil), "invalid_scope"},
		"other scope":          {with(good(), "scope", "offer"), "invalid_scope"},
		"no campaign":          {with(good(), "campaign_id", nil), "invalid_campaign"},
		"unknown campaign":     {block(uuid.New(), "x"), "invalid_campaign"},
		"account and campaign": {with(good(), "scope", "account"), "invalid_campaign"},
		"no source":            {with(with(good(), "campaign_id", nil), "scope", "source"), "invalid_source"},
		"unknown source":       {object{"scope": "source", "source_id": uuid.New(), "dimension": "sub1", "values": []string{"x"}}, "invalid_source"},
		"campaign and source":  {with(good(), "source_id", d.source), "invalid_source"},
		"no dimension":         {with(good(), "dimension", nil), "invalid_dimension"},
		"dimension of records": {with(good(), "dimension", "offer_id"), "invalid_dimension"},
		"dimension of time":    {with(good(), "dimension", "date"), "invalid_dimension"},
		"unknown country":      {with(with(good(), "dimension", "country"), "values", []string{"Atlantis"}), "invalid_dimension"},
		"no values":            {with(good(), "values", []string{}), "value_required"},
		"blank value":          {with(good(), "values", []string{"x", " "}), "value_required"},
		"values not a list":    {with(good(), "values", "x"), "value_required"},
		"long value":           {with(good(), "values", []string{strings.Repeat("x", models.MaxBlockedValue+1)}), "invalid_input"},
		"too many values":      {with(good(), "values", manyValues(models.MaxBlockedAtOnce+1)), "invalid_input"},
		"misspelt":             {with(good(), "valeus", "x"), "invalid_input"},
	} {
		for _, path := range []string{"/blocks", "/blocks/preview", "/blocks/remove"} {
			if got := d.Do("POST", path, c.body); got.Status != 400 || got.Code != c.code {
				t.Errorf("%s %s: %d %s, want %s", path, what, got.Status, got.Code, c.code)
			}
		}
	}
	d.Do("POST", "/blocks/undo", object{"id": "x"}).Want(400, "invalid_id")
	d.Do("GET", "/blocks?list=x", nil).Want(400, "invalid_id")
	d.Do("GET", "/blocks/lists?campaign=x", nil).Want(400, "invalid_id")
	d.Do("GET", "/blocks/lists/x", nil).Want(400, "invalid_id")
	d.Do("GET", "/blocks/lists/"+uuid.NewString(), nil).Want(404, "not_found")
}

func TestLimitOfBlockedValues(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("Push DE"))["id"]
	whole := d.Do("POST", "/blocks", block(campaign, manyValues(models.MaxBlockedAtOnce)...)).Want(200, "").Map()
	same(t, whole, map[string]any{"blocked": 5000.0, "total": 5000.0})
	dbtest.Exec(t, d.DB, `INSERT INTO blocked_values (id, account_id, list_id, value, change_id)
		SELECT gen_random_uuid(), $1, $2, 'v' || n, gen_random_uuid() FROM generate_series(1, $3) n`,
		d.Account.ID, whole["list_id"], models.MaxBlocked-models.MaxBlockedAtOnce-1)
	same(t, d.Do("POST", "/blocks", block(campaign, "last")).Want(200, "").Map(), map[string]any{"total": float64(models.MaxBlocked)})
	d.Do("POST", "/blocks", block(campaign, "one more")).Want(400, "too_many")
	undone := d.Do("POST", "/blocks/undo", object{"id": whole["id"]}).Want(200, "").Map()
	d.Do("POST", "/blocks", block(campaign, "one more")).Want(200, "")
	d.Do("POST", "/blocks/undo", object{"id": undone["id"]}).Want(400, "too_many")
	d.Do("POST", campaignPath(campaign)+"/clone", nil).Want(400, "too_many")
}

// TestACopyBlocksWhatItsCampaignBlocks: the copy of a campaign gets its own lists, with the values that the campaign blocks at
// that time.
func TestACopyBlocksWhatItsCampaignBlocks(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, with(d.campaign("Push DE"), "source_id", d.source))["id"]
	other := d.make(t, d.campaign("Another"))["id"]
	d.Do("POST", "/blocks", block(campaign, "a", "b", "c")).Want(200, "")
	d.Do("POST", "/blocks", with(block(campaign, "FR"), "dimension", "country")).Want(200, "")
	d.Do("POST", "/blocks/remove", block(campaign, "b")).Want(200, "")
	d.Do("POST", "/blocks", block(other, "z")).Want(200, "")
	d.Do("POST", "/blocks", object{"scope": "source", "source_id": d.source, "dimension": "sub1", "values": []string{"s"}}).Want(200, "")
	copied := d.Do("POST", campaignPath(campaign)+"/clone", nil).Want(201, "").Map()["id"]
	blocked := func(campaign any) string {
		var list struct{ Rows []models.BlockedValue }
		d.Do("GET", "/blocks", nil).Want(200, "").Into(&list)
		var out []string
		for _, r := range list.Rows {
			if r.ScopeID.String() == campaign {
				out = append(out, r.Dimension+":"+r.Value)
			}
			if r.Who == "" {
				t.Errorf("the answer does not say who blocked %+v", r)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	if got := blocked(copied); got != "country:FR sub1:a sub1:c" {
		t.Errorf("the copy blocks %q, want the values that the campaign blocks", got)
	}
	d.Do("POST", "/blocks/remove", block(campaign, "a")).Want(200, "")
	if got := blocked(copied); got != "country:FR sub1:a sub1:c" {
		t.Errorf("after a value was allowed again in the campaign, the copy blocks %q, want what it blocked before", got)
	}
}

// TestBlockPreview compares a preview with the report of the same window.
func TestBlockPreview(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 60, 3)
	dbtest.Exec(t, s.DB, `UPDATE campaigns SET fallback_url = 'https://f.test' WHERE id = $1`, r.campaigns[1])
	body := block(r.campaigns[0], "a,b", "never seen")
	preview := func(body object) map[string]any {
		t.Helper()
		return s.Do("POST", "/blocks/preview", body).Want(200, "").Map()
	}
	got := preview(body)
	same(t, got, map[string]any{"found": 1.0, "already": 0.0, "campaigns": 1.0, "without_fallback": 1.0})
	report := s.Do("GET", fmt.Sprintf("/reports/performance?dimension=sub1&f.campaign_id=%s", r.campaigns[0]), nil).Want(200, "").Map()
	figures, rest := got["figures"].(map[string]any), got["rest"].(map[string]any)
	total := report["totals"].(map[string]any)
	for _, row := range report["rows"].([]any) {
		row := row.(map[string]any)
		if row["dims"].(map[string]any)["sub1"] != "a,b" {
			continue
		}
		for _, name := range []string{"clicks", "cost", "conversions", "revenue", "profit"} {
			if figures[name] != row[name] || figures[name] == 0.0 && name == "clicks" {
				t.Errorf("%s: %v in the preview, %v in the report", name, figures[name], row[name])
			}
			if sum := figures[name].(float64) + rest[name].(float64); sum-total[name].(float64) > 1e-6 || total[name].(float64)-sum > 1e-6 {
				t.Errorf("%s: the values and the rest add up to %v, want the total of the report, %v", name, sum, total[name])
			}
		}
	}
	s.Do("POST", "/blocks", body).Want(200, "")
	same(t, preview(body), map[string]any{"already": 2.0})
	same(t, preview(object{"scope": "account", "dimension": "sub1", "values": []string{"a,b"}}), map[string]any{"campaigns": 2.0, "without_fallback": 1.0, "already": 0.0})
	s.As(s.ReadKey).Do("POST", "/blocks/preview", body).Want(200, "")
}

func TestBlockPreviewOfTooManyClicks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{LargeReport: 1}})
	r := newTrafficEnv(t, s, 20, 2)
	s.Do("POST", "/blocks/preview", block(r.campaigns[0], "x")).Want(400, "too_large")
}

// TestSimulationAndTraceTellOfBlockedValues: a simulation and the trace of a recorded click say which value is blocked.
func TestSimulationAndTraceTellOfBlockedValues(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 20, 1)
	simulate := func(body object) (decision, stage map[string]any) {
		t.Helper()
		body["streams"], body["fallback_url"], body["visitor"] = flowFor(r), "https://f.test", object{"sub1": "bad", "country": "DE"}
		out := s.Do("POST", "/tools/simulate", body).Want(200, "").Map()
		return out["decision"].(map[string]any), out["campaigns"].([]any)[0].(map[string]any)
	}
	added := s.Do("POST", "/blocks", block(r.campaigns[0], "bad", "a,b")).Want(200, "").Map()
	decision, stage := simulate(object{"blocks_of": r.campaigns[0]})
	same(t, decision, map[string]any{"via": "fallback_url", "url": "https://f.test"})
	blocked, _ := stage["blocked"].(map[string]any)
	same(t, blocked, map[string]any{"scope": "campaign", "dimension": "sub1", "value": "bad", "list_id": added["list_id"]})
	decision, stage = simulate(object{})
	same(t, decision, map[string]any{"via": "forced"})
	if stage["blocked"] != nil {
		t.Errorf("without blocks_of the visitor is blocked by %v, want not blocked", stage["blocked"])
	}
	s.Do("POST", "/tools/simulate", object{"streams": flowFor(r), "blocks_of": uuid.New()}).Want(404, "not_found")

	for _, v := range r.visits {
		if v.CampaignID != r.campaigns[0] || v.Subs[0] != "a,b" {
			continue
		}
		trace := s.Do("GET", "/logs/clicks/"+models.FormatClickID(v.ID)+"?trace=1", nil).Want(200, "").Map()["trace"].(map[string]any)
		stage := trace["campaigns"].([]any)[0].(map[string]any)
		if stage["blocked"] == nil || trace["flow_changed"] != true {
			t.Errorf("the trace does not say that the click's value is blocked now, or that the flow has changed: %v", trace)
		}
		return
	}
	t.Fatal("no click has the value")
}
