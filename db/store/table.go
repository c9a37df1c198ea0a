package store

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// table has the SQL for a kind of record. Its columns are the db tags of R. The options of a tag are
//
//	json    the column is a JSON document
//	once    insert writes it, update does not
//	auto    neither insert nor update writes it: the database or a separate method sets it
//	joined  the table has no such column: the field joined of this struct has its SQL
//
// R has the fields ID, AccountID, Name, CreatedAt and UpdatedAt. In SQL, t is the table, $1 the account and $2 the id.
type table[R any] struct {
	name    string // name of the table in SQL, and in cursors
	what    string // name of a record in messages; adding s makes the plural
	removed string // column with the time of removal; empty: removal deletes the row
	joined  string // SQL of the joined columns, after a comma
	join    string // SQL of the tables that have the joined columns

	allowance allowance // how many records the plan allows
	// nameTaken makes the error duplicate_name if another record has the name. The default is models.Conflict.
	nameTaken func(code, format string, args ...any) *models.Error
	// prepare completes and checks a record before it is saved. old is the saved record, under a lock; it is empty for a new
	// record.
	prepare func(ctx context.Context, s *Store, record, old *R) error

	read    []string // columns of the table
	params  []column // columns that insert writes; the first ones are also parameters of update
	updated int      // number of parameters of update

	from   string // SELECT of all records of all accounts, including removed ones; a WHERE follows
	live   string // condition: the record belongs to the account and is not removed
	byID   string // condition: the record has the id $2 and is live
	insert string
	update string
	remove string
}

type column struct {
	name    string
	options []string
	index   []int
}

func (c column) is(option string) bool { return slices.Contains(c.options, option) }

// The order of the columns: the account and the id come first, as $1 and $2.
const (
	rankAccount = iota
	rankID
	rankUpdated
	rankOnce
)

func (c column) rank() int {
	switch {
	case c.name == "account_id":
		return rankAccount
	case c.name == "id":
		return rankID
	case c.is("once"):
		return rankOnce
	}
	return rankUpdated
}

func columnsOf(record reflect.Type) []column {
	var list []column
	for _, f := range reflect.VisibleFields(record) {
		if tag, ok := f.Tag.Lookup("db"); ok {
			parts := strings.Split(tag, ",")
			list = append(list, column{parts[0], parts[1:], f.Index})
		}
	}
	slices.SortStableFunc(list, func(a, b column) int { return a.rank() - b.rank() })
	return list
}

// newTable derives the columns and the SQL of a table. For offers, insert is
//
//	WITH t AS (INSERT INTO offers (account_id, id, name, ...) VALUES ($1, $2, $3, ...) RETURNING *)
//	SELECT t.account_id, t.id, t.name, ... FROM t
func newTable[R any](t table[R]) *table[R] {
	var read, names, marks, sets []string
	for _, c := range columnsOf(reflect.TypeFor[R]()) {
		if c.is("joined") {
			continue
		}
		read = append(read, "t."+c.name)
		if c.is("auto") {
			continue
		}
		t.params = append(t.params, c)
		mark := fmt.Sprintf("$%d", len(t.params))
		names, marks = append(names, c.name), append(marks, mark)
		if c.rank() == rankUpdated {
			sets = append(sets, c.name+" = "+mark)
		}
	}
	t.updated, t.read = 2+len(sets), read
	columns := strings.Join(read, ", ") + t.joined
	t.from = `SELECT ` + columns + ` FROM ` + t.name + ` t ` + t.join
	t.live = `t.account_id = $1`
	if t.removed != "" {
		t.live += ` AND t.` + t.removed + ` IS NULL`
	}
	t.byID = t.live + ` AND t.id = $2`
	if t.nameTaken == nil {
		t.nameTaken = models.Conflict
	}
	t.allowance.what = cmp.Or(t.allowance.what, t.what+"s")
	t.allowance.count = cmp.Or(t.allowance.count, `SELECT count(*) FROM `+t.name+` t WHERE `+t.live)
	written := ` RETURNING *) SELECT ` + columns + ` FROM t ` + t.join
	t.insert = `WITH t AS (INSERT INTO ` + t.name + ` (` + strings.Join(names, ", ") + `) VALUES (` +
		strings.Join(marks, ", ") + `)` + written
	t.update = `WITH t AS (` + t.set(strings.Join(sets, ", ")) + written
	switch {
	case t.removed == "":
		t.remove = `DELETE FROM ` + t.name + ` t WHERE ` + t.byID
	case slices.Contains(read, "t.is_active"):
		t.remove = t.set(t.removed + ` = now(), is_active = false`)
	default:
		t.remove = t.set(t.removed + ` = now()`)
	}
	return &t
}

// nextVersion is the time of a change. Answers show it in milliseconds, so a change comes at least one millisecond after the one
// before.
const nextVersion = `greatest(clock_timestamp(), t.updated_at + interval '1 millisecond')`

// NextSave is the time of a change of a row t that has a column saved_at: at least one millisecond after the change before.
const NextSave = `greatest(clock_timestamp(), t.saved_at + interval '1 millisecond')`

func (t *table[R]) set(what string) string {
	return `UPDATE ` + t.name + ` t SET ` + what + `, updated_at = ` + nextVersion + ` WHERE ` + t.byID
}

