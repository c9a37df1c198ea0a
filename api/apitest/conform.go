package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"switchyard/api"
)

// document is the API's OpenAPI document, read by a third-party library.
type document struct {
	*openapi3.T
	mux *http.ServeMux
}

var loadDocument = sync.OnceValues(func() (d document, err error) {
	raw, err := json.Marshal(api.Document(api.Deps{}))
	if err != nil {
		return d, err
	}
	d.mux = http.NewServeMux()
	if d.T, err = openapi3.NewLoader().LoadFromData(raw); err != nil {
		return d, err
	}
	for path, item := range d.Paths.Map() {
		for method := range item.Operations() {
			d.mux.Handle(method+" "+path, http.NotFoundHandler())
		}
	}
	return d, nil
})

// operation returns the document's path and operation for a call.
func (d document) operation(method, path string) (string, *openapi3.Operation) {
	_, pattern := d.mux.Handler(&http.Request{Method: method, URL: &url.URL{Path: path}})
	_, path, found := strings.Cut(pattern, " ")
	if !found {
		return "", nil
	}
	return path, d.Paths.Value(path).Operations()[method]
}

// conforms fails the test if a JSON answer does not have the form that the document describes for its status.
func conforms(tb testing.TB, method, path string, a Answer) {
	tb.Helper()
	if err := difference(method, path, a); err != nil {
		tb.Errorf("%s %s: the answer differs from the document: %.1500v", method, path, err)
	}
}

// difference returns an error that describes how an answer differs from the document. It also stores the answer's error code for
// Reached.
func difference(method, path string, a Answer) error {
	doc, err := loadDocument()
	if err != nil {
		return err
	}
	path, _, _ = strings.Cut(path, "?")
	pattern, op := doc.operation(method, "/api/v1"+path)
	isJSON := strings.HasPrefix(a.Header.Get("Content-Type"), "application/json")
	if op != nil && a.Code != "" {
		reached.Store(Failure{method, strings.TrimPrefix(pattern, "/api/v1"), a.Status, a.Code}, true)
	}
	if op == nil || op.Tags[0] == "Service description" || !isJSON {
		return nil
	}
	response := op.Responses.Status(a.Status)
	if response == nil {
		return fmt.Errorf("status %d is not among the documented statuses of %s", a.Status, op.OperationID)
	}
	var value any
	if err := json.Unmarshal(a.Raw, &value); err != nil {
		return err
	}
	if bytes.Contains(a.Data, []byte(`"kind":"probe:`)) {
		return nil // a job of an operation that only a test has
	}
	if a.parse(); !includesCode(response.Value.Extensions["x-codes"], a.Code) {
		return fmt.Errorf("code %s is not among the documented codes of %s", a.Code, op.OperationID)
	}
	content := response.Value.Content.Get("application/json")
	if content == nil {
		return nil // the answer is a file in JSON, which has no schema
	}
	schema := content.Schema.Value
	return doc.ValidateSchemaJSON(schema, value, openapi3.MultiErrors())
}

// includesCode reports whether the documented codes of a status include a code. A documented code that ends in * stands for all
// codes with that prefix.
func includesCode(codes any, code string) bool {
	list, _ := codes.([]any)
	return code == "" || slices.ContainsFunc(list, func(v any) bool {
		known, _ := v.(string)
		family, isFamily := strings.CutSuffix(known, "*")
		return known == code || isFamily && strings.HasPrefix(code, family)
	})
}

// Failure is an error with which an operation answered. Path is the operation's path, with its parameters in braces.
type Failure struct {
	Method, Path string
	Status       int
	Code         string
}

var reached sync.Map // of Failure

// Reached reports whether the operation has answered a call with the error since the tests of this process began. A code that ends in
// * stands for all codes with that prefix.
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
