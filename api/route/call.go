package route

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/api/bind"
	"switchyard/db/store"
	"switchyard/models"
)

// Call is one request on its way through the API. A handler reads it and returns; it never writes the answer.
type Call struct {
	Request   *http.Request
	Route     *Route
	RequestID string
	Path      map[string]string // parameters of the path
	Query     url.Values
	Body      []byte
	// ID is the record that the path or the query names as id, on a row that has such a parameter.
	ID       uuid.UUID
	Window   bind.Window    // on a row with a window
	Page     store.Page     // on a row with pages
	Numbers  map[string]int // whole numbers of the query, by name
	Account  models.Account
	KeyID    uuid.UUID
	KeyScope string
	// Store is the control plane. On a POST with an Idempotency-Key it is bound to the transaction that also keeps the
	// answer; work that must follow the commit goes to After.
	Store *store.Store
	// IdempotencyKey is the caller's key, or empty.
	IdempotencyKey string
	// AttemptID, on a slow route with an Idempotency-Key, is the same for every repetition until the call has its final
	// answer, so that a job with this id is met again instead of being done twice. Otherwise it is the zero id.
	AttemptID uuid.UUID

	header http.Header
	after  []func(context.Context)
}

// NewCall makes a call whose answer gets the given headers.
func NewCall(r *http.Request, row *Route, header http.Header) *Call {
	return &Call{Request: r, Route: row, header: header}
}

// Context ends with the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Header are the headers of the answer.
func (c *Call) Header() http.Header { return c.header }

// After notes work for the time after the commit, such as dispatching the jobs whose rows were written. It runs only if
// the call succeeds, and must not fail it.
func (c *Call) After(fn func(context.Context)) { c.after = append(c.after, fn) }

// RunAfter runs what After noted, once. The context outlives the request.
func (c *Call) RunAfter() {
	fns := c.after
	c.after = nil
	for _, fn := range fns {
		fn(context.WithoutCancel(c.Context()))
	}
}

// DropAfter forgets what After noted, for an effect that was undone.
func (c *Call) DropAfter() { c.after = nil }

// read takes from path and query what the row says, in the order in which mistakes are told.
func (c *Call) read() (err error) {
	r := c.Route
	switch {
	case slices.Contains(r.PathParams(), "id"):
		var ok bool
		if c.ID, ok = bind.ParseID(c.Path["id"]); !ok {
			code := "invalid_input"
			if r.Declares(http.StatusBadRequest, "invalid_id") {
				code = "invalid_id"
			}
			return models.Invalid(code, "id must be a UUID")
		}
	case r.takes("id"):
		if c.ID, err = c.QueryID("id"); err != nil {
			return err
		}
	}
	if r.Window || r.takes("from") {
		if c.Window, err = bind.ParseWindow(c.Query, time.Now()); err != nil {
			return err
		}
	}
	c.Numbers = map[string]int{}
	for _, p := range r.Params() {
		if p.Max == 0 {
			continue
		}
		def, _ := strconv.Atoi(p.Default) // of Number
		if c.Numbers[p.Name], err = bind.Int(c.Query, p.Name, def, p.Min, p.Max); err != nil {
			return err
		}
	}
	if r.Page {
		c.Page = store.Page{Limit: c.Numbers["limit"], Cursor: c.Query.Get("cursor")}
	}
	return nil
}

// QueryID gives a required id in the query: missing or malformed it is invalid_id.
func (c *Call) QueryID(name string) (uuid.UUID, error) {
	id, err := bind.QueryID(c.Query, name, "invalid_id")
	if err == nil && id == uuid.Nil {
		err = models.Invalid("invalid_id", "%s is required", name)
	}
	return id, err
}

func (c *Call) decode(into any) error {
	if len(c.Body) == 0 && c.Route.BodyOptional {
		return nil
	}
	return bind.Decode(c.Body, into)
}

// File is an answer that is a download instead of JSON.
type File struct {
	Name  string
	Type  string
	Size  int64                 // in bytes
	Write func(io.Writer) error // writes exactly so many
}

// JobRef is data of a 202: the job that goes on, and where its state is read.
type JobRef struct {
	Job JobState `json:"job"`
}

// JobState says how far a job is.
type JobState struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status" enum:"pending,running,done,failed"`
	URL    string `json:"url"`
}

// LaterError is returned as an error by a handler whose job goes on after the answer: the answer is 202 with the job.
type LaterError struct{ Job JobState }

// Error makes it an error, so that a handler's answer keeps its one type.
func (l *LaterError) Error() string { return fmt.Sprintf("job %s goes on", l.Job.ID) }
