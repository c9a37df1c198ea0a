package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"switchyard/models"
)

type recorded struct {
	requests []Request
	answer   string
}

func (r *recorded) Do(_ context.Context, q Request) (json.RawMessage, error) {
	r.requests = append(r.requests, q)
	return json.RawMessage(r.answer), nil
}

const anID = "0197a0c4-0000-7000-8000-000000000001"

// arguments returns an argument for each parameter of a tool, except external_id and the source_id of explain_conversion_gap. For
// these, click_id and network_id are sent instead.
func arguments(t *Tool) json.RawMessage {
	out := map[string]any{}
	for _, p := range t.Params {
		switch {
		case p.Enum != nil:
			out[p.Name] = p.Enum[0]
		case p.Type == ID:
			out[p.Name] = anID
		case p.Type == Whole:
			out[p.Name] = max(p.Min, 1)
		case p.Type == Number:
			out[p.Name] = 1.5
		case p.Type == Flag:
			out[p.Name] = true
		case p.Type == Texts:
			out[p.Name] = []string{"x"}
		case p.Type == Filters:
			out[p.Name] = []any{map[string]any{"dimension": "os", "value": "x"}}
		case p.Type == Weights:
			out[p.Name] = []any{map[string]any{"id": anID, "weight": "2"}}
		case p.Type == Visitor:
			out[p.Name] = map[string]any{"country": "DE"}
		case p.Name == "dimension":
			out[p.Name] = "os"
		case p.Name == "click_id":
			out[p.Name] = models.FormatClickID(models.NewClickID())
		case p.Name == "source_id", p.Name == "external_id":
		default:
			out[p.Name] = "x"
		}
	}
	if t.Name == "explain_conversion_gap" {
		delete(out, "source_id")
	}
	raw, _ := json.Marshal(out)
	return raw
}

