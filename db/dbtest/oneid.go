package dbtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db"
)

const deferrable = `
SELECT format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', conrelid::regclass, conname)
FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace`

// idColumns lists the columns of UUIDs and of JSON.
const idColumns = `
SELECT c.table_name::text AS table_name, c.column_name::text AS name, c.udt_name::text AS type, '' AS other
FROM information_schema.columns c JOIN pg_class k ON k.oid = format('public.%I', c.table_name)::regclass
WHERE c.table_schema = 'public' AND k.relkind IN ('r', 'p') AND NOT k.relispartition AND c.is_generated = 'NEVER'
	AND c.udt_name IN ('uuid', '_uuid', 'json', 'jsonb')`

// OneID replaces the ids of records of different tables by one id, in every column of UUIDs or JSON. A search by this id then finds
// all of these records. Foreign keys still hold.
func OneID(tb testing.TB, d *db.DB, ids []string, id uuid.UUID) {
	tb.Helper()
	ctx := tb.Context()
	statements, err := db.Select[string](ctx, d, "foreign keys", deferrable)
	if err != nil {
		tb.Fatal(err)
	}
	columns, err := db.Select[column](ctx, d, "columns", idColumns)
	if err != nil {
		tb.Fatal(err)
	}
	statements = append(statements, "SET CONSTRAINTS ALL DEFERRED")
	old, pattern := "'"+strings.Join(ids, "','")+"'", strings.Join(ids, "|")
	for _, c := range columns {
		set, where := fmt.Sprintf("'%s'", id), fmt.Sprintf("%s IN (%s)", c.Name, old)
		switch c.Type {
		case "_uuid":
			set = fmt.Sprintf("ARRAY(SELECT CASE WHEN u IN (%s) THEN '%s' ELSE u END FROM unnest(%s) u)", old, id, c.Name)
			where = fmt.Sprintf("%s && ARRAY[%s]::uuid[]", c.Name, old)
		case "json", "jsonb":
			set = fmt.Sprintf("regexp_replace(%s::text, '%s', '%s', 'g')::%s", c.Name, pattern, id, c.Type)
			where = fmt.Sprintf("%s::text ~ '%s'", c.Name, pattern)
		}
		statements = append(statements, fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", c.Table, c.Name, set, where))
	}
	if err := db.Tx(ctx, d, func(c db.Conn) error {
		_, err := c.ExecContext(ctx, strings.Join(statements, "; "))
		return err
	}); err != nil {
		tb.Fatalf("dbtest: one id: %v", err)
	}
}
