package backup

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
)

// installation is a table with one row from the first migration. A restore replaces this row.
const installation = "installation"

// table is a table with all its partitions.
type table struct {
	Name    string   `db:"name" json:"name"`
	Columns []string `db:"columns" json:"columns"`
	Needs   []string `db:"needs" json:"-"` // the other tables to which its foreign keys refer
	Self    bool     `db:"self" json:"-"`  // a foreign key refers to the table itself
}

func (t table) quoted() string { return pq.QuoteIdentifier(t.Name) }

// columns lists the columns, each with a suffix.
func (t table) columns(suffix string) string {
	return strings.Join(db.Map(t.Columns, func(c string) string { return pq.QuoteIdentifier(c) + suffix }), ", ")
}

// A backup leaves out the table of the migration runner. It also leaves out hashed personal data, which must not be kept as long
// as a backup.
const listTables = `
SELECT c.relname::text AS name,
	ARRAY(SELECT a.attname::text FROM pg_attribute a
		WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		ORDER BY a.attnum) AS columns,
	ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
		WHERE k.conrelid = c.oid AND k.contype = 'f' AND r.oid <> c.oid AND NOT r.relispartition ORDER BY 1) AS needs,
	EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid = c.oid) AS self
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
	AND c.relname NOT IN ('goose_db_version', 'conversion_match_keys') ORDER BY 1`

// tablesOf lists the tables. Each table comes after the tables to which its foreign keys refer.
func tablesOf(ctx context.Context, c db.Conn) ([]table, error) {
	all, err := db.Select[table](ctx, c, "list tables", listTables)
	if err != nil {
		return nil, err
	}
	var sorted []table
	done := map[string]bool{}
	for len(all) > 0 {
		i := slices.IndexFunc(all, func(t table) bool {
			return !slices.ContainsFunc(t.Needs, func(name string) bool { return !done[name] })
		})
		if i < 0 {
			return nil, fmt.Errorf("backup: the foreign keys of %s form a circle", all[0].Name)
		}
		done[all[i].Name] = true
		sorted = append(sorted, all[i])
		all = slices.Delete(all, i, i+1)
	}
	return sorted, nil
}

// lock locks tables with all their partitions until the transaction ends.
func lock(ctx context.Context, c db.Conn, tables []table, mode string) error {
	names := db.Map(tables, table.quoted)
	return db.Run(ctx, c, "lock tables", `LOCK TABLE `+strings.Join(names, ", ")+` IN `+mode+` MODE`)
}

const listPartitions = `
SELECT p.relname::text AS table_name, c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
WHERE p.relnamespace = current_schema()::regnamespace AND p.relkind = 'p' AND NOT i.inhdetachpending
	AND c.relkind = 'r' ORDER BY 1, 2`

var bounds = regexp.MustCompile(`^FOR VALUES FROM \('([0-9a-f-]{36})'\) TO \('([0-9a-f-]{36})'\)$`)

// partitionsOf lists the partitions whose bounds are ranges of ids. It leaves out other partitions.
func partitionsOf(ctx context.Context, c db.Conn) ([]Partition, error) {
	rows, err := db.Select[struct {
		Table  string `db:"table_name"`
		Name   string `db:"name"`
		Bounds string `db:"bounds"`
	}](ctx, c, "list partitions", listPartitions)
	if err != nil {
		return nil, err
	}
	list := []Partition{}
	for _, row := range rows {
		if m := bounds.FindStringSubmatch(row.Bounds); m != nil {
			p := Partition{Table: row.Table, Name: row.Name, Low: uuid.MustParse(m[1]), High: uuid.MustParse(m[2])}
			list = append(list, p)
		}
	}
	return list, nil
}

const listSequences = `
SELECT c.relname::text FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'S' AND c.relname NOT LIKE 'goose\_%' ORDER BY 1`

// sequencesOf reads the current values of the sequences. They are never behind the rows of a snapshot that was taken before the
// call.
func sequencesOf(ctx context.Context, c db.Conn) ([]Sequence, error) {
	names, err := db.Select[string](ctx, c, "list sequences", listSequences)
	if err != nil {
		return nil, err
	}
	list := make([]Sequence, len(names))
	for i, name := range names {
		q := fmt.Sprintf(`SELECT %s AS name, last_value AS last, is_called AS called FROM %s`,
			pq.QuoteLiteral(name), pq.QuoteIdentifier(name))
		if list[i], err = db.Get[Sequence](ctx, c, "read sequence", q); err != nil {
			return nil, err
		}
	}
	return list, nil
}
