package v1_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// leading returns a path through the landing page to the given offers.
func (d *campaignEnv) leading(name string, offers ...map[string]any) map[string]any {
	return map[string]any{"name": name, "action": "lander", "destinations": append([]map[string]any{{"id": d.lander}}, offers...)}
}

func weighted(id any, weight float64, slot int) map[string]any {
	return map[string]any{"id": id, "weight": weight, "slot": slot}
}

func (d *campaignEnv) secondOffer(t *testing.T) string {
	t.Helper()
	return d.add(t, `INSERT INTO offers (id, account_id, name, url) VALUES ($1, $2, 'Second', 'https://second.test')`)
}

func (d *campaignEnv) flowOf(t *testing.T, id any) (version any, streams []map[string]any) {
	t.Helper()
	m := d.In(t).Do("GET", campaignPath(id)+"/flow", nil).Want(200, "").Map()
	return m["version"], streamsOf(m)
}

type usedPlace = struct {
	Kind, Name, Path string
	ID               string
	Slot             int
	Weight           float64
	NewWeight        *float64 `json:"new_weight"`
	Joins            bool
}

// One call replaces an offer in campaigns and saved flows, with the weights of the preview. Weights of the same offer in a slot
// are added. One undo restores all flows and their versions.
func TestReplaceOfferEverywhere(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	second := d.secondOffer(t)
	one := d.make(t, with(d.campaign("One"), "streams", []any{
		d.leading("A", weighted(d.offer, 30, 0), weighted(second, 20, 0)), d.leading("B", weighted(d.offer, 7, 2), weighted(second, 5, 1)), redirectPath("C"),
	}))["id"]
	two := d.make(t, d.campaign("Two"))["id"]
	other := d.make(t, with(d.campaign("Other"), "offer_id", second))["id"]
	saved := d.Do("POST", "/flows", map[string]any{"name": "Saved", "paths": []any{d.leading("S", weighted(d.offer, 1, 0))}}).Want(201, "").Map()["id"]
	versions := map[any]any{}
	for _, id := range []any{one, two, other} {
		versions[id], _ = d.flowOf(t, id)
	}

	var before, after struct {
		Places   []usedPlace
		Whole    bool
		ChangeID string `json:"change_id"`
	}
	d.Do("GET", "/offers/"+d.offer+"/uses", nil).Want(200, "").Into(&before)
	if len(before.Places) != 4 || !before.Whole || before.Places[0].NewWeight != nil {
		t.Errorf("want four places without new weights: %+v", before)
	}
	d.As(d.ReadKey).Do("GET", "/offers/"+d.offer+"/uses?with="+second, nil).Want(200, "").Into(&before)
	d.Do("POST", "/offers/"+d.offer+"/replace", object{"with": second}).Want(200, "").Into(&after)
	if fmt.Sprint(names(before.Places)) != fmt.Sprint(names(after.Places)) {
		t.Errorf("the preview has the places %v, but the answer has %v", names(before.Places), names(after.Places))
	}
	want := "[campaign One A 0: 30 50 true campaign One B 2: 7 7 false campaign Two Path 1 0: 100 100 false flow Saved S 0: 1 1 false]"
	if got := fmt.Sprint(names(after.Places)); got != want {
		t.Errorf("places: %s\nwant    %s", got, want)
	}
	_, streams := d.flowOf(t, one)
	if got := fmt.Sprint(streams[0]["destinations"], streams[1]["destinations"]); got != fmt.Sprintf(
		"[map[id:%s weight:100] map[id:%s weight:50]] [map[id:%s weight:100] map[id:%s slot:2 weight:7] map[id:%s slot:1 weight:5]]",
		d.lander, second, d.lander, second, second) {
		t.Errorf("after the replacement, the campaign One has the destinations %s", got)
	}
	d.Do("PUT", campaignPath(one)+"/flow", object{"streams": streams}, "If-Match", fmt.Sprintf("%q", versions[one])).Want(409, "stale")
	d.Do("GET", "/offers/"+d.offer+"/uses", nil).Want(200, "").Into(&before)
	if len(before.Places) != 0 {
		t.Errorf("the replaced offer is still used: %+v", before.Places)
	}

	undo := d.Do("POST", "/changes/"+after.ChangeID+"/undo", nil).Want(200, "").Map()
	same(t, undo, map[string]any{"restored": 4, "kept": []any{}})
	for id, version := range versions {
		if now, _ := d.flowOf(t, id); now != version {
			t.Errorf("the flow of %v has the version %v, want %v", id, now, version)
		}
	}
	latest := d.Do("GET", campaignPath(one)+"/changes?limit=1", nil).Want(200, "").Map()["rows"].([]any)[0]
	same(t, latest.(map[string]any), map[string]any{"operation": "POST /changes/{id}/undo", "record_id": nil, "record": nil})
	d.Do("POST", "/changes/"+after.ChangeID+"/undo", nil).Want(409, "already_undone")
	flows := d.Do("GET", "/flows", nil).Want(200, "").Map()["rows"].([]any)
	if got := fmt.Sprint(flows[0].(map[string]any)["paths"]); saved == nil || !contains(got, d.offer) {
		t.Errorf("after the undo, the saved flow has the paths %s, want the first offer in them again", got)
	}
	d.auditedOnce(t, "POST /offers/{id}/replace", d.offer)
	d.auditedOnce(t, "POST /changes/{id}/undo", d.offer)
}

