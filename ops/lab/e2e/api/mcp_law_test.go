package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"switchyard/api"
	"switchyard/api/apitest"
	"switchyard/api/route"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/tool"
)

// keyCalls carries out the calls of tools over HTTP with the key of the test server, and collects the rows of the API's table of routes
// that the calls use.
type keyCalls struct {
	s    *apitest.Server
	rows []route.Route
	used []route.Route
}

func (k *keyCalls) Do(_ context.Context, r tool.Request) (json.RawMessage, error) {
	i := slices.IndexFunc(k.rows, func(row route.Route) bool { return row.Method == r.Method && samePath(row.Path, r.Path) })
	if i < 0 {
		return nil, fmt.Errorf("there is no row for %s %s", r.Method, r.Path)
	}
	k.used = append(k.used, k.rows[i])
	a := k.s.Do(r.Method, r.Path+"?"+r.Query.Encode(), r.Body)
	if a.Code != "" {
		return nil, models.Invalid(a.Code, "%s", a.Message)
	}
	return a.Data, nil
}

func samePath(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(part, text string) bool { return part == text || strings.HasPrefix(part, "{") })
}

// TestMCPReadOnlyKey: a read-only key can call exactly the tools that it is shown. They use only GET operations that every key may
// call, and the simulator, which records nothing.
func TestMCPReadOnlyKey(t *testing.T) {
	t.Parallel()
	x := newMCP(t)
	full, reader := connectMCP(t, x.Server, ""), connectMCP(t, x.As(x.ReadKey), "")
	offered := map[string]bool{}
	for _, listed := range reader.tools() {
		offered[listed.Name] = true
	}
	calls, before := x.readCalls(), x.setUp()
	table := tool.Table(report.Dimensions())
	for i := range table {
		row := &table[i]
		if _, failure := reader.use(row.Name, calls[row.Name]); strings.Contains(failure, "unknown tool") == offered[row.Name] {
			t.Errorf("%s is offered to a read-only key: %v, and is answered with %q", row.Name, offered[row.Name], failure)
		}
		if offered[row.Name] != (row.Kind == tool.Reads) {
			t.Errorf("%s is offered to a read-only key: %v", row.Name, offered[row.Name])
		}
		arguments, known := calls[row.Name]
		if !known {
			continue
		}
		k := &keyCalls{s: x.As(x.ReadKey), rows: api.Table(api.Deps{})}
		raw, _ := json.Marshal(arguments)
		_, err := row.Use(t.Context(), tool.Call{API: k, ReadOnly: true}, raw)
		if offered[row.Name] != (err == nil) {
			t.Errorf("%s by a read-only key: %v", row.Name, err)
		}
		for _, used := range k.used {
			reads := used.Method == http.MethodGet && used.Scope == route.Read || used.Path == "/tools/simulate" && used.Scope == route.Ask
			if offered[row.Name] && !reads {
				t.Errorf("%s uses %s %s, which does not only read", row.Name, used.Method, used.Path)
			}
		}
	}
	if n := len(full.tools()); n <= len(offered) {
		t.Errorf("a full key is offered %d tools, want more than the %d of a read-only key", n, len(offered))
	}
	if after := x.setUp(); after != before {
		t.Errorf("a read-only key has changed rows:\n%s\n%s", before, after)
	}
}

// TestMCPRepeated: a request that is sent again with its Idempotency-Key makes its change once, and the
// change is counted once.
func TestMCPRepeated(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	addNote := func(text string) string {
		t.Helper()
		status, answer, _ := post(t, s, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add_note","arguments":{"text":"`+text+`"}}}`, "Idempotency-Key", "note-1")
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, answer)
		}
		var got struct {
			Result struct {
				IsError           bool
				StructuredContent struct{ ID string }
				Content           []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatal(err)
		}
		if got.Result.IsError {
			return got.Result.Content[0].Text
		}
		return got.Result.StructuredContent.ID
	}
	first := addNote("Paused path B")
	if again := addNote("Paused path B"); again != first || first == "" {
		t.Errorf("the first answer has the note %q, the second %q, want the same note", first, again)
	}
	if other := addNote("Another note"); !strings.HasPrefix(other, "idempotency") {
		t.Errorf("another note with the same key is answered with %q, want it refused", other)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM notes`); n != 1 {
		t.Errorf("%d notes are stored, want 1", n)
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT used FROM assistant_uses`); n != 1 {
		t.Errorf("%d changes are counted, want 1", n)
	}
}
