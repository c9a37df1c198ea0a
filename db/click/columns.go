package click

import (
	"context"
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/clickattr"
)

// StoredClick is a row of the table clicks: the click as it was routed, and what was decided or happened later. Cost includes
// UniqueCost if the click is unique.
type StoredClick struct {
	models.Click
	At time.Time // the time that the id contains
	// Rate is the value of one unit of the click's currency in the account's currency. Cost and the other prices are in the
	// click's currency. Without a rate, the money of the click is not counted.
	Rate      decimal.NullDecimal
	IsUnique  bool
	LPViews   int
	LPClicks  int
	LPSlot    int       // the slot of the last click-out; 0: no click-out
	LastHopID uuid.UUID // the id of the last click-out
}

// StoredSmartlinkClick is a smartlink's stored click. Fields that only campaigns need are empty.
type StoredSmartlinkClick struct {
	StoredClick
	SmartlinkID    uuid.UUID
	RuleID         uuid.UUID // zero: no rule matched
	DestinationURL string    // the destination of the rule or, without a rule, of the smartlink, at the time of the click
}

// Column is one column of a table with rows of type T.
type Column[T any] struct {
	name string
	at   func(*T) any
}

// Columns is a list of columns of one table.
type Columns[T any] []Column[T]

// AllColumns lists the columns of the table clicks.
var AllColumns = func() Columns[StoredClick] {
	list := Columns[StoredClick]{
		{"at", func(c *StoredClick) any { return &c.At }},
		{"subs", func(c *StoredClick) any { return (*subsValue)(&c.Subs) }},
		{"rate", func(c *StoredClick) any { return &c.Rate }},
		{"is_unique", func(c *StoredClick) any { return &c.IsUnique }},
		{"lp_views", func(c *StoredClick) any { return &c.LPViews }},
		{"lp_clicks", func(c *StoredClick) any { return &c.LPClicks }},
		{"lp_slot", func(c *StoredClick) any { return &c.LPSlot }},
		{"last_hop_id", func(c *StoredClick) any { return &c.LastHopID }},
	}
	for i := range clickattr.All {
		if a := &clickattr.All[i]; a.Tag != 0 && a.Sub == 0 {
			list = append(list, Column[StoredClick]{a.Name, pointer(a)})
		}
	}
	return list
}()

// SmartlinkColumns lists the columns of the table smartlink_clicks.
var SmartlinkColumns = func() Columns[StoredSmartlinkClick] {
	list := Columns[StoredSmartlinkClick]{
		{"smartlink_id", func(c *StoredSmartlinkClick) any { return &c.SmartlinkID }},
		{"rule_id", func(c *StoredSmartlinkClick) any { return &c.RuleID }},
		{"destination_url", func(c *StoredSmartlinkClick) any { return &c.DestinationURL }},
	}
	for _, c := range AllColumns {
		a := clickattr.Find(c.name)
		if c.name == "at" || c.name == "subs" || a != nil && a.In&clickattr.Smartlinks != 0 {
			at := func(s *StoredSmartlinkClick) any { return c.at(&s.StoredClick) }
			list = append(list, Column[StoredSmartlinkClick]{c.name, at})
		}
	}
	return list
}()

// taggedColumns returns a column for each field of T with a db tag.
func taggedColumns[T any]() Columns[T] {
	var list Columns[T]
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, ok := f.Tag.Lookup("db"); ok {
			at := func(row *T) any { return reflect.ValueOf(row).Elem().FieldByIndex(f.Index).Addr().Interface() }
			list = append(list, Column[T]{name, at})
		}
	}
	return list
}

// Named returns the columns with these names, in the order of l. It panics if a name is unknown.
func (l Columns[T]) Named(names ...string) Columns[T] {
	named := db.Without(l, func(c Column[T]) bool { return !slices.Contains(names, c.name) })
	if len(named) != len(names) {
		panic(fmt.Sprintf("click: the table has only %d of these %d columns: %q", len(named), len(names), names))
	}
	return named
}

// SQL returns the names of the columns for a statement.
func (l Columns[T]) SQL() string {
	return strings.Join(db.Map(l, func(c Column[T]) string { return c.name }), ", ")
}

func (l Columns[T]) pointers(dst []any, row *T) []any {
	for i := range l {
		dst = append(dst, l[i].at(row))
	}
	return dst
}

func (l Columns[T]) read(ctx context.Context, c db.Conn, what, query string, args ...any) ([]T, error) {
	var list []T
	dst := make([]any, 0, len(l))
	err := db.EachRow(ctx, c, what, func(rows *sqlx.Rows) error {
		var row T
		err := rows.Scan(l.pointers(dst[:0], &row)...)
		list = append(list, row)
		return err
	}, query, args...)
	return list, err
}

// ReadPointers runs a query that selects these columns, and returns pointers to the rows.
func (l Columns[T]) ReadPointers(ctx context.Context, c db.Conn, what, query string, args ...any) ([]*T, error) {
	list, err := l.read(ctx, c, what, query, args...)
	rows := make([]*T, len(list))
	for i := range list {
		rows[i] = &list[i]
	}
	return rows, err
}

// Insert adds rows to a table by COPY.
func (l Columns[T]) Insert(ctx context.Context, c db.Conn, table string, list []*T) error {
	err := db.CopyIn(ctx, c, table, l.SQL(), func(yield func([]any) bool) {
		row := make([]any, 0, len(l))
		for _, item := range list {
			if !yield(l.pointers(row[:0], item)) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("click: store %s: %w", table, err)
	}
	return nil
}

// pointer returns a function that returns a pointer to the attribute of a click. PostgreSQL drivers accept the pointer's type.
func pointer(a *clickattr.Attr) func(*StoredClick) any {
	switch {
	case a.Text != nil:
		return func(c *StoredClick) any { return a.Text(&c.Click) }
	case a.ID != nil:
		return func(c *StoredClick) any { return a.ID(&c.Click) }
	case a.Addr != nil:
		return func(c *StoredClick) any { return (*db.Addr)(a.Addr(&c.Click)) }
	case a.ASN != nil:
		return func(c *StoredClick) any { return a.ASN(&c.Click) }
	case a.Int != nil:
		return func(c *StoredClick) any { return a.Int(&c.Click) }
	case a.Bits != nil:
		return func(c *StoredClick) any { return (*bitsValue)(a.Bits(&c.Click)) }
	case a.Bool != nil:
		return func(c *StoredClick) any { return a.Bool(&c.Click) }
	}
	return func(c *StoredClick) any { return a.Money(&c.Click) }
}

// subsValue stores the sub-parameters as an array, without empty ones at the end.
type subsValue [models.Subs]string

// Value implements driver.Valuer.
func (v *subsValue) Value() (driver.Value, error) {
	n := len(v)
	for n > 0 && v[n-1] == "" {
		n--
	}
	if n == 0 {
		return "{}", nil
	}
	return pq.StringArray(v[:n]).Value()
}

// Scan implements sql.Scanner.
func (v *subsValue) Scan(src any) error {
	var list pq.StringArray
	if err := list.Scan(src); err != nil {
		return err
	}
	*v = subsValue{}
	copy(v[:], list)
	return nil
}

// bitsValue stores 64 bits in a bigint.
type bitsValue uint64

// Value implements driver.Valuer.
func (v *bitsValue) Value() (driver.Value, error) { return int64(*v), nil } //nolint:gosec // Scan restores the same bits

// Scan implements sql.Scanner.
func (v *bitsValue) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("click: bits are read from an int64, not from %T", src)
	}
	*v = bitsValue(n) //nolint:gosec // Value stored the same bits
	return nil
}