func names(places []usedPlace) (out []string) {
	for _, p := range places {
		out = append(out, fmt.Sprintf("%s %s %s %d: %v %v %v", p.Kind, p.Name, p.Path, p.Slot, p.Weight, *p.NewWeight, p.Joins))
	}
	return out
}

func (d *campaignEnv) auditedOnce(t *testing.T, route, record string) {
	t.Helper()
	var n int
	if err := d.DB.GetContext(t.Context(), &n, `SELECT count(*) FROM audit WHERE account_id = $1 AND route = $2 AND record = $3`,
		d.Account.ID, route, record); err != nil || n != 1 {
		t.Errorf("%d entries of %s are in the audit log, want 1: %v", n, route, err)
	}
}

// Only the chosen campaigns change. An undo skips paths that were deleted or whose destinations were changed since, and names
// them. It keeps other changes of a path.
func TestReplaceInChosenCampaigns(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	second := d.secondOffer(t)
	var ids []any
	for i := range 4 {
		ids = append(ids, d.make(t, d.campaign(fmt.Sprint("C", i)))["id"])
	}
	path := "/offers/" + d.offer + "/replace"
	var done struct {
		Places   []usedPlace
		ChangeID string `json:"change_id"`
	}
	d.Do("POST", path, object{"with": second, "campaigns": ids[:3]}).Want(200, "").Into(&done)
	if len(done.Places) != 3 {
		t.Errorf("want the places in the three chosen campaigns: %+v", done.Places)
	}
	if _, streams := d.flowOf(t, ids[3]); !contains(fmt.Sprint(streams), d.offer) {
		t.Error("the campaign that was not chosen has changed")
	}
	_, streams := d.flowOf(t, ids[0])
	d.Do("PATCH", campaignPath(ids[0])+"/flow", object{"path_id": streams[0]["id"], "daily_cap": 9}).Want(200, "")
	_, streams = d.flowOf(t, ids[1])
	d.Do("PATCH", campaignPath(ids[1])+"/flow", object{"path_id": streams[0]["id"], "destinations": []any{weighted(second, 5, 0)}}).Want(200, "")
	d.Do("PUT", campaignPath(ids[2])+"/flow", object{"streams": []any{redirectPath("New")}}).Want(200, "")
	undo := d.Do("POST", "/changes/"+done.ChangeID+"/undo", nil).Want(200, "").Map()
	if got := fmt.Sprint(undo); got != fmt.Sprintf("map[kept:[map[id:%v kind:campaign name:C1 path:Path 1 reason:changed] "+
		"map[id:%v kind:campaign name:C2 path:Path 1 reason:not_found]] restored:1]", ids[1], ids[2]) {
		t.Errorf("the answer to the undo is %s, want one path restored and two kept", got)
	}
	if _, streams := d.flowOf(t, ids[0]); !contains(fmt.Sprint(streams), d.offer) || streams[0]["daily_cap"] != 9.0 {
		t.Errorf("another change of the path is lost: %v", streams[0])
	}
}

func TestReplaceLander(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	page := d.add(t, `INSERT INTO landers (id, account_id, name, url) VALUES ($1, $2, 'Page 2', 'https://l2.test')`)
	id := d.make(t, with(d.campaign("One"), "lander_id", d.lander))["id"]
	got := d.Do("POST", "/landers/"+d.lander+"/replace", object{"with": page}).Want(200, "").Map()
	if _, streams := d.flowOf(t, id); !contains(fmt.Sprint(streams), page) || contains(fmt.Sprint(streams), d.lander) {
		t.Errorf("the replaced page is still in the flow, or the new one is missing: %v", streams)
	}
	// A replacement cannot be undone while the replaced landing page is removed.
	d.Do("DELETE", "/landers?id="+d.lander, nil).Want(200, "")
	d.Do("POST", fmt.Sprintf("/changes/%v/undo", got["change_id"]), nil).Want(409, "removed")
	d.Do("PATCH", "/landers", object{"id": d.lander, "is_active": true}).Want(200, "")
	d.Do("DELETE", "/landers?id="+page, nil).Want(200, "")
	d.Do("POST", "/landers/"+page+"/replace", object{"with": d.lander}).Want(200, "")
	for _, kind := range []string{"offers", "landers"} {
		d.replaceErrors(t, kind, map[string]string{"offers": d.offer, "landers": d.lander}[kind])
	}
}

