package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// keyName returns SQL for the name of an API key of the account $1. id is the placeholder of the key's id, such as $5. The name
// is NULL if there is no such key.
func keyName(id string) string {
	return `(SELECT coalesce(nullif(k.name, ''), k.hint) FROM api_keys k WHERE k.account_id = $1 AND k.id = ` + id + `)`
}

func (s *Store) nameOfKey(ctx context.Context, account, key uuid.UUID) (string, error) {
	return db.Get[string](ctx, s.c, "key", `SELECT coalesce(`+keyName("$2")+`, '')`, account, key)
}

const addAudit = `
INSERT INTO audit (id, account_id, user_id, key_id, who, email, address, route, record, fields, changes, via, client, tool)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`

// AddAudit records a change in the audit log of an account. If a key made the change and e.Who is empty, AddAudit looks up the
// key's name.
func (s *Store) AddAudit(ctx context.Context, e models.AuditEntry) error {
	if e.KeyID.Valid && e.Who == "" {
		var err error
		if e.Who, err = s.nameOfKey(ctx, e.AccountID, e.KeyID.UUID); err != nil {
			return err
		}
	}
	return s.run(ctx, "audit", addAudit, uuid.Must(uuid.NewV7()), e.AccountID, e.UserID, e.KeyID, e.Who, e.Email, e.Address,
		e.Route, e.Record, pq.Array(append([]string{}, e.Fields...)), db.Document(e.Changes),
		e.Through, e.Client, e.Tool)
}

var auditColumns = db.Columns[models.AuditEntry]("")

// AuditFilter selects entries of the audit log. A field with the zero value selects all.
type AuditFilter struct {
	Who      uuid.NullUUID
	What     string // the first part of the call's path, for example offers
	From, To *time.Time
}

// text returns the filter as text. A cursor is valid only for the filter with the same text.
func (f AuditFilter) text() string {
	bounds := [2]string{}
	for i, at := range []*time.Time{f.From, f.To} {
		if at != nil {
			bounds[i] = at.UTC().Format(time.RFC3339)
		}
	}
	return strings.Join([]string{f.Who.UUID.String(), f.What, bounds[0], bounds[1]}, " ")
}

// AuditRow is an entry of the audit log with the kind and the present name of its record. Both are empty if none of the tables of
// auditRecord has a row for the record.
type AuditRow struct {
	models.AuditEntry

	RecordKind string `db:"record_kind"`
	RecordName string `db:"record_name"`
}

var auditRecord = func() string {
	tables := [][3]string{
		{"campaigns", "campaigns", "name"},
		{"flows", "flows", "name"},
		{"rules", "rules", "name"},
		{"offers", "offers", "name"},
		{"landers", "landers", "name"},
		{"traffic-sources", "traffic_sources", "name"},
		{"networks", "networks", "name"},
		{"short-links", "smartlinks", "name"},
		{"sites", "sites", "name"},
		{"goals", "goals", "name"},
		{"keys", "api_keys", "name"},
		{"views", "views", "name"},
		{"webhooks", "webhook_endpoints", "name"},
		{"alerts", "alert_channels", "name"},
		{"reports", "exports", "name"},
		{"domains", "domains", "host"},
		{"integrations", "dns_accounts", "label"},
		{"copilot", "copilot_rules", "name"},
		{"copilot", "copilot_suggestions", "title"},
		{"copilot", "copilot_changes", "title"},
		{"links", "entry_links", "email"},
	}
	return strings.Join(db.Map(tables, func(t [3]string) string {
		return fmt.Sprintf("SELECT '%s' AS kind, %s AS name FROM %s WHERE account_id = $1 AND id = t.record_id", t[0], t[2], t[1])
	}), " UNION ALL ")
}()

// Audit returns a page of the audit log of an account, newest first.
func (s *Store) Audit(ctx context.Context, account uuid.UUID, f AuditFilter, p Page) ([]AuditRow, string, error) {
	return readPage(ctx, s, account, p, pageQuery[AuditRow]{
		Name: "audit",
		SQL: `SELECT ` + auditColumns + `, coalesce((SELECT r.kind FROM (` + auditRecord + `) r LIMIT 1), '') AS record_kind,
				coalesce((SELECT r.name FROM (` + auditRecord + `) r LIMIT 1), '') AS record_name
			FROM (SELECT *, CASE WHEN record ~ '^[0-9a-f-]{36}$' THEN record::uuid END AS record_id FROM audit) t WHERE account_id = $1
			AND ($2::uuid IS NULL OR user_id = $2 OR key_id = $2)
			AND ($3 = '' OR split_part(regexp_replace(route, '^\S+ (/app/api)?/', ''), '/', 1) = $3)
			AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)`,
		Args:    []any{account, f.Who, f.What, f.From, f.To},
		Filters: f.text(),
		Order:   newest,
		Place:   func(e AuditRow, _ time.Time) []string { return placeOf(e.CreatedAt, e.ID) },
	})
}