// TestTable checks the form of the table, and that a tool of the kind Reads sends only GET requests, except for POST
// /tools/simulate.
func TestTable(t *testing.T) {
	t.Parallel()
	table := Table([]string{"os", "ip", "campaign_id"})
	form, seen := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`), map[string]bool{}
	for i := range table {
		tool := &table[i]
		if !form.MatchString(tool.Name) || seen[tool.Name] || tool.Title == "" || len(tool.Answer) == 0 || tool.Run == nil {
			t.Errorf("the row %q lacks something, or its name is malformed or taken", tool.Name)
		}
		seen[tool.Name] = true
		if says := strings.Contains(tool.About, "Reads only") || strings.Contains(tool.About, "Nothing is recorded"); (tool.Kind == Reads || tool.Kind == Tries) != says {
			t.Errorf("%s: the description must say \"Reads only\" or \"Nothing is recorded\" for the kinds Reads and Tries, and for no other kind", tool.Name)
		}
		if tool.Kind != Reads && !strings.Contains(tool.About, "full key") {
			t.Errorf("%s: the description does not say that the tool needs a full key", tool.Name)
		}
		api := &recorded{answer: `{"rows":[{"id":"` + anID + `","status":"x"}],"alerts":[],"click":{"at":"2026-03-01T00:00:00Z"}}`}
		if _, err := tool.Use(t.Context(), Call{API: api}, arguments(tool)); err != nil {
			t.Errorf("%s with valid arguments fails: %v", tool.Name, err)
		}
		for _, r := range api.requests {
			if tool.Kind == Reads && r.Method != "GET" && r.Path != "/tools/simulate" {
				t.Errorf("%s is a tool that reads, but sends %s %s", tool.Name, r.Method, r.Path)
			}
			if strings.Contains(fmt.Sprint(r.Query), "f.ip") {
				t.Errorf("%s filters by the address of visitors", tool.Name)
			}
		}
		if d := tool.Input()["properties"].(map[string]any)["filters"]; d != nil && strings.Contains(fmt.Sprint(d), " ip,") {
			t.Errorf("%s offers the visitor's address as a filter", tool.Name)
		}
	}
}

// TestArguments checks that arguments which a tool does not take are refused before anything is called.
func TestArguments(t *testing.T) {
	t.Parallel()
	table := Table([]string{"os", "campaign_id"})
	for _, c := range []struct{ name, arguments, want string }{
		{"run_report", `[]`, "not a JSON object"},
		{"run_report", `{"dimension":`, "not a JSON object"},
		{"run_report", `{"acount":"x"}`, `no parameter "acount"`},
		{"run_report", `{"from":{"x":1}}`, "from must be a text"},
		{"run_report", `{"from":"` + strings.Repeat("x", 501) + `"}`, "from must be a text"},
		{"run_report", `{"dimension":"ip"}`, "a dimension must be one of"},
		{"run_report", `{"filters":[{"dimension":"ip","value":"1"}]}`, "a dimension must be one of"},
		{"run_report", `{"filters":[{"dimension":"os","value":"1","not":true}]}`, "filters must be a list"},
		{"run_report", `{"limit":0}`, "limit must be a whole number"},
		{"run_report", `{"limit":1.5}`, "limit must be a whole number"},
		{"get_campaign", `{}`, "id is required"},
		{"get_campaign", `{"id":"../settings"}`, "id is not an id"},
		{"get_campaign", `{"id":null}`, "id is required"},
		{"find_records", `{"kind":"keys"}`, "kind must be one of"},
		{"explain_click", `{"click_id":"a/b"}`, "send click_id"},
		{"set_active", `{"kind":"offer","id":"` + anID + `","active":"yes"}`, "active must be true or false"},
		{"set_active", `{"kind":"path","id":"` + anID + `","active":true}`, "campaign_id"},
		{"create_campaign_from", `{"campaign_id":"` + anID + `","names":[]}`, "1 to 20 names"},
		{"record_cost", `{"from":"2026-03-01","to":"2026-03-01","amount":"much"}`, "amount must be a number"},
	} {
		tool, err := Find(table, c.name)
		if err != nil {
			t.Fatal(err)
		}
		api := &recorded{answer: `{}`}
		if _, err := tool.Use(t.Context(), Call{API: api}, json.RawMessage(c.arguments)); err == nil || !strings.Contains(err.Error(), c.want) || len(api.requests) > 0 {
			t.Errorf("%s %s: got the error %v and %d requests, want %q and none", c.name, c.arguments, err, len(api.requests), c.want)
		}
	}
}

// TestShape: an answer begins with the notice and the totals, and has at most MaxBytes. Long texts are cut, and private members are
// left out.
func TestShape(t *testing.T) {
	t.Parallel()
	row := `{"dims":{"sub1":"` + strings.Repeat("é", 300) + `"},"clicks":12,"revenue":0.1234567,"user_agent":"canary","ip":"192.0.2.1"},`
	api := &recorded{answer: `{"totals":{"clicks":1200,"cost":null},"labels":{},"rows":[` + strings.TrimSuffix(strings.Repeat(row, 100), ",") + `]}`}
	tool, _ := Find(Table([]string{"sub1"}), "run_report")
	a, err := tool.Use(t.Context(), Call{API: api}, json.RawMessage(`{"dimension":"sub1","limit":90}`))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(a)
	if err != nil || len(raw) > MaxBytes || len(a.Text()) > MaxBytes || !strings.HasPrefix(string(raw), `{"notice":"`+Notice+`","totals":{"clicks":"1200",`) {
		t.Fatalf("the answer has more than MaxBytes, or does not begin with the notice and the totals: %d bytes, %v: %.300s", len(raw), err, raw)
	}
	var got struct {
		Rows []struct {
			Dims    map[string]string
			Revenue string
		}
		Left int `json:"rows_left_off"`
	}
	if err := json.Unmarshal(raw, &got); err != nil || len(got.Rows)+got.Left != 100 || len(got.Rows) < 10 || got.Rows[0].Revenue != "0.1234567" {
		t.Errorf("the answer has %d rows and %d are left off, want 100 together and exact figures: %v", len(got.Rows), got.Left, err)
	}
	if n := len([]rune(got.Rows[0].Dims["sub1"])); n != maxText+1 {
		t.Errorf("a text in the answer has %d characters, want maxText and an ellipsis", n)
	}
	if text := string(raw) + a.Text(); strings.Contains(text, "canary") || strings.Contains(text, "192.0.2.1") {
		t.Errorf("a private member is in the answer: %s", text)
	}
	if lines := strings.Split(a.Text(), "\n"); !slices.Contains(lines, "dims,clicks,revenue") {
		t.Errorf("the text lacks the line of names dims,clicks,revenue: %.600s", a.Text())
	}
}

// TestSearch checks that passages are found by their words.
func TestSearch(t *testing.T) {
	t.Parallel()
	pages := []Page{
		{"a", "# A\n\nPostbacks report conversions.\n\n## Currency\n\nA payout has a currency. The currency of a payout is three letters.\n"},
		{"b", "# B\n\nVisitors are routed by paths.\n"},
	}
	got := NewLibrary(pages).Search("payout currencies, currency", 2)
	if len(got) != 1 || got[0]["page"] != "a" || got[0]["heading"] != "Currency" {
		t.Errorf("the search found %v, want the passage Currency of page a", got)
	}
	if got := NewLibrary(pages).Search("nothing of this", 2); len(got) > 1 {
		t.Errorf("the search for \"nothing of this\" found %v, want at most one passage", got)
	}
	if got := (*Library)(nil).Search("x", 2); len(got) != 0 {
		t.Errorf("the search without pages found %v, want nothing", got)
	}
}
