package v1_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// flowFor returns a flow with a forced path for Germans, a capped path for phones, and a default path.
func flowFor(r *trafficEnv) []any {
	is := func(attribute string, value any) []any {
		return []any{map[string]any{"attribute": attribute, "operator": "equals", "value": value}}
	}
	to := func(id uuid.UUID) []any { return []any{map[string]any{"id": id}} }
	return []any{
		map[string]any{"name": "Germans", "stream_type": "forced", "action": "offer", "filters": is("country", "DE"), "destinations": to(r.offers[0])},
		map[string]any{
			"name": "Phones", "action": "lander", "daily_cap": 1000, "destinations": to(r.landers[0]),
			"rules": []any{map[string]any{"name": "phone", "conditions": is("device_type", "mobile")}},
		},
		map[string]any{"name": "Rest", "stream_type": "default", "action": "redirect", "destinations": []any{map[string]any{"url": "https://e.example/?s={sub1}"}}},
	}
}

func TestSimulate(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 3, 1)
	before := counted(t, s)
	simulate := func(body map[string]any) map[string]any {
		t.Helper()
		return s.Do("POST", "/tools/simulate", body).Want(200, "").Map()
	}
	for name, c := range map[string]struct {
		visitor map[string]any
		want    map[string]any
		steps   int
	}{
		"forced":  {map[string]any{"country": "de", "device_type": "mobile"}, map[string]any{"via": "forced", "path": "Germans", "offer_id": r.offers[0]}, 1},
		"regular": {map[string]any{"country": "FR", "device_type": "mobile"}, map[string]any{"via": "regular", "path": "Phones", "lander_id": r.landers[0], "url": "https://l.example"}, 2},
		"default": {map[string]any{"is_bot": true, "asn": 5, "ip": "1.2.3.4", "param.x": "y", "header.x": "z"}, map[string]any{"via": "default", "path": "Rest", "url": "https://e.example/?s={sub1}", "recorded": true}, 3},
	} {
		out := simulate(map[string]any{"streams": flowFor(r), "visitor": c.visitor, "seed": 7})
		same(t, out, map[string]any{"seed": 7})
		same(t, out["decision"].(map[string]any), c.want)
		steps := out["campaigns"].([]any)[0].(map[string]any)["steps"].([]any)
		if len(steps) != c.steps || steps[len(steps)-1].(map[string]any)["taken"] != true {
			t.Errorf("%s: want %d steps, the last one taken: %v", name, c.steps, steps)
		}
		if c.steps < 2 {
			continue
		}
		refused := steps[0].(map[string]any)
		same(t, refused, map[string]any{"path": "Germans", "reason": "conditions", "taken": false})
		found := refused["units"].([]any)[0].(map[string]any)["conditions"].([]any)[0].(map[string]any)
		country := c.visitor["country"]
		same(t, found, map[string]any{"attribute": "country", "value": "DE", "known": country != nil, "matched": false})
		if country != nil && found["seen"] != country {
			t.Errorf("%s: the condition saw %v, want the visitor's country", name, found["seen"])
		}
	}
	if after := counted(t, s); after != before {
		t.Errorf("a simulation wrote something: %s, then %s", before, after)
	}
	for name, c := range map[string]struct {
		body map[string]any
		code string
	}{
		"no flow":             {map[string]any{}, "no_streams"},
		"bad flow":            {map[string]any{"streams": []any{map[string]any{"action": "fly"}}}, "invalid_action"},
		"unknown offer":       {map[string]any{"streams": []any{map[string]any{"action": "offer", "destinations": []any{map[string]any{"id": uuid.New()}}}}}, "invalid_destination"},
		"invalid campaign id": {map[string]any{"campaign_id": "x"}, "invalid_id"},
		"unknown attribute":   {map[string]any{"streams": flowFor(r), "visitor": map[string]any{"mood": "good"}}, "invalid_attribute"},
		"attribute of time":   {map[string]any{"streams": flowFor(r), "visitor": map[string]any{"date": "2026-01-01"}}, "invalid_attribute"},
		"list for a text":     {map[string]any{"streams": flowFor(r), "visitor": map[string]any{"country": []any{"DE"}}}, "invalid_attribute"},
		"text as visitor":     {map[string]any{"streams": flowFor(r), "visitor": "DE"}, "invalid_attribute"},
		"long value":          {map[string]any{"streams": flowFor(r), "visitor": map[string]any{"city": strings.Repeat("x", 2001)}}, "invalid_attribute"},
		"invalid time":        {map[string]any{"streams": flowFor(r), "at": "noon"}, "invalid_time"},
		"rotation":            {map[string]any{"streams": flowFor(r), "flow_rotation": "x"}, "invalid_flow_rotation"},
		"binding":             {map[string]any{"streams": flowFor(r), "bind_visitors": "x"}, "invalid_bind_visitors"},
		"fallback":            {map[string]any{"streams": flowFor(r), "fallback_url": "x"}, "invalid_fallback_url"},
		"destination":         {map[string]any{"streams": flowFor(r), "destination_url": "x"}, "invalid_destination_url"},
		"invalid path id":     {map[string]any{"streams": flowFor(r), "bound_path_id": "x"}, "invalid_id"},
		"two defaults":        {map[string]any{"streams": append(flowFor(r), map[string]any{"stream_type": "default", "action": "nothing"})}, "multiple_defaults"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.In(t).Do("POST", "/tools/simulate", c.body).Want(400, c.code)
		})
	}
	s.Do("POST", "/tools/simulate", map[string]any{"campaign_id": uuid.New()}).Want(404, "not_found")
	s.As(s.ReadKey).Do("POST", "/tools/simulate", map[string]any{"streams": flowFor(r)}).Want(200, "")
}

