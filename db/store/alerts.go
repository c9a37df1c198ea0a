package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// maxAlerts is the maximum length of the lists of problems.
const maxAlerts = 500

const brokenLinks = `
SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at, ` + linkState + `, c.failing_since AS since
FROM (` + checkedLinks + `) l JOIN link_checks c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
WHERE l.account_id = $1 AND c.account_id = $1 AND c.broken_at IS NOT NULL
ORDER BY c.failing_since DESC, l.id LIMIT $2`

const unsafeLinks = `
SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at, c.unsafe_at AS since, c.threats,
	coalesce(f.campaigns, 0) AS failed_over, coalesce(f.host, '') AS failed_over_to
FROM (` + screenedLinks + `) l JOIN link_screens c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
LEFT JOIN LATERAL (
	SELECT count(*) AS campaigns, max(d.host) AS host FROM domain_failovers f JOIN domains d ON d.id = f.to_domain
	JOIN campaigns k ON k.id = f.campaign_id AND k.domain_id = f.to_domain AND k.deleted_at IS NULL
	WHERE f.account_id = $1 AND f.from_domain = l.id
) f ON l.kind = 'domain'
WHERE l.account_id = $1 AND c.account_id = $1 AND c.unsafe_at IS NOT NULL
ORDER BY c.unsafe_at DESC, l.id LIMIT $2`

// Broken lists at most 500 of the account's links that are broken now, newest failure first.
func (k Links) Broken(ctx context.Context, account uuid.UUID) ([]models.LinkProblem, error) {
	return db.Select[models.LinkProblem](ctx, k.s.c, "broken links", brokenLinks, account, maxAlerts)
}

// Unsafe lists at most 500 of the account's links that are now on a list of unsafe addresses, newest first.
func (k Links) Unsafe(ctx context.Context, account uuid.UUID) ([]models.LinkProblem, error) {
	return db.Select[models.LinkProblem](ctx, k.s.c, "unsafe links", unsafeLinks, account, maxAlerts)
}
