package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models/tool"
)

type assistantEnv struct {
	t *testing.T
	*sdk.ClientSession
	outputs map[string]*jsonschema.Resolved
}

type bearer struct{ key string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

// An empty version means the newest.
func connectMCP(t *testing.T, s *apitest.Server, version string) *assistantEnv {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "Test Client", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{s.Key}}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	a := &assistantEnv{t, session, map[string]*jsonschema.Resolved{}}
	for _, listed := range a.tools() {
		raw, _ := json.Marshal(listed.OutputSchema)
		schema := &jsonschema.Schema{}
		if err := json.Unmarshal(raw, schema); err != nil {
			t.Fatal(err)
		}
		if a.outputs[listed.Name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func (a *assistantEnv) tools() []*sdk.Tool {
	a.t.Helper()
	list, err := a.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return list.Tools
}

// An answer must have the form of the tool's schema and at most 12 kB, and its text must stand between marks.
func (a *assistantEnv) use(name string, arguments object) (answer object, failure string) {
	a.t.Helper()
	result, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, err.Error()
	}
	said := result.Content[0].(*sdk.TextContent).Text
	if result.IsError {
		return nil, said
	}
	answer, _ = result.StructuredContent.(map[string]any)
	if err := a.outputs[name].Validate(answer); err != nil {
		a.t.Errorf("%s: the answer differs from the schema: %v", name, err)
	}
	if raw, _ := json.Marshal(answer); len(raw) > tool.MaxBytes || len(said) > tool.MaxBytes {
		a.t.Errorf("%s: the answer has %d bytes, and %d as text, want at most 12 kB", name, len(raw), len(said))
	}
	mark, rest, opened := strings.Cut(strings.TrimPrefix(said, "<"), ">")
	if inside, closed := strings.CutSuffix(rest, "</"+mark+">"); !opened || !closed || strings.Contains(inside, mark) {
		a.t.Errorf("%s: the text is not between marks: %s", name, said)
	}
	return answer, ""
}

func (a *assistantEnv) must(name string, arguments object) object {
	a.t.Helper()
	answer, failure := a.use(name, arguments)
	if failure != "" {
		a.t.Fatalf("%s %v: %s", name, arguments, failure)
	}
	return answer
}

func rows(answer object, name string) (out []object) {
	list, _ := answer[name].([]any)
	for _, item := range list {
		out = append(out, item.(map[string]any))
	}
	return out
}

func newMCP(t *testing.T) *exampleEnv {
	t.Helper()
	x := newExampleEnv(t, day(time.Now()))
	x.build()
	x.route()
	x.visit()
	x.earn()
	return x
}

// allTables returns a checksum of each table, over all accounts. Workers still run earlier jobs. Therefore
// the table jobs is represented only by the kinds of its jobs, without long reports, and the table job_results is left out.
func (x *exampleEnv) allTables() map[string]string {
	x.t.Helper()
	out := map[string]string{}
	out["jobs"] = dbtest.Get[string](x.t, x.DB, `SELECT coalesce(string_agg(kind, ' ' ORDER BY kind), '') FROM jobs WHERE kind NOT LIKE 'report:%'`)
	for _, table := range dbtest.Select[string](x.t, x.DB, `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname NOT IN ('jobs', 'job_results') ORDER BY 1`) {
		out[table] = dbtest.Get[string](x.t, x.DB, fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(t, '|' ORDER BY t)), '')
			FROM (SELECT (to_jsonb(r) - 'used_at')::text AS t FROM %q r) x`, table))
	}
	return out
}

func (x *exampleEnv) readCalls() map[string]object {
	campaign := x.ids["campaign"]
	since := x.today.AddDate(0, 0, -3).Format(time.DateOnly)
	return map[string]object{
		"whoami": {}, "account_overview": {"from": since},
		"run_report":      {"dimension": "os,campaign_id", "filters": []object{{"dimension": "country", "value": "DE"}}, "from": since},
		"compare_periods": {"dimension": "country", "from": since, "figure": "revenue"},
		"get_trend":       {"bucket": "day", "from": since}, "list_values": {"dimension": "campaign_id", "from": since},
		"find_records": {"kind": "campaign", "q": "shoes"}, "get_campaign": {"id": campaign, "from": since},
		"check_campaign": {"id": campaign}, "list_changes": {"id": campaign}, "list_alerts": {}, "list_suggestions": {},
		"explain_click": {"click_id": x.ids["click"]}, "explain_conversion_gap": {"network_id": x.ids["network"], "from": since},
		"list_unmatched_postbacks": {}, "simulate_visitor": {"campaign_id": campaign, "visitor": object{"country": "DE"}, "draws": 10},
		"search_docs": {"q": "postback payout currency"}, "request_test_postback": {"network_id": x.ids["network"], "payout": "1.5"},
	}
}

// TestMCPRead calls each tool that says that it only reads, with a full key, and also with a read-only key if that key is offered
// the tool.
func TestMCPRead(t *testing.T) {
	t.Parallel()
	x := newMCP(t)
	before := x.allTables()
	full, reader := connectMCP(t, x.Server, ""), connectMCP(t, x.As(x.ReadKey), "")
	calls := x.readCalls()
	offered := map[string]bool{}
	for _, listed := range reader.tools() {
		offered[listed.Name] = true
	}
	for _, listed := range full.tools() {
		arguments, ok := calls[listed.Name]
		if !listed.Annotations.ReadOnlyHint {
			continue
		}
		if !ok {
			t.Errorf("%s has no call here", listed.Name)
			continue
		}
		same := full.must(listed.Name, arguments)
		if offered[listed.Name] {
			if other := reader.must(listed.Name, arguments); listed.Name != "whoami" && fmt.Sprint(same) != fmt.Sprint(other) {
				t.Errorf("%s: the keys read differently:\n%v\n%v", listed.Name, same, other)
			}
		}
		if _, failure := full.use(listed.Name, object{"account_id": "x"}); !strings.Contains(failure, "no parameter") {
			t.Errorf("%s: an unknown parameter is answered with %q", listed.Name, failure)
		}
	}
	for table, sum := range x.allTables() {
		if before[table] != sum {
			t.Errorf("%s has changed: %s, before %s", table, sum, before[table])
		}
	}
	x.checkRead(t, full)
}

func (x *exampleEnv) checkRead(t *testing.T, a *assistantEnv) {
	t.Helper()
	clicks := dbtest.Get[string](t, x.DB, `SELECT count(*)::text FROM clicks WHERE account_id = $1 AND NOT is_bot`, x.Account.ID)
	since := x.today.AddDate(0, 0, -30).Format(time.DateOnly)
	report := a.must("run_report", object{"dimension": "os", "from": since})
	if totals := report["totals"].(map[string]any); totals["clicks"] != clicks {
		t.Errorf("the report has %v clicks, and the rows have %s", totals["clicks"], clicks)
	}
	found := rows(a.must("find_records", object{"kind": "campaign", "q": "Shoes"}), "rows")
	if !slices.ContainsFunc(found, func(r object) bool { return r["id"] == x.ids["campaign"] }) {
		t.Errorf("the search finds %v, want the campaign among them", found)
	}
	campaign := a.must("get_campaign", object{"id": x.ids["campaign"]})
	if paths := rows(campaign, "paths"); len(paths) != 2 || campaign["campaign"].(map[string]any)["name"] != "Shoes DE push" {
		t.Errorf("the campaign is %v, want Shoes DE push with two paths", campaign)
	}
	click := a.must("explain_click", object{"click_id": x.ids["click"]})
	if steps := rows(click, "paths"); len(steps) == 0 || click["click"].(map[string]any)["campaign_id"] != x.ids["campaign"] {
		t.Errorf("the click is explained by %v, want its campaign and the paths", click)
	}
	check := a.must("check_campaign", object{"id": x.ids["campaign"]})
	if findings := rows(check, "findings"); len(rows(check, "areas")) != 14 || len(findings) == 0 || findings[0]["state"] != check["state"] {
		t.Errorf("the check is %v, want 14 areas and the worst finding first", check)
	}
	if passages := rows(a.must("search_docs", object{"q": "status of a postback"}), "passages"); len(passages) == 0 {
		t.Error("the documentation has no passage about postbacks")
	}
	if reasons := rows(a.must("list_unmatched_postbacks", object{"from": since}), "reasons"); len(reasons) == 0 {
		t.Error("no unmatched postback is listed")
	}
}

// listBytes returns the number of bytes of a list of tools, and the number of bytes that a client gives to its model: all except
// the schemas of answers.
func listBytes(t *testing.T, tools []*sdk.Tool) (all, read int) {
	t.Helper()
	for _, listed := range tools {
		whole, err := json.Marshal(listed)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := json.Marshal(listed.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		all += len(whole)
		read += len(whole) - len(answer)
	}
	return all, read
}

// TestGoldenMCP compares the tools, prompts and resources of a full key with a golden file, because models act on the
// descriptions.
func TestGoldenMCP(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	full, reader := connectMCP(t, s, ""), connectMCP(t, s.As(s.ReadKey), "")
	prompts, err := full.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resources, err := full.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	templates, err := full.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(object{
		"tools": full.tools(), "prompts": prompts.Prompts, "resources": resources.Resources, "templates": templates.ResourceTemplates,
	}); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/mcp.json", text.Bytes())
	if all, read := listBytes(t, full.tools()); all > 80_000 || read > 35_000 {
		t.Errorf("the list has %d bytes, want at most 80,000; a model reads %d of them in each conversation, want at most 35,000", all, read)
	}
	for _, listed := range reader.tools() {
		if !listed.Annotations.ReadOnlyHint {
			t.Errorf("a read-only key is offered %s", listed.Name)
		}
	}
	for _, listed := range full.tools() {
		if listed.Title == "" || listed.Description == "" || listed.OutputSchema == nil || listed.Annotations.DestructiveHint == nil || *listed.Annotations.OpenWorldHint {
			t.Errorf("%s lacks a part of its description", listed.Name)
		}
	}
}

// TestMCPVersions speaks each version of the protocol.
func TestMCPVersions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		a := connectMCP(t, s.In(t), version)
		if got := a.must("whoami", nil); got["account"] != s.Account.Name || a.InitializeResult().ProtocolVersion != version {
			t.Errorf("whoami in the version %s is answered with %v in the version %s", version, got, a.InitializeResult().ProtocolVersion)
		}
	}
}

func post(t *testing.T, s *apitest.Server, body string, headers ...string) (status int, answer string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if s.Key != "" {
		r.Header.Set("Authorization", "Bearer "+s.Key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if host := r.Header.Get("Host"); host != "" { // an http.Client sends the field Host and ignores the header
		r.Host = host
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var text bytes.Buffer
	_, _ = text.ReadFrom(resp.Body)
	return resp.StatusCode, text.String(), resp.Header
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// TestMCPRefused checks who is refused at /mcp, and how.
func TestMCPRefused(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	status, answer, header := post(t, s.As(""), listTools)
	if status != http.StatusUnauthorized || !strings.Contains(header.Get("WWW-Authenticate"), "Bearer") || !strings.Contains(answer, "unauthenticated") {
		t.Errorf("a request without a key is answered with %d %s", status, answer)
	}
	if status, answer, _ = post(t, s, listTools); status != http.StatusOK || !strings.Contains(answer, `"run_report"`) {
		t.Errorf("a request with a key is answered with %d %.300s", status, answer)
	}
	if status, answer, _ = post(t, s, listTools, "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden || !strings.Contains(answer, "cross_site") {
		t.Errorf("a request from another site is answered with %d %.300s", status, answer)
	}
	if status, answer, _ = post(t, s, listTools, "Origin", s.URL); status != http.StatusOK {
		t.Errorf("a request from a page of this machine is answered with %d %.300s", status, answer)
	}
	if status, answer, _ = post(t, s, listTools, "Host", "evil.example", "Origin", "http://evil.example"); status != http.StatusForbidden || !strings.Contains(answer, "cross_site") {
		t.Errorf("a request from a site whose name points to this machine is answered with %d %.300s", status, answer)
	}
	if status, answer, _ = post(t, s, `{"jsonrpc":"2.0"`); status != http.StatusBadRequest {
		t.Errorf("broken JSON is answered with %d %.300s", status, answer)
	}
	if status, answer, _ = post(t, s, strings.Repeat("x", 2<<20)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body is answered with %d %.300s", status, answer)
	}
	if status, answer, _ = post(t, s, listTools, "MCP-Protocol-Version", "1999-01-01"); status != http.StatusBadRequest {
		t.Errorf("an unknown version is answered with %d %.300s", status, answer)
	}
	get, err := http.Get(s.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	get.Body.Close()
	if get.StatusCode != http.StatusMethodNotAllowed || get.Header.Get("Allow") != "POST" {
		t.Errorf("GET is answered with %d and allows %q, want 405 and POST", get.StatusCode, get.Header.Get("Allow"))
	}
	s.Do("PATCH", "/settings", object{"assistants": false}).Want(http.StatusOK, "")
	if status, answer, _ = post(t, s, listTools); status != http.StatusForbidden || !strings.Contains(answer, "mcp_off") {
		t.Errorf("a request to a switched-off /mcp is answered with %d %.300s", status, answer)
	}
	s.Do("PATCH", "/settings", object{"assistants": true}).Want(http.StatusOK, "")
	_, key, _ := s.NewAccount("starter")
	if status, answer, _ = post(t, s.As(key), listTools); status != http.StatusPaymentRequired {
		t.Errorf("a request of a plan without an API is answered with %d %.300s", status, answer)
	}
}
