package openapi

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"switchyard/api/bind"
	"switchyard/api/route"
)

// Example is a request to an operation and the answer to it. A test sends every one, and writes examples.json.
type Example struct {
	Path   map[string]string `json:"path,omitempty"`  // parameters of the path
	Query  map[string]string `json:"query,omitempty"` // and of the query
	Body   any               `json:"body,omitempty"`
	Status int               `json:"status"`
	// Location is where the answer sends a visitor.
	Location string `json:"location,omitempty"`
	// Answer is the whole answer; a text where it is no JSON. Lists longer than two items are cut to two.
	Answer any `json:"answer"`
}

//go:embed examples.json
var exampleFile []byte

// examples holds the examples of the document by method and path. Every row has one, except the public rows, which answer
// the document itself. The addresses of tracking domains have examples too.
var examples = sync.OnceValue(func() map[string]Example {
	var out map[string]Example
	if err := json.Unmarshal(exampleFile, &out); err != nil {
		panic("openapi: examples.json: " + err.Error()) // it is embedded
	}
	return out
})

// exampleOf is the example of an operation; the zero value for a row that only a test has.
func exampleOf(method, path string) Example { return examples()[method+" "+path] }

// showExample adds body and answer of a row's example to its operation.
func showExample(s *schemas, op object, row route.Route) {
	e := exampleOf(row.Method, row.Path)
	if e.Status == 0 {
		return
	}
	if body, ok := op["requestBody"].(object); ok && e.Body != nil {
		withExample(body, e.Body)
	}
	answers, status := op["responses"].(object), strconv.Itoa(e.Status)
	if e.Status >= http.StatusBadRequest { // the usual answer needs what an install need not have
		var codes []string
		for _, c := range row.AllCodes() {
			if c.HTTP == e.Status {
				codes = append(codes, c.Code)
			}
		}
		answers[status] = s.refused(codes)
	}
	withExample(answers[status].(object), e.Answer)
}

// withExample adds an example to each media type of a body or an answer.
func withExample(of object, example any) {
	for _, media := range of["content"].(object) {
		media.(object)["example"] = example
	}
}

// parameterExample adds the value that an example has for a parameter, if one of the lists has one.
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
