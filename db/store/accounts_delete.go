package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
)

const stopAccount = `
WITH campaign AS (UPDATE campaigns SET deleted_at = now() WHERE account_id = $1 AND deleted_at IS NULL),
smartlink AS (UPDATE smartlinks SET deleted_at = now() WHERE account_id = $1 AND deleted_at IS NULL)
UPDATE api_keys SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL`

// deleteCopied marks the account's clicks in ClickHouse for deletion.
const deleteCopied = `
INSERT INTO click_forgotten (account) SELECT $1 FROM click_copy ON CONFLICT (account) DO UPDATE SET noted_at = now()`

// deleteStrangers deletes the people who belong to no account any more, and their private views, which no other person can see.
const deleteStrangers = `
WITH strangers AS (SELECT u.id FROM users u WHERE NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id)),
private_views AS (DELETE FROM views v USING strangers s WHERE v.user_id = s.id AND NOT v.shared)
DELETE FROM users u USING strangers s WHERE u.id = s.id`

// part is a table with rows that belong to accounts. Each partition of a partitioned table is a part too.
type part struct {
	Name  string   `db:"name"`
	Needs []string `db:"needs"` // tables to which the foreign keys of the part refer
}

const listParts = `
SELECT c.relname::text AS name, ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint k
	JOIN pg_class r ON r.oid = k.confrelid WHERE k.conrelid = c.oid AND k.contype = 'f' AND r.oid <> c.oid) AS needs
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND EXISTS (SELECT FROM pg_attribute a
	WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped) ORDER BY 1`

// ownedByRecords deletes rows that belong to an account only because they refer to one of its records. They are deleted first.
var ownedByRecords = []struct{ table, query string }{
	{"click_visitors", `DELETE FROM click_visitors WHERE ctid = ANY (ARRAY(SELECT v.ctid FROM click_visitors v
		JOIN campaigns c ON c.id = v.campaign_id WHERE c.account_id = $1 LIMIT $2))`},
	{"export_chunks", `DELETE FROM export_chunks WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM export_chunks x
		JOIN exports e ON e.id = x.export_id WHERE e.account_id = $1 LIMIT $2))`},
}

// deleteAtOnce is the number of rows that one statement deletes, so that no statement holds its locks for long.
const deleteAtOnce = 5000

// DeleteAccount deletes an account and everything in it, in batches. The account's links and keys stop working first. If a call
// is interrupted, call it again: it continues where it stopped. DeleteAccount is for operators only.
func (s *Store) DeleteAccount(ctx context.Context, id uuid.UUID, progress func(table string, rows int64)) error {
	if err := s.run(ctx, "stop account", stopAccount, id); err != nil {
		return err
	}
	if err := s.run(ctx, "forget copied clicks", deleteCopied, id); err != nil {
		return err
	}
	if err := s.Certificates().releaseAll(ctx, id); err != nil {
		return err
	}
	if err := s.deleteAll(ctx, id, progress); err != nil {
		return err
	}
	if err := s.run(ctx, "delete account", `DELETE FROM accounts WHERE id = $1`, id); err != nil {
		return err
	}
	if err := s.deleteAll(ctx, id, progress); err != nil {
		return err
	}
	if err := s.run(ctx, "forget copied clicks", deleteCopied, id); err != nil {
		return err
	}
	return s.run(ctx, "delete people without an account", deleteStrangers)
}

// deleteAll deletes rows until a round finds none, because clicks that waited in a spool can arrive while it runs.
func (s *Store) deleteAll(ctx context.Context, id uuid.UUID, progress func(string, int64)) error {
	for rows := int64(1); rows > 0; {
		var err error
		if rows, err = s.deleteRows(ctx, id, progress); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) deleteRows(ctx context.Context, id uuid.UUID, progress func(string, int64)) (total int64, err error) {
	remove := func(table, query string) error {
		n, err := db.InParts(ctx, s.c, "delete account's "+table, query, deleteAtOnce, id)
		total += n
		if n > 0 {
			progress(table, n)
		}
		return err
	}
	for _, owned := range ownedByRecords {
		if err := remove(owned.table, owned.query); err != nil {
			return total, err
		}
	}
	parts, err := db.Select[part](ctx, s.c, "tables of accounts", listParts)
	if err != nil {
		return total, err
	}
	for len(parts) > 0 {
		// The next part is one to which no other remaining part refers. If others refer to every part, the first part is next.
		i := max(0, slices.IndexFunc(parts, func(p part) bool {
			return !slices.ContainsFunc(parts, func(o part) bool { return slices.Contains(o.Needs, p.Name) })
		}))
		name := pq.QuoteIdentifier(parts[i].Name)
		err := remove(parts[i].Name, `DELETE FROM `+name+` WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM `+name+` WHERE account_id = $1 LIMIT $2))`)
		if err != nil {
			return total, err
		}
		parts = slices.Delete(parts, i, i+1)
	}
	return total, nil
}
