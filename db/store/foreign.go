package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/foreign"
)

// ForeignLinks accesses the links of other trackers that lead to the campaigns of accounts.
type ForeignLinks struct{ s *Store }

// ForeignLinks returns access to the links of other trackers.
func (s *Store) ForeignLinks() ForeignLinks { return ForeignLinks{s} }

const (
	countForeignDomains = `
SELECT count(*) FROM domains WHERE account_id = $1 AND id = ANY ($2::uuid[])`

	// A link that stays is neither deleted nor inserted again, so that web processes do not read it again.
	dropForeignLinks = `
DELETE FROM foreign_links l WHERE account_id = $1 AND campaign_id = $2 AND NOT EXISTS (
	SELECT FROM unnest($3::uuid[], $4::text[], $5::text[]) AS n (domain_id, form, foreign_id)
	WHERE n.domain_id IS NOT DISTINCT FROM l.domain_id AND n.form = l.form AND n.foreign_id = l.foreign_id)`

	putForeignLinks = `
INSERT INTO foreign_links AS l (id, account_id, domain_id, form, foreign_id, campaign_id)
SELECT gen_random_uuid(), $1, n.domain_id, n.form, n.foreign_id, $2
FROM (SELECT DISTINCT * FROM unnest($3::uuid[], $4::text[], $5::text[]) AS n (domain_id, form, foreign_id)) n
ON CONFLICT (account_id, domain_id, form, foreign_id) DO UPDATE SET campaign_id = excluded.campaign_id
WHERE l.campaign_id <> excluded.campaign_id`

	countForeignLinks = `SELECT count(*) FROM foreign_links WHERE account_id = $1`
)

// Replace replaces all links of other trackers that lead to a campaign. It reads only the domain, form and foreign id of the given
// links. A given link that led to another campaign leads to this one from now on. Errors: invalid_campaign, invalid_domain,
// invalid_input, plan_limit.
func (k ForeignLinks) Replace(ctx context.Context, account, campaign uuid.UUID, links []models.ForeignLink) error {
	return k.s.Tx(ctx, func(s *Store) error {
		if err := s.checkForeignLinks(ctx, account, campaign, links); err != nil {
			return err
		}
		plan, err := s.lockedPlan(ctx, account)
		if err != nil {
			return err
		}
		args := linkArgs(account, campaign, links)
		if err := s.run(ctx, "drop foreign links", dropForeignLinks, args...); err != nil || len(links) == 0 {
			return err
		}
		if err := s.run(ctx, "put foreign links", putForeignLinks, args...); err != nil {
			return err
		}
		n, err := db.Get[int](ctx, s.c, "count foreign links", countForeignLinks, account)
		if err == nil && n > plan.ForeignLinks() {
			err = models.PlanLimit("the plan %q allows %d links of other trackers", plan.Name, plan.ForeignLinks())
		}
		return err
	})
}

// FormerLink is a link of another tracker as it was before a change. If Own is set, it led to the changed campaign, whose id may
// be different by now. Otherwise it led to CampaignID.
type FormerLink struct {
	DomainID   uuid.NullUUID `db:"domain_id" json:"domain_id"`
	Form       string        `db:"form" json:"form"`
	ForeignID  string        `db:"foreign_id" json:"foreign_id"`
	CampaignID uuid.UUID     `db:"campaign_id" json:"campaign_id"`
	Own        bool          `db:"own" json:"own"`
}

const (
	selectFormerLinks = `
SELECT domain_id, form, foreign_id, campaign_id, campaign_id = $2 AS own FROM foreign_links l
WHERE account_id = $1 AND (campaign_id = $2 OR EXISTS (
	SELECT FROM unnest($3::uuid[], $4::text[], $5::text[]) AS n (domain_id, form, foreign_id)
	WHERE n.domain_id IS NOT DISTINCT FROM l.domain_id AND n.form = l.form AND n.foreign_id = l.foreign_id))`

	// A link that now leads to another campaign is not changed.
	restoreForeignLinks = `
INSERT INTO foreign_links (id, account_id, domain_id, form, foreign_id, campaign_id)
SELECT gen_random_uuid(), $1, n.domain_id, n.form, n.foreign_id, c.id
FROM jsonb_to_recordset($3) AS n (domain_id uuid, form text, foreign_id text, campaign_id uuid, own boolean)
JOIN campaigns c ON c.account_id = $1 AND c.id = CASE WHEN n.own THEN $2 ELSE n.campaign_id END AND c.deleted_at IS NULL
WHERE n.domain_id IS NULL OR EXISTS (SELECT FROM domains d WHERE d.account_id = $1 AND d.id = n.domain_id)
ON CONFLICT DO NOTHING`
)

// Former lists the links that lead to a campaign, and the stored links that are equal to one of the given links.
func (k ForeignLinks) Former(ctx context.Context, account, campaign uuid.UUID, links []models.ForeignLink) ([]FormerLink, error) {
	return db.Select[FormerLink](ctx, k.s.c, "former foreign links", selectFormerLinks, linkArgs(account, campaign, links)...)
}

