package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// Edge records which routing was published to the edge and which must still be published. PostgreSQL triggers record each change
// that affects routing.
type Edge struct{ s *Store }

// Edge returns access to the edge records.
func (s *Store) Edge() Edge { return Edge{s} }

// gatherEdge turns recorded changes into one row for each account.
const gatherEdge = `
WITH seen AS (DELETE FROM edge_changes WHERE id IN (
	SELECT id FROM edge_changes ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING owner_id),
owners AS (SELECT owner_id FROM seen GROUP BY owner_id),
work AS (INSERT INTO edge_accounts AS a (owner_id) SELECT owner_id FROM owners
	ON CONFLICT (owner_id) DO UPDATE SET wanted = a.wanted + 1, next_at = least(a.next_at, now() + make_interval(secs => $2)))
SELECT count(*) FROM seen`

// firstEdge adds accounts with a verified domain that were never published, for example because the install had no edge until now.
const firstEdge = `
INSERT INTO edge_accounts (owner_id) SELECT DISTINCT account_id FROM domains WHERE account_id IS NOT NULL AND is_verified
ON CONFLICT (owner_id) DO NOTHING`

// gatherAtOnce is the maximum number of changes that one statement collects or deletes. If publishing an account has failed, a
// new change makes the account due again after at most retryOnChange seconds.
const gatherAtOnce, retryOnChange = 10_000, 5

// CollectChanges finds the accounts that must be published.
func (e Edge) CollectChanges(ctx context.Context) error {
	if err := e.s.run(ctx, "accounts of the edge", firstEdge); err != nil {
		return err
	}
	for {
		n, err := db.Get[int](ctx, e.s.c, "changes for the edge", gatherEdge, gatherAtOnce, retryOnChange)
		if err != nil || n < gatherAtOnce {
			return err
		}
	}
}

// DiscardChanges deletes recorded changes, because there is no edge to which they could be published.
func (e Edge) DiscardChanges(ctx context.Context) error {
	_, err := db.InParts(ctx, e.s.c, "discard changes for the edge",
		`DELETE FROM edge_changes WHERE id IN (SELECT id FROM edge_changes ORDER BY id LIMIT $1)`, gatherAtOnce)
	return err
}

// ListDue lists at most limit accounts that must be published to a target. The account that has waited longest comes first.
func (e Edge) ListDue(ctx context.Context, target string, limit int) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, e.s.c, "accounts due at the edge", `
SELECT owner_id FROM edge_accounts WHERE (published < wanted OR target <> $1) AND next_at <= now() ORDER BY next_at LIMIT $2`, target, limit)
}

// Begin returns the number of the last change that is included if publishing starts now. The caller passes it to RecordPublished.
func (e Edge) Begin(ctx context.Context, account uuid.UUID) (wanted int64, err error) {
	return db.Get[int64](ctx, e.s.c, "publishing", `
INSERT INTO edge_accounts AS a (owner_id) VALUES ($1) ON CONFLICT (owner_id) DO UPDATE SET wanted = a.wanted RETURNING wanted`, account)
}

// RecordPublished records that all changes up to the number from Begin are published at the target. If the account no longer
// exists, it deletes the account's row.
func (e Edge) RecordPublished(ctx context.Context, account uuid.UUID, wanted int64, target string) error {
	const done = `UPDATE edge_accounts SET published = $2, target = $3, published_at = now(), failures = 0, failure = '', next_at = now()
WHERE owner_id = $1`
	if err := e.s.run(ctx, "published", done, account, wanted, target); err != nil {
		return err
	}
	const deleteOrphan = `DELETE FROM edge_accounts WHERE owner_id = $1 AND published = wanted AND NOT EXISTS (SELECT FROM accounts WHERE id = $1)`
	return e.s.run(ctx, "published for a deleted account", deleteOrphan, account)
}

// RecordFailure records why an account could not be published. The wait for the next attempt grows to at most a quarter of an
// hour.
func (e Edge) RecordFailure(ctx context.Context, account uuid.UUID, why string) error {
	const failed = `UPDATE edge_accounts SET failures = failures + 1, failure = $2,
	next_at = now() + least(interval '5 seconds' * power(2, least(failures, 10)), interval '15 minutes') WHERE owner_id = $1`
	return e.s.run(ctx, "publishing failed", failed, account, why)
}

// EdgeKey describes a key of the edge as it was last published.
type EdgeKey struct {
	Key      string `db:"key"`
	Hash     []byte `db:"hash"` // hash of the value; empty if unknown
	MayExist bool   `db:"held"`
}

// Keys lists the edge keys of an account.
func (e Edge) Keys(ctx context.Context, account uuid.UUID) ([]EdgeKey, error) {
	return db.Select[EdgeKey](ctx, e.s.c, "keys of the edge", `SELECT key, hash, held FROM edge_keys WHERE owner_id = $1`, account)
}

// claimKeys records keys for an account. If another account had a key, because its host belonged to that account, the key now
// belongs to this account.
const claimKeys = `
INSERT INTO edge_keys AS k (key, owner_id, campaign_id, origin, held)
SELECT key, $1, campaign_id, coalesce(string_to_array(nullif(origin, ''), ' '), '{}'), held
FROM unnest($2::text[], $3::uuid[], $4::text[], $5::bool[]) AS new (key, campaign_id, origin, held)
ON CONFLICT (key) DO UPDATE SET campaign_id = excluded.campaign_id, origin = excluded.origin, held = k.held OR excluded.held,
	hash = '', owner_id = $1`

