package click

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// Store reads and writes clicks. It writes to PostgreSQL, in the caller's transaction. It reads clicks that are only in
// ClickHouse from there, and inserts them into PostgreSQL again before it locks them (see thaw.go). Lists of ids and clicks must
// be sorted by id and must not be empty.
type Store struct {
	copied *CopyReader // nil: there is no copy
	warm   bool        // clicks that are only in ClickHouse are left out
}

// The bounds $2 and $3 let PostgreSQL skip the partitions of other days.
const clicksByID = ` FROM clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3`

// Bounds returns the first and the last of sorted ids.
func Bounds(ids []uuid.UUID) (first, last uuid.UUID) { return ids[0], ids[len(ids)-1] }

// Known returns the ids whose clicks are stored.
func (s Store) Known(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]uuid.UUID, error) {
	known, err := s.warmIDs(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	cold, _, err := s.coldIDs(ctx, c, db.Without(ids, func(id uuid.UUID) bool { return slices.Contains(known, id) }))
	if err != nil || len(cold) == 0 {
		return known, err
	}
	found, err := s.readCold(ctx, c, IDColumn, uuid.Nil, cold)
	return append(known, IDs(found)...), err
}

// warmIDs returns the ids whose clicks are in PostgreSQL.
func (Store) warmIDs(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]uuid.UUID, error) {
	first, last := Bounds(ids)
	return db.Select[uuid.UUID](ctx, c, "known clicks", `SELECT id`+clicksByID+` ORDER BY id`, db.UUIDs(ids), first, last)
}

// Insert adds clicks. None of them may be stored yet.
func (Store) Insert(ctx context.Context, c db.Conn, clicks []*StoredClick) error {
	return AllColumns.Insert(ctx, c, "clicks", clicks)
}

// All code locks clicks in the order of their ids.
const locking = ` FOR NO KEY UPDATE`

