// Package resource makes the routes of a kind of record: list, create, replace, pause, delete and clone.
package resource

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/db"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
)

// body is the body of POST and PUT. Record checks it and returns its record, without id and account.
type body[R any] interface{ Record() (R, error) }

// putBody is a body with the id of its record.
type putBody[R any] interface {
	body[R]
	RecordID() uuid.UUID
}

// owned is a pointer to a record of an account.
type owned[R any] interface {
	*R
	SetOwner(account, id uuid.UUID)
}

// Kind describes a kind of record. T is its table in the store, R is a record, and A is the answer that shows a record.
type Kind[T, R, A any] struct {
	Group, Path string
	Table       func(*store.Store) T
	Answer      func(R) A
	Codes       []route.Code  // error codes of a body
	BodyLimit   int64         // in bytes; 0: the default limit
	Check       func(R) error // checks that depend on the install's settings; may be nil
	Filters     []route.Param // filters of the list in addition to nameFilter
}

// The parameters that filter the list of records.
var (
	nameFilter = route.Param{Name: "q", Doc: "only records whose name, alias or slug contains this text; case is ignored"}
	UseFilters = []route.Param{
		{Name: "status", Enum: []string{"active", "paused"}},
		{Name: "group", Doc: "only this group; case is ignored"},
		{Name: "tag", Doc: "only records with this tag"},
	}
)

var sortParam = route.Param{
	Name: "sort", Doc: "a leading minus means descending; left out: the list's own order",
	Enum: db.Map(store.Sorts, func(s store.Sort) string { return string(s) }),
}

// Params returns the parameters that filter and sort the list of records.
func (r Kind[T, R, A]) Params() []route.Param {
	return append([]route.Param{nameFilter, sortParam}, r.Filters...)
}

// PageOf returns the page that a call requests, with its filters and its order.
func PageOf(c *route.Call) (store.Page, error) {
	page := c.Page
	page.Filter = store.Filter{
		Search: c.Query.Get("q"), Status: c.Query.Get("status"), Group: c.Query.Get("group"), Tag: c.Query.Get("tag"),
	}
	page.Sort = store.Sort(c.Query.Get("sort"))
	for _, p := range c.Route.Query {
		if v := c.Query.Get(p.Name); v != "" && len(p.Enum) > 0 && !slices.Contains(p.Enum, v) {
			return page, models.Invalid("invalid_input", "%s must be one of %s", p.Name, strings.Join(p.Enum, ", "))
		}
	}
	for _, text := range []string{page.Filter.Search, page.Filter.Group, page.Filter.Tag} {
		if utf8.RuneCountInString(text) > maxFilter {
			return page, models.Invalid("invalid_input", "q, group and tag have at most %d characters", maxFilter)
		}
	}
	return page, nil
}

// maxFilter is the maximum length of a filter in characters.
const maxFilter = 255

func recordOf[T, R, A any](res Kind[T, R, A], b body[R]) (R, error) {
	record, err := b.Record()
	if err == nil && res.Check != nil {
		err = res.Check(record)
	}
	return record, err
}

// Row returns a route whose path is the path of the kind, followed by the given path.
func (r Kind[T, R, A]) Row(method, path, summary string, handle route.Handler, codes ...[]route.Code) route.Route {
	row := route.New(method, r.Path+path, r.Group, summary, handle, codes...)
	row.Recorded = r.recorded
	if path == "" && (method == "PUT" || method == "PATCH") {
		row.Version = r.Version()
	}
	return row
}

type locker[R any] interface {
	Lock(ctx context.Context, account, id uuid.UUID) (R, error)
}

// versioned is a record with a version.
type versioned interface{ Version() string }

// Version returns the function for the field Version of a route that changes a record. It is nil if records have no version or
// the table has no method Lock.
func (r Kind[T, R, A]) Version() func(*route.Call, uuid.UUID) (string, error) {
	var table T
	var record R
	_, locks := any(table).(locker[R])
	if _, has := any(record).(versioned); !has || !locks {
		return nil
	}
	return func(c *route.Call, id uuid.UUID) (string, error) {
		locked, err := any(r.Table(c.Store)).(locker[R]).Lock(c.Context(), c.Account.ID, id)
		if err != nil {
			return "", err
		}
		return any(locked).(versioned).Version(), nil
	}
}

// recorded returns a record for the audit log, in the form of answers. It returns nil if the table has no method Find, or if Answer
// is nil.
func (r Kind[T, R, A]) recorded(c *route.Call, id uuid.UUID) (any, error) {
	table, ok := any(r.Table(c.Store)).(interface {
		Find(ctx context.Context, account, id uuid.UUID) (R, error)
	})
	if !ok || r.Answer == nil {
		return nil, nil
	}
	record, err := table.Find(c.Context(), c.Account.ID, id)
	return r.Answer(record), err
}

// lister is a table that can be read page by page.
type lister[R any] interface {
	List(ctx context.Context, account uuid.UUID, p store.Page) ([]R, string, error)
}

