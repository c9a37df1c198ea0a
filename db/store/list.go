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

// Page is the part of a list that a call wants: at most Limit rows after Cursor.
type Page struct {
	Limit  int
	Cursor string // of the previous page; empty: from the start
	Only   Only
	Sort   Sort
}

// Sort is the order of a list of records.
type Sort string

// The orders of a list. The empty one is the kind's own.
const (
	SortNewest Sort = "-created_at"
	SortOldest Sort = "created_at"
	SortName   Sort = "name"
	SortNameZA Sort = "-name"
)

// Sorts are all orders.
var Sorts = []Sort{SortNewest, SortOldest, SortName, SortNameZA}

// Only filters the records of a list. An empty field selects all records, and so does a field that the list's table does not
// know.
type Only struct {
	Search string // part of the name, in any case
	Status string // active, paused, and of campaigns archived
	Group  string // the whole name of the group, in any case
	Tag    string
}

// pageCondition is SQL with %s in the place of the argument.
type pageCondition struct{ sql, arg string }

// pageQuery describes a list that can be read page by page.
type pageQuery[T any] struct {
	// Name is unique: a cursor of one list is refused by another.
	Name string
	// SQL is a SELECT that ends in a WHERE clause. More conditions are added to it.
	SQL string
	// Args are its arguments.
	Args []any
	// Order are the columns that order the list, the last one unique. A walk can miss a record whose values change.
	Order []orderColumn
	// Asc lists the smallest first; the default is newest first.
	Asc bool
	// Filters is everything else that decides which rows are in the list. A cursor is valid only with the Filters it
	// was made with.
	Filters string
	// Only are more conditions.
	Only []pageCondition
	// Walk is for an order that may change between two pages. The argument behind Args is then the time of the first page,
	// by the database's clock. Every cursor carries it.
	Walk bool
	// Place gives a row's values of the Order columns, as text that the column's type reads. start is the time of a Walk.
	Place func(row T, start time.Time) []string
}

// orderColumn is a column that orders a list. place is SQL that makes its value from a text, which is %s.
type orderColumn struct{ column, place string }

// newest is the usual order of a list, by columns of t.
var newest = []orderColumn{{"t.created_at", "%s::timestamptz"}, {"t.id", "%s::uuid"}}

// placeOf is the place of a row in the order newest.
func placeOf(created time.Time, id uuid.UUID) []string {
	return []string{created.UTC().Format(time.RFC3339Nano), id.String()}
}

// readPage reads a page and returns the cursor of the next one ("" at the end). It pages by position, not by offset: a row that
// exists during the whole walk comes exactly once, whatever is inserted or deleted at the same time. A cursor that was changed,
// or is of another account, list or filter, is 400 invalid_input.
func readPage[T any](ctx context.Context, s *Store, account uuid.UUID, p Page, q pageQuery[T]) ([]T, string, error) {
	key, err := s.cursorKey(ctx)
	if err != nil {
		return nil, "", err
	}
	scope := cursorScope(account, q.Name, q.Filters+onlyScope(q.Only))
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
	sql += strings.Join(db.Map(q.Only, func(o pageCondition) string {
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

// onlyScope is what conditions add to the scope of a cursor.
func onlyScope(list []pageCondition) string {
	return strings.Join(db.Map(list, func(o pageCondition) string { return fmt.Sprintf("|%q|%q", o.sql, o.arg) }), "")
}

// walkStart is the time of a walk's first page: now without a place, else the last value of the place.
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
	cursorMAC     = 16
	cursorMax     = 2000 // characters
)

var cursorText = base64.RawURLEncoding.Strict()

// cursorScope is what a cursor is valid for.
func cursorScope(account uuid.UUID, name, filters string) string {
	return strings.Join([]string{account.String(), name, filters}, "|")
}

// makeCursor encodes version, signature and place. The place is not secret: its reader has just read that row.
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

// cursorKey reads the signing key once per process. It is the same in all of them.
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
