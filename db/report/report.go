package report

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// Limits of a question; more is the error invalid_dimension.
const (
	MaxDimensions = 5
	MaxFilters    = 12
	MaxFilterLen  = 500 // characters
)

// MaxRows is how many rows an answer has at most unless the query says otherwise: those with the most clicks.
const MaxRows = 10_000

// Filter keeps what has one of the values in a dimension. An empty value means none.
type Filter struct {
	Dimension string
	Values    []string
}

// Query asks for the figures of an account in [From, To), cut to milliseconds.
type Query struct {
	AccountID  uuid.UUID
	From, To   time.Time
	Dimensions []string
	Filters    []Filter
	Limit      int // 0 is MaxRows

	rowsOnly bool   // leaves the ledger alone: tests compare the two
	spans    []span // group by these, in the place of dimensions: the number of the span, from 1
}

// Row is one group: the values in the order of the query's dimensions, and its figures.
type Row struct {
	Dims []string
	models.Figures
}

// Performance gives the figures grouped by the dimensions of the query, most clicks first. Groups in which nothing
// happened are left out; without dimensions there is exactly one row.
func Performance(ctx context.Context, c db.Conn, q Query) ([]Row, error) {
	var list []Row
	err := Each(ctx, c, q, func(r Row) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

// Each is Performance row by row, for answers that are too long to be held. It ends with the first error of fn.
func Each(ctx context.Context, c db.Conn, q Query, fn func(Row) error) error {
	b, err := plan(q)
	if err != nil {
		return err
	}
	rows, err := c.QueryxContext(ctx, b.sql(), b.args...) //nolint:sqlclosecheck // closed below
	if err != nil {
		return fmt.Errorf("report: performance: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		r := Row{Dims: make([]string, len(b.dims))}
		dst := make([]any, 0, len(r.Dims)+len(measures))
		for i := range r.Dims {
			dst = append(dst, &r.Dims[i])
		}
		f := &r.Figures
		dst = append(dst, &f.Clicks, &f.UniqueClicks, &f.BotClicks, &f.LPViews, &f.LPClicks,
			&f.Approved, &f.Pending, &f.Rejected, &f.Chargebacks, &f.Cost, &f.Revenue, &f.PendingRevenue)
		if err := rows.Scan(dst...); err != nil {
			return fmt.Errorf("report: performance: %w", err)
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("report: performance: %w", err)
	}
	return nil
}

// Overview gives the figures of an account in [from, to).
func Overview(ctx context.Context, c db.Conn, account uuid.UUID, from, to time.Time) (models.Figures, error) {
	rows, err := Performance(ctx, c, Query{AccountID: account, From: from, To: to})
	if err != nil {
		return models.Figures{}, err
	}
	return rows[0].Figures, nil
}

// FiguresOf gives the figures of some records of a list, campaigns say, in [from, to). Records without any are not
// in the answer.
func FiguresOf(ctx context.Context, c db.Conn, account uuid.UUID, dimension string, ids []uuid.UUID,
	from, to time.Time,
) (map[uuid.UUID]models.Figures, error) {
	values := make([]string, len(ids))
	for i, v := range ids {
		values[i] = v.String()
	}
	rows, err := Performance(ctx, c, Query{
		AccountID: account, From: from, To: to, Dimensions: []string{dimension},
		Filters: []Filter{{dimension, values}},
	})
	if err != nil {
		return nil, err
	}
	figures := make(map[uuid.UUID]models.Figures, len(rows))
	for _, r := range rows {
		key, err := uuid.Parse(r.Dims[0])
		if err != nil {
			return nil, fmt.Errorf("report: figures by %s: %w", dimension, err)
		}
		figures[key] = r.Figures
	}
	return figures, nil
}

// Labels gives the names of the values of a dimension that are ids of the account's records, deleted ones included.
// Other values have no label.
func Labels(ctx context.Context, c db.Conn, account uuid.UUID, dimension string, values []string,
) (map[string]string, error) {
	d, err := find(dimension)
	if err != nil {
		return nil, err
	}
	labels := map[string]string{}
	ids := uuids(values)
	if d.names == "" || len(ids) == 0 {
		return labels, nil
	}
	var rows []struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}
	if err := sqlx.SelectContext(ctx, c, &rows, d.names, account, pq.Array(ids)); err != nil {
		return nil, fmt.Errorf("report: labels of %s: %w", dimension, err)
	}
	for _, r := range rows {
		labels[r.ID] = r.Name
	}
	return labels, nil
}

// uuids keeps the values that are UUIDs; an empty one is the zero UUID.
func uuids(values []string) []string {
	ids := make([]string, 0, len(values))
	for _, v := range values {
		if v == "" {
			ids = append(ids, uuid.Nil.String())
		} else if u, err := uuid.Parse(v); err == nil {
			ids = append(ids, u.String())
		}
	}
	return ids
}

// measure is a figure and how it is worked out from a click (f) and from a conversion (v) of it.
type measure struct{ name, click, conversion string }

func status(name string) string {
	return `CASE WHEN v.status = '` + name + `' THEN 1 ELSE 0 END`
}

func human(expr string) string { return `CASE WHEN f.is_bot THEN 0 ELSE ` + expr + ` END` }

// measures stand in the order in which Performance reads them.
var measures = []measure{
	{"clicks", human("1"), "0"},
	{"unique_clicks", human("f.is_unique::int"), "0"},
	{"bot_clicks", "f.is_bot::int", "0"},
	{"lp_views", human("f.lp_views"), "0"},
	{"lp_clicks", human("f.lp_clicks"), "0"},
	{"approved", "0", status(models.StatusApproved)},
	{"pending", "0", status(models.StatusPending)},
	{"rejected", "0", status(models.StatusRejected)},
	{"chargebacks", "0", status(models.StatusChargeback)},
	{"cost", human("f.cost"), `v.cost`},
	{"revenue", "0", `CASE WHEN v.status = 'approved' THEN v.payout ELSE 0 END`},
	{"pending_revenue", "0", `CASE WHEN v.status = 'pending' THEN v.payout ELSE 0 END`},
}

// builder puts the statement together: parts that give the facts, and the arguments they name.
type builder struct {
	dims    []dimension
	filters []dimension
	values  []string // the placeholder of each filter
	args    []any
	parts   []string
	limit   int
}

func plan(q Query) (*builder, error) {
	if len(q.Dimensions) > MaxDimensions || len(q.Filters) > MaxFilters {
		return nil, models.Invalid("invalid_dimension", "at most %d dimensions and %d filters", MaxDimensions, MaxFilters)
	}
	b := &builder{limit: q.Limit}
	if b.limit <= 0 {
		b.limit = MaxRows
	}
	account := b.arg(q.AccountID)
	covered := true
	for _, name := range q.Dimensions {
		d, err := find(name)
		if err != nil {
			return nil, err
		}
		b.dims = append(b.dims, d)
		covered = covered && d.ledger
	}
	for _, f := range q.Filters {
		d, err := b.filter(f)
		if err != nil {
			return nil, err
		}
		covered = covered && d.ledger
	}
	if q.spans != nil {
		b.dims = append(b.dims, b.spanned(q.spans))
	}
	// The ledger knows whole hours; what the window has besides comes from the rows.
	first, last := q.From.Truncate(time.Hour), q.To.Truncate(time.Hour)
	if first.Before(q.From) {
		first = first.Add(time.Hour)
	}
	split := straddled(q.spans, first, last)
	mostly := time.Duration(len(split))*splitShare*time.Hour > last.Sub(first)
	if q.rowsOnly || !covered || !first.Before(last) || mostly {
		b.fromRows(account, q.From, q.To)
		return b, nil
	}
	b.fromLedger(account, first, last, split)
	b.fromRows(account, q.From, first)
	b.fromRows(account, last, q.To)
	b.fromHours(account, split)
	return b, nil
}

// splitShare decides when hours that the ledger cannot tell apart are too many to be read one by one: more than one
// in so many.
const splitShare = 4

// spanned is the dimension whose values are the numbers of spans. They are computed here and not in SQL, so that the
// rules of the zones are those of one program, and no bucket is lost or doubled between two.
func (b *builder) spanned(list []span) dimension {
	starts := make([]time.Time, len(list))
	for i, s := range list {
		starts[i] = s.start
	}
	expr := "width_bucket(%s, " + b.arg(pq.Array(texts(starts))) + "::timestamptz[])::text"
	return dimension{name: "span", expr: expr, kind: other, ledger: true}
}

func (b *builder) arg(v any) string {
	b.args = append(b.args, v)
	return "$" + strconv.Itoa(len(b.args))
}

func (b *builder) filter(f Filter) (dimension, error) {
	d, err := find(f.Dimension)
	if err != nil {
		return d, err
	}
	values := make([]string, len(f.Values))
	for i, v := range f.Values {
		if utf8.RuneCountInString(v) > MaxFilterLen {
			return d, models.Invalid("invalid_dimension", "a filter has at most %d characters", MaxFilterLen)
		}
		values[i] = strings.ToValidUTF8(strings.ReplaceAll(v, "\x00", ""), "\uFFFD")
	}
	b.filters = append(b.filters, d)
	if d.kind == id {
		b.values = append(b.values, b.arg(pq.Array(uuids(values)))+`::uuid[]`)
	} else {
		b.values = append(b.values, b.arg(pq.Array(values))+`::text[]`)
	}
	return d, nil
}

// part adds one source of facts: its dimensions by their place, its figures by name.
func (b *builder) part(at, from string, figure func(measure) string) {
	var s strings.Builder
	s.WriteString("SELECT ")
	for i, d := range b.dims {
		fmt.Fprintf(&s, "%s AS d%d, ", d.shown(at), i)
	}
	for i, m := range measures {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(figure(m) + " AS " + m.name)
	}
	s.WriteString("\nFROM " + from)
	for i, d := range b.filters {
		expr := d.shown(at)
		if d.kind == id { // compared as it is, which is faster
			expr = d.expr
		}
		s.WriteString(" AND " + expr + " = ANY (" + b.values[i] + ")")
	}
	b.parts = append(b.parts, s.String())
}

func (b *builder) fromLedger(account string, from, to time.Time, without []time.Time) {
	where := fmt.Sprintf("ledger f WHERE f.account_id = %s AND f.hour >= %s AND f.hour < %s",
		account, b.arg(from), b.arg(to))
	if len(without) > 0 {
		where += " AND f.hour <> ALL (" + b.arg(pq.Array(texts(without))) + "::timestamptz[])"
	}
	b.part("f.hour", where, func(m measure) string { return "f." + m.name })
}

// fromRows adds the clicks of a window and the conversions of these clicks, whenever they came.
func (b *builder) fromRows(account string, from, to time.Time) {
	if !from.Before(to) {
		return
	}
	lo, hi := b.arg(models.FloorClickID(from)), b.arg(models.FloorClickID(to))
	clicks := fmt.Sprintf("f.account_id = %s AND f.id >= %s AND f.id < %s", account, lo, hi)
	b.part("f.at", "clicks f WHERE "+clicks, func(m measure) string { return m.click })
	conversions := fmt.Sprintf("v.account_id = %s AND v.click_id >= %s AND v.click_id < %s", account, lo, hi)
	b.part("f.at", "conversions v JOIN clicks f ON f.id = v.click_id WHERE "+conversions+" AND "+clicks,
		func(m measure) string { return m.conversion })
}

// fromHours is fromRows for single hours.
func (b *builder) fromHours(account string, hours []time.Time) {
	if len(hours) == 0 {
		return
	}
	lows, highs := make([]string, len(hours)), make([]string, len(hours))
	for i, h := range hours {
		lows[i], highs[i] = models.FloorClickID(h).String(), models.FloorClickID(h.Add(time.Hour)).String()
	}
	list := fmt.Sprintf("unnest(%s::uuid[], %s::uuid[]) w (low, high)", b.arg(pq.Array(lows)), b.arg(pq.Array(highs)))
	clicks := fmt.Sprintf("f.account_id = %s AND f.id >= w.low AND f.id < w.high", account)
	b.part("f.at", list+" JOIN clicks f ON true WHERE "+clicks, func(m measure) string { return m.click })
	conversions := fmt.Sprintf("v.account_id = %s AND v.click_id >= w.low AND v.click_id < w.high", account)
	b.part("f.at", list+" JOIN conversions v ON true JOIN clicks f ON f.id = v.click_id WHERE "+conversions+" AND "+clicks,
		func(m measure) string { return m.conversion })
}

func texts(list []time.Time) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = t.UTC().Format(time.RFC3339Nano)
	}
	return out
}

func (b *builder) sql() string {
	var groups, sums, zeros []string
	for i := range b.dims {
		groups = append(groups, "d"+strconv.Itoa(i))
	}
	for _, m := range measures {
		sums = append(sums, "coalesce(sum("+m.name+"), 0)")
		zeros = append(zeros, "0")
	}
	if len(b.parts) == 0 { // an empty window
		b.fromRows("$1", time.Unix(0, 0), time.Unix(0, 1e6))
	}
	s := "WITH facts AS (\n" + strings.Join(b.parts, "\nUNION ALL\n") + "\n)\nSELECT " +
		strings.Join(append(groups, sums...), ", ") + "\nFROM facts"
	if len(groups) > 0 {
		by := strings.Join(groups, ", ")
		s += "\nGROUP BY " + by + "\nHAVING (" + strings.Join(sums, ", ") + ") <> (" + strings.Join(zeros, ", ") +
			")\nORDER BY sum(clicks) DESC, " + by
	}
	return s + "\nLIMIT " + strconv.Itoa(b.limit)
}