// Rows is the answer of a list with figures.
type Rows[T any] struct {
	Range      bind.Range `json:"range"`
	Rows       []T        `json:"rows"`
	NextCursor *string    `json:"next_cursor" doc:"null at the end"`
}

// Listed is the answer of a list without figures.
type Listed[T any] struct {
	Rows       []T     `json:"rows"`
	NextCursor *string `json:"next_cursor" doc:"null at the end"`
}

// List returns the route GET, which lists a page of records.
func List[T lister[R], R, A any](res Kind[T, R, A], summary string) route.Route {
	return res.Row("GET", "", summary, route.Handle(func(c *route.Call) (Listed[A], error) {
		page, err := PageOf(c)
		if err != nil {
			return Listed[A]{}, err
		}
		records, next, err := res.Table(c.Store).List(c.Context(), c.Account.ID, page)
		return Listed[A]{answer.Each(records, res.Answer), answer.Cursor(next)}, err
	})).WithPage().WithQuery(res.Params()...)
}

// pageRows reads what else the rows of a page need, and returns a function that makes a row.
type pageRows[R, L any] func(c *route.Call, page []R) (func(R, answer.Figures) L, error)

// ListFigures returns the route GET, which lists a page of records with their figures for the window. The values of the dimension,
// such as offer_id, are the ids of the records.
func ListFigures[T lister[R], R interface{ RecordID() uuid.UUID }, A, L any](
	reports reporting.ReportReader, res Kind[T, R, A], summary, dimension string, rows pageRows[R, L],
) route.Route {
	return res.Row("GET", "", summary, route.Handle(func(c *route.Call) (Rows[L], error) {
		page, err := PageOf(c)
		if err != nil {
			return Rows[L]{}, err
		}
		records, next, err := res.Table(c.Store).List(c.Context(), c.Account.ID, page)
		if err != nil {
			return Rows[L]{}, err
		}
		render, err := rows(c, records)
		if err != nil {
			return Rows[L]{}, err
		}
		figures, err := FiguresOf(c, reports, dimension, records)
		return Rows[L]{
			c.Window.Range(), answer.Each(records, func(r R) L { return render(r, figures[r.RecordID()]) }), answer.Cursor(next),
		}, err
	})).WithWindow().WithPage().WithShare(route.Lists).WithQuery(res.Params()...)
}

// Create returns the route POST, which answers with the saved record.
func Create[B body[R], T interface {
	Create(ctx context.Context, record R) (R, error)
}, R, A any, P owned[R]](res Kind[T, R, A], summary string) route.Route {
	row := res.Row("POST", "", summary, route.HandleBody(func(c *route.Call, b B) (a A, err error) {
		record, err := recordOf(res, b)
		if err != nil {
			return a, err
		}
		P(&record).SetOwner(c.Account.ID, uuid.Nil)
		record, err = res.Table(c.Store).Create(c.Context(), record)
		return res.Answer(record), err
	}), res.Codes).Creates()
	row.BodyLimit = res.BodyLimit
	return row
}

// Put returns the route PUT, which replaces every field. render makes the answer from the saved record.
func Put[B putBody[R], T interface {
	Update(ctx context.Context, record R) (R, error)
}, R, A, L any, P owned[R]](res Kind[T, R, A], summary string, render func(R) L) route.Route {
	row := res.Row("PUT", "", summary, route.HandleBody(func(c *route.Call, b B) (a L, err error) {
		record, err := recordOf(res, b)
		if err != nil {
			return a, err
		}
		P(&record).SetOwner(c.Account.ID, b.RecordID())
		record, err = res.Table(c.Store).Update(c.Context(), record)
		return render(record), err
	}), answer.IDCodes, res.Codes)
	row.BodyLimit = res.BodyLimit
	return row
}

// IDAnswer is the answer to a change.
type IDAnswer struct {
	ID uuid.UUID `json:"id"`
}

// IDOf makes the answer that has only the id of a record.
func IDOf[R interface{ RecordID() uuid.UUID }](record R) IDAnswer {
	return IDAnswer{record.RecordID()}
}

// RestoreCodes are the additional error codes of a route that can restore a deactivated record.
var RestoreCodes = route.Codes("402 plan_limit", "409 duplicate_name")

// ToggleBody pauses or resumes a record.
type ToggleBody struct {
	bind.ID
	IsActive bind.Opt[bool] `json:"is_active" bad:"invalid_status" null:"refused" required:"invalid_status" doc:"true resumes, false pauses"`
}

// StatusAnswer is the answer to pausing or resuming a record.
type StatusAnswer struct {
	ID     uuid.UUID `json:"id"`
	Status string    `json:"status" enum:"active,paused"`
}

// ToggledStatus makes an answer for Toggle that has the status.
func ToggledStatus(id uuid.UUID, on bool) StatusAnswer { return StatusAnswer{id, models.StatusOf(on)} }

// ToggledID makes an answer for Toggle that has only the id.
func ToggledID(id uuid.UUID, _ bool) IDAnswer { return IDAnswer{id} }