// Claim records the bundles of an account that are about to be written to the edge. A bundle has the data with which the edge
// routes one campaign. Bundles that the edge cannot hold are recorded too.
func (e Edge) Claim(ctx context.Context, account uuid.UUID, list []models.EdgeBundle) error {
	keys, campaigns, origins, held := make([]string, len(list)), make([]uuid.UUID, len(list)), make([]string, len(list)), make([]bool, len(list))
	for i, b := range list {
		keys[i], campaigns[i], origins[i], held[i] = b.Key, b.CampaignID, b.OriginText(), b.Value != nil
	}
	return e.s.run(ctx, "claim keys of the edge", claimKeys, account, pq.Array(keys), campaigns, pq.Array(origins), pq.Array(held))
}

// RecordWritten records the keys that the edge now has, and the hashes of their values.
func (e Edge) RecordWritten(ctx context.Context, account uuid.UUID, keys []string, hashes [][]byte) error {
	const written = `UPDATE edge_keys k SET hash = new.hash, held = true FROM unnest($2::text[], $3::bytea[]) AS new (key, hash)
WHERE k.key = new.key AND k.owner_id = $1`
	return e.s.run(ctx, "keys are at the edge", written, account, pq.Array(keys), pq.ByteaArray(hashes))
}

// RecordRemoved records that the edge no longer has the keys. Keys that are also in the parameter kept stay in the table edge_keys,
// because they still belong to campaigns of the account.
func (e Edge) RecordRemoved(ctx context.Context, account uuid.UUID, keys, kept []string) error {
	const removed = `
WITH deleted AS (DELETE FROM edge_keys WHERE owner_id = $1 AND key = ANY ($2) AND key <> ALL ($3))
UPDATE edge_keys SET held = false, hash = '' WHERE owner_id = $1 AND key = ANY ($2) AND key = ANY ($3)`
	return e.s.run(ctx, "keys are no longer at the edge", removed, account, pq.Array(keys), pq.Array(kept))
}

// EdgeState describes an account's campaigns at the edge.
type EdgeState struct {
	Routable      int        `db:"routable"`
	WithoutDomain int        `db:"without_domain"`
	Published     int        `db:"published"` // the part of Routable that is published
	Waiting       bool       `db:"waiting"`
	PublishedAt   *time.Time `db:"published_at"`
	Failure       string     `db:"failure"`
	Origin        []EdgeOrigin
}

// EdgeOrigin counts the campaigns for which a task is left to this service instead of the edge.
type EdgeOrigin struct {
	What      string `db:"what"`
	Campaigns int    `db:"campaigns"`
}

const edgeState = `
SELECT count(*) FILTER (WHERE d.account_id = $1 AND d.is_verified) AS routable,
	count(*) FILTER (WHERE d.account_id IS NULL) AS without_domain,
	(SELECT count(*) FROM edge_keys WHERE owner_id = $1 AND hash <> '') AS published,
	coalesce((SELECT a.published < a.wanted FROM edge_accounts a WHERE a.owner_id = $1), false)
		OR EXISTS (SELECT FROM edge_changes WHERE owner_id = $1) AS waiting,
	(SELECT a.published_at FROM edge_accounts a WHERE a.owner_id = $1) AS published_at,
	coalesce((SELECT a.failure FROM edge_accounts a WHERE a.owner_id = $1), '') AS failure
FROM campaigns c JOIN domains d ON d.id = c.domain_id WHERE c.account_id = $1 AND c.deleted_at IS NULL AND c.status = 'active'`

const edgeOrigins = `
SELECT what, count(*) AS campaigns FROM edge_keys, unnest(origin) AS what WHERE owner_id = $1 GROUP BY what ORDER BY 2 DESC, 1 LIMIT 20`

// State returns the state of an account's campaigns at the edge.
func (e Edge) State(ctx context.Context, account uuid.UUID) (EdgeState, error) {
	out, err := db.Get[EdgeState](ctx, e.s.c, "campaigns at the edge", edgeState, account)
	if err == nil {
		out.Origin, err = db.Select[EdgeOrigin](ctx, e.s.c, "campaigns left to this service", edgeOrigins, account)
	}
	return out, err
}

const accountRecords = `
SELECT 'accounts' AS table_name, id FROM accounts WHERE id = $1
UNION ALL SELECT 'domains', id FROM domains WHERE account_id = $1 AND is_verified
UNION ALL SELECT 'traffic_sources', id FROM traffic_sources WHERE account_id = $1
UNION ALL SELECT 'networks', id FROM networks WHERE account_id = $1
UNION ALL SELECT 'offers', id FROM offers WHERE account_id = $1
UNION ALL SELECT 'landers', id FROM landers WHERE account_id = $1
UNION ALL SELECT 'rules', id FROM rules WHERE account_id = $1
UNION ALL SELECT 'block_lists', id FROM block_lists WHERE account_id = $1
UNION ALL SELECT 'campaigns', id FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL`

// Routing loads all records of an account that are needed to route its campaigns.
func (e Edge) Routing(ctx context.Context, account uuid.UUID) (*Routing, error) {
	keys, err := db.Select[RoutingKey](ctx, e.s.c, "records for the edge", accountRecords, account)
	if err != nil {
		return nil, err
	}
	return LoadRouting(ctx, e.s.c, keys)
}
