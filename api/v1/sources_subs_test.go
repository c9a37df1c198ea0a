package v1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/models"
)

// subsOf returns the listed sub-parameters of a source, for example "1 zone, 2 ad (Banner)".
func subsOf(t *testing.T, s *apitest.Server, id any) string {
	t.Helper()
	var parts []string
	for _, one := range rowOf(t, s, "/traffic-sources", id)["subs"].([]any) {
		slot := one.(map[string]any)
		part := fmt.Sprint(slot["sub"], " ", slot["param"])
		if slot["name"] != "" {
			part += fmt.Sprintf(" (%s)", slot["name"])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// putSource replaces a source. macros is the text of a JSON object, because the order of the macros matters.
func putSource(t *testing.T, s *apitest.Server, id any, macros string, subs ...any) {
	t.Helper()
	body := fmt.Sprintf(`{"id": %q, "name": "Push", "token_macros": %s}`, id, macros)
	if subs != nil {
		body = fmt.Sprintf(`{"id": %q, "name": "Push", "token_macros": %s, "subs": %s}`, id, macros, subs[0])
	}
	s.Do("PUT", "/traffic-sources", body).Want(200, "")
}

// Once a campaign uses a source, each parameter keeps its number unless subs is sent. The number of a removed parameter stays
// reserved for a parameter with the same macro. Other new parameters take free numbers.
func TestSubParametersStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	id := d.Do("POST", "/traffic-sources", `{"name": "Push", "token_macros": {"a": "{a}", "b": "{b}"}}`).Want(201, "").Map()["id"]
	putSource(t, d.Server, id, `{"zoneid": "{zone}", "campaignid": "{campaign}", "bannerid": "{banner}"}`)
	if got := subsOf(t, d.Server, id); got != "1 zoneid, 2 campaignid, 3 bannerid" {
		t.Errorf("before a campaign uses the source, its parameters are %s, want the order of the macros", got)
	}

	campaign := d.make(t, with(d.campaign("Live"), "source_id", id))["id"]
	for _, step := range []struct{ macros, subs, want string }{
		{`{"campaignid": "{campaign}", "bannerid": "{banner}"}`, "", "1 zoneid, 2 campaignid, 3 bannerid"},
		{`{"bannerid": "{banner}", "age": "{age}", "camp": "{campaign}"}`, "", "1 zoneid, 2 camp, 3 bannerid, 4 age"},
		{
			`{"bannerid": "{banner}", "age": "{age}"}`, `[{"sub": 1, "param": "bannerid", "name": "Banner"}]`,
			"1 bannerid (Banner), 2 age",
		},
		{`{"age": "{age}", "bannerid": "{banner}"}`, "", "1 bannerid (Banner), 2 age"},
	} {
		if step.subs == "" {
			putSource(t, d.Server, id, step.macros)
		} else {
			putSource(t, d.Server, id, step.macros, step.subs)
		}
		if got := subsOf(t, d.Server, id); got != step.want {
			t.Errorf("%s %s: %s, want %s", step.macros, step.subs, got, step.want)
		}
	}

	// The answers for the source and for its campaign have the names.
	want := map[string]any{"sub_names": "map[sub1:Banner sub2:age]"}
	same(t, rowOf(t, d.Server, "/traffic-sources", id), want)
	same(t, rowOf(t, d.Server, "/campaigns", campaign), want)

	// A client can send back a row of the list unchanged.
	row := rowOf(t, d.Server, "/traffic-sources", id)
	d.Do("PUT", "/traffic-sources", row).Want(200, "")
	if got := subsOf(t, d.Server, id); got != "1 bannerid (Banner), 2 age" {
		t.Errorf("after the row was sent back unchanged, the parameters are %s", got)
	}
}

// Reports and logs name a sub-parameter if all sources have the same name for it. With the filters f.source_id and f.campaign_id,
// only the sources that these select must have the same name.
func TestSubNamesOfReportsAndLogs(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	one := d.Do("POST", "/traffic-sources", `{"name": "Push", "token_macros": {"zone": "{z}", "ad": "{a}"}}`).Want(201, "").Map()["id"]
	other := d.Do("POST", "/traffic-sources", `{"name": "Pop", "token_macros": {"site": "{s}", "ad": "{a}"}}`).Want(201, "").Map()["id"]
	campaign := d.make(t, with(d.campaign("Live"), "source_id", other))["id"]
	for query, want := range map[string]string{
		"":                                     "map[sub2:ad]",
		fmt.Sprint("f.source_id=", one):        "map[sub1:zone sub2:ad]",
		fmt.Sprint("f.source_id=", other):      "map[sub1:site sub2:ad]",
		fmt.Sprint("x.source_id=", other):      "map[sub2:ad]",
		fmt.Sprint("f.campaign_id=", campaign): "map[sub1:site sub2:ad]",
		fmt.Sprintf("f.source_id=%v&f.source_id=%v", one, other): "map[sub2:ad]",
	} {
		for _, path := range []string{"/reports/performance", "/logs/clicks"} {
			if got := fmt.Sprint(d.Do("GET", path+"?"+query, nil).Want(200, "").Map()["sub_names"]); got != want {
				t.Errorf("%s?%s: %s, want %s", path, query, got, want)
			}
		}
	}
	stranger, key, _ := d.NewAccount("scale")
	d.Account = stranger
	if got := fmt.Sprint(d.As(key).Do("GET", fmt.Sprint("/reports/performance?f.source_id=", one), nil).Want(200, "").Map()["sub_names"]); got != "map[]" {
		t.Errorf("another account reads %s", got)
	}
}

// A sub-parameter of a source counts as used if a campaign of the source, a bot list, a list of blocked values or a Copilot rule
// names it.
func TestUsesOfSubParameters(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	id := d.Do("POST", "/traffic-sources", `{"name": "Push", "token_macros": {"zone": "{z}", "ad": "{a}"}}`).Want(201, "").Map()["id"]
	body := with(d.campaign("Named"), "source_id", id)
	body["streams"] = []any{with(redirectPath("A"), "filters", []object{{"attribute": "sub2", "operator": "equals", "value": "5"}})}
	d.make(t, body)
	d.make(t, with(d.campaign("Another source"), "streams", body["streams"]))
	d.Do("POST", "/bot-lists", with(botEntry("sub1", "equals", "zone-5"), "note", "Bad zone")).Want(201, "")
	zones := object{"scope": "source", "source_id": id, "dimension": "sub1", "values": []string{"zone-7"}}
	d.Do("POST", "/blocks", zones).Want(200, "")
	d.Do("POST", "/copilot/rules", with(with(with(copilotRule(), "looks_at", "value"), "attribute", "sub1"), "action", "alert")).Want(201, "")

	var got struct {
		Subs []struct {
			Sub    int
			Param  string
			Filled bool
			UsedBy []struct{ Kind, Name string } `json:"used_by"`
		}
	}
	d.Do("GET", fmt.Sprintf("/traffic-sources/%v/subs", id), nil).Want(200, "").Into(&got)
	var uses []string
	for _, s := range got.Subs {
		for _, u := range s.UsedBy {
			uses = append(uses, fmt.Sprint(s.Sub, " ", u.Kind, " ", u.Name))
		}
	}
	if want := []string{"1 block_list zone-7", "1 bot_entry Bad zone", "1 copilot_rule Stop losers", "2 campaign Named"}; !slices.Equal(uses, want) {
		t.Errorf("uses %q, want %q", uses, want)
	}
	d.Do("GET", "/traffic-sources/none/subs", nil).Want(400, "invalid_id")
	d.Do("GET", "/traffic-sources/"+uuid.NewString()+"/subs", nil).Want(404, "not_found")
	if s := got.Subs[0]; len(got.Subs) != models.Subs || s.Param != "zone" || !s.Filled || got.Subs[2].Filled {
		t.Errorf("want sub1 filled by zone, and sub3 free: %+v", got.Subs)
	}
}
