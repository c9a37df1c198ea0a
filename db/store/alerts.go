package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// maxAlerts is the maximum number of links of a list.
const maxAlerts = 500

const brokenLinks = `
SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at, ` + linkState + `, c.failing_since AS since
FROM (` + checkedLinks + `) l JOIN link_checks c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
WHERE l.account_id = $1 AND c.account_id = $1 AND c.broken_at IS NOT NULL
ORDER BY c.failing_since DESC, l.id LIMIT $2`

const unsafeLinks = `
SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at, c.unsafe_at AS since, c.threats
FROM (` + screenedLinks + `) l JOIN link_screens c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
WHERE l.account_id = $1 AND c.account_id = $1 AND c.unsafe_at IS NOT NULL
ORDER BY c.unsafe_at DESC, l.id LIMIT $2`

// Broken lists the account's links that are broken now, latest first, at most 500.
func (k Links) Broken(ctx context.Context, account uuid.UUID) ([]models.LinkProblem, error) {
	return db.Select[models.LinkProblem](ctx, k.s.c, "broken links", brokenLinks, account, maxAlerts)
}

// Unsafe lists the account's links that a list of unsafe addresses has now, latest first, at most 500.
func (k Links) Unsafe(ctx context.Context, account uuid.UUID) ([]models.LinkProblem, error) {
	return db.Select[models.LinkProblem](ctx, k.s.c, "unsafe links", unsafeLinks, account, maxAlerts)
}
