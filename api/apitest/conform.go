package apitest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"switchyard/api"
)

// document is the API's description, read by a library that is not ours.
var document = sync.OnceValues(func() (*openapi3.T, error) {
	raw, err := json.Marshal(api.Document(api.Deps{}))
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(raw)
})

// conforms fails the test when a JSON answer has not the form that the document promises for its status.
func conforms(tb testing.TB, method, path string, a Answer) {
	tb.Helper()
	if err := difference(method, path, a); err != nil {
		tb.Errorf("%s %s: the answer differs from the document: %.1500v", method, path, err)
	}
}

// difference tells how an answer differs from the document. Rows that only a test has are not in it.
func difference(method, path string, a Answer) error {
	doc, err := document()
	if err != nil {
		return err
	}
	path, _, _ = strings.Cut(path, "?")
	op := operation(doc, method, "/api/v1"+path)
	isJSON := strings.HasPrefix(a.Header.Get("Content-Type"), "application/json")
	if op == nil || op.Tags[0] == "Service description" || !isJSON {
		return nil
	}
	response := op.Responses.Status(a.Status)
	if response == nil {
		return fmt.Errorf("status %d is not among those of %s", a.Status, op.OperationID)
	}
	var value any
	if err := json.Unmarshal(a.Raw, &value); err != nil {
		return err
	}
	schema := response.Value.Content.Get("application/json").Schema.Value
	return doc.ValidateSchemaJSON(schema, value, openapi3.MultiErrors())
}

// operation finds what the document says of a call; a path without parameters wins over one with.
func operation(doc *openapi3.T, method, path string) *openapi3.Operation {
	var found *openapi3.PathItem
	for pattern, item := range doc.Paths.Map() {
		if pattern == path {
			found = item
			break
		}
		if sameForm(pattern, path) {
			found = item
		}
	}
	if found == nil {
		return nil
	}
	return found.Operations()[method]
}

func sameForm(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != have[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}
