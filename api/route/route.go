// Package route defines the rows of the API's table. A row has a route's method, path, parameters, body, answer, error
// codes and handler. Authentication, binding, the OpenAPI document and the tests read the rows.
package route

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
)

// Scope says which keys a route accepts.
type Scope uint8

// The scopes. A row without a scope has Read on GET, and Write on other methods.
const (
	Read  Scope = iota + 1 // every key
	Write                  // full keys only: a read-only key gets 403 read_only_key
	Ask                    // a POST that changes nothing, so read-only keys may call it
)

// Callers says who may call a route.
type Callers uint8

// The callers. A row without callers is for keys and for signed-in people.
const (
	KeysAndPeople Callers = iota
	People                // a key gets 403 people_only
	Anybody               // callers need not identify themselves, for example to sign in
)

// Body limits in bytes.
const (
	DefaultBody = 1 << 20
	CSVBody     = 8 << 20
)

// Route is one row. The zero value of a field is its default: see WithDefaults.
type Route struct {
	Method  string
	Path    string // below /api/v1, or a whole path that begins with /app/api; parameters in braces: /offers/{id}/clone
	Group   string // heading in the document
	Summary string
	Scope   Scope
	// Role is the lowest role that lets a person call the route. Keys have no role.
	Role    models.Role
	Callers Callers
	// Confirm requires people to prove again who they are if their last proof is older than models.SessionProof: 403 confirm.
	Confirm bool
	Status  int
	Query   []Param // in addition to the parameters of Window and Page
	Window  bool    // the row has the parameters from and to
	Page    bool    // the row has the parameters limit and cursor
	Body    any     // zero value of the body's struct; nil: Handle.Body is used
	Answer  any     // zero value of the type of data in the answer; nil: Handle.Answer is used
	// FileType is the type of an answer that is a File. The default is text/csv.
	FileType string
	Codes    []Code // errors of this route; UsualCodes adds the errors that any call can get
	// BodyLimit is the largest body in bytes.
	BodyLimit int64
	// BodyOptional lets the body be absent.
	BodyOptional bool
	// Echoes are types whose members the body may have in addition to the names that NameKeys finds.
	Echoes []any
	// Keys are the names that the body may have. Nil: any. NameKeys sets them.
	Keys *bind.Keys
	// Slow is the job that the route waits for, outside any transaction. Nil: it waits for no job.
	Slow *Slow
	// SlowWhen reports whether a call with this body waits for the job. Nil: every call waits.
	SlowWhen func(body []byte) bool
	// Starts is a job that the route starts and does not wait for. GET /jobs/{id} shows its answer.
	Starts *Slow
	// Share limits how many calls to this route, and to others of the same share, run at the same time. The default is Calls. A
	// Public route has no share by default.
	Share *Share
	// Versioned routes send the version of the record as ETag. A change accepts If-Match, and is answered with 409 stale if
	// If-Match names another version.
	Versioned bool
	// Version locks the record that a change names until the transaction ends, and returns its version. A row with a Version
	// accepts If-Match: the handler runs in this transaction, and the answer is 409 stale if the record has another version. A
	// row that waits for a job has no Version.
	Version func(c *Call, id uuid.UUID) (string, error)
	// Public routes need no key, are not rate-limited and answer without {data, error}.
	Public     bool
	Deprecated *Deprecated
	Handle     Handler
	// Repeats is set on a POST whose answer is not stored for its Idempotency-Key, so that each call runs the handler.
	Repeats bool
	// Proposes is set on a route that stores only a proposal. Assistants that may propose may call it with a read-only key.
	Proposes bool
	// Tokens is set on a route to which connected assistants may send their access tokens. All other routes accept such a token only
	// if this process itself makes the call for an assistant: see WithVia.
	Tokens bool
	// Checks is set on a route whose calls check something, such as the DNS records of a domain. Such calls are not in the audit
	// log.
	Checks bool
	// Recorded returns the record that the route changes, in the form of the API, so that the audit log can store the changed
	// values. It is not called for a POST. The argument id is zero if the call names no record. Nil: the audit log only names the
	// fields that were sent.
	Recorded func(c *Call, id uuid.UUID) (any, error)
}

