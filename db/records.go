package db

import (
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"
)

// columnTypes are the PostgreSQL types of the columns that Records writes. Fields with the option json are jsonb.
var columnTypes = map[reflect.Type]string{
	reflect.TypeFor[uuid.UUID](): "uuid", reflect.TypeFor[string](): "text", reflect.TypeFor[[]string](): "text[]",
	reflect.TypeFor[time.Time](): "timestamptz", reflect.TypeFor[decimal.Decimal](): "numeric", reflect.TypeFor[int](): "int",
	reflect.TypeFor[bool](): "boolean", reflect.TypeFor[[]byte](): "bytea", reflect.TypeFor[netip.Addr](): "inet",
}

func taggedFields[T any]() (fields []reflect.StructField, names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if tag, ok := f.Tag.Lookup("db"); ok {
			name, _, _ := strings.Cut(tag, ",")
			fields, names = append(fields, f), append(names, name)
		}
	}
	return fields, names
}

func isJSON(f reflect.StructField) bool { return strings.HasSuffix(f.Tag.Get("db"), ",json") }

// FromRecords returns SQL for a table with the columns in T's db tags. The parameters from $1 on are the results of Records.
func FromRecords[T any]() string {
	fields, names := taggedFields[T]()
	params, cells := make([]string, len(fields)), make([]string, len(fields))
	for i, f := range fields {
		kind := columnTypes[f.Type]
		if isJSON(f) {
			kind = "jsonb"
		}
		if kind == "" {
			panic("db: no column type for " + f.Type.String())
		}
		params[i] = "$" + strconv.Itoa(i+1) + "::text[]"
		cells[i] = names[i] + "::" + kind
		if kind == "bytea" || kind == "inet" {
			cells[i] = "nullif(" + names[i] + ", '')::" + kind + " AS " + names[i]
		}
	}
	return "(SELECT " + strings.Join(cells, ", ") + " FROM unnest(" + strings.Join(params, ", ") + ") AS r (" + strings.Join(names, ", ") + "))"
}

// Records returns rows as parameters for FromRecords: each column as a list of texts. Empty bytes and invalid addresses become
// NULL.
func Records[T any](rows []T) ([]any, error) {
	fields, _ := taggedFields[T]()
	columns := make([]any, len(fields))
	for i, f := range fields {
		texts := make([]string, len(rows))
		for j := range rows {
			field := reflect.ValueOf(&rows[j]).Elem().FieldByIndex(f.Index)
			text, err := cellText(field.Addr().Interface(), isJSON(f))
			if err != nil {
				return nil, fmt.Errorf("db: %s as text: %w", f.Name, err)
			}
			texts[j] = text
		}
		columns[i] = pq.StringArray(texts)
	}
	return columns, nil
}

// cellText returns the value behind a pointer as text that PostgreSQL reads.
func cellText(p any, isJSON bool) (string, error) {
	if isJSON {
		text, err := document{p}.Value()
		return fmt.Sprint(text), err
	}
	switch v := p.(type) {
	case *string:
		return *v, nil
	case *time.Time:
		return v.UTC().Format(time.RFC3339Nano), nil
	case *[]byte:
		if len(*v) == 0 {
			return "", nil
		}
		return `\x` + hex.EncodeToString(*v), nil
	case *netip.Addr:
		if !v.IsValid() {
			return "", nil
		}
		return v.WithZone("").String(), nil
	case *[]string:
		raw, err := pq.StringArray(append([]string{}, *v...)).Value()
		return fmt.Sprint(raw), err
	case *bool:
		return strconv.FormatBool(*v), nil
	case *int:
		return strconv.Itoa(*v), nil
	case fmt.Stringer:
		return v.String(), nil
	}
	return "", fmt.Errorf("no text of %T", p)
}

// Addr stores an address as inet, and a missing address as NULL.
type Addr netip.Addr

// Value implements driver.Valuer.
func (v *Addr) Value() (driver.Value, error) {
	if a := (*netip.Addr)(v); a.IsValid() {
		return a.WithZone("").String(), nil
	}
	return nil, nil //nolint:nilnil // NULL
}

// Scan implements sql.Scanner.
func (v *Addr) Scan(src any) error {
	var s sql.NullString
	if err := s.Scan(src); err != nil || !s.Valid {
		*v = Addr{}
		return err
	}
	text, _, _ := strings.Cut(s.String, "/")
	a, err := netip.ParseAddr(text)
	if err != nil {
		return fmt.Errorf("db: address: %w", err)
	}
	*v = Addr(a)
	return nil
}
