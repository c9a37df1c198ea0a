package route

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
)

// Call is one request. A handler reads it and returns the answer; the handler writes no response itself.
type Call struct {
	Request   *http.Request
	Route     *Route
	RequestID string
	Path      map[string]string // parameters of the path
	Query     url.Values
	Body      []byte
	// ID is the parameter id of the path or of the query. On a row without such a parameter it is zero, unless the handler sets it
	// for the call's entry in the audit log.
	ID       uuid.UUID
	Window   bind.Window    // set on a row with Window or with the parameter "from"
	Page     store.Page     // set on a row with Page
	Numbers  map[string]int // whole numbers of the query, by name
	Account  models.Account
	KeyID    uuid.UUID
	KeyScope string
	// Person, Session and Role describe a signed-in caller.
	Person  models.Person
	Session models.Session
	Role    models.Role
	// Assistant is the connected assistant that calls by an access token. It is nil for other callers. If it is set, Role is the role of
	// the assistant's person.
	Assistant *models.AssistantCaller
	// Credential is the key or the session's token.
	Credential string
	// Client is the address of the caller, as far as trusted proxies report it.
	Client netip.Addr
	// Store reads and writes the control plane: accounts, keys and the records that accounts set up. A step of the pipeline may
	// bind it to a transaction.
	Store *store.Store
	// IdempotencyKey is the caller's key, or empty.
	IdempotencyKey string
	// AttemptID identifies a call to a slow route with an Idempotency-Key. Repetitions have the same id, so a job with this id is
	// not done twice. Other calls have the zero id.
	AttemptID uuid.UUID

	// Changes lists changes for the call's entry in the audit log, in addition to the changes of the record that Recorded returns.
	Changes []models.FieldChange

	// Record is the record that the call's entry in the audit log names. A handler sets it if the id in the path, the body or the
	// answer is not the id of that record.
	Record uuid.UUID

	// Checked is set by a handler if the call has only checked something. The call is then not in the audit log.
	Checked bool

	header http.Header
	after  []func(context.Context)
	always []func(context.Context)
	place  func() // releases the call's place in the share of its route; nil: the call has no place
}

// RecordField adds a field with its value to the call's entry in the audit log.
func (c *Call) RecordField(name string, value any) {
	after, _ := json.Marshal(value) // callers pass texts and booleans
	c.Changes = append(c.Changes, models.FieldChange{Field: name, Before: json.RawMessage("null"), After: after})
}

// RecordDryRun marks the call's entry in the audit log as a dry run, which has changed nothing.
func (c *Call) RecordDryRun() { c.RecordField("dry_run", true) }

// NewCall returns a call. header holds the headers of the answer.
func NewCall(r *http.Request, row *Route, header http.Header) *Call {
	return &Call{Request: r, Route: row, header: header}
}

// IsPerson reports whether the caller is a signed-in person.
func (c *Call) IsPerson() bool { return c.Person.ID != uuid.Nil }

// MayWrite reports whether the caller may change records of the account.
func (c *Call) MayWrite() bool {
	if c.IsPerson() {
		return c.Role.Includes(models.RoleContributor)
	}
	return c.KeyScope == models.ScopeFull
}

// MayWriteAs is like MayWrite, for changes that require a certain role: a person, or the person behind an assistant, must have
// this role too.
func (c *Call) MayWriteAs(role models.Role) bool {
	hasRole := c.IsPerson() || c.Assistant != nil
	return c.MayWrite() && (!hasRole || c.Role.Includes(role))
}

// Context returns the request's context.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Header returns the headers of the answer.
func (c *Call) Header() http.Header { return c.header }

// IfMatch reports whether the caller accepts this version of the record that the call changes. It is true if no If-Match was
// sent. Weak tags count, because proxies that compress make tags weak.
func (c *Call) IfMatch(version string) bool {
	lists := c.Request.Header.Values("If-Match")
	return len(lists) == 0 || slices.ContainsFunc(strings.Split(strings.Join(lists, ","), ","), func(tag string) bool {
		tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
		return tag == "*" || tag == version
	})
}

// HasIfMatch reports whether the caller sent If-Match.
func (c *Call) HasIfMatch() bool { return len(c.Request.Header.Values("If-Match")) > 0 }

// After adds work that runs after the commit, such as dispatching jobs whose rows were written. It runs only if the call
// succeeds, and cannot make the call fail.
func (c *Call) After(fn func(context.Context)) { c.after = append(c.after, fn) }

// Always adds work that runs whether the call succeeds or fails. It runs outside any transaction, before the answer is written, and
// cannot change the answer.
func (c *Call) Always(fn func(context.Context)) { c.always = append(c.always, fn) }

// RunAlways runs the work that Always added. Its context outlives the request.
func (c *Call) RunAlways() {
	for _, fn := range c.always {
		fn(context.WithoutCancel(c.Context()))
	}
}

// Address returns the address of the caller as text, or an empty text if it is not known.
func (c *Call) Address() string {
	if !c.Client.IsValid() {
		return ""
	}
	return c.Client.String()
}

// SetPlace gives the call a place in the share of its route. release frees the place.
func (c *Call) SetPlace(release func()) { c.place = release }

// ReleasePlace releases the call's place, if it has one.
func (c *Call) ReleasePlace() {
	if c.place != nil {
		c.place()
	}
	c.place = nil
}

