package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/models"
)

// maxAlerts bounds the links of each kind that are shown: whoever has more mends these first.
const maxAlerts = 500

const brokenLinks = `
SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at AS last, c.http_status, c.error, c.failures,
	c.failing_since AS since, '{}'::text[] AS threats
FROM (` + checkedLinks + `) l JOIN link_checks c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
WHERE l.account_id = $1 AND c.account_id = $1 AND c.broken_at IS NOT NULL
ORDER BY c.failing_since DESC, l.id LIMIT $2`

const unsafeLinks = `
SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at AS last, NULL::int AS http_status, '' AS error,
	0 AS failures, c.unsafe_at AS since, c.threats
FROM (` + screenedLinks + `) l JOIN link_screens c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
WHERE l.account_id = $1 AND c.account_id = $1 AND c.unsafe_at IS NOT NULL
ORDER BY c.unsafe_at DESC, l.id LIMIT $2`

type problemRow struct {
	Kind      string         `db:"kind"`
	ID        uuid.UUID      `db:"id"`
	AccountID uuid.UUID      `db:"account_id"`
	Name      string         `db:"name"`
	URL       string         `db:"url"`
	Last      time.Time      `db:"last"`
	Status    *int           `db:"http_status"`
	Error     string         `db:"error"`
	Failures  int            `db:"failures"`
	Since     time.Time      `db:"since"`
	Threats   pq.StringArray `db:"threats"`
}

func (r problemRow) model() models.LinkProblem {
	return models.LinkProblem{
		Link:  models.Link{Kind: r.Kind, ID: r.ID, AccountID: r.AccountID, Name: r.Name, URL: r.URL, CheckedAt: &r.Last},
		State: models.LinkState{CheckedAt: r.Last, Status: r.Status, Error: r.Error, Failures: r.Failures},
		Since: r.Since, Threats: r.Threats,
	}
}

// Broken lists the account's links that are broken now, the latest first, at most 500.
func (k Links) Broken(ctx context.Context, account uuid.UUID) ([]models.LinkProblem, error) {
	return k.problems(ctx, brokenLinks, account)
}

// Unsafe lists the account's links that a list of unsafe addresses has now, the latest first, at most 500.
func (k Links) Unsafe(ctx context.Context, account uuid.UUID) ([]models.LinkProblem, error) {
	return k.problems(ctx, unsafeLinks, account)
}

func (k Links) problems(ctx context.Context, query string, account uuid.UUID) ([]models.LinkProblem, error) {
	var rows []problemRow
	if err := sqlx.SelectContext(ctx, k.s.c, &rows, query, account, maxAlerts); err != nil {
		return nil, fmt.Errorf("db: link problems: %w", err)
	}
	return modelsOf(rows, problemRow.model), nil
}