func (t *table[R]) find(ctx context.Context, s *Store, account, id uuid.UUID) (R, error) {
	return db.Get[R](ctx, s.c, t.what, t.from+` WHERE `+t.byID, account, id)
}

func (t *table[R]) findLocked(ctx context.Context, s *Store, account, id uuid.UUID) (R, error) {
	q := `SELECT t.id FROM ` + t.name + ` t WHERE ` + t.byID + ` FOR NO KEY UPDATE`
	if _, err := db.Get[uuid.UUID](ctx, s.c, t.what, q, account, id); err != nil {
		var none R
		return none, err
	}
	return t.find(ctx, s, account, id)
}

func (t *table[R]) add(ctx context.Context, s *Store, record R) (R, error) {
	*field[uuid.UUID](&record, "ID") = uuid.Must(uuid.NewV7())
	return t.write(ctx, s, t.insert, record, t.params)
}

func (t *table[R]) save(ctx context.Context, s *Store, record R) (R, error) {
	return t.write(ctx, s, t.update, record, t.params[:t.updated])
}

func (t *table[R]) write(ctx context.Context, s *Store, text string, record R, params []column) (R, error) {
	v, args := reflect.ValueOf(&record).Elem(), make([]any, len(params))
	for i, c := range params {
		args[i] = param(v.FieldByIndex(c.index), c.is("json"))
	}
	saved, err := db.Get[R](ctx, s.c, t.what, text, args...)
	if db.UniqueViolation(err) == t.name+"_name" {
		err = t.nameTaken("duplicate_name", "another %s has this name", t.what)
	}
	return saved, err
}

// orNone returns id if it belongs to a live record of the account, or else no id.
func (t *table[R]) orNone(ctx context.Context, s *Store, account uuid.UUID, id uuid.NullUUID) (uuid.NullUUID, error) {
	q := `SELECT t.id FROM ` + t.name + ` t WHERE ` + t.byID
	found, _, err := db.First[uuid.NullUUID](ctx, s.c, t.what, q, account, id)
	return found, err
}

// check returns the error invalid_<field> if id does not belong to a live record of the account. It accepts a missing id.
func (t *table[R]) check(ctx context.Context, s *Store, account uuid.UUID, id uuid.NullUUID, field string) error {
	live, err := t.orNone(ctx, s, account, id)
	if err == nil && live != id {
		err = models.Invalid("invalid_"+field, "%s_id is not a %s of this account", field, t.what)
	}
	return err
}

func (t *table[R]) create(ctx context.Context, s *Store, record R) (R, error) {
	return TxOf(ctx, s, func(s *Store) (R, error) {
		err := s.allow(ctx, *field[uuid.UUID](&record, "AccountID"), t.allowance)
		if err == nil && t.prepare != nil {
			err = t.prepare(ctx, s, &record, new(R))
		}
		if err != nil {
			return record, err
		}
		return t.add(ctx, s, record)
	})
}

func (t *table[R]) change(ctx context.Context, s *Store, record R) (R, error) {
	if t.prepare == nil {
		return t.save(ctx, s, record)
	}
	return TxOf(ctx, s, func(s *Store) (R, error) {
		old, err := t.findLocked(ctx, s, *field[uuid.UUID](&record, "AccountID"), *field[uuid.UUID](&record, "ID"))
		if err == nil {
			err = t.prepare(ctx, s, &record, &old)
		}
		if err != nil {
			return record, err
		}
		return t.save(ctx, s, record)
	})
}

// clone copies a record under an unused name, such as "N (copy)" for the name N. A record without a name stays without one. edit
// changes the copy before create saves it. The account is locked, so that two concurrent copies get different names.
func (t *table[R]) clone(ctx context.Context, s *Store, account, id uuid.UUID, edit func(*Store, *R) error,
	create func(context.Context, *Store, R) (R, error),
) (R, error) {
	return TxOf(ctx, s, func(s *Store) (R, error) {
		record, err := t.find(ctx, s, account, id)
		if err != nil {
			return record, err
		}
		if err := s.LockAccount(ctx, account); err != nil {
			return record, err
		}
		if name := field[string](&record, "Name"); *name != "" {
			if *name, err = t.copyName(ctx, s, account, *name); err != nil {
				return record, err
			}
		}
		if err := edit(s, &record); err != nil {
			return record, err
		}
		return create(ctx, s, record)
	})
}

func field[V, R any](record *R, name string) *V {
	return reflect.ValueOf(record).Elem().FieldByName(name).Addr().Interface().(*V)
}

const maxName = 255

// copyName returns the first name of "N (copy)", "N (copy 2)" and so on that no live record has. A name that would be too long is
// cut.
func (t *table[R]) copyName(ctx context.Context, s *Store, account uuid.UUID, name string) (string, error) {
	q := `SELECT lower(t.name) FROM ` + t.name + ` t WHERE ` + t.live + ` AND lower(t.name) LIKE '%(copy%)'`
	taken, err := db.Select[string](ctx, s.c, t.what, q, account)
	for n := 1; err == nil; n++ {
		ending := " (copy)"
		if n > 1 {
			ending = fmt.Sprintf(" (copy %d)", n)
		}
		free := models.Cut(name, maxName-len(ending)) + ending
		if !slices.Contains(taken, strings.ToLower(free)) {
			return free, nil
		}
	}
	return "", err
}