// Read returns some columns of the clicks of a Set. It leaves out ids without a click.
func (s Store) Read(ctx context.Context, c db.Conn, cols Columns[StoredClick], q Set) ([]*StoredClick, error) {
	list, err := s.readWarm(ctx, c, cols, q)
	if err != nil || len(list) == len(q.IDs) {
		return list, err
	}
	have := db.ByKey(list, (*StoredClick).ClickID)
	missing := db.Without(q.IDs, func(id uuid.UUID) bool { return have[id] != nil })
	if q.Lock {
		if thawed, err := s.Thaw(ctx, c, q.Account, missing); err != nil || !thawed {
			return list, err
		}
		return s.readWarm(ctx, c, cols, q)
	}
	cold, _, err := s.coldIDs(ctx, c, missing)
	if err != nil || len(cold) == 0 {
		return list, err
	}
	found, err := s.readCold(ctx, c, cols, q.Account, cold)
	list = append(list, found...)
	slices.SortFunc(list, func(a, b *StoredClick) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return list, err
}

func (Store) readWarm(ctx context.Context, c db.Conn, cols Columns[StoredClick], q Set) ([]*StoredClick, error) {
	first, last := Bounds(q.IDs)
	query, args := `SELECT `+cols.SQL()+clicksByID, []any{db.UUIDs(q.IDs), first, last}
	if q.Account != uuid.Nil {
		query, args = query+` AND account_id = $4`, append(args, q.Account)
	}
	query += ` ORDER BY id`
	if q.Lock {
		query += locking
	}
	return cols.ReadPointers(ctx, c, "read clicks", query, args...)
}

// Scan returns some columns of the clicks of a Range, the oldest first. It thaws cold days until it has read q.Limit clicks.
func (s Store) Scan(ctx context.Context, c db.Conn, cols Columns[StoredClick], q Range) ([]*StoredClick, error) {
	frozen, err := s.frozen(ctx, c, q.Account, q.Low, q.High)
	if err != nil {
		return nil, err
	}
	var list []*StoredClick
	for _, at := range frozen {
		start := models.FloorClickID(at)
		if LaterID(start, q.Low) == start && start != q.Low { // the clicks before the cold day come first
			part := q
			part.High = start
			before, err := s.scanWarm(ctx, c, cols, part)
			if list = append(list, before...); err != nil || len(before) == q.Limit {
				return list, err
			}
			q.Low, q.Limit = start, q.Limit-len(before)
		}
		if err := s.ThawDay(ctx, c, q.Account, at); err != nil {
			return nil, err
		}
	}
	last, err := s.scanWarm(ctx, c, cols, q)
	return append(list, last...), err
}

func (Store) scanWarm(ctx context.Context, c db.Conn, cols Columns[StoredClick], q Range) ([]*StoredClick, error) {
	args := []any{q.Account, q.Low, q.High}
	arg := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	query := `SELECT ` + cols.SQL() + ` FROM clicks WHERE account_id = $1 AND id >= $2 AND id < $3`
	if q.Campaigns != nil {
		query += ` AND campaign_id = ANY (` + arg(db.UUIDs(q.Campaigns)) + `::uuid[])`
	}
	if q.Signalled {
		query += ` AND bot_signals <> 0`
	}
	if q.Currency != "" {
		query += ` AND currency = ` + arg(q.Currency) + ` AND rate IS DISTINCT FROM ` + arg(q.Rate) + `::numeric`
	}
	query += ` ORDER BY id LIMIT ` + arg(q.Limit)
	if q.Lock {
		query += locking
	}
	return cols.ReadPointers(ctx, c, "scan clicks", query, args...)
}

// Save writes some columns of clicks that the caller has locked.
func (Store) Save(ctx context.Context, c db.Conn, u Update, clicks []*StoredClick) error {
	args := []any{db.UUIDsOf(clicks, (*StoredClick).ClickID), clicks[0].ID, clicks[len(clicks)-1].ID}
	for _, col := range u.columns {
		list, err := col.list(clicks)
		if err != nil {
			return fmt.Errorf("click: %s: %s: %w", u.what, col.name, err)
		}
		args = append(args, list)
	}
	return db.Run(ctx, c, u.what, u.sql(), args...)
}

// sql returns the statement of an update. $1 are the ids, and $2 and $3 their bounds. Then follows one list for each column. The
// condition c.id = ANY ($1) repeats the join, because PostgreSQL has no statistics of a young partition and would otherwise read
// all rows between the bounds.
func (u Update) sql() string {
	sets, names, lists := make([]string, len(u.columns)), make([]string, len(u.columns)), make([]string, len(u.columns))
	for i, col := range u.columns {
		names[i] = col.name
		sets[i] = col.name + " = k." + col.name
		lists[i] = "$" + strconv.Itoa(i+4) + "::" + arrayType(col.at(&StoredClick{}))
	}
	return `UPDATE clicks c SET ` + strings.Join(sets, ", ") + ` FROM unnest($1::uuid[], ` + strings.Join(lists, ", ") +
		`) AS k (id, ` + strings.Join(names, ", ") + `) WHERE c.id = k.id AND c.id = ANY ($1::uuid[]) AND c.id BETWEEN $2 AND $3`
}

func arrayType(pointer any) string {
	switch pointer.(type) {
	case *uuid.UUID:
		return "uuid[]"
	case *string:
		return "text[]"
	case *bool:
		return "boolean[]"
	case *int:
		return "int[]"
	case *models.ASN, *bitsValue:
		return "bigint[]"
	case *decimal.Decimal, *decimal.NullDecimal:
		return "numeric[]"
	}
	panic(fmt.Sprintf("click: no array of %T", pointer))
}

// list returns the values of a column in all rows as one argument of a statement.
func (k Column[T]) list(rows []*T) (any, error) {
	switch k.at(rows[0]).(type) {
	case *uuid.UUID:
		return db.UUIDs(valuesOf[uuid.UUID](k, rows)), nil
	case *string:
		return valuesOf[string](k, rows), nil
	case *bool:
		return pq.BoolArray(valuesOf[bool](k, rows)), nil
	case *int:
		return db.Map(valuesOf[int](k, rows), func(n int) int64 { return int64(n) }), nil
	}
	texts := make([]*string, len(rows)) // PostgreSQL casts the texts to the type of the column; nil is NULL
	for i, row := range rows {
		plain, err := driver.DefaultParameterConverter.ConvertValue(k.at(row))
		if err != nil {
			return nil, err
		}
		if plain != nil {
			text := fmt.Sprint(plain)
			texts[i] = &text
		}
	}
	return pq.Array(texts), nil
}

// valuesOf returns the values of a column of type V.
func valuesOf[V, T any](k Column[T], rows []*T) []V {
	return db.Map(rows, func(row *T) V { return *k.at(row).(*V) }) //nolint:forcetypeassert // the caller has checked the type
}

// Remove deletes clicks. It does not change the ledger.
func (Store) Remove(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	first, last := Bounds(ids)
	return db.Run(ctx, c, "delete clicks", `DELETE`+clicksByID, db.UUIDs(ids), first, last)
}
