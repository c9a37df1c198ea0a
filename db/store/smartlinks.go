package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// Smartlinks are the smartlinks of accounts.
type Smartlinks struct{ s *Store }

// Smartlinks gives the smartlinks on this store's connection.
func (s *Store) Smartlinks() Smartlinks { return Smartlinks{s} }

const tableSmartlinks = "smartlinks"

// Clicks come from their hourly sums, and the last of them from the end of an index.
const selectSmartlinks = `
SELECT l.id, l.account_id, l.domain_id, l.source_id, l.slug, l.name, l.notes, l.destination_url, l.rules, l.is_active,
	l.created_at, l.updated_at, d.host, coalesce(t.name, '') AS source_name,
	(SELECT coalesce(sum(h.clicks), 0) FROM smartlink_hours h WHERE h.smartlink_id = l.id) AS clicks,
	(SELECT c.at FROM smartlink_clicks c WHERE c.smartlink_id = l.id AND NOT c.is_bot ORDER BY c.id DESC LIMIT 1)
		AS last_click_at
FROM smartlinks l JOIN domains d ON d.id = l.domain_id LEFT JOIN traffic_sources t ON t.id = l.source_id
WHERE l.account_id = $1 AND l.deleted_at IS NULL`

type smartlinkRow struct {
	ID             uuid.UUID                        `db:"id"`
	AccountID      uuid.UUID                        `db:"account_id"`
	DomainID       uuid.UUID                        `db:"domain_id"`
	SourceID       uuid.NullUUID                    `db:"source_id"`
	Slug           string                           `db:"slug"`
	Name           string                           `db:"name"`
	Notes          string                           `db:"notes"`
	DestinationURL string                           `db:"destination_url"`
	Rules          document[[]models.SmartlinkRule] `db:"rules"`
	IsActive       bool                             `db:"is_active"`
	CreatedAt      time.Time                        `db:"created_at"`
	UpdatedAt      time.Time                        `db:"updated_at"`
	Host           string                           `db:"host"`
	SourceName     string                           `db:"source_name"`
	Clicks         int64                            `db:"clicks"`
	LastClickAt    sql.NullTime                     `db:"last_click_at"`
}

func (r smartlinkRow) model() models.Smartlink {
	return models.Smartlink{
		ID: r.ID, AccountID: r.AccountID, DomainID: r.DomainID, SourceID: r.SourceID.UUID, Slug: r.Slug, Name: r.Name,
		Notes: r.Notes, DestinationURL: r.DestinationURL, Rules: nonNil(r.Rules.V), IsActive: r.IsActive,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Host: r.Host, SourceName: r.SourceName, Clicks: r.Clicks,
		LastClickAt: r.LastClickAt.Time,
	}
}

// List lists the smartlinks that are not deleted, newest first.
func (l Smartlinks) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Smartlink, string, error) {
	rows, next, err := List(ctx, l.s, account, p, ListQuery[smartlinkRow]{
		Name: tableSmartlinks, SQL: selectSmartlinks, Args: []any{account},
		Order: []string{"l.created_at:timestamptz", "l.id:uuid"},
		Place: func(r smartlinkRow) []string { return PlaceOf(r.CreatedAt, r.ID) },
	})
	return modelsOf(rows, smartlinkRow.model), next, err
}

// Find finds one smartlink that is not deleted.
func (l Smartlinks) Find(ctx context.Context, account, id uuid.UUID) (models.Smartlink, error) {
	row, err := get[smartlinkRow](ctx, l.s, "smartlink", selectSmartlinks+` AND l.id = $2`, account, id)
	return row.model(), err
}

const insertSmartlink = `
INSERT INTO smartlinks (account_id, id, domain_id, source_id, slug, name, notes, destination_url, rules, is_active)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// Create adds a smartlink under new ids, of its rules too. An empty slug is generated.
func (l Smartlinks) Create(ctx context.Context, link models.Smartlink) (models.Smartlink, error) {
	link.ID = uuid.Must(uuid.NewV7())
	identifyRules(link.Rules, nil)
	err := l.s.Tx(ctx, func(s *Store) error {
		if err := s.checkSmartlink(ctx, link); err != nil {
			return err
		}
		return s.Smartlinks().write(ctx, insertSmartlink, &link)
	})
	if err != nil {
		return link, err
	}
	return l.Find(ctx, link.AccountID, link.ID)
}

const updateSmartlink = `
UPDATE smartlinks SET domain_id = $3, source_id = $4, slug = $5, name = $6, notes = $7, destination_url = $8, rules = $9,
	is_active = $10, updated_at = now()
WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`

const lockSmartlink = `
SELECT id FROM smartlinks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`

// Update writes every field of a smartlink; keep leaves it active or paused as it is. A rule keeps its id, and with it
// its statistics, if the smartlink had a rule with that id; any other gets a new one. A source or domain that does not
// change passes, although it might not if it were new.
func (l Smartlinks) Update(ctx context.Context, link models.Smartlink, keep bool) (models.Smartlink, error) {
	var saved models.Smartlink
	err := l.s.Tx(ctx, func(s *Store) error {
		l := s.Smartlinks()
		if _, err := get[uuid.UUID](ctx, s, "smartlink", lockSmartlink, link.AccountID, link.ID); err != nil {
			return err
		}
		old, err := l.Find(ctx, link.AccountID, link.ID)
		if err != nil {
			return err
		}
		if keep {
			link.IsActive = old.IsActive
		}
		identifyRules(link.Rules, old.Rules)
		check := link
		if link.SourceID == old.SourceID {
			check.SourceID = uuid.Nil
		}
		if err := s.checkSmartlink(ctx, check); err != nil {
			return err
		}
		if err := l.write(ctx, updateSmartlink, &link); err != nil {
			return err
		}
		saved, err = l.Find(ctx, link.AccountID, link.ID)
		return err
	})
	return saved, err
}

// identifyRules gives ids to rules: an id that the smartlink had is kept, once.
func identifyRules(rules, old []models.SmartlinkRule) {
	seen := map[uuid.UUID]bool{}
	for i := range rules {
		id := rules[i].ID
		had := slices.ContainsFunc(old, func(r models.SmartlinkRule) bool { return r.ID == id })
		if !had || seen[id] {
			rules[i].ID = uuid.Must(uuid.NewV7())
		}
		seen[rules[i].ID] = true
	}
}

// The lock keeps a domain from being deleted until the smartlink that uses it is there.
const ownDomain = `SELECT id FROM domains WHERE account_id = $1 AND id = $2 FOR KEY SHARE`

func (s *Store) checkSmartlink(ctx context.Context, link models.Smartlink) error {
	_, err := get[uuid.UUID](ctx, s, "domain", ownDomain, link.AccountID, link.DomainID)
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound {
		return models.Invalid("invalid_domain", "domain_id is not a tracking domain of this account")
	}
	if err != nil {
		return err
	}
	return s.checkSource(ctx, link.AccountID, link.SourceID)
}

// write runs one of the two writing statements. With an empty slug it makes one, and another one should that be taken.
func (l Smartlinks) write(ctx context.Context, query string, link *models.Smartlink) error {
	generate := link.Slug == ""
	for try := 1; ; try++ {
		if generate {
			link.Slug = models.NewAlias()
		}
		err := l.s.Tx(ctx, func(s *Store) error {
			return s.one(ctx, "smartlink", query, link.AccountID, link.ID, link.DomainID, null(link.SourceID), link.Slug,
				link.Name, link.Notes, link.DestinationURL, documentOf(nonNil(link.Rules)), link.IsActive)
		})
		switch db.UniqueViolation(err) {
		case "smartlinks_name":
			return models.Conflict("duplicate_name", "another smartlink has this name")
		case "smartlinks_address":
			if generate && try < aliasTries {
				continue
			}
			return models.Invalid("duplicate_slug", "the slug is in use on this domain")
		}
		return err
	}
}

// SetActive pauses or resumes a smartlink.
func (l Smartlinks) SetActive(ctx context.Context, account, id uuid.UUID, on bool) error {
	const q = `UPDATE smartlinks SET is_active = $3, updated_at = now()
	           WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`
	return l.s.one(ctx, "smartlink", q, account, id, on)
}

// Delete deletes a smartlink: its name and its slug are free again, its clicks stay in the log.
func (l Smartlinks) Delete(ctx context.Context, account, id uuid.UUID) error {
	const q = `UPDATE smartlinks SET deleted_at = now(), is_active = false, updated_at = now()
	           WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`
	return l.s.one(ctx, "smartlink", q, account, id)
}

// Clone copies a smartlink under a new slug and, if it has a name, a free one that ends in " (copy)". The copy is
// paused. A source that was deactivated since is not copied.
func (l Smartlinks) Clone(ctx context.Context, account, id uuid.UUID) (models.Smartlink, error) {
	var saved models.Smartlink
	err := l.s.Tx(ctx, func(s *Store) error {
		link, err := s.Smartlinks().Find(ctx, account, id)
		if err != nil {
			return err
		}
		if err := s.lockNames(ctx, account); err != nil {
			return err
		}
		if link.Name != "" {
			link.Name, err = s.copyName(ctx, tableSmartlinks, "deleted_at IS NULL", account, link.Name)
			if err != nil {
				return err
			}
		}
		link.Slug, link.IsActive = "", false
		if link.SourceID, err = s.live(ctx, tableSources, account, link.SourceID); err != nil {
			return err
		}
		saved, err = s.Smartlinks().Create(ctx, link)
		return err
	})
	return saved, err
}

// Names reads names and slugs of smartlinks by their ids, those of deleted ones too.
func (l Smartlinks) Names(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]SmartlinkName, error) {
	const q = `SELECT id, name, slug FROM smartlinks WHERE account_id = $1 AND id = ANY ($2::uuid[])`
	var rows []SmartlinkName
	if err := sqlx.SelectContext(ctx, l.s.c, &rows, q, account, pq.Array(ids)); err != nil {
		return nil, fmt.Errorf("db: names of smartlinks: %w", err)
	}
	names := make(map[uuid.UUID]SmartlinkName, len(rows))
	for _, r := range rows {
		names[r.ID] = r
	}
	return names, nil
}

// SmartlinkName is how a smartlink is called.
type SmartlinkName struct {
	ID   uuid.UUID `db:"id"`
	Name string    `db:"name"`
	Slug string    `db:"slug"`
}