// counted returns the numbers of stored clicks, visitors and campaigns and the clicks in the ledger, as text.
func counted(t *testing.T, s *apitest.Server) string {
	t.Helper()
	return dbtest.Get[string](t, s.DB, `SELECT concat_ws(' ', (SELECT count(*) FROM clicks),
		(SELECT sum(clicks + bot_clicks) FROM ledger), (SELECT count(*) FROM click_visitors), (SELECT count(*) FROM campaigns))`)
}

// TestSimulateClick: a recorded click is routed through a flow that is not saved. Values in the field visitor replace the values of
// the click.
func TestSimulateClick(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 30, 1)
	want := func(v *visit) string {
		switch {
		case v.Country == "DE":
			return "Germans"
		case v.DeviceType == "mobile":
			return "Phones"
		}
		return "Rest"
	}
	for _, v := range r.visits {
		id := models.FormatClickID(v.ID)
		body := map[string]any{"click_id": id, "streams": flowFor(r)}
		got := s.As(s.ReadKey).Do("POST", "/tools/simulate", body).Want(200, "").Map()["decision"].(map[string]any)
		if got["path"] != want(v) {
			t.Errorf("%s %s goes to %v, want the path for the visitor's country and device", v.Country, v.DeviceType, got["path"])
		}
		body["visitor"] = map[string]any{"country": "DE"}
		got = s.As(s.ReadKey).Do("POST", "/tools/simulate", body).Want(200, "").Map()["decision"].(map[string]any)
		if got["path"] != "Germans" {
			t.Errorf("a German visitor goes to %v, want the path Germans", got["path"])
		}
	}
	known := models.FormatClickID(r.visits[0].ID)
	_, foreign, _ := s.NewAccount("scale")
	s.Do("POST", "/tools/simulate", map[string]any{"click_id": "x", "streams": flowFor(r)}).Want(400, "invalid_id")
	s.As(foreign).Do("POST", "/tools/simulate", map[string]any{"click_id": known}).Want(404, "not_found")
}

// TestSimulateBoundClick: the simulation of a click that another campaign handed over uses the visitor's binding, as the trace does.
func TestSimulateBoundClick(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	second := d.make(t, with(with(d.campaign("second"), "bind_visitors", "streams"), "streams", []any{redirectPath("new"), redirectPath("old")}))
	old := second["streams"].([]any)[1].(map[string]any)["id"]
	over := map[string]any{"name": "over", "action": "campaign", "campaign_id": second["id"]}
	first := d.make(t, with(d.campaign("first"), "streams", []any{over}))
	c := &models.Click{
		ID: models.NewClickID(), AccountID: d.Account.ID, ParentCampaignID: idOf(first["id"]), CampaignID: idOf(second["id"]),
		StreamID: idOf(old), Via: int(flow.ViaBound), RouteSeed: 7,
	}
	storeClicks(t, d.Server, c)
	id := models.FormatClickID(c.ID)
	trace := d.Do("GET", "/logs/clicks/"+id+"?trace=1", nil).Want(200, "").Map()["trace"].(map[string]any)
	for name, body := range map[string]map[string]any{
		"campaign": {"click_id": id}, "draft": {"click_id": id, "streams": second["streams"], "bind_visitors": "streams"},
	} {
		made := d.Do("POST", "/tools/simulate", body).Want(200, "").Map()
		for _, got := range []map[string]any{trace, made} {
			same(t, got["decision"].(map[string]any), map[string]any{"via": "bound", "path": "old"})
		}
		if t.Failed() {
			t.Fatalf("%s: the simulation decided %v and the trace %v, want the bound path old", name, made["decision"], trace["decision"])
		}
	}
}

