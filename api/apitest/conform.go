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
	pattern, op := operation(doc, method, "/api/v1"+path)
	isJSON := strings.HasPrefix(a.Header.Get("Content-Type"), "application/json")
	if op != nil && a.Code != "" {
		reached.Store(Failure{method, strings.TrimPrefix(pattern, "/api/v1"), a.Status, a.Code}, true)
	}
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

// Failure is an error that an operation answered. Path is the row's, with its parameters in braces.
type Failure struct {
	Method, Path string
	Status       int
	Code         string
}

var reached sync.Map // of Failure

// Reached tells whether a call of this process's tests was answered by the error. A code that ends in * stands for a
// family.
func Reached(f Failure) bool {
	family, isFamily := strings.CutSuffix(f.Code, "*")
	if !isFamily {
		_, ok := reached.Load(f)
		return ok
	}
	found := false
	reached.Range(func(key, _ any) bool {
		got := key.(Failure)
		found = got.Method == f.Method && got.Path == f.Path && got.Status == f.Status && strings.HasPrefix(got.Code, family)
		return !found
	})
	return found
}

// operation finds what the document says of a call and the path it says it under; one without parameters wins over one
// with.
func operation(doc *openapi3.T, method, path string) (string, *openapi3.Operation) {
	best := ""
	for pattern := range doc.Paths.Map() {
		if pattern == path {
			best = pattern
			break
		}
		if sameForm(pattern, path) {
			best = pattern
		}
	}
	if best == "" {
		return "", nil
	}
	return best, doc.Paths.Value(best).Operations()[method]
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
