package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/figurecheck"
	"switchyard/workers/providers/ai"
)

// Limits of a look-up.
const (
	lookupTime     = 6 * time.Second
	maxRows        = 50
	maxDataBytes   = 12 << 10 // of the data that the model reads
	maxAnswerBytes = 4 << 20  // of an answer of the API
	maxArgument    = 500      // bytes
	maxFilters     = 12
)

// lookup is an operation of the API that the model may read.
type lookup struct {
	name, about string
	path        string
	list        string   // member of the answer that has the rows; empty: the answer is one row
	params      []string // names of the parameters, keys of params
	most        int      // the operation returns at most this many rows, even if there are more; 0: it returns all
	options     int      // sendsLimit, filterable, both or 0
}

// The options of a look-up.
const (
	sendsLimit = 1 << iota // most is sent as the parameter limit
	filterable             // the model may filter by dimensions
)

// params describe the parameters that look-ups share.
var params = map[string]string{
	"from":          "first day, YYYY-MM-DD, UTC; default 6 days before today",
	"to":            "last day, YYYY-MM-DD, UTC; default today",
	"dimension":     "up to five of: " + strings.Join(dimensions, ", ") + "; separated by commas",
	"one_dimension": "one of: " + strings.Join(dimensions, ", "),
	"sort":          "a figure to sort by, - in front for the largest first, such as -clicks, -profit, profit",
	"min_clicks":    "leave out rows with fewer clicks",
	"having":        "leave out rows by their figures: profit<0,cost>=10",
	"bucket":        "month, day, weekday, hour or weekday_hour",
	"tz":            "IANA time zone of dates and hours",
	"q":             "part of a name",
	"status":        "active or paused",
	"id":            "id of the campaign",
	"converted":     "1: only clicks with a conversion",
}

// dimensions lists the dimensions of reports except the visitor's address, which no third party needs.
var dimensions = slices.DeleteFunc(report.Dimensions(), func(name string) bool { return name == "ip" })

var window = []string{"from", "to"}

// lookups is the list of all operations that the model may read.
var lookups = []lookup{
	{"overview", "totals of all figures, and their change from the window before", "/stats/overview", "", window, 0, filterable},
	{
		"performance", "figures by dimensions, most clicks first", "/reports/performance", "rows",
		slices.Concat(window, []string{"dimension", "sort", "min_clicks", "having", "tz"}), 50, sendsLimit | filterable,
	},
	{"trends", "figures over time", "/reports/trends", "rows", slices.Concat(window, []string{"bucket", "tz"}), 0, filterable},
	{"values", "values of a dimension, by clicks", "/reports/values", "values", slices.Concat(window, []string{"one_dimension", "tz"}), 50, sendsLimit | filterable},
	{"sources", "figures of the traffic sources", "/stats/breakdown", "rows", window, 20, 0},
	{"campaigns", "campaigns with their ids, settings and figures", "/campaigns", "rows", slices.Concat(window, []string{"q", "status"}), 25, sendsLimit},
	{"campaign", "settings and paths of a campaign, with their ids", "/campaigns/{id}/flow", "streams", []string{"id"}, 0, 0},
	{"offers", "offers with their ids, caps and figures", "/offers", "rows", slices.Concat(window, []string{"q", "status"}), 25, sendsLimit},
	{"clicks", "single clicks, newest first", "/logs/clicks", "rows", slices.Concat(window, []string{"converted"}), 20, sendsLimit | filterable},
	{"conversions", "single conversions, newest first", "/logs/conversions", "rows", window, 30, sendsLimit},
	{"alerts", "what needs attention now", "/alerts", "alerts", nil, 0, 0},
	{"suggestions", "open suggestions of the Copilot, and recent changes", "/copilot", "suggestions", nil, 0, 0},
}

// toolBytes is the approximate size of the descriptions of the tools.
const toolBytes = 9000

// tools returns the tools that the model may call: the look-ups and, unless the session is read-only, the tool for proposals.
func (s *session) tools() []ai.Tool {
	out := make([]ai.Tool, 0, len(lookups)+1)
	for _, l := range lookups {
		properties, required := map[string]any{}, []string{}
		for _, p := range l.params {
			name := l.member(p)
			properties[name] = map[string]any{"type": "string", "description": params[p]}
			if p == "id" || p == "one_dimension" {
				required = append(required, name)
			}
		}
		if l.options&filterable != 0 {
			properties["filters"] = map[string]any{
				"type": "array", "description": "only clicks whose dimension has the value", "items": map[string]any{
					"type": "object", "properties": map[string]any{
						"dimension": map[string]any{"type": "string"}, "value": map[string]any{"type": "string"},
					}, "required": []string{"dimension", "value"},
				},
			}
		}
		schema := map[string]any{"type": "object", "properties": properties}
		if len(required) > 0 {
			schema["required"] = required
		}
		out = append(out, ai.Tool{Name: l.name, Description: l.about, Parameters: schema})
	}
	if !s.readOnly {
		out = append(out, proposing)
	}
	return out
}

// member returns the name that a parameter has for the model and the API. one_dimension is only the key of a description in params.
func (l lookup) member(param string) string {
	if param == "one_dimension" {
		return "dimension"
	}
	return param
}

