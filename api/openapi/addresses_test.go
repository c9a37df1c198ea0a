package openapi

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAddressesHaveExamples checks that the document shows an example request and its answer for each address of tracking
// domains.
func TestAddressesHaveExamples(t *testing.T) {
	t.Parallel()
	paths := object{}
	addTracking(paths)
	for _, a := range addresses {
		e := exampleOf(a.Method, a.Path)
		if e.Status == 0 || e.Status >= 400 || len(e.Path)+len(e.Query) == 0 && e.Body == nil && (a.body != nil || len(a.params) > 0) {
			t.Errorf("%s %s has no example", a.Method, a.Path)
			continue
		}
		op, err := json.Marshal(paths[a.Path].(object)[strings.ToLower(a.Method)])
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range e.Query {
			known := false
			for _, p := range a.params {
				known = known || p["name"] == name
			}
			if shown := strings.Contains(string(op), `"example":"`+value+`"`); known && !shown {
				t.Errorf("the document of %s %s does not show the parameter %s=%s of its example", a.Method, a.Path, name, value)
			}
		}
		for _, part := range []any{e.Location, e.Answer, e.Body} {
			text, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(op), string(text)) && string(text) != `""` && string(text) != "null" {
				t.Errorf("the document of %s %s does not show the part %s of its example", a.Method, a.Path, text)
			}
		}
	}
}
