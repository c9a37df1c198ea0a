package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// Page is the part of a list that a call requests: at most Limit rows after Cursor.
type Page struct {
	Limit  int
	Cursor string // returned with the previous page; empty: from the start
	Filter Filter
	Sort   Sort
}

// Sort is the order of a list of records.
type Sort string

// The orders of a list. An empty order is the default of the record kind.
const (
	SortNewest Sort = "-created_at"
	SortOldest Sort = "created_at"
	SortName   Sort = "name"
	SortNameZA Sort = "-name"
)

// Sorts lists all orders.
var Sorts = []Sort{SortNewest, SortOldest, SortName, SortNameZA}

// Filter selects the records of a list. An empty field selects all records. A field that the list's table does not have is ignored.
type Filter struct {
	Search string // part of the name, ignoring case
	Status string // active, paused, and for campaigns also archived
	Group  string // the whole name of the group, ignoring case
	Tag    string
}

// pageCondition is an SQL condition in which %s stands for the argument.
type pageCondition struct{ sql, arg string }

type pageQuery[T any] struct {
	// Name is unique, so that a list refuses the cursors of another list.
	Name string
	// SQL is a SELECT that ends in a WHERE clause. More conditions are added to it.
	SQL string
	// Args are the arguments of SQL.
	Args []any
	// Order lists the columns that order the list. The last one is unique. If their values change while pages are read, a record
	// can be missed.
	Order []orderColumn
	// Asc sorts the smallest values first. The default is largest first.
	Asc bool
	// Filters describes what else, besides the account and Conditions, decides which rows are in the list. A cursor is valid only
	// with the Filters with which it was made.
	Filters string
	// Conditions are added to the WHERE clause of SQL.
	Conditions []pageCondition
	// Walk is for an order that can change between two pages. The argument after Args is then the time of the first page, by the
	// database's clock. Every cursor carries that time.
	Walk bool
	// Place returns a row's values of the Order columns, as text for PostgreSQL. start is the time of the first page, if Walk is
	// set.
	Place func(row T, start time.Time) []string
}

// orderColumn is a column that orders a list. place is SQL that converts the text %s to the column's type.
type orderColumn struct{ column, place string }

var newest = []orderColumn{{"t.created_at", "%s::timestamptz"}, {"t.id", "%s::uuid"}}

func placeOf(created time.Time, id uuid.UUID) []string {
	return []string{created.UTC().Format(time.RFC3339Nano), id.String()}
}

// MaxAlerts is the maximum number of records in each list from which alerts are made.
const MaxAlerts = 500

// readPage reads a page and returns the cursor of the next page, or "" at the end. A cursor holds the position of a row, not an
// offset, so a record that exists all the time, and keeps its position, appears exactly once. A cursor that was changed, or that
// belongs to another account, list or filter, is refused with 400 invalid_input.
func readPage[T any](ctx context.Context, s *Store, account uuid.UUID, p Page, q pageQuery[T]) ([]T, string, error) {
	key, err := s.cursorKey(ctx)
	if err != nil {
		return nil, "", err
	}
	scope := strings.Join([]string{account.String(), q.Name, q.Filters + conditionsScope(q.Conditions)}, "|")
	sql, args := q.SQL, slices.Clone(q.Args)
	var place []string
	if p.Cursor != "" {
		count := len(q.Order)
		if q.Walk {
			count++
		}
		if place, err = openCursor(key, scope, p.Cursor, count); err != nil {
			return nil, "", err
		}
	}
	var start time.Time
	if q.Walk {
		if start, err = s.walkStart(ctx, place); err != nil {
			return nil, "", err
		}
		args = append(args, start)
	}
	sql += strings.Join(db.Map(q.Conditions, func(o pageCondition) string {
		args = append(args, o.arg)
		return " AND " + fmt.Sprintf(o.sql, fmt.Sprintf("$%d", len(args)))
	}), "")
	sign, direction := "<", " DESC"
	if q.Asc {
		sign, direction = ">", " ASC"
	}
	columns := db.Map(q.Order, func(o orderColumn) string { return o.column })
	if place != nil {
		var after []string
		for i, o := range q.Order {
			args = append(args, place[i])
			after = append(after, fmt.Sprintf(o.place, fmt.Sprintf("$%d", len(args))))
		}
		sql += fmt.Sprintf(" AND (%s) %s (%s)", strings.Join(columns, ", "), sign, strings.Join(after, ", "))
	}
	sql += " ORDER BY " + strings.Join(columns, direction+", ") + direction
	sql += fmt.Sprintf(" LIMIT %d", p.Limit+1)
	rows, err := db.Select[T](ctx, s.c, "list "+q.Name, sql, args...)
	if err != nil {
		return nil, "", err
	}
	if len(rows) <= p.Limit {
		return rows, "", nil
	}
	rows = rows[:p.Limit]
	place = q.Place(rows[p.Limit-1], start)
	if q.Walk {
		place = append(place, start.Format(time.RFC3339Nano))
	}
	return rows, makeCursor(key, scope, place), nil
}

func conditionsScope(list []pageCondition) string {
	return strings.Join(db.Map(list, func(o pageCondition) string { return fmt.Sprintf("|%q|%q", o.sql, o.arg) }), "")
}

// walkStart returns the time of the first page: now if place is nil, or else the last value of place.
func (s *Store) walkStart(ctx context.Context, place []string) (time.Time, error) {
	if place == nil {
		now, err := db.Get[time.Time](ctx, s.c, "clock", `SELECT clock_timestamp()`)
		return now.UTC(), err
	}
	start, err := time.Parse(time.RFC3339Nano, place[len(place)-1])
	if err != nil {
		return start, fmt.Errorf("db: start of a walk: %w", err)
	}
	return start, nil
}

const (
	cursorVersion = 1
	cursorMAC     = 16   // bytes of the signature
	cursorMax     = 2000 // characters
)

var cursorText = base64.RawURLEncoding.Strict()

// makeCursor encodes version, signature and place. The place need not be secret, because the caller has just read the row at this
// place.
func makeCursor(key []byte, scope string, place []string) string {
	body, _ := json.Marshal(place) // texts always marshal
	return cursorText.EncodeToString(slices.Concat([]byte{cursorVersion}, cursorSum(key, scope, body), body))
}

func openCursor(key []byte, scope, cursor string, columns int) ([]string, error) {
	bad := models.Invalid("invalid_input", "cursor must be the next_cursor of this list")
	if len(cursor) > cursorMax {
		return nil, bad
	}
	raw, err := cursorText.DecodeString(cursor)
	if err != nil || len(raw) <= 1+cursorMAC || raw[0] != cursorVersion {
		return nil, bad
	}
	sum, body := raw[1:1+cursorMAC], raw[1+cursorMAC:]
	if !hmac.Equal(sum, cursorSum(key, scope, body)) {
		return nil, bad
	}
	var place []string
	if err := json.Unmarshal(body, &place); err != nil || len(place) != columns {
		return nil, bad
	}
	return place, nil
}

func cursorSum(key []byte, scope string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%d|%d|%s|", cursorVersion, len(scope), scope)
	h.Write(body)
	return h.Sum(nil)[:cursorMAC]
}

func (s *Store) cursorKey(ctx context.Context) ([]byte, error) {
	if key := s.cursor.Load(); key != nil {
		return *key, nil
	}
	key, err := seal.InstallSecret(ctx, s.c, "cursor")
	if err != nil {
		return nil, err
	}
	s.cursor.Store(&key)
	return key, nil
}
