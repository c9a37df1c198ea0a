package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// findSpare selects a verified domain of the account $1 to replace the domain $2.
const findSpare = `
SELECT d.id, d.host FROM domains d LEFT JOIN domain_checks k ON k.domain_id = d.id
WHERE d.account_id = $1 AND d.id <> $2 AND d.is_verified AND lower(d.group_name) = '` + models.SpareDomains + `'
	AND k.wrong_since IS NULL AND NOT EXISTS (
		SELECT FROM link_screens c WHERE c.kind = 'domain' AND c.record_id = d.id AND c.unsafe_at IS NOT NULL)
ORDER BY k.https IS TRUE DESC, d.host LIMIT 1 FOR KEY SHARE OF d`

// addressFree is true if no other record on the domain $3 has the alias of campaign c.
const addressFree = `NOT EXISTS (
		SELECT FROM campaigns o WHERE o.domain_id = $3 AND o.alias = c.alias AND o.deleted_at IS NULL)
	AND NOT EXISTS (SELECT FROM smartlinks l WHERE l.domain_id = $3 AND l.slug = c.alias AND l.deleted_at IS NULL)`

// moveOffDomain moves campaigns of the account $1 from the domain $2 to the domain $3. If $4 is false, it moves only the
// campaigns that an earlier failover brought to the domain $2.
const moveOffDomain = `
WITH moving AS MATERIALIZED (
	SELECT c.id FROM campaigns c WHERE c.account_id = $1 AND c.domain_id = $2 AND c.deleted_at IS NULL AND ` + addressFree + `
	AND ($4 OR EXISTS (SELECT FROM domain_failovers f WHERE f.campaign_id = c.id AND f.to_domain = $2)) FOR NO KEY UPDATE
), moved AS (
	UPDATE campaigns c SET domain_id = $3, updated_at = clock_timestamp() FROM moving m WHERE c.id = m.id RETURNING c.id
)
INSERT INTO domain_failovers AS f (campaign_id, account_id, from_domain, to_domain, moved_at)
SELECT id, $1, $2, $3, $5 FROM moved
ON CONFLICT (campaign_id) DO UPDATE SET to_domain = $3, moved_at = $5,
	from_domain = CASE WHEN f.to_domain = $2 THEN f.from_domain ELSE $2 END`

const countMoved = `
SELECT (SELECT count(*) FROM campaigns c WHERE c.account_id = $1 AND c.domain_id = $2 AND c.deleted_at IS NULL
		AND ($3 OR EXISTS (SELECT FROM domain_failovers f WHERE f.campaign_id = c.id AND f.to_domain = $2))) AS campaigns,
	(SELECT count(*) FROM smartlinks l WHERE l.account_id = $1 AND l.domain_id = $2 AND l.deleted_at IS NULL) AS smartlinks`

// failOver moves campaigns from a domain that is on a list of unsafe addresses to a spare domain, if the account has enabled
// failover for the domain. Campaigns that an earlier failover brought to the unsafe domain move on in any case.
//
// Links on the old domain keep working, because an alias leads to its campaign on every domain of the account.
func (d Domains) failOver(ctx context.Context, account, id uuid.UUID, at time.Time) (*models.LinkFailover, error) {
	if err := d.s.LockAccount(ctx, account); err != nil {
		return nil, err
	}
	const movesAll = `SELECT failover FROM domains WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`
	all, err := db.Get[bool](ctx, d.s.c, "domain", movesAll, account, id)
	if err != nil {
		return nil, err
	}
	found, err := db.Get[struct {
		Campaigns  int `db:"campaigns"`
		Smartlinks int `db:"smartlinks"`
	}](ctx, d.s.c, "campaigns of a domain", countMoved, account, id, all)
	if err != nil || !all && found.Campaigns == 0 {
		return nil, err
	}
	out := &models.LinkFailover{Kept: found.Campaigns, Smartlinks: found.Smartlinks}
	spare, ok, err := db.First[struct {
		ID   uuid.UUID `db:"id"`
		Host string    `db:"host"`
	}](ctx, d.s.c, "spare domain", findSpare, account, id)
	if err != nil || !ok {
		return out, err
	}
	n, err := d.s.exec(ctx, "fail over", moveOffDomain, account, id, spare.ID, all, at)
	out.DomainID, out.Domain, out.Campaigns, out.Kept = spare.ID.String(), spare.Host, int(n), found.Campaigns-int(n)
	return out, err
}

const (
	returnCampaigns = `
UPDATE campaigns c SET domain_id = $2, updated_at = clock_timestamp() FROM domain_failovers f
WHERE f.account_id = $1 AND f.from_domain = $2 AND c.id = f.campaign_id AND c.account_id = $1 AND c.domain_id = f.to_domain
	AND c.deleted_at IS NULL AND ` + addressFree

	deleteReturned = `
DELETE FROM domain_failovers f USING campaigns c WHERE f.account_id = $1 AND f.from_domain = $2 AND c.id = f.campaign_id
	AND (c.domain_id IS DISTINCT FROM f.to_domain OR c.deleted_at IS NOT NULL)`

	isUnsafe = `SELECT EXISTS (SELECT FROM link_screens WHERE kind = 'domain' AND record_id = $1 AND unsafe_at IS NOT NULL)`
)

// FailBack moves campaigns that left a domain by failover back to the domain. kept is the number of campaigns that could not
// move, because another record on the domain now has their alias. Campaigns that a person has moved since the failover are not
// touched.
//
// If the domain is still listed as unsafe and its failover is enabled, the error is the conflict domain_unsafe.
func (d Domains) FailBack(ctx context.Context, account, id uuid.UUID) (domain models.Domain, moved, kept int, err error) {
	err = d.s.LockedTx(ctx, account, func(s *Store) error {
		if domain, err = domainTable.findLocked(ctx, s, account, id); err != nil {
			return err
		}
		listed, err := db.Get[bool](ctx, s.c, "screen of a domain", isUnsafe, id)
		if err != nil {
			return err
		}
		if listed && domain.Failover {
			return models.Conflict("domain_unsafe", "%s is still listed as unsafe: switch its failover off first, or the campaigns "+
				"would leave it again", domain.Host)
		}
		n, err := s.exec(ctx, "fail back", returnCampaigns, account, id, id)
		if err != nil {
			return err
		}
		if err := s.run(ctx, "fail back", deleteReturned, account, id); err != nil {
			return err
		}
		domain, err = s.Domains().Find(ctx, account, id)
		moved, kept = int(n), domain.FailedOver
		return err
	})
	return domain, moved, kept, err
}
