package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// records has the methods that all kinds of records share.
type records[R any] struct {
	s *Store
	t *table[R]
}

// List lists the records that are not removed, newest first unless the page asks for another order.
func (k records[R]) List(ctx context.Context, account uuid.UUID, p Page) ([]R, string, error) {
	return readPage(ctx, k.s, account, p, k.t.page(account, p))
}

func (t *table[R]) page(account uuid.UUID, p Page) pageQuery[R] {
	q := pageQuery[R]{
		Name: t.name, SQL: t.from + ` WHERE ` + t.live, Args: []any{account}, Conditions: t.conditions(p.Filter), Filters: string(p.Sort),
		Order: newest, Asc: p.Sort == SortOldest || p.Sort == SortName,
		Place: func(record R, _ time.Time) []string {
			return placeOf(field[models.Stamp](&record, "CreatedAt").Time, *field[uuid.UUID](&record, "ID"))
		},
	}
	if p.Sort == SortName || p.Sort == SortNameZA {
		q.sortByName()
	}
	return q
}

// sortByName orders a list by name, ignoring case.
//
// Records that were changed after the first page was read come last, so that no record is missed. A record that changes after it
// was listed can be listed again.
func (q *pageQuery[R]) sortByName() {
	last := "t.updated_at > $2"
	if !q.Asc {
		last = "t.updated_at <= $2"
	}
	q.Walk = true
	q.Order = []orderColumn{
		{"(" + last + ")", "%s::boolean"},
		{"CASE WHEN t.updated_at > $2 THEN '' ELSE lower(t.name) END", "lower(%s)"},
		{"t.id", "%s::uuid"},
	}
	q.Place = func(record R, start time.Time) []string {
		changed, name := field[models.Stamp](&record, "UpdatedAt").After(start), *field[string](&record, "Name")
		if changed {
			name = ""
		}
		return []string{strconv.FormatBool(changed == q.Asc), name, field[uuid.UUID](&record, "ID").String()}
	}
}

// Find returns a record that is not removed.
func (k records[R]) Find(ctx context.Context, account, id uuid.UUID) (R, error) {
	return k.t.find(ctx, k.s, account, id)
}

// Among lists the records with the given ids. It leaves out removed records.
func (k records[R]) Among(ctx context.Context, account uuid.UUID, ids []uuid.UUID) ([]R, error) {
	return db.Select[R](ctx, k.s.c, k.t.what+"s by id", k.t.from+` WHERE `+k.t.live+` AND t.id = ANY ($2)`, account, db.UUIDs(ids))
}

// Lock does the same as Find, and locks the record until the transaction ends.
func (k records[R]) Lock(ctx context.Context, account, id uuid.UUID) (R, error) {
	return k.t.findLocked(ctx, k.s, account, id)
}

// Create adds a record under a new id, if the plan's allowance has room.
func (k records[R]) Create(ctx context.Context, record R) (R, error) {
	return k.t.create(ctx, k.s, record)
}

// Update saves every field of a record, except whether it is active and the fields that have their own method.
func (k records[R]) Update(ctx context.Context, record R) (R, error) {
	return k.t.change(ctx, k.s, record)
}

// Remove removes a record. Records of most kinds stay in the database for history.
func (k records[R]) Remove(ctx context.Context, account, id uuid.UUID) error {
	return k.s.execOne(ctx, k.t.what, k.t.remove, account, id)
}

// pausable has the methods of all kinds of records that can be paused.
type pausable[R any] struct{ records[R] }

// SetActive pauses or resumes a record. In tables with the column deactivated_at, resuming a removed record also restores it. For
// that, the plan's allowance must have room, and no other record may have taken the name.
func (k pausable[R]) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	if !on || k.t.removed != deactivated {
		return k.s.execOne(ctx, k.t.what, k.t.set(`is_active = $3`), account, id, on)
	}
	return k.s.Tx(ctx, func(s *Store) error {
		removed, err := k.t.isRemoved(ctx, s, account, id)
		if err == nil && removed {
			err = s.allow(ctx, account, k.t.allowance)
		}
		if err != nil {
			return err
		}
		return k.t.restore(ctx, s, account, id)
	})
}

// deactivated is the column with the time of removal in tables whose records can be restored.
const deactivated = "deactivated_at"

// isRemoved locks a record of the account and reports whether it was removed.
func (t *table[R]) isRemoved(ctx context.Context, s *Store, account, id uuid.UUID) (bool, error) {
	q := `SELECT t.` + t.removed + ` IS NOT NULL FROM ` + t.name + ` t WHERE t.account_id = $1 AND t.id = $2 FOR NO KEY UPDATE`
	return db.Get[bool](ctx, s.c, t.what, q, account, id)
}

func (t *table[R]) restore(ctx context.Context, s *Store, account, id uuid.UUID) error {
	err := s.execOne(ctx, t.what, `UPDATE `+t.name+` t SET `+t.removed+` = NULL, is_active = true, updated_at = clock_timestamp()
		WHERE t.account_id = $1 AND t.id = $2`, account, id)
	if db.UniqueViolation(err) == t.name+"_name" {
		err = t.nameTaken("duplicate_name", "another %s has this name", t.what)
	}
	return err
}

// listFilters are the filters of lists. A filter applies only to tables that have its column.
var listFilters = []struct {
	column, sql string
	value       func(Filter) string
}{
	{"t.name", "strpos(lower(t.name), lower(%s)) > 0", func(f Filter) string { return f.Search }}, // see searched
	{"t.status", "t.status = %s", func(f Filter) string { return f.Status }},
	{"t.is_active", "t.is_active = (%s = 'active')", func(f Filter) string { return f.Status }},
	{"t.group_name", "lower(t.group_name) = lower(%s)", func(f Filter) string { return f.Group }},
	{"t.tags", "%s = ANY (t.tags)", func(f Filter) string { return f.Tag }},
}

func (t *table[R]) conditions(f Filter) (list []pageCondition) {
	for _, by := range listFilters {
		if v := by.value(f); v != "" && slices.Contains(t.read, by.column) {
			list = append(list, pageCondition{t.searched(by.sql), v})
		}
	}
	return list
}

// searched makes a search in names also look at the alias or slug in the record's link.
func (t *table[R]) searched(sql string) string {
	for _, word := range []string{"t.alias", "t.slug"} {
		if slices.Contains(t.read, word) {
			sql = strings.Replace(sql, "lower(t.name)", "lower(t.name || ' ' || "+word+")", 1)
		}
	}
	return sql
}

// All lists the records of an account, oldest first. It leaves out removed records.
func (k records[R]) All(ctx context.Context, account uuid.UUID) ([]R, error) {
	return db.Select[R](ctx, k.s.c, "all "+k.t.what+"s", k.t.from+` WHERE `+k.t.live+` ORDER BY t.id`, account)
}

// RemovedAmong lists those removed records whose ids are given.
func (k records[R]) RemovedAmong(ctx context.Context, account uuid.UUID, ids []uuid.UUID) ([]R, error) {
	q := k.t.from + ` WHERE t.account_id = $1 AND t.id = ANY ($2) AND t.` + k.t.removed + ` IS NOT NULL ORDER BY t.id`
	return db.Select[R](ctx, k.s.c, "removed "+k.t.what+"s", q, account, db.UUIDs(ids))
}
