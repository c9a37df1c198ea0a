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

const addAudit = `
INSERT INTO audit (id, account_id, user_id, key_id, who, email, address, route, record, fields, changes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

// AddAudit records a change in the audit log of an account. If a key made the change, the caller gives only the key's id, and
// AddAudit looks up its name.
func (s *Store) AddAudit(ctx context.Context, e models.AuditEntry) error {
	if e.KeyID.Valid {
		const q = `SELECT coalesce(nullif(name, ''), hint) FROM api_keys WHERE account_id = $1 AND id = $2`
		who, ok, err := db.First[string](ctx, s.c, "key", q, e.AccountID, e.KeyID)
		if err != nil {
			return err
		}
		if ok {
			e.Who = who
		}
	}
	_, err := s.exec(ctx, "audit", addAudit, uuid.Must(uuid.NewV7()), e.AccountID, e.UserID, e.KeyID, e.Who, e.Email, e.Address,
		e.Route, e.Record, pq.Array(append([]string{}, e.Fields...)), db.Document(e.Changes))
	return err
}

// recordWrongProof counts a refusal in each account of a person, in one entry an hour for each account. The entry's id is made from
// the hour ($2), the account and the person. The time of the answer must not tell whether an e-mail is known. Therefore an unknown
// e-mail runs the same statement, and the commit does not wait for the disk.
const recordWrongProof = `
WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
entry AS (
	SELECT m.account_id, u.id AS user_id, u.name, u.email, md5(m.account_id::text || u.id::text) AS sum
	FROM quick, users u JOIN memberships m ON m.user_id = u.id WHERE u.email = $1
)
INSERT INTO audit (id, account_id, user_id, who, email, address, route, record, fields, refused)
SELECT ($2 || '7' || substr(sum, 1, 3) || '8' || substr(sum, 4, 15))::uuid, account_id, user_id, name, email, $4, $3, '', '{}', 1 FROM entry
ON CONFLICT (id) DO UPDATE SET refused = audit.refused + 1, address = excluded.address, route = excluded.route`

// RecordWrongProof records a wrong password or code in the audit logs of all accounts of the person with the given e-mail. It
// writes one entry an hour, with the number of refusals, the last operation and the last address. A stranger who guesses therefore
// cannot fill a log.
func (p People) RecordWrongProof(ctx context.Context, email, operation, address string) error {
	hour := fmt.Sprintf("%012x", time.Now().Truncate(time.Hour).UnixMilli())
	_, err := p.s.exec(ctx, "wrong proof", recordWrongProof, email, hour, operation, address)
	return err
}

var auditColumns = db.Columns[models.AuditEntry]("")

// AuditFilter selects changes. A zero field excludes nothing.
type AuditFilter struct {
	Who      uuid.NullUUID // a person or a key
	What     string        // the first part of the call's path, for example offers
	From, To *time.Time
}

// text returns the filter as text. A cursor is valid only for the same text.
func (f AuditFilter) text() string {
	bounds := [2]string{}
	for i, at := range []*time.Time{f.From, f.To} {
		if at != nil {
			bounds[i] = at.UTC().Format(time.RFC3339)
		}
	}
	return strings.Join([]string{f.Who.UUID.String(), f.What, bounds[0], bounds[1]}, " ")
}

// Audit returns a page of the audit log of an account, newest first.
func (s *Store) Audit(ctx context.Context, account uuid.UUID, f AuditFilter, p Page) ([]models.AuditEntry, string, error) {
	return readPage(ctx, s, account, p, pageQuery[models.AuditEntry]{
		Name: "audit",
		SQL: `SELECT ` + auditColumns + ` FROM audit t WHERE account_id = $1
			AND ($2::uuid IS NULL OR user_id = $2 OR key_id = $2)
			AND ($3 = '' OR split_part(regexp_replace(route, '^\S+ (/app/api)?/', ''), '/', 1) = $3)
			AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)`,
		Args:    []any{account, f.Who, f.What, f.From, f.To},
		Filters: f.text(),
		Order:   newest,
		Place:   func(e models.AuditEntry, _ time.Time) []string { return placeOf(e.CreatedAt, e.ID) },
	})
}
