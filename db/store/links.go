package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/models"
)

// Links accesses the links that are checked, and the results of the checks. Methods without an account parameter are for workers.
type Links struct{ s *Store }

// Links returns access to the checked links.
func (s *Store) Links() Links { return Links{s} }

const (
	checkedLinks = `
SELECT 'offer' AS kind, id, account_id, name, url FROM offers WHERE is_active AND deactivated_at IS NULL
UNION ALL
SELECT 'lander' AS kind, id, account_id, name, url FROM landers WHERE is_active AND deactivated_at IS NULL`

	screenedLinks = checkedLinks + `
UNION ALL
SELECT 'domain' AS kind, id, account_id, host AS name, 'http://' || host || '/' AS url FROM domains
WHERE is_verified AND account_id IS NOT NULL`
)

// linkCheck is a kind of check: the table with its results, and a query for the links to check.
type linkCheck struct{ table, links string }

var (
	checks  = linkCheck{"link_checks", checkedLinks}
	screens = linkCheck{"link_screens", screenedLinks}
)

// Unchecked lists links, of all accounts, whose URL was not checked since the given time. The link that has waited longest comes
// first.
func (k Links) Unchecked(ctx context.Context, since time.Time, limit int) ([]models.Link, error) {
	return k.due(ctx, checks, since, since, limit)
}

// Unscreened lists links, of all accounts, whose URL was not looked up recently in lists of unsafe addresses. `domainsSince` is
// the limit for tracking domains, and `since` for all other links. The link that has waited longest comes first.
func (k Links) Unscreened(ctx context.Context, since, domainsSince time.Time, limit int) ([]models.Link, error) {
	return k.due(ctx, screens, since, domainsSince, limit)
}

func (k Links) due(ctx context.Context, v linkCheck, since, domainsSince time.Time, limit int) ([]models.Link, error) {
	q := `SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at FROM (` + v.links + `) l
		LEFT JOIN ` + v.table + ` c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
		WHERE c.checked_at IS NULL OR c.checked_at < CASE l.kind WHEN 'domain' THEN $2::timestamptz ELSE $1 END
		ORDER BY c.checked_at NULLS FIRST, l.url, l.id LIMIT $3`
	return db.Select[models.Link](ctx, k.s.c, "due links", q, since, domainsSince, limit)
}

// record runs fn in a transaction that locks the link. It does nothing if, since the link was read, its URL has changed, its
// record has gone out of use, or another result was recorded.
func (k Links) record(ctx context.Context, v linkCheck, l models.Link, fn func(*Store) ([]uuid.UUID, error)) ([]uuid.UUID, error) {
	return TxOf(ctx, k.s, func(s *Store) ([]uuid.UUID, error) {
		const lock = `SELECT pg_advisory_xact_lock(hashtextextended($1, 11))`
		if err := s.run(ctx, "record link", lock, v.table+l.Kind+l.ID.String()); err != nil {
			return nil, err
		}
		q := `SELECT EXISTS (SELECT FROM (` + v.links + `) l WHERE kind = $1 AND id = $2 AND url = $3)
			AND NOT EXISTS (SELECT FROM ` + v.table + ` WHERE kind = $1 AND record_id = $2 AND url = $3
				AND checked_at IS DISTINCT FROM $4)`
		wanted, err := db.Get[bool](ctx, s.c, "link", q, l.Kind, l.ID, l.URL, l.CheckedAt)
		if err != nil || !wanted {
			return nil, err
		}
		return fn(s)
	})
}

var findCheck = `SELECT ` + db.Columns[models.LinkState]("") + ` FROM link_checks
WHERE kind = $1 AND record_id = $2 AND url = $3`

const linkState = `c.checked_at AS "state.checked_at", c.http_status AS "state.http_status", c.error AS "state.error",
	c.failures AS "state.failures", c.failing_since AS "state.failing_since", c.broken_at AS "state.broken_at"`

const saveCheck = `
INSERT INTO link_checks (kind, record_id, account_id, url, checked_at, http_status, error, failures, failing_since,
	broken_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (kind, record_id) DO UPDATE SET url = excluded.url, checked_at = excluded.checked_at,
	http_status = excluded.http_status, error = excluded.error, failures = excluded.failures,
	failing_since = excluded.failing_since, broken_at = excluded.broken_at`

// RecordCheck records the result of a check. If the link becomes broken, it stores the event link.broken, and the caller
// dispatches the deliveries after the commit.
func (k Links) RecordCheck(ctx context.Context, l models.Link, r models.LinkResult) ([]uuid.UUID, error) {
	return k.record(ctx, checks, l, func(s *Store) ([]uuid.UUID, error) {
		before, _, err := db.First[models.LinkState](ctx, s.c, "record check", findCheck, l.Kind, l.ID, l.URL)
		if err != nil {
			return nil, err
		}
		next, broke := before.Checked(r)
		err = s.run(ctx, "record check", saveCheck, l.Kind, l.ID, l.AccountID, l.URL, next.CheckedAt, next.Status, next.Error,
			next.Failures, next.FailingSince, next.BrokenAt)
		if err != nil || !broke {
			return nil, err
		}
		event := models.NewEvent(l.AccountID, models.EventLinkBroken, r.At, l.BrokenData(next))
		return delivery.AddEvent(ctx, s.c, event)
	})
}