func (d *campaignEnv) replaceErrors(t *testing.T, kind, id string) {
	t.Helper()
	_, otherKey, _ := d.NewAccount("scale")
	record := func(s *apitest.Server, name string) any {
		return s.Do("POST", "/"+kind, object{"name": name, "url": "https://x.test"}).Want(201, "").Map()["id"]
	}
	second, unused, foreign := record(d.Server, "Next"), record(d.Server, "Unused"), record(d.As(otherKey), "Theirs")
	theirs := d.As(otherKey).Do("POST", "/flows", savedFlow("Theirs "+kind)).Want(201, "").Map()["id"]
	path, uses := "/"+kind+"/"+id+"/replace", "/"+kind+"/"+id+"/uses"
	for name, body := range map[string]object{
		"invalid_with nothing": {}, "invalid_with itself": {"with": id}, "invalid_with foreign": {"with": foreign},
		"invalid_with form": {"with": "x"}, "invalid_with unknown": {"with": uuid.NewString()},
		"invalid_chosen unknown": {"with": second, "campaigns": []any{uuid.NewString()}},
		"invalid_chosen form":    {"with": second, "flows": []any{"x"}},
		"invalid_chosen foreign": {"with": second, "flows": []any{theirs}},
		"invalid_input":          {"with": second, "campaign": []any{}},
	} {
		var code string
		_, _ = fmt.Sscan(name, &code)
		d.Do("POST", path, body).Want(400, code)
	}
	d.Do("GET", uses+"?with="+id, nil).Want(400, "invalid_with")
	d.Do("GET", uses+"?with=x", nil).Want(400, "invalid_with")
	for _, missing := range []any{uuid.NewString(), foreign} {
		d.Do("GET", fmt.Sprintf("/%s/%v/uses", kind, missing), nil).Want(404, "not_found")
		d.Do("POST", fmt.Sprintf("/%s/%v/replace", kind, missing), object{"with": second}).Want(404, "not_found")
		d.Do("POST", fmt.Sprintf("/changes/%v/undo", missing), nil).Want(404, "not_found")
	}
	d.Do("GET", "/"+kind+"/x/uses", nil).Want(400, "invalid_id")
	d.Do("POST", "/"+kind+"/x/replace", object{"with": second}).Want(400, "invalid_id")
	d.Do("POST", "/changes/x/undo", nil).Want(400, "invalid_id")
	d.As(d.ReadKey).Do("POST", path, object{"with": second}).Want(403, "read_only_key")
	empty := d.Do("POST", fmt.Sprintf("/%s/%v/replace", kind, unused), object{"with": second}).Want(200, "").Map()
	same(t, empty, map[string]any{"places": []any{}})

	// A replacement is refused if the sum of two weights is too large, or if there are too many places.
	heavy := func(weight float64) map[string]any {
		if kind == "offers" {
			return d.leading("Heavy", weighted(id, weight, 0), weighted(second, weight, 0))
		}
		return map[string]any{"name": "Heavy", "action": "lander", "destinations": []any{weighted(id, weight, 0), weighted(second, weight, 0), weighted(d.offer, 1, 0)}}
	}
	campaign := d.make(t, with(d.campaign("Heavy "+kind), "streams", []any{heavy(1_000_000)}))["id"]
	d.Do("POST", path, object{"with": second}).Want(400, "invalid_weight")
	d.Do("PUT", campaignPath(campaign)+"/flow", object{"streams": []any{heavy(1)}}).Want(200, "")
	dbtest.Exec(t, d.DB, `INSERT INTO flows (id, account_id, name, paths)
		SELECT gen_random_uuid(), $1, 'F' || n, jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'name', 'P',
			'destinations', jsonb_build_array(jsonb_build_object('id', $2::text, 'weight', 1)))) FROM generate_series(1, 5000) n`,
		d.Account.ID, id)
	d.Do("POST", path, object{"with": second}).Want(400, "too_many")
	same(t, d.Do("GET", uses, nil).Want(200, "").Map(), map[string]any{"whole": false})
	d.Do("POST", path, object{"with": second, "campaigns": []any{campaign}}).Want(200, "")
	dbtest.Exec(t, d.DB, `DELETE FROM flows WHERE account_id = $1`, d.Account.ID)
}
