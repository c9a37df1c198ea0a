package v1

import (
	"context"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
)

// The codes that many rows share.
var (
	toggleCodes = route.Codes("400 invalid_id invalid_status", "404 not_found")
)

// body is what POST and PUT send. Record checks it and gives the record it describes, without id and account.
type body[R any] interface{ Record() (R, error) }

// idBody is a body that names its record.
type idBody interface{ RecordID() uuid.UUID }

// table is what the generic handlers need of a resource's store.
type table[R any] interface {
	lister[R]
	Create(ctx context.Context, record R) (R, error)
	Update(ctx context.Context, record R) (R, error)
}

// lister is a table of which pages can be read.
type lister[R any] interface {
	List(ctx context.Context, account uuid.UUID, p store.Page) ([]R, string, error)
}

// remover is a table whose records can be removed.
type remover interface {
	Remove(ctx context.Context, account, id uuid.UUID) error
}

// pausable is a table whose records can be paused: all but saved rules.
type pausable interface {
	SetActive(ctx context.Context, account, id uuid.UUID, on bool) error
}

// cloner is a table whose records can be copied.
type cloner[R any] interface {
	Clone(ctx context.Context, account, id uuid.UUID) (R, error)
}

// resource ties a kind of record to its table and its answer.
type resource[R, A any] struct {
	table  func(*store.Store) table[R]
	own    func(record *R, account, id uuid.UUID) // sets whose record it is, and which
	answer func(R) A
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

// list answers a page of records with their figures for the window. Dimension is the records' column in the figures.
func list[L lister[R], R, T any](table func(*store.Store) L, dimension string, id func(R) uuid.UUID,
	row func(R, answer.Figures) T,
) route.Handler {
	return route.Do(func(c *route.Call) (Rows[T], error) {
		records, next, err := table(c.Store).List(c.Context(), c.Account.ID, c.Page)
		if err != nil {
			return Rows[T]{}, err
		}
		figures, err := figuresOf(c, dimension, records, id)
		if err != nil {
			return Rows[T]{}, err
		}
		out := Rows[T]{Range: c.Window.Range(), Rows: make([]T, 0, len(records)), NextCursor: answer.Cursor(next)}
		for i, r := range records {
			out.Rows = append(out.Rows, row(r, figures[i]))
		}
		return out, nil
	})
}

// create answers POST with the saved record.
func create[B body[R], R, A any](res resource[R, A]) route.Handler {
	return route.Take(func(c *route.Call, b B) (A, error) {
		record, err := b.Record()
		if err != nil {
			return zero[A](), err
		}
		res.own(&record, c.Account.ID, uuid.Nil)
		saved, err := res.table(c.Store).Create(c.Context(), record)
		if err != nil {
			return zero[A](), err
		}
		return res.answer(saved), nil
	})
}

// put answers PUT, which writes every field, with answer of the saved record.
func put[B interface {
	body[R]
	idBody
}, R, A, P any](res resource[R, A], answer func(R) P) route.Handler {
	return route.Take(func(c *route.Call, b B) (P, error) {
		record, err := b.Record()
		if err != nil {
			return zero[P](), err
		}
		res.own(&record, c.Account.ID, b.RecordID())
		saved, err := res.table(c.Store).Update(c.Context(), record)
		if err != nil {
			return zero[P](), err
		}
		return answer(saved), nil
	})
}

// IDAnswer is the answer to a change that shows the record's id only.
type IDAnswer struct {
	ID uuid.UUID `json:"id"`
}

// ToggleBody pauses or resumes a record.
type ToggleBody struct {
	bind.ID
	IsActive bind.Opt[bool] `json:"is_active" bad:"invalid_status" null:"refused" required:"invalid_status" doc:"true resumes, false pauses"`
}

// StatusAnswer is the answer to pausing and resuming.
type StatusAnswer struct {
	ID     uuid.UUID `json:"id"`
	Status string    `json:"status" enum:"active,paused"`
}

func toggledStatus(id uuid.UUID, on bool) StatusAnswer { return StatusAnswer{id, models.StatusOf(on)} }

func toggledID(id uuid.UUID, _ bool) IDAnswer { return IDAnswer{id} }

// toggle answers PATCH with id and is_active by what answer makes of them.
func toggle[T pausable, P any](table func(*store.Store) T, answer func(id uuid.UUID, on bool) P) route.Handler {
	return route.Take(func(c *route.Call, b ToggleBody) (P, error) {
		id, on := b.RecordID(), b.IsActive.Value
		return answer(id, on), table(c.Store).SetActive(c.Context(), c.Account.ID, id, on)
	})
}

// DeactivatedAnswer is the answer to a DELETE that keeps the record for history.
type DeactivatedAnswer struct {
	ID          uuid.UUID `json:"id"`
	Deactivated bool      `json:"deactivated"`
}

// deactivate answers DELETE ?id=.
func deactivate[T remover](table func(*store.Store) T) route.Handler {
	return route.Do(func(c *route.Call) (DeactivatedAnswer, error) {
		return DeactivatedAnswer{c.ID, true}, table(c.Store).Remove(c.Context(), c.Account.ID, c.ID)
	})
}

// remove answers the DELETE of a record that is gone for good.
func remove[T remover](table func(*store.Store) T) route.Handler {
	return route.Do(func(c *route.Call) (answer.DeletedAnswer, error) {
		return answer.Deleted(c.ID), table(c.Store).Remove(c.Context(), c.Account.ID, c.ID)
	})
}

// pages answers a page of records without figures.
func pages[R, A any](res resource[R, A]) route.Handler {
	return route.Do(func(c *route.Call) (Listed[A], error) {
		records, next, err := res.table(c.Store).List(c.Context(), c.Account.ID, c.Page)
		if err != nil {
			return Listed[A]{}, err
		}
		out := Listed[A]{Rows: make([]A, 0, len(records)), NextCursor: answer.Cursor(next)}
		for _, r := range records {
			out.Rows = append(out.Rows, res.answer(r))
		}
		return out, nil
	})
}

// clone answers POST /{id}/clone with the copy.
func clone[T cloner[R], R, A any](table func(*store.Store) T, answer func(R) A) route.Handler {
	return route.Do(func(c *route.Call) (A, error) {
		copied, err := table(c.Store).Clone(c.Context(), c.Account.ID, c.ID)
		if err != nil {
			return zero[A](), err
		}
		return answer(copied), nil
	})
}

func zero[T any]() (v T) { return v }

// figuresOf reads the figures of some records for the call's window, in the order of the records. Dimension is the
// report's name for their ids, such as offer_id. A record in which nothing happened has zeros.
func figuresOf[R any](c *route.Call, dimension string, records []R, id func(R) uuid.UUID) ([]answer.Figures, error) {
	if len(records) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(records))
	for i, r := range records {
		ids[i] = id(r)
	}
	found, err := report.FiguresOf(c.Context(), c.Store.Conn(), c.Account.ID, dimension, ids, c.Window.From, c.Window.End())
	if err != nil {
		return nil, err
	}
	out := make([]answer.Figures, len(records))
	for i := range ids {
		out[i] = found[ids[i]].Row()
	}
	return out, nil
}