// DetachPlace removes the place from the call and returns its release function. The place then stays taken after the call, until
// release is called.
func (c *Call) DetachPlace() (release func()) {
	release, c.place = c.place, nil
	if release == nil {
		return func() {}
	}
	return release
}

// MustHavePlace panics if the call has no place, or if its row names no share of its own.
func (c *Call) MustHavePlace() {
	if c.place == nil || c.Route.Share == Calls {
		panic("route: " + c.Route.Method + " " + c.Route.Path + " needs a share")
	}
}

// RunAfter runs the work that After added, once. Its context outlives the request.
func (c *Call) RunAfter() {
	fns := c.after
	c.after = nil
	for _, fn := range fns {
		fn(context.WithoutCancel(c.Context()))
	}
}

// DiscardAfter discards the work that After added. It is called if the writes of the call are undone.
func (c *Call) DiscardAfter() { c.after = nil }

// read parses the parameters that the row accepts from the path and the query.
func (c *Call) read() (err error) {
	r := c.Route
	params := r.Params()
	if err := c.checkParams(params); err != nil {
		return err
	}
	for _, p := range params {
		if !p.Repeated && len(c.Query[p.Name]) > 1 {
			return models.Invalid("invalid_input", "%s is given more than once", p.Name)
		}
	}
	switch {
	case slices.Contains(r.PathParams(), "id"):
		var ok bool
		if c.ID, ok = models.ParseID(c.Path["id"]); !ok {
			code := "invalid_input"
			if r.Declares(http.StatusBadRequest, "invalid_id") {
				code = "invalid_id"
			}
			return models.Invalid(code, "id must be a UUID")
		}
	case r.hasParam("id"):
		if c.ID, err = c.QueryID("id"); err != nil {
			return err
		}
	}
	if r.Window || r.hasParam("from") {
		if c.Window, err = bind.ParseWindow(c.Query, time.Now()); err != nil {
			return err
		}
	}
	c.Numbers = map[string]int{}
	for _, p := range params {
		if p.Max == 0 {
			continue
		}
		def, _ := strconv.Atoi(p.Default) // never fails: Number made the text from a whole number
		if c.Numbers[p.Name], err = bind.Int(c.Query, p.Name, def, p.Min, p.Max); err != nil {
			return err
		}
	}
	if r.Page {
		c.Page = store.Page{Limit: c.Numbers["limit"], Cursor: c.Query.Get("cursor")}
	}
	return nil
}

// checkParams refuses query parameters that the row does not accept. Names that begin with _ are accepted. A member of a
// family, such as f.country, is also accepted if the row has other members of the family. The handler then refuses an unknown member
// with an error code of its own.
func (c *Call) checkParams(params []Param) error {
	for name := range c.Query {
		family, _, isMember := strings.Cut(name, ".")
		is := func(p Param) bool { return p.Name == name || isMember && strings.HasPrefix(p.Name, family+".") }
		if !strings.HasPrefix(name, "_") && !slices.ContainsFunc(params, is) {
			return bind.Unknown(name, name, db.Map(params, func(p Param) string { return p.Name }))
		}
	}
	return nil
}

// QueryID reads a required id in the query. The error for a missing or malformed id is invalid_id, or no_id on a row that
// declares no_id.
func (c *Call) QueryID(name string) (uuid.UUID, error) {
	code := "invalid_id"
	if c.Route.Declares(http.StatusBadRequest, "no_id") {
		code = "no_id"
	}
	id, err := bind.QueryID(c.Query, name, code)
	if err == nil && id == uuid.Nil {
		err = models.Invalid(code, "%s is required", name)
	}
	return id, err
}

func (c *Call) decode(into any) error {
	if len(c.Body) == 0 && c.Route.BodyOptional { // every field gets its default
		return bind.DecodeKnown([]byte("{}"), nil, into)
	}
	return bind.DecodeKnown(c.Body, c.Route.Keys, into)
}

// FillBody adds the members of defaults to the body. It replaces a member that the body already has only if that member is null.
func (c *Call) FillBody(defaults any) error {
	raw, err := json.Marshal(defaults)
	if err != nil {
		return fmt.Errorf("route: fill body: %w", err)
	}
	sent, err := bind.Object(c.Body)
	if err != nil {
		return err
	}
	all, err := bind.Object(raw)
	if err != nil {
		return err
	}
	for name, value := range sent {
		if _, hasDefault := all[name]; !hasDefault || string(value) != "null" {
			all[name] = value
		}
	}
	c.Body, err = json.Marshal(all)
	return err
}

// File is a download that is sent as the answer instead of JSON.
type File struct {
	Name  string
	Type  string
	Size  int64                                  // in bytes
	Write func(context.Context, io.Writer) error // writes Size bytes; writing may continue after the call's time limit
}

// JobRef is the data of a 202 answer: the job that is still running.
type JobRef struct {
	Job JobState `json:"job"`
}

// JobState is the state of a job. URL is the address that returns the state again.
type JobState struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status" enum:"pending,running,done,failed"`
	URL    string `json:"url"`
}

// LaterError is the error of a handler whose job takes longer than the call. The answer is 202 with the job.
type LaterError struct{ Job JobState }

// Error implements error.
func (l *LaterError) Error() string { return fmt.Sprintf("job %s is still running", l.Job.ID) }