// New returns a row with the fields that every row has. codes are the row's own errors.
func New(method, path, group, summary string, h Handler, codes ...[]Code) Route {
	return Route{Method: method, Path: path, Group: group, Summary: summary, Handle: h, Codes: slices.Concat(codes...)}
}

// WithQuery returns the row with more query parameters of its own.
func (r Route) WithQuery(params ...Param) Route { r.Query = slices.Concat(r.Query, params); return r }

// WithWindow returns the row with the parameters from and to.
func (r Route) WithWindow() Route { r.Window = true; return r }

// WithShare returns the row with another share than Calls.
func (r Route) WithShare(share *Share) Route { r.Share = share; return r }

// WithPage returns the row with the parameters limit and cursor.
func (r Route) WithPage() Route { r.Page = true; return r }

// WithOptionalBody returns the row with a body that may be absent.
func (r Route) WithOptionalBody() Route { r.BodyOptional = true; return r }

// Creates returns the row with the status of a call that creates a record.
func (r Route) Creates() Route { r.Status = http.StatusCreated; return r }

// Asks returns the row with the scope of a POST that changes nothing.
func (r Route) Asks() Route { r.Scope = Ask; return r }

// Awaits returns the row with the job that its calls wait for.
func (r Route) Awaits(job *Slow) Route { r.Slow = job; return r }

// Waits reports whether a call with this body waits for the job of the row.
func (r *Route) Waits(body []byte) bool {
	return r.Slow != nil && (r.SlowWhen == nil || r.SlowWhen(body))
}

// Param is a query parameter.
type Param struct {
	Name     string
	Type     string // string, integer, boolean or uuid
	Required bool
	Enum     []string
	Default  string
	Doc      string
	// Repeated parameters may be given several times. Giving any other parameter more than once is invalid_input.
	Repeated bool
	// Shared parameters have the same meaning on every route.
	Shared bool
	// Min and Max are the range of an integer. A number outside the range is replaced by the nearest number in it.
	Min, Max int
}

// Number returns a parameter that is a whole number from low to high.
func Number(name string, def, low, high int, doc string) Param {
	return Param{Name: name, Type: "integer", Default: strconv.Itoa(def), Min: low, Max: high, Doc: doc}
}

// WindowParams are the parameters of every row with Window. PageParams are the parameters of every row with Page.
var (
	WindowParams = []Param{
		{Name: "from", Doc: "start of the window, UTC: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS; default 6 days before today"},
		{Name: "to", Doc: "end of the window, UTC; a bare date means the end of that day; default today"},
	}
	PageParams = []Param{
		Number("limit", 500, 1, 500, "rows of a page"),
		{Name: "cursor", Doc: "the next_cursor of the previous page"},
	}
)

// Params returns the query parameters: the row's own first, then the parameters of its window and of its pages.
func (r Route) Params() []Param {
	out := slices.Clone(r.Query)
	if r.Window {
		out = append(out, WindowParams...)
	}
	if r.Page {
		out = append(out, PageParams...)
	}
	return out
}

// Code is an error that a route can return.
type Code struct {
	HTTP int
	Code string
}

// Slow is a job of a route, and its answer.
type Slow struct {
	Kind   string // the job's kind
	Answer any    // zero value of the answer's type
	// Render turns the job's result into the answer.
	Render func(result json.RawMessage) (any, error)
}

// Share is a resource that the calls of all accounts have in common, such as the connections for reading reports. A call runs in
// a place of the share, or waits for one. The numbers apply to one web process.
type Share struct {
	Places  int           // number of places for all accounts together; 0: not limited
	Running int           // number of places that one account may hold
	Waiting int           // number of calls of one account that may wait for a place
	Wait    time.Duration // the longest wait
}