func storeClicks(t *testing.T, s *apitest.Server, clicks ...*models.Click) {
	t.Helper()
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, c := range clicks {
		if err := log.Append(t.Context(), spool.Record{Click: c}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, s.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestClickTrace(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 3, 1)
	made := s.Do("POST", "/campaigns", map[string]any{"name": "Traced", "alias": "traced-one", "streams": flowFor(r)}).Want(201, "").Map()
	id := idOf(made["id"])
	s.Do("POST", "/tools/simulate", map[string]any{"campaign_id": id, "visitor": map[string]any{"country": "DE"}}).Want(200, "")
	_, key, _ := s.NewAccount("scale")
	s.As(key).Do("POST", "/tools/simulate", map[string]any{"campaign_id": id}).Want(404, "not_found")

	// The click is stored as the redirect would store it.
	records, err := store.CampaignRouting(t.Context(), s.DB, s.Account.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	facts := &cond.Facts{}
	facts.SetText(cond.Named("device_type"), "mobile")
	e := routing.NewExplainer(records).Explain(routing.Question{Campaign: id, Facts: facts, Seed: 1 << 63})
	c := &models.Click{
		ID: models.NewClickID(), AccountID: s.Account.ID, CampaignID: id, StreamID: e.Route.ID, LanderID: e.Lander.ID,
		Visitor: models.Visitor{Country: "FR", DeviceType: "mobile"}, RouteSeed: 1 << 63, FlowHash: e.FlowHash, Via: int(e.Via),
	}
	storeClicks(t, s, c)
	path := "/logs/clicks/" + models.FormatClickID(c.ID)
	if out := s.Do("GET", path, nil).Want(200, "").Map(); out["trace"] != nil {
		t.Errorf("the answer has a trace that the call did not request: %v", out["trace"])
	}
	s.Do("GET", path+"?trace=x", nil).Want(400, "invalid_input")
	trace := s.Do("GET", path+"?trace=1", nil).Want(200, "").Map()["trace"].(map[string]any)
	same(t, trace, map[string]any{"flow_changed": false, "reproduced": true})
	same(t, trace["decision"].(map[string]any), map[string]any{"via": "regular", "path": "Phones", "campaign_id": id, "lander_id": r.landers[0]})
	steps := trace["campaigns"].([]any)[0].(map[string]any)["steps"].([]any)
	first := steps[0].(map[string]any)["units"].([]any)[0].(map[string]any)["conditions"].([]any)[0].(map[string]any)
	same(t, first, map[string]any{"attribute": "country", "seen": "FR", "known": true, "matched": false})

	// Routing now chooses another landing page than the recorded one. The answer has the name of the page that is now chosen.
	other := *c
	other.ID, other.LanderID = models.NewClickID(), uuid.New()
	storeClicks(t, s, &other)
	answer := s.Do("GET", "/logs/clicks/"+models.FormatClickID(other.ID)+"?trace=1", nil).Want(200, "").Map()
	if name := answer["names"].(map[string]any)[r.landers[0].String()]; name == nil || answer["trace"].(map[string]any)["reproduced"] != false {
		t.Errorf("the trace is called reproduced, or its page has no name: %v", answer["names"])
	}

	// A cap counts only the clicks before this one, so a cap of 1 does not refuse it.
	lower := flowFor(r)
	lower[1].(map[string]any)["daily_cap"], lower[1].(map[string]any)["id"] = 1, e.Route.ID
	s.Do("PUT", fmt.Sprintf("/campaigns/%s/flow", id), map[string]any{"streams": lower}).Want(200, "")
	trace = s.Do("GET", path+"?trace=1", nil).Want(200, "").Map()["trace"].(map[string]any)
	same(t, trace, map[string]any{"flow_changed": true, "reproduced": true})
	dbtest.Exec(t, s.DB, `UPDATE campaigns SET deleted_at = $2 WHERE id = $1`, id, time.Now())
	trace = s.Do("GET", path+"?trace=1", nil).Want(200, "").Map()["trace"].(map[string]any)
	same(t, trace, map[string]any{"flow_changed": true, "reproduced": false, "decision": nil, "campaigns": []any{}})
}

// TestSimulateDraws: many visitors are distributed by the weights. The same seed gives the same distribution.
func TestSimulateDraws(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	path := func(name, url string, weight int) map[string]any {
		return map[string]any{"id": uuid.New(), "name": name, "action": "redirect", "weight": weight, "destinations": []any{map[string]any{"url": url}}}
	}
	body := map[string]any{
		"streams":       []any{path("a", "https://a.example/", 75), path("b", "https://b.example/", 25)},
		"flow_rotation": "weight", "seed": 5, "draws": 1000,
	}
	simulate := func() []any {
		out := s.Do("POST", "/tools/simulate", body).Want(200, "").Map()
		if out["decision"] == nil {
			t.Error("the answer lacks the decision for a single visitor")
		}
		return out["distribution"].([]any)
	}
	list := simulate()
	if len(list) != 2 {
		t.Fatalf("want both paths in the distribution: %v", list)
	}
	first, second := list[0].(map[string]any), list[1].(map[string]any)
	same(t, first, map[string]any{"path": "a", "via": "regular", "lander_id": nil})
	a, b := first["count"].(float64), second["count"].(float64)
	if a+b != 1000 || a < 690 || a > 810 {
		t.Errorf("%v and %v of 1000 visitors took the paths with the weights 75 and 25, want 690 to 810 and 1000 in all", a, b)
	}
	if again := simulate(); !reflect.DeepEqual(again, list) {
		t.Errorf("the same seed gave %v and then %v", list, again)
	}
	for _, draws := range []int{-1, 0, 1001} {
		body["draws"] = draws
		s.Do("POST", "/tools/simulate", body).Want(400, "invalid_input")
	}
	delete(body, "draws")
	if out := s.Do("POST", "/tools/simulate", body).Want(200, "").Map(); out["distribution"] != nil {
		t.Errorf("the answer has a distribution that the call did not request: %v", out)
	}
}
