// Package tool contains the table of the tools that assistants use to work with an account. The chat of the dashboard and the
// address /mcp both read it.
//
// A tool consists of calls of the API, which are made with the key of the tool's caller. It can therefore do nothing that the key
// may not do. Only search_docs makes no calls. An answer has at most MaxBytes bytes, with the totals first and figures as decimal
// texts. Most texts in an answer can be written by strangers: names, referrers, parameters of links. They are shortened, and are
// never part of a description or an instruction.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
)

// Kind says what a tool does to the account.
type Kind uint8

// A read-only key may use only tools of the kind Reads.
const (
	Reads Kind = iota + 1
	Tries      // changes nothing either, but makes a call that needs a full key
	Proposes
	Changes
)

// Tool is one row of the table.
type Tool struct {
	Name  string
	Title string
	// About is the description for the model.
	About string
	Kind  Kind
	// Destructive tools change recorded data. Repeatable tools have no further effect when they are called again with the same
	// arguments.
	Destructive, Repeatable bool
	Params                  []Param
	Answer                  []Member
	Run                     func(ctx context.Context, c *Call) (Values, error)
}

// Values are the members of an answer before they are shaped, by name.
type Values map[string]any

// API carries out calls of the API for the caller of a tool. Do returns the member "data" of the API's answer. If the API
// answers with an error, Do returns it as a *models.Error.
type API interface {
	Do(ctx context.Context, r Request) (json.RawMessage, error)
}

// Request is one call of the API. Path is the part after /api/v1.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         any    // sent as JSON; nil: no body
	Key          string // the Idempotency-Key; empty: none
}

// Page is a page of the documentation.
type Page struct{ Name, Text string }

// Title returns the first heading of the page.
func (p Page) Title() string {
	for line := range strings.Lines(p.Text) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title)
		}
	}
	return p.Name
}

// Call is one call of a tool.
type Call struct {
	API

	Args     Args
	ReadOnly bool
	Docs     *Library // nil: the caller has no documentation
	// Reserve counts a change before it is made, and refuses it if the key has used up its changes of 24 hours. If record is not
	// the zero id, it also refuses a second change of the record within Cooldown. If Reserve is nil, nothing is counted.
	Reserve func(ctx context.Context, record uuid.UUID) error
}

// reserve calls Reserve. An empty text means that the change concerns no record.
func (c *Call) reserve(ctx context.Context, record string) error {
	if c.Reserve == nil {
		return nil
	}
	id, _ := models.ParseID(record) // an empty text gives the zero id
	return c.Reserve(ctx, id)
}

// Table returns the tools. The dimension ip, the visitor's address, is left out, because no third party needs it.
func Table(dimensions []string) []Tool {
	d := slices.DeleteFunc(slices.Clone(dimensions), func(name string) bool { return name == "ip" })
	return slices.Concat(accountTools(d), reportTools(d), recordTools(), clickTools(), documentTools(), proposalTools(), changeTools(), noteAndTestTools())
}

// Find returns the tool with a name.
func Find(table []Tool, name string) (*Tool, error) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], nil
		}
	}
	return nil, models.Invalid("invalid", "there is no tool of this name")
}

// Use carries out a call of the tool. arguments is a JSON object, or empty.
func (t *Tool) Use(ctx context.Context, c Call, arguments json.RawMessage) (Answer, error) {
	var err error
	if c.Args, err = t.parse(arguments); err != nil {
		return Answer{}, err
	}
	values, err := t.Run(ctx, &c)
	if err != nil {
		return Answer{}, err
	}
	return t.shape(values)
}

// The numbers of an object are json.Number.
type object = map[string]any

func (c *Call) do(ctx context.Context, r Request) (object, error) {
	data, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // so that figures keep all digits
	var out object
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("tool: answer of %s: %w", r.Path, err)
	}
	return out, nil
}

// get sends a GET to a path, with the parameters in the arguments `query` and `more`. Pairs of `more` with an empty value are left
// out.
func (c *Call) get(ctx context.Context, path string, query url.Values, more ...string) (object, error) {
	q := url.Values{}
	for name, list := range query {
		q[name] = list
	}
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	return c.do(ctx, Request{Method: "GET", Path: path, Query: q})
}

func (c *Call) post(ctx context.Context, path string, body any) (object, error) {
	return c.do(ctx, Request{Method: "POST", Path: path, Body: body})
}

// at returns the value at a path of members, such as range.from. It is nil if a member is missing.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		o, _ := v.(object)
		v = o[name]
	}
	return v
}

func list(v any, path string) (out []object) {
	if path != "" {
		v = at(v, path)
	}
	items, _ := v.([]any)
	for _, item := range items {
		if o, ok := item.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