// lookUp carries out a call of the model and returns the data for it. It refuses an unknown tool, and look-ups beyond maxLookups
// or after the time is over.
func (s *session) lookUp(ctx context.Context, c ai.Call) (string, error) {
	i := slices.IndexFunc(lookups, func(l lookup) bool { return l.name == c.Name })
	if i < 0 {
		return "", models.Invalid("invalid", "there is no tool of this name")
	}
	switch {
	case len(s.lookups) >= maxLookups:
		return "", models.Invalid("invalid", "%d look-ups were made: answer with what you know", maxLookups)
	case ctx.Err() != nil:
		return "", models.Invalid("invalid", "there is no time for more look-ups: answer with what you know")
	}
	l := lookups[i]
	path, query, err := l.request(c.Arguments)
	if err != nil {
		return "", err
	}
	done := jobs.Lookup{Operation: "GET " + l.path, Query: map[string]string{}}
	for name := range query {
		done.Query[name] = query.Get(name)
	}
	if path != l.path {
		done.Query["id"] = strings.Split(path, "/")[2]
	}
	text, read, err := s.fetch(ctx, l, path, query)
	if e, ok := models.AsError(err); ok {
		done.Error = e.Message
	} else if err != nil {
		done.Error = "this could not be looked up"
	}
	done.Rows = len(read.Rows)
	s.lookups = append(s.lookups, done)
	s.read = append(s.read, read)
	return text, err
}

// request returns the path and query of the API request for a call.
func (l lookup) request(arguments string) (path string, query url.Values, err error) {
	var sent map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &sent) != nil && strings.TrimSpace(arguments) != "" {
		return "", nil, models.Invalid("invalid", "the arguments are not a JSON object")
	}
	query, path = url.Values{}, l.path
	if l.options&sendsLimit != 0 {
		query.Set("limit", strconv.Itoa(l.most))
	}
	for name, raw := range sent {
		value, isText := scalar(raw)
		switch {
		case string(raw) == "null" || isText && value == "":
		case name == "filters" && l.options&filterable != 0:
			err = addFilters(query, raw)
		case !slices.ContainsFunc(l.params, func(p string) bool { return l.member(p) == name }):
			err = models.Invalid("invalid", "%s has no parameter %.40q", l.name, name)
		case !isText:
			err = models.Invalid("invalid", "%s is a text of at most %d bytes", name, maxArgument)
		case name == "id":
			id, ok := models.ParseID(value)
			if !ok {
				return "", nil, models.Invalid("invalid", "id is not an id")
			}
			path = strings.Replace(path, "{id}", id.String(), 1)
		case name == "dimension" && !allowed(value):
			err = models.Invalid("invalid", "dimension is of: %s", strings.Join(dimensions, ", "))
		default:
			query.Set(name, value)
		}
		if err != nil {
			return "", nil, err
		}
	}
	if strings.Contains(path, "{") {
		return "", nil, models.Invalid("invalid", "id is required")
	}
	return path, query, nil
}

func allowed(list string) bool {
	for d := range strings.SplitSeq(list, ",") {
		if !slices.Contains(dimensions, strings.TrimSpace(d)) {
			return false
		}
	}
	return true
}

// scalar returns a JSON string, or a JSON number as text. It accepts no other value, and none longer than maxArgument.
func scalar(raw json.RawMessage) (value string, ok bool) {
	if json.Unmarshal(raw, &value) != nil {
		var n json.Number
		if json.Unmarshal(raw, &n) != nil {
			return "", false
		}
		value = n.String()
	}
	return value, len(value) <= maxArgument
}

func addFilters(query url.Values, raw json.RawMessage) error {
	var list []struct {
		Dimension string `json:"dimension"`
		Value     string `json:"value"`
	}
	if json.Unmarshal(raw, &list) != nil || len(list) > maxFilters {
		return models.Invalid("invalid", "filters is a list of at most %d objects of dimension and value, both texts", maxFilters)
	}
	for _, f := range list {
		if !slices.Contains(dimensions, f.Dimension) || len(f.Value) > maxArgument {
			return models.Invalid("invalid", "a filter's dimension is of: %s", strings.Join(dimensions, ", "))
		}
		query.Add("f."+f.Dimension, f.Value)
	}
	return nil
}

// fetch calls an operation of the API as the account, and returns the part of the answer that the model reads.
func (s *session) fetch(ctx context.Context, l lookup, path string, query url.Values) (string, figurecheck.Lookup, error) {
	limited, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, path+"?"+query.Encode(), nil)
	if err != nil {
		return "", figurecheck.Lookup{}, fmt.Errorf("chat: look-up: %w", err)
	}
	rec := &recorder{header: http.Header{}, status: http.StatusOK}
	s.o.Reads(s.account.ID).ServeHTTP(rec, req)
	var answer struct {
		Data  json.RawMessage `json:"data"`
		Error *models.Error   `json:"error"`
	}
	err = json.Unmarshal(rec.body.Bytes(), &answer)
	switch {
	case rec.tooLarge, rec.status == http.StatusAccepted, limited.Err() != nil:
		return "", figurecheck.Lookup{}, models.Invalid("invalid", "this is too much to read: choose fewer days, or fewer dimensions")
	case err != nil:
		return "", figurecheck.Lookup{}, fmt.Errorf("chat: answer of %s: %w", l.path, err)
	case answer.Error != nil:
		answer.Error.Kind = models.KindInvalid // the model can only send another request, so every error counts as invalid
		return "", figurecheck.Lookup{}, answer.Error
	}
	return s.readable(answer.Data, l)
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