// The shares.
var (
	// Calls is the share of all calls that have no other share. Its limit leaves processors and connections free for the calls of
	// other accounts.
	Calls = &Share{Running: 4, Waiting: 200, Wait: 10 * time.Second}
	// Assistants are calls of tools. Each makes further calls, which run in places of their own shares.
	Assistants = &Share{Running: 4, Waiting: 50, Wait: 10 * time.Second}
	// Reads are calls that read clicks, conversions or sums of them. The pool for reports has a connection for each place of
	// Reads and of Lists, so no call with a place waits for a connection.
	Reads = &Share{Places: 6, Running: 2, Waiting: 16, Wait: 5 * time.Second}
	// Lists are calls that show an account's records with their figures. They are separate from Reads, so that reports do not
	// delay the pages on which users begin.
	Lists = &Share{Places: 4, Running: 2, Waiting: 16, Wait: 5 * time.Second}
	// Downloads are files that are being sent to clients, which may be slow. Each takes the memory of one chunk. It holds a
	// connection to PostgreSQL only while a chunk is read.
	Downloads = &Share{Running: 4, Waiting: 8, Wait: 3 * time.Second}
	// Sends are calls whose job sends something to another system and waits for the answer. Such a call keeps its place until the
	// job has ended, even after a 202.
	Sends = &Share{Running: 4, Waiting: 8, Wait: 3 * time.Second}
)

// Deprecated announces, at least 90 days ahead, that a route will be removed.
type Deprecated struct {
	Announced time.Time
	Sunset    time.Time // the first day it may stop working
	Link      string    // address of the list of changes
}

// Handler runs a route. Body and Answer are zero values of the body's and the answer's types.
type Handler struct {
	Body   any
	Answer any
	Run    func(*Call) (any, error)
}

// Handle returns a handler without a body. Before fn runs, the id, window, page and numbers that the row has are parsed into
// the call.
func Handle[A any](fn func(*Call) (A, error)) Handler {
	var answer A
	return Handler{Answer: answer, Run: func(c *Call) (any, error) {
		if err := c.read(); err != nil {
			return nil, err
		}
		return fn(c)
	}}
}

// HandleBody returns a handler like Handle for a route with a body. A method Preset(*Call) of the body's type sets the values of
// fields that the request leaves out. A method Fill(*Call) error adds members to the request's body before the body is decoded.
func HandleBody[B, A any](fn func(*Call, B) (A, error)) Handler {
	var body B
	var answer A
	return Handler{Body: body, Answer: answer, Run: func(c *Call) (any, error) {
		var b B
		if p, ok := any(&b).(interface{ Preset(*Call) }); ok {
			p.Preset(c)
		}
		if f, ok := any(b).(interface{ Fill(*Call) error }); ok {
			if err := f.Fill(c); err != nil {
				return nil, err
			}
		}
		if err := c.decode(&b); err != nil {
			return nil, err
		}
		if err := c.read(); err != nil {
			return nil, err
		}
		return fn(c, b)
	}}
}

// finder is a table in which a record of an account is found by its id.
type finder[R any] interface {
	Find(ctx context.Context, account, id uuid.UUID) (R, error)
}

// HandleRecord returns a handler like Handle for a route with an id in its path. The handler finds the record with this id before
// it runs fn.
func HandleRecord[T finder[R], R, A any](table func(*store.Store) T, fn func(*Call, R) (A, error)) Handler {
	return Handle(func(c *Call) (answer A, err error) {
		record, err := table(c.Store).Find(c.Context(), c.Account.ID, c.ID)
		if err != nil {
			return answer, err
		}
		return fn(c, record)
	})
}