// Toggle returns the route PATCH with id and is_active. render makes its answer. codes are further error codes.
func Toggle[T interface {
	SetActive(ctx context.Context, account, id uuid.UUID, on bool) error
}, R, A, L any](
	res Kind[T, R, A], summary string, render func(id uuid.UUID, on bool) L, codes ...route.Code,
) route.Route {
	return res.Row("PATCH", "", summary, route.HandleBody(func(c *route.Call, b ToggleBody) (L, error) {
		id, on := b.RecordID(), b.IsActive.Value
		return render(id, on), res.Table(c.Store).SetActive(c.Context(), c.Account.ID, id, on)
	}), codes, route.Codes("400 invalid_id invalid_status", "404 not_found"))
}

// DeactivatedAnswer is the answer to a DELETE that keeps the record for history.
type DeactivatedAnswer struct {
	ID          uuid.UUID `json:"id"`
	Deactivated bool      `json:"deactivated"`
}

// remover is a table whose records can be removed.
type remover interface {
	Remove(ctx context.Context, account, id uuid.UUID) error
}

// Remove returns the route DELETE ?id=. render makes its answer.
func Remove[T remover, R, A, L any](res Kind[T, R, A], summary string, render func(id uuid.UUID) L) route.Route {
	return removeThen(res, summary, func(c *route.Call) (L, error) { return render(c.ID), nil })
}

// RemoveUsed is like Remove, for records to which other records may refer. The referring records stay, and the answer lists them.
func RemoveUsed[T remover, R, A, L any](res Kind[T, R, A], summary string, render func(id uuid.UUID, u Users) L) route.Route {
	return removeThen(res, summary, func(c *route.Call) (L, error) {
		users, err := UsersOf(c)
		return render(c.ID, users), err
	})
}

// removeThen returns the route DELETE ?id=. After the removal it calls then, which makes the answer.
func removeThen[T remover, R, A, L any](res Kind[T, R, A], summary string, then func(*route.Call) (L, error)) route.Route {
	return res.Row("DELETE", "", summary, route.Handle(func(c *route.Call) (answer L, err error) {
		if err := res.Table(c.Store).Remove(c.Context(), c.Account.ID, c.ID); err != nil {
			return answer, err
		}
		return then(c)
	}), answer.IDCodes).WithQuery(answer.QueryID...)
}

// Users lists the records that use a removed record.
type Users struct {
	UsedBy []models.User `json:"used_by" doc:"records that still refer to the removed record, at most 100; in each kind of record, active records come first"`
}

// UsersOf returns the records that use the record of the call.
func UsersOf(c *route.Call) (Users, error) {
	users, err := c.Store.UsersOf(c.Context(), c.Account.ID, c.ID)
	return Users{answer.Each(users, func(u models.User) models.User { return u })}, err
}

// DeactivatedUsed is the answer to a DELETE that keeps a record which others may use.
type DeactivatedUsed struct {
	DeactivatedAnswer
	Users
}

// DeactivatedWith makes the answer DeactivatedUsed.
func DeactivatedWith(id uuid.UUID, u Users) DeactivatedUsed {
	return DeactivatedUsed{DeactivatedAnswer{id, true}, u}
}

// DeletedUsed is the answer to a DELETE of a record that other records may use.
type DeletedUsed struct {
	answer.DeletedAnswer
	Users
}

// DeletedWith makes the answer DeletedUsed.
func DeletedWith(id uuid.UUID, u Users) DeletedUsed { return DeletedUsed{answer.Deleted(id), u} }

// Clone returns the route POST /{id}/clone. render makes the answer from the copy.
func Clone[T interface {
	Clone(ctx context.Context, account, id uuid.UUID) (R, error)
}, R, A, L any](res Kind[T, R, A], summary string, render func(R) L, codes ...[]route.Code) route.Route {
	return res.Row("POST", "/{id}/clone", summary, route.Handle(func(c *route.Call) (L, error) {
		copied, err := res.Table(c.Store).Clone(c.Context(), c.Account.ID, c.ID)
		return render(copied), err
	}), append([][]route.Code{answer.IDCodes}, codes...)...).Creates()
}

// FiguresOf returns the figures of records for the call's window, by id. The values of the dimension are the ids. Records
// without clicks have zeros.
func FiguresOf[R interface{ RecordID() uuid.UUID }](
	c *route.Call, reports reporting.ReportReader, dimension string, records []R,
) (map[uuid.UUID]answer.Figures, error) {
	if len(records) == 0 {
		return nil, nil
	}
	ids := answer.Each(records, R.RecordID)
	q := reporting.InWindow(c)
	q.Dimensions, q.Filters = []string{dimension}, []report.Filter{report.IDs(dimension, ids...)}
	c.MustHavePlace()
	rows, err := reports.Performance(c.Context(), q)
	found := map[string]models.Figures{}
	for _, r := range rows {
		found[r.Dims[0]] = r.Figures
	}
	figures := map[uuid.UUID]answer.Figures{}
	for _, id := range ids {
		figures[id] = found[id.String()].Row()
	}
	return figures, err
}
