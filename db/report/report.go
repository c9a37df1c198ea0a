package report

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/measure"
)

// Limits of a query. Beyond them the error is invalid_dimension.
const (
	MaxDimensions = 5
	MaxFilters    = 12
	MaxValues     = 100 // in all filters together; checked by the API, not here
	MaxFilterLen  = 500 // characters of one value
)

// MaxRows is the largest number of rows of an answer, unless the query sets a Limit.
const MaxRows = 10_000

// Filter keeps facts whose value in a dimension is among the given values, or is not among them.
type Filter = models.ReportFilter

// IDs returns a filter that keeps facts of the given records. dimension is the dimension of their ids.
func IDs(dimension string, ids ...uuid.UUID) Filter {
	return Filter{Dimension: dimension, Values: db.Map(ids, uuid.UUID.String)}
}

// Query asks for the figures of an account in [From, To). Both times are cut to milliseconds.
type Query struct {
	AccountID  uuid.UUID
	From, To   time.Time
	Dimensions []string
	Filters    []Filter
	Goals      []string       // count only conversions of these goals; empty: all goals
	Zone       *time.Location // for the dimensions of time; nil: UTC
	// Compare adds the figures of a second period. By date, hour and month, the buckets of the two periods are compared in their
	// order: the first with the first, and so on. Buckets of the second period without a counterpart are summed up under an empty
	// value. A filter by date, hour or month selects buckets of the window, and with them their counterparts.
	Compare   *models.TimeRange
	Sort      string // a name from Sorts or a dimension of the query; a minus before it sorts descending; empty: -clicks
	MinClicks int    // minimum clicks of a group, in the window or in the period of Compare
	// Having keeps the groups whose figures in the window meet every condition.
	Having []models.FigureFilter
	Limit  int // 0: MaxRows
	// Totals adds a last row: the sums of all groups, including groups that MinClicks or Limit leaves out. With Having, it has
	// only the sums of the groups that Having and MinClicks keep. A fact whose campaign has several tags counts once or, with
	// Having, once for each tag.
	Totals bool

	FromRows bool // do not use the ledger: the same answer, but slower
	// MaxClicks is the number of clicks that may be read, as Cost counts them. For more clicks the error is ErrLarge. 0: no limit.
	MaxClicks int64

	buckets *clock // a further dimension
}

// Row is one group of an answer.
type Row = models.ReportRow

// Reader answers queries from PostgreSQL, or from the copy of clicks in ClickHouse if that is faster or if only the copy has the
// clicks.
type Reader struct {
	Conn db.Conn // the pool
	Copy *click.CopyReader
	// CopyOnly answers from the copy whenever it can, for tests and measurements.
	CopyOnly bool
}

// Performance returns the figures grouped by the dimensions of the query, in the order of its Sort. Groups whose figures are all
// zero are left out. Without dimensions there is one row.
func (r Reader) Performance(ctx context.Context, q Query) ([]Row, error) {
	var list []Row
	err := r.Each(ctx, q, func(row Row) error {
		list = append(list, row)
		return nil
	})
	return list, err
}

// Each calls fn with each row of the answer of Performance, and stops at the first error of fn. While the account's currency is
// being changed, the answer is in the new currency: see exchangerate.Change.
func (r Reader) Each(ctx context.Context, request Query, fn func(Row) error) error {
	if request.Totals && len(request.Having) == 0 && request.overlaps() {
		return r.eachThenTotals(ctx, request, fn)
	}
	var q *query
	err := r.snapshot(ctx, func(r Reader) (err error) {
		if q, err = r.newQuery(ctx, request); err != nil {
			return err
		}
		if request.MaxClicks != 0 {
			clicks, err := r.cost(ctx, q)
			if err != nil {
				return err
			}
			if clicks > request.MaxClicks {
				return ErrLarge
			}
		}
		if err = r.chooseEngine(ctx, q); err != nil || q.inCopy {
			return err
		}
		return r.eachOfPostgres(ctx, q, fn)
	})
	if err != nil || !q.inCopy {
		return err
	}
	given := false
	err = r.eachOfCopy(ctx, q, func(row Row) error {
		given = true
		return fn(row)
	})
	if _, away := errors.AsType[*click.CopyAwayError](err); !away || given || q.copied.mustAnswer || r.CopyOnly {
		return err
	}
	r.Copy.CountAnswer(click.FromPostgres)
	r.Copy, request.MaxClicks = nil, 0
	return r.Each(ctx, request, fn)
}

// snapshot runs fn with a reader that sees one state of the database.
func (r Reader) snapshot(ctx context.Context, fn func(Reader) error) error {
	return r.Copy.Snapshot(ctx, r.Conn, func(c db.Conn) error {
		in := r
		in.Conn = c
		return fn(in)
	})
}

// Totals returns the figures of a query without its dimensions.
func (r Reader) Totals(ctx context.Context, q Query) (models.Figures, error) {
	q.Dimensions = nil
	rows, err := r.Performance(ctx, q)
	if err != nil {
		return models.Figures{}, err
	}
	return rows[0].Figures, nil
}

// Sorts returns the names of the figures by which an answer can be sorted.
func Sorts() []string { return slices.Sorted(slices.Values(measure.Names(measure.Every))) }