// HandleRecordBody returns a handler like HandleRecord for a route with a body.
func HandleRecordBody[T finder[R], R, B, A any](table func(*store.Store) T, fn func(*Call, R, B) (A, error)) Handler {
	return HandleBody(func(c *Call, b B) (answer A, err error) {
		record, err := table(c.Store).Find(c.Context(), c.Account.ID, c.ID)
		if err != nil {
			return answer, err
		}
		return fn(c, record, b)
	})
}

// Codes parses lists such as "400 required too_long", "404 not_found". It panics on a malformed list, because rows are made at
// start.
func Codes(lists ...string) []Code {
	var out []Code
	for _, l := range lists {
		words := strings.Fields(l)
		status, err := strconv.Atoi(words[0])
		if err != nil || len(words) < 2 {
			panic(fmt.Sprintf("route: %q is not a status and its codes", l))
		}
		for _, w := range words[1:] {
			out = append(out, Code{status, w})
		}
	}
	return out
}

// WithDefaults returns the row with its defaults set.
func (r Route) WithDefaults() Route {
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	if r.BodyLimit == 0 {
		r.BodyLimit = DefaultBody
	}
	if r.Share == nil && !r.Public {
		r.Share = Calls
	}
	if r.Body == nil {
		r.Body = r.Handle.Body
	}
	if r.Answer == nil {
		r.Answer = r.Handle.Answer
	}
	if r.Scope == 0 {
		r.Scope = Write
		if r.Method == http.MethodGet {
			r.Scope = Read
		}
	}
	if r.Role == "" {
		r.Role = models.RoleViewer
		if r.Scope == Write {
			r.Role = models.RoleContributor
		}
	}
	return r
}

// PersonCodes are errors that people can get on every route, and that keys can get on routes for people only. A row does not have
// to declare them.
var PersonCodes = Codes("401 unauthenticated", "403 role_required cross_site confirm people_only", "429 rate_limited")

// PathParams returns the names of the parameters in the path.
func (r Route) PathParams() []string {
	var out []string
	for part := range strings.SplitSeq(r.Path, "/") {
		if strings.HasPrefix(part, "{") {
			out = append(out, strings.Trim(part, "{}"))
		}
	}
	return out
}

// hasParam reports whether the row itself lists a parameter of the query.
func (r Route) hasParam(name string) bool {
	return slices.ContainsFunc(r.Query, func(p Param) bool { return p.Name == name })
}

// UsualCodes returns the errors that any call to this route can get.
func (r Route) UsualCodes() []Code {
	if r.Public {
		return Codes("500 internal_error")
	}
	out := Codes("400 invalid_input", "401 unauthenticated", "402 plan_limit", "429 rate_limited", "500 internal_error",
		"503 unavailable")
	if r.Body != nil {
		out = append(out, Codes("400 bad_body", "413 body_too_large")...)
	}
	if r.Scope == Write {
		out = append(out, Code{http.StatusForbidden, "read_only_key"})
	}
	if r.Version != nil {
		out = append(out, Code{http.StatusConflict, "stale"})
	}
	if r.Method == http.MethodPost {
		out = append(out, Codes("409 idempotency_in_progress idempotency_answer_dropped", "413 body_too_large", "422 idempotency_key_reused")...)
	}
	return out
}

// AllCodes returns the route's own codes and the usual codes, each once, ordered by status.
func (r Route) AllCodes() []Code {
	all := slices.Concat(r.Codes, r.UsualCodes())
	slices.SortStableFunc(all, func(a, b Code) int { return a.HTTP - b.HTTP })
	var out []Code
	for _, c := range all {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// Declares reports whether the route may answer with an error. A declared code that ends in * stands for all codes that begin
// with the part before it.
func (r Route) Declares(status int, code string) bool {
	for _, c := range r.AllCodes() {
		family, isFamily := strings.CutSuffix(c.Code, "*")
		if c.HTTP == status && (c.Code == code || isFamily && strings.HasPrefix(code, family)) {
			return true
		}
	}
	return false
}
