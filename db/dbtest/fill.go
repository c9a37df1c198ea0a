package dbtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db"
)

const accountColumns = `
SELECT c.relname::text AS table_name, a.attname::text AS name, format_type(a.atttypid, NULL) AS type,
	coalesce((SELECT k.confrelid::regclass::text FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f'
		AND k.conkey = ARRAY[a.attnum] LIMIT 1), '') AS other
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
	AND c.relname NOT IN ('goose_db_version', 'installation', 'click_copy', 'click_cold')
	AND a.attgenerated = '' AND a.attidentity = ''
ORDER BY c.oid, a.attnum`

type column struct {
	Table string `db:"table_name"`
	Name  string `db:"name"`
	Type  string `db:"type"`
	Other string `db:"other"` // the table to which a foreign key refers
}

// FillAccount creates an account and inserts one row of it into each table, except a few tables of the install. The texts contain
// characters that files must escape. The ids contain the present time, because the tables of clicks have a partition for today.
func FillAccount(tb testing.TB, d *db.DB, account uuid.UUID) {
	tb.Helper()
	fillAccount(tb, d, account, uuid.NewV7)
}

// FillAccountAs does the same as FillAccount, but uses the given id in place of every new id.
func FillAccountAs(tb testing.TB, d *db.DB, account, id uuid.UUID) {
	tb.Helper()
	fillAccount(tb, d, account, func() (uuid.UUID, error) { return id, nil })
}

type newID func() (uuid.UUID, error)

func fillAccount(tb testing.TB, d *db.DB, account uuid.UUID, next newID) {
	tb.Helper()
	columns, err := db.Select[column](tb.Context(), d, "columns", accountColumns)
	if err != nil {
		tb.Fatal(err)
	}
	var tables []string
	byTable := map[string][]column{}
	for _, c := range columns {
		if byTable[c.Table] == nil {
			tables = append(tables, c.Table)
		}
		byTable[c.Table] = append(byTable[c.Table], c)
	}
	ids := map[string]string{"accounts": account.String()}
	for waiting := tables; len(waiting) > 0; {
		var later []string
		for _, table := range waiting {
			if !fillRow(tb, d, table, byTable[table], account, ids, next) {
				later = append(later, table)
			}
		}
		if len(later) == len(waiting) {
			tb.Fatalf("dbtest: the foreign keys of %v form a circle", later)
		}
		waiting = later
	}
}

// fillRow inserts one row. It returns false if a table to which the row refers is still empty.
func fillRow(tb testing.TB, d *db.DB, table string, columns []column, account uuid.UUID, ids map[string]string, next newID) bool {
	tb.Helper()
	var names, values []string
	for _, c := range columns {
		value, ok := fillValue(table, c, account, ids, next)
		if !ok {
			return false
		}
		if value != "" {
			names, values = append(names, c.Name), append(values, value)
		}
	}
	q := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, table, strings.Join(names, ", "), strings.Join(values, ", "))
	if _, err := d.ExecContext(tb.Context(), q); err != nil {
		tb.Fatalf("dbtest: fill %s: %v; add the values that the table needs in fill.go", table, err)
	}
	return true
}

// checked has a valid value for each column with a closed set of values.
var checked = map[string]string{
	"api_keys.scope": "full", "conversions.status": "approved", "postbacks.outcome": "recorded", "jobs.state": "done",
	"webhook_deliveries.status": "delivered", "link_checks.kind": "offer", "link_screens.kind": "offer",
	"link_services.status": "ok", "ledger_rollups.rollup": "traffic", "source_postbacks.result": "told",
	"source_integrations.upload_mode": "live", "conversion_uploads.action": "upload", "conversion_uploads.result": "accepted",
	"rules.logic": "and", "bot_entries.list_type": "deny", "accounts.plan": "pro",
	"sites.kind": "store", "sites.revenue_from": "order", "goals.kind": "event", "goals.dedupe": "per_click",
	"goals.value_mode": "none", "goals.status": "approved",
	"copilot_suggestions.status": "open", "copilot_changes.status": "applied", "copilot_proposals.status": "open",
	"alert_channels.least": "warning",
	"copilot_rules.mode":   "shadow", "block_lists.scope": "campaign",
	"foreign_links.form": "path", "forwarded_postbacks.result": "sent",
}

// fillValue returns SQL for the value of a column. An empty text leaves the column out. ok is false if the column refers to a
// table that is still empty.
func fillValue(table string, c column, account uuid.UUID, ids map[string]string, next newID) (value string, ok bool) {
	if text, is := checked[table+"."+c.Name]; is {
		return "'" + text + "'", true
	}
	switch {
	case c.Other == table:
		return "", true
	case c.Other != "":
		if c.Name == "id" && ids[c.Other] != "" {
			ids[table] = ids[c.Other]
		}
		return "'" + ids[c.Other] + "'", ids[c.Other] != ""
	case c.Name == "account_id":
		return "'" + account.String() + "'", true
	case table == "accounts" && c.Name == "id":
		return "'" + account.String() + "'", true
	}
	switch c.Type {
	case "uuid":
		id, err := next()
		if err != nil {
			return "", false
		}
		if c.Name == "id" {
			ids[table] = id.String()
		}
		return "'" + id.String() + "'", true
	case "text":
		return `E'a\tb\nc\\d\\. \r e' || '` + uuid.NewString() + "'", true
	case "bytea":
		return `'\x5c0a09005c2e'::bytea || '` + uuid.NewString() + "'::bytea", true
	case "text[]":
		return `ARRAY['a,"b"', E'c\t\\N', NULL, '']`, true
	case "json", "jsonb":
		return `'{"b": "\\n", "a": 1}'`, true
	case "inet":
		return `'2001:db8::1'`, true
	case "cidr":
		return `'2001:db8::/48'`, true
	case "boolean":
		return "true", true
	case "date":
		return "'2026-02-28'", true
	case "timestamp with time zone":
		return "now()", true
	case "numeric":
		return "0.123456", true
	case "integer", "bigint", "smallint":
		return "7", true
	}
	return "", true
}
