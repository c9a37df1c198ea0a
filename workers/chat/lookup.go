package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/figurecheck"
	"switchyard/models/tool"
	"switchyard/workers/providers/ai"
)

const (
	lookupTime     = 6 * time.Second
	maxAnswerBytes = 4 << 20 // of an answer of the API
)

// notOffered are reading tools that the model does not get, because its instructions already describe the account.
var notOffered = []string{"whoami"}

var lookups = slices.DeleteFunc(tool.Table(report.Dimensions()), func(t tool.Tool) bool {
	return t.Kind != tool.Reads || slices.Contains(notOffered, t.Name)
})

// offered describes the look-ups to the model. toolBytes is the approximate size of the descriptions.
var offered, toolBytes = describe()

func describe() (list []ai.Tool, size int) {
	for _, t := range lookups {
		list = append(list, ai.Tool{Name: t.Name, Description: t.About, Parameters: plainSchema(t.Input()).(map[string]any)})
		raw, _ := json.Marshal(list[len(list)-1]) // cannot fail: a tool consists of texts
		size += len(raw)
	}
	return list, size
}

// understood are the members of a JSON schema that all providers understand, see ai.Tool.
var understood = []string{"type", "properties", "required", "items", "enum", "description"}

// plainSchema returns a JSON schema without the members that a provider may refuse.
func plainSchema(schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	out := map[string]any{}
	for name, value := range s {
		switch {
		case name == "properties":
			properties := map[string]any{}
			for p, of := range value.(map[string]any) {
				properties[p] = plainSchema(of)
			}
			out[name] = properties
		case slices.Contains(understood, name):
			out[name] = plainSchema(value)
		}
	}
	return out
}

func (s *session) tools() []ai.Tool {
	if s.readOnly {
		return offered
	}
	return append(slices.Clip(offered), proposing)
}

// lookUp carries out a call of the model and returns the data for the model.
func (s *session) lookUp(ctx context.Context, c ai.Call) (string, error) {
	t, err := tool.Find(lookups, c.Name)
	switch {
	case err != nil:
		return "", err
	case s.used >= maxLookups:
		return "", models.Invalid("invalid", "%d look-ups were made: answer with what you know", maxLookups)
	case ctx.Err() != nil:
		return "", models.Invalid("invalid", "there is no time for more look-ups: answer with what you know")
	}
	before := len(s.lookups)
	a, err := t.Use(ctx, tool.Call{API: reading{s}, ReadOnly: true, Docs: s.o.Docs}, json.RawMessage(strings.TrimSpace(c.Arguments)))
	if len(s.lookups) > before || err == nil {
		s.used++
	}
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(a)
	s.read = append(s.read, figurecheck.Lookup{Beside: decimals.ReplaceAll(raw, []byte("$1"))})
	return s.wrapped(a.Text()), err
}

// decimals matches a figure in the answer of a tool, which writes figures as texts.
var decimals = regexp.MustCompile(`"(-?\d+(?:\.\d+)?)"`)

// reading lets a tool read the API as the account, and records what it reads.
type reading struct{ *session }

// Do implements tool.API.
func (r reading) Do(ctx context.Context, q tool.Request) (json.RawMessage, error) {
	if q.Method != http.MethodGet && q.Path != tool.SimulatePath {
		return nil, models.Invalid("invalid", "the chat can only read")
	}
	done := jobs.Lookup{Query: map[string]string{}}
	for name := range q.Query {
		done.Query[name] = q.Query.Get(name)
	}
	if body, ok := q.Body.(map[string]any); ok {
		done.Query["id"], _ = body["campaign_id"].(string)
	}
	done.Operation = q.Method + " " + pattern(q.Path, done.Query)
	data, read, err := r.fetch(ctx, q)
	if e, ok := models.AsError(err); ok {
		done.Error = e.Message
	} else if err != nil {
		done.Error = "this could not be looked up"
	}
	done.Rows = len(read.Rows)
	r.lookups = append(r.lookups, done)
	r.read = append(r.read, read)
	return data, err
}