// Find returns the link of an offer or a landing page that is in use. The error is not_found if the account has no such record.
func (k Links) Find(ctx context.Context, account uuid.UUID, kind string, id uuid.UUID) (models.Link, error) {
	const q = `SELECT l.kind, l.id, l.account_id, l.name, l.url, c.checked_at FROM (` + checkedLinks + `) l
		LEFT JOIN link_checks c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
		WHERE l.account_id = $1 AND l.kind = $2 AND l.id = $3`
	return db.Get[models.Link](ctx, k.s.c, kind, q, account, kind, id)
}

// States returns the states of an account's links, by the ids of the links' records. A link is missing if its present URL was
// never checked.
func (k Links) States(ctx context.Context, account uuid.UUID, kind string, ids []uuid.UUID) (
	map[uuid.UUID]models.LinkState, error,
) {
	const q = `SELECT l.id, ` + linkState + `
		FROM (` + checkedLinks + `) l JOIN link_checks c ON c.kind = l.kind AND c.record_id = l.id AND c.url = l.url
		WHERE l.account_id = $1 AND l.kind = $2 AND l.id = ANY($3)`
	found, err := db.Select[struct {
		ID    uuid.UUID        `db:"id"`
		State models.LinkState `db:"state"`
	}](ctx, k.s.c, "link states", q, account, kind, ids)
	states := make(map[uuid.UUID]models.LinkState, len(found))
	for _, f := range found {
		states[f.ID] = f.State
	}
	return states, err
}

const findScreen = `SELECT unsafe_at FROM link_screens WHERE kind = $1 AND record_id = $2 AND url = $3`

const saveScreen = `
INSERT INTO link_screens (kind, record_id, account_id, url, checked_at, threats, unsafe_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (kind, record_id) DO UPDATE SET url = excluded.url, checked_at = excluded.checked_at,
	threats = excluded.threats, unsafe_at = excluded.unsafe_at`

// RecordScreen records whether a list of unsafe addresses contains a link. If a domain is unsafe, failOver may move its campaigns
// to a spare domain. If the link becomes unsafe or campaigns move, the event link.unsafe is stored as in RecordCheck.
func (k Links) RecordScreen(ctx context.Context, l models.Link, list string, at time.Time, threats []string) ([]uuid.UUID, error) {
	return k.record(ctx, screens, l, func(s *Store) ([]uuid.UUID, error) {
		unsafeAt, _, err := db.First[*time.Time](ctx, s.c, "record screen", findScreen, l.Kind, l.ID, l.URL)
		if err != nil {
			return nil, err
		}
		next, listed := models.ScreenState{UnsafeAt: unsafeAt}.Screened(at, threats)
		err = s.run(ctx, "record screen", saveScreen, l.Kind, l.ID, l.AccountID, l.URL, at, nonNil(next.Threats),
			next.UnsafeAt)
		if err != nil {
			return nil, err
		}
		var moved *models.LinkFailover
		if l.Kind == models.LinkDomain && next.UnsafeAt != nil {
			if moved, err = s.Domains().failOver(ctx, l.AccountID, l.ID, at); err != nil {
				return nil, err
			}
		}
		if !listed && (moved == nil || moved.Campaigns == 0) {
			return nil, nil
		}
		event := models.NewEvent(l.AccountID, models.EventLinkUnsafe, at, l.UnsafeData(list, next, moved))
		return delivery.AddEvent(ctx, s.c, event)
	})
}

// Prune deletes the results of links whose record is no longer in use, and returns the number of deleted results.
func (k Links) Prune(ctx context.Context) (int64, error) {
	var total int64
	for _, v := range []linkCheck{checks, screens} {
		q := `DELETE FROM ` + v.table + ` c WHERE NOT EXISTS (
			SELECT FROM (` + v.links + `) l WHERE l.kind = c.kind AND l.id = c.record_id)`
		n, err := k.s.exec(ctx, "prune links", q)
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

const saveService = `
INSERT INTO link_services (name, status, message, checked_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO UPDATE SET status = excluded.status, message = excluded.message, checked_at = excluded.checked_at`

// SaveService stores the last result of one kind of check.
func (k Links) SaveService(ctx context.Context, v models.LinkService) error {
	return k.s.run(ctx, "save service", saveService, v.Name, v.Status, v.Message, v.CheckedAt)
}

// Services returns the result of the last run of each kind of check. A kind that has never run is missing.
func (k Links) Services(ctx context.Context) ([]models.LinkService, error) {
	q := `SELECT ` + db.Columns[models.LinkService]("") + ` FROM link_services ORDER BY name`
	return db.Select[models.LinkService](ctx, k.s.c, "services", q)
}

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
	return db.Select[models.LinkProblem](ctx, k.s.c, "broken links", brokenLinks, account, MaxAlerts)
}

// Unsafe lists at most 500 of the account's links that are now on a list of unsafe addresses, newest first.
func (k Links) Unsafe(ctx context.Context, account uuid.UUID) ([]models.LinkProblem, error) {
	return db.Select[models.LinkProblem](ctx, k.s.c, "unsafe links", unsafeLinks, account, MaxAlerts)
}
