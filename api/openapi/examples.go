package openapi

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"switchyard/api/route"
	"switchyard/models/bind"
)

// Example is a request to an operation and the answer to it.
type Example struct {
	Path   map[string]string `json:"path,omitempty"`  // path parameters
	Query  map[string]string `json:"query,omitempty"` // query parameters
	Body   any               `json:"body,omitempty"`
	Status int               `json:"status"`
	// Location is the address to which the answer redirects a visitor.
	Location string `json:"location,omitempty"`
	// Answer is the body of the answer. It is a text if the body is not JSON. Lists longer than two items are cut to two.
	Answer any `json:"answer"`
}

//go:embed examples.json
var exampleFile []byte

// examples returns the examples of the document by method and path.
var examples = sync.OnceValue(func() map[string]Example {
	var out map[string]Example
	if err := json.Unmarshal(exampleFile, &out); err != nil {
		panic("openapi: examples.json: " + err.Error()) // the file is embedded
	}
	return out
})

// exampleOf returns the example of an operation. It returns the zero value for a row that only a test has.
func exampleOf(method, path string) Example { return examples()[method+" "+path] }

// addExample adds the body and the answer of a row's example to the row's operation.
func addExample(s *schemas, op object, row route.Route) {
	e := exampleOf(row.Method, row.Path)
	if e.Status == 0 {
		return
	}
	if body, ok := op["requestBody"].(object); ok && e.Body != nil {
		withExample(body, e.Body)
	}
	answers, status := op["responses"].(object), strconv.Itoa(e.Status)
	// The example of some operations is an error.
	if e.Status >= http.StatusBadRequest {
		var codes []string
		for _, c := range row.AllCodes() {
			if c.HTTP == e.Status {
				codes = append(codes, c.Code)
			}
		}
		answers[status] = s.errorAnswer(codes)
	}
	withExample(answers[status].(object), e.Answer)
}

// withExample adds an example to each media type of the given part, which is a body or an answer.
func withExample(part object, example any) {
	for _, media := range part["content"].(object) {
		media.(object)["example"] = example
	}
}

func parameterExample(p object, lists ...map[string]string) object {
	text, ok := "", false
	for _, values := range lists {
		if text, ok = values[p["name"].(string)]; ok {
			break
		}
	}
	if !ok {
		return p
	}
	switch p["schema"].(object)["type"] {
	case "array":
		p["example"] = []string{text}
	case "string":
		p["example"] = text
	default:
		p["example"] = bind.Literal(text)
	}
	return p
}