// pattern replaces each id in a path by the name of its parameter, and puts the id into query.
func pattern(path string, query map[string]string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if _, ok := models.ParseID(part); ok {
			parts[i], query["id"] = "{id}", part
		} else if _, err := models.ParseClickID(part); err == nil {
			parts[i], query["clickId"] = "{clickId}", part
		}
	}
	return strings.Join(parts, "/")
}

// fetch calls an operation of the API as the account, and returns the data of the answer with its figures.
func (s *session) fetch(ctx context.Context, q tool.Request) (json.RawMessage, figurecheck.Lookup, error) {
	limited, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	body, err := json.Marshal(q.Body) // a GET has null, which is not read
	if err != nil {
		return nil, figurecheck.Lookup{}, fmt.Errorf("chat: look-up: %w", err)
	}
	req, err := http.NewRequestWithContext(limited, q.Method, q.Path+"?"+q.Query.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil, figurecheck.Lookup{}, fmt.Errorf("chat: look-up: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	rec := &recorder{header: http.Header{}, status: http.StatusOK}
	s.o.Reads(s.account.ID).ServeHTTP(rec, req)
	var answer struct {
		Data  json.RawMessage `json:"data"`
		Error *models.Error   `json:"error"`
	}
	err = json.Unmarshal(rec.body.Bytes(), &answer)
	switch {
	case rec.tooLarge, rec.status == http.StatusAccepted, limited.Err() != nil:
		return nil, figurecheck.Lookup{}, models.Invalid("invalid", "this is too much to read: choose fewer days, or fewer dimensions")
	case err != nil:
		return nil, figurecheck.Lookup{}, fmt.Errorf("chat: answer of %s: %w", q.Path, err)
	case answer.Error != nil:
		answer.Error.Kind = models.KindInvalid // the model is told of every error as of a wrong request: it can only send another one
		return nil, figurecheck.Lookup{}, answer.Error
	}
	read, err := factsOf(answer.Data, q.Query.Get("limit"))
	return answer.Data, read, err
}

// factsOf returns the figures of an answer. limit is the number of rows that were asked for. If the answer has as many rows,
// there may be more.
func factsOf(data json.RawMessage, limit string) (figurecheck.Lookup, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // so that figures keep all digits
	var answer map[string]any
	if err := dec.Decode(&answer); err != nil {
		return figurecheck.Lookup{}, fmt.Errorf("chat: data of a look-up: %w", err)
	}
	tool.Clean(answer)
	facts := figurecheck.Lookup{Rows: []json.RawMessage{}}
	for _, name := range []string{"rows", "values", "alerts", "suggestions", "streams"} {
		rows, ok := answer[name].([]any)
		if !ok {
			continue
		}
		delete(answer, name)
		for _, row := range rows {
			raw, err := json.Marshal(row)
			if err != nil {
				return facts, err
			}
			facts.Rows = append(facts.Rows, raw)
		}
		break
	}
	most, _ := strconv.Atoi(limit) // without a limit an operation returns all rows
	facts.Whole = (most == 0 || len(facts.Rows) < most) && answer["truncated"] != true && answer["next_cursor"] == nil
	var err error
	if facts.Beside, err = json.Marshal(answer); len(facts.Rows) == 0 && err == nil {
		facts.Rows, facts.Beside = []json.RawMessage{facts.Beside}, nil
	}
	return facts, err
}

// recorder is an http.ResponseWriter that keeps an answer of the API in memory.
type recorder struct {
	header   http.Header
	status   int
	body     bytes.Buffer
	tooLarge bool
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

var errTooLarge = errors.New("chat: the answer is too large")

func (r *recorder) Write(p []byte) (int, error) {
	if r.body.Len()+len(p) > maxAnswerBytes {
		r.tooLarge = true
		return 0, errTooLarge
	}
	return r.body.Write(p)
}
