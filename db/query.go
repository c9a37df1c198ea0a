package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
	"github.com/lib/pq"

	"switchyard/models"
)

// Select reads all rows of a query. T is a struct with db tags, or the type of a single value. Without an error, the list is
// never nil. The parameter what is the name of the rows in errors.
//
// Unlike sqlx, Select can also fill addresses, lists of texts, and fields whose tag has the option json (see Document).
func Select[T any](ctx context.Context, c Conn, what, query string, args ...any) ([]T, error) {
	list := []T{}
	var fields []*reflectx.FieldInfo
	var cells []any
	err := EachRow(ctx, c, what, func(rows *sqlx.Rows) (err error) {
		if fields == nil {
			if fields, err = fieldsOf[T](rows); err != nil {
				return err
			}
			cells = make([]any, len(fields))
		}
		var row T
		v := reflect.ValueOf(&row).Elem()
		for i, f := range fields {
			_, isJSON := f.Options["json"]
			cells[i] = cell(reflectx.FieldByIndexes(v, f.Index), isJSON)
		}
		err = rows.Scan(cells...)
		list = append(list, row)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// First reads the first row of a query as Select does. ok is false if there is no row.
func First[T any](ctx context.Context, c Conn, what, query string, args ...any) (row T, ok bool, err error) {
	list, err := Select[T](ctx, c, what, query, args...)
	if len(list) == 0 {
		return row, false, err
	}
	return list[0], true, nil
}

// Get does the same as First, for a row that must exist. Without a row, the error is not_found. The parameter what is the name of
// the row in errors.
func Get[T any](ctx context.Context, c Conn, what, query string, args ...any) (T, error) {
	row, ok, err := First[T](ctx, c, what, query, args...)
	if err == nil && !ok {
		err = models.NotFound(what)
	}
	return row, err
}

// Pairs reads a query of two columns as a map from the first to the second.
func Pairs[K comparable, V any](ctx context.Context, c Conn, what, query string, args ...any) (map[K]V, error) {
	pairs := map[K]V{}
	err := EachRow(ctx, c, what, func(rows *sqlx.Rows) error {
		var k K
		var v V
		err := rows.Scan(&k, &v)
		pairs[k] = v
		return err
	}, query, args...)
	return pairs, err
}

// Run runs a statement. The parameter what is the name of the statement in errors.
func Run(ctx context.Context, c Conn, what, query string, args ...any) error {
	_, err := Exec(ctx, c, what, query, args...)
	return err
}

// Exec does the same as Run and returns the number of affected rows.
func Exec(ctx context.Context, c Conn, what, query string, args ...any) (int64, error) {
	res, err := c.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("db: %s: %w", what, err)
	}
	return res.RowsAffected()
}

// ExecOne does the same as Exec, for a statement that must affect a row. If it affects none, the error is not_found.
func ExecOne(ctx context.Context, c Conn, what, query string, args ...any) error {
	n, err := Exec(ctx, c, what, query, args...)
	if err == nil && n == 0 {
		err = models.NotFound(what)
	}
	return err
}

// EachRow runs a query and calls fn with each row. If fn returns an error, EachRow stops. The parameter what is the name of the
// rows in errors.
func EachRow(ctx context.Context, c Conn, what string, fn func(*sqlx.Rows) error, query string, args ...any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("db: %s: %w", what, err)
		}
	}()
	rows, err := c.QueryxContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Columns lists the columns of T's db tags as SQL, each with a prefix such as "t.".
func Columns[T any](prefix string) string {
	_, names := taggedFields[T]()
	return prefix + strings.Join(names, ", "+prefix)
}

// fieldsOf finds the field of T for each column. If T is a single value, the value itself counts as the field.
func fieldsOf[T any](rows *sqlx.Rows) ([]*reflectx.FieldInfo, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	tags := rows.Mapper.TypeMap(reflect.TypeFor[T]())
	if _, scans := any(new(T)).(sql.Scanner); scans || len(tags.Index) == 0 {
		return []*reflectx.FieldInfo{{}}, nil // without an index, the row itself is the field
	}
	fields := make([]*reflectx.FieldInfo, len(columns))
	for i, column := range columns {
		if fields[i] = tags.GetByPath(column); fields[i] == nil {
			return nil, fmt.Errorf("%s has no field for the column %s", reflect.TypeFor[T](), column)
		}
	}
	return fields, nil
}

// cell returns the destination of a column: the field itself, unless it is an address, a list of texts or a JSON document.
func cell(field reflect.Value, isJSON bool) any {
	p := field.Addr()
	if isJSON {
		return document{p.Interface()}
	}
	if a, ok := p.Interface().(*netip.Addr); ok {
		return (*Addr)(a)
	}
	if texts := reflect.TypeFor[*pq.StringArray](); p.CanConvert(texts) { // also for models.Tags
		p = p.Convert(texts)
	}
	return p.Interface()
}

// Analyze renews PostgreSQL's statistics of all tables. Call it after loading many rows, because autovacuum renews the
// statistics only minutes later. Until then, reports that need 0.1 s have taken 15 s.
func Analyze(ctx context.Context, c Conn) error {
	return Run(ctx, c, "analyze", `SET statement_timeout = 0; ANALYZE; RESET statement_timeout`)
}