// Restore makes links lead again to where they led before a campaign was changed. The store must be in a transaction.
func (k ForeignLinks) Restore(ctx context.Context, account, campaign uuid.UUID, former []FormerLink) error {
	if err := k.s.run(ctx, "foreign links of a campaign", deleteForeignLinks, account, campaign); err != nil || len(former) == 0 {
		return err
	}
	return k.s.run(ctx, "restore foreign links", restoreForeignLinks, account, campaign, db.Document(former))
}

func linkArgs(account, campaign uuid.UUID, links []models.ForeignLink) []any {
	return []any{
		account, campaign, pq.Array(db.Map(links, func(l models.ForeignLink) uuid.NullUUID { return l.DomainID })),
		pq.Array(db.Map(links, func(l models.ForeignLink) string { return l.Form })),
		pq.Array(db.Map(links, func(l models.ForeignLink) string { return l.ForeignID })),
	}
}

// MovedCampaign is a campaign to which links of another tracker lead, with one of these links.
type MovedCampaign struct {
	ID        uuid.UUID `db:"id"`
	Name      string    `db:"name"`
	Status    string    `db:"status"`
	Form      string    `db:"form"`
	ForeignID string    `db:"foreign_id"`
	Host      string    `db:"host"` // empty: the account has no domain of its own
}

// A link without a domain works on all domains of the account. It is shown with the campaign's own domain, or else with the
// account's first domain.
const (
	selectMoved = `
SELECT c.id, c.name, c.status, l.form, l.foreign_id, coalesce(on_one.host, own.host,
	(SELECT min(host) FROM domains WHERE account_id = $1), '') AS host
FROM (SELECT DISTINCT ON (campaign_id) campaign_id, domain_id, form, foreign_id FROM foreign_links
	WHERE account_id = $1 AND ($2::uuid[] IS NULL OR campaign_id = ANY ($2)) ORDER BY campaign_id, domain_id NULLS LAST, form, foreign_id) l
JOIN campaigns c ON c.id = l.campaign_id AND c.account_id = $1 AND c.deleted_at IS NULL
LEFT JOIN domains on_one ON on_one.id = l.domain_id
LEFT JOIN domains own ON own.id = c.domain_id AND own.account_id = $1
ORDER BY c.name, c.id OFFSET $3 LIMIT $4`

	countMovedCampaigns = `
SELECT count(*) FROM campaigns c WHERE account_id = $1 AND deleted_at IS NULL
	AND EXISTS (SELECT FROM foreign_links l WHERE l.account_id = $1 AND l.campaign_id = c.id)`
)

// Campaigns lists campaigns to which links of another tracker lead, ordered by name. A list `only` that is not nil leaves out all
// campaigns that are not in it. The argument from is the number of campaigns to skip.
func (k ForeignLinks) Campaigns(ctx context.Context, account uuid.UUID, only []uuid.UUID, from, limit int) ([]MovedCampaign, error) {
	var ids any
	if only != nil {
		ids = db.UUIDs(only)
	}
	return db.Select[MovedCampaign](ctx, k.s.c, "campaigns of foreign links", selectMoved, account, ids, from, limit)
}

// CountCampaigns counts the campaigns to which links of another tracker lead.
func (k ForeignLinks) CountCampaigns(ctx context.Context, account uuid.UUID) (int, error) {
	return db.Get[int](ctx, k.s.c, "count campaigns of foreign links", countMovedCampaigns, account)
}

func (s *Store) checkForeignLinks(ctx context.Context, account, campaign uuid.UUID, links []models.ForeignLink) error {
	if err := campaignTable.check(ctx, s, account, uuid.NullUUID{UUID: campaign, Valid: true}, "campaign"); err != nil {
		return err
	}
	var domains []uuid.UUID
	for _, l := range links {
		if !slices.Contains(foreign.Forms, l.Form) {
			return models.Invalid("invalid_input", "%.50q is not a form of links of other trackers", l.Form)
		}
		if err := foreign.CheckID(l.ForeignID); err != nil {
			return err
		}
		if l.DomainID.Valid && !slices.Contains(domains, l.DomainID.UUID) {
			domains = append(domains, l.DomainID.UUID)
		}
	}
	if len(domains) == 0 {
		return nil
	}
	n, err := db.Get[int](ctx, s.c, "domains of foreign links", countForeignDomains, account, db.UUIDs(domains))
	if err == nil && n < len(domains) {
		err = models.Invalid("invalid_domain", "links of another tracker need a domain of the account")
	}
	return err
}

const deleteForeignLinks = `DELETE FROM foreign_links WHERE account_id = $1 AND campaign_id = $2`

// Remove removes a campaign, and deletes the links of other trackers that lead to it.
func (k Campaigns) Remove(ctx context.Context, account, id uuid.UUID) error {
	return k.s.Tx(ctx, func(s *Store) error {
		if err := (records[models.Campaign]{s, campaignTable}).Remove(ctx, account, id); err != nil {
			return err
		}
		return s.run(ctx, "foreign links of a campaign", deleteForeignLinks, account, id)
	})
}
