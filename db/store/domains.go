package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// Domains are the tracking domains of accounts.
type Domains struct{ s *Store }

// Domains gives the tracking domains on this store's connection.
func (s *Store) Domains() Domains { return Domains{s} }

const selectDomains = `
SELECT d.id, d.account_id, d.host, d.is_verified, d.is_default, d.group_name, d.crawlers, d.https_only, d.index_page,
	d.created_at, d.updated_at,
	(SELECT count(*) FROM campaigns c WHERE c.domain_id = d.id AND c.deleted_at IS NULL) AS campaigns,
	(SELECT count(*) FROM smartlinks l WHERE l.domain_id = d.id AND l.deleted_at IS NULL) AS smartlinks
FROM domains d WHERE d.account_id = $1`

type domainRow struct {
	ID         uuid.UUID     `db:"id"`
	AccountID  uuid.NullUUID `db:"account_id"`
	Host       string        `db:"host"`
	IsVerified bool          `db:"is_verified"`
	IsDefault  bool          `db:"is_default"`
	GroupName  string        `db:"group_name"`
	Crawlers   string        `db:"crawlers"`
	HTTPSOnly  bool          `db:"https_only"`
	IndexPage  string        `db:"index_page"`
	CreatedAt  time.Time     `db:"created_at"`
	UpdatedAt  time.Time     `db:"updated_at"`
	Campaigns  int           `db:"campaigns"`
	Smartlinks int           `db:"smartlinks"`
}

func (r domainRow) model() models.Domain {
	return models.Domain{
		ID: r.ID, AccountID: r.AccountID.UUID, Host: r.Host, IsVerified: r.IsVerified, IsDefault: r.IsDefault,
		DomainSettings: models.DomainSettings{
			GroupName: r.GroupName, Crawlers: r.Crawlers, HTTPSOnly: r.HTTPSOnly, IndexPage: r.IndexPage,
		},
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Campaigns: r.Campaigns, Smartlinks: r.Smartlinks,
	}
}

// List lists an account's own domains, newest first.
func (d Domains) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Domain, string, error) {
	rows, next, err := List(ctx, d.s, account, p, ListQuery[domainRow]{
		Name: "domains", SQL: selectDomains, Args: []any{account},
		Order: []string{"d.created_at:timestamptz", "d.id:uuid"},
		Place: func(r domainRow) []string { return PlaceOf(r.CreatedAt, r.ID) },
	})
	return modelsOf(rows, domainRow.model), next, err
}

// Find finds one of the account's own domains.
func (d Domains) Find(ctx context.Context, account, id uuid.UUID) (models.Domain, error) {
	row, err := get[domainRow](ctx, d.s, "domain", selectDomains+` AND d.id = $2`, account, id)
	return row.model(), err
}

// SharedDomain is one of the install's link domains, which every account may use.
type SharedDomain struct {
	ID        uuid.UUID `db:"id"`
	Host      string    `db:"host"`
	IsDefault bool      `db:"is_default"`
}

// Shared lists the shared link domains, first the one that new campaigns go to.
func (d Domains) Shared(ctx context.Context) ([]SharedDomain, error) {
	const q = `SELECT id, host, is_default FROM domains WHERE account_id IS NULL ORDER BY is_default DESC, host`
	list := []SharedDomain{}
	if err := sqlx.SelectContext(ctx, d.s.c, &list, q); err != nil {
		return nil, fmt.Errorf("db: shared domains: %w", err)
	}
	return list, nil
}

const insertDomain = `
INSERT INTO domains (id, account_id, host, group_name, crawlers, https_only, index_page)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

// Add adds hosts with the same settings, all or none of them, within the plan's allowance. Hosts that the account has
// are skipped; if it has all of them that is a conflict, as is a shared link domain. The new domains come in the order
// of the hosts and are not verified.
//
// A host that is another account's can be added too, or adding one would keep its owner from it: it serves whoever
// shows that it is theirs, and only that account.
func (d Domains) Add(ctx context.Context, account uuid.UUID, hosts []string, set models.DomainSettings) (
	added []models.Domain, skipped []string, err error,
) {
	err = d.s.Tx(ctx, func(s *Store) error {
		if err := s.lockNames(ctx, account); err != nil {
			return err
		}
		taken, err := s.Domains().taken(ctx, account, hosts)
		if err != nil {
			return err
		}
		var fresh []string
		for _, host := range hosts {
			switch shared, known := taken[host]; {
			case shared:
				return models.Conflict("shared_domain", "%s is a shared link domain, which every account has", host)
			case known:
				skipped = append(skipped, host)
			default:
				fresh = append(fresh, host)
			}
		}
		if len(fresh) == 0 {
			return models.Conflict("duplicate", "every hostname has been added already")
		}
		if err := s.Domains().allow(ctx, account, len(fresh)); err != nil {
			return err
		}
		for _, host := range fresh {
			id := uuid.Must(uuid.NewV7())
			err := s.one(ctx, "domain", insertDomain, id, account, host, set.GroupName, set.Crawlers, set.HTTPSOnly, set.IndexPage)
			if err != nil {
				return err
			}
			saved, err := s.Domains().Find(ctx, account, id)
			if err != nil {
				return err
			}
			added = append(added, saved)
		}
		return nil
	})
	return added, skipped, err
}

// taken tells of hosts that the account has (false) or that are shared (true).
func (d Domains) taken(ctx context.Context, account uuid.UUID, hosts []string) (map[string]bool, error) {
	const q = `SELECT host, account_id IS NULL AS shared FROM domains
	           WHERE host = ANY ($2) AND (account_id = $1 OR account_id IS NULL) ORDER BY shared`
	var rows []struct {
		Host   string `db:"host"`
		Shared bool   `db:"shared"`
	}
	if err := sqlx.SelectContext(ctx, d.s.c, &rows, q, account, pq.Array(hosts)); err != nil {
		return nil, fmt.Errorf("db: domains: %w", err)
	}
	taken := map[string]bool{}
	for _, r := range rows {
		taken[r.Host] = r.Shared
	}
	return taken, nil
}

// allow refuses more domains than the plan allows. The account is locked already.
func (d Domains) allow(ctx context.Context, account uuid.UUID, more int) error {
	// Of several at once, the last one must still find a place: count them as if all but one were there.
	return d.s.allow(ctx, account, "domains",
		fmt.Sprintf(`SELECT count(*) + %d FROM domains WHERE account_id = $1`, more-1),
		func(p models.Plan) int { return p.Domains })
}

const updateDomain = `
UPDATE domains SET group_name = $3, crawlers = $4, https_only = $5, index_page = $6, updated_at = now()
WHERE account_id = $1 AND id = $2`

// Update writes all settings of a domain.
func (d Domains) Update(ctx context.Context, account, id uuid.UUID, set models.DomainSettings) (models.Domain, error) {
	err := d.s.one(ctx, "domain", updateDomain, account, id, set.GroupName, set.Crawlers, set.HTTPSOnly, set.IndexPage)
	if err != nil {
		return models.Domain{}, err
	}
	return d.Find(ctx, account, id)
}

const (
	noDefaultDomain = `UPDATE domains SET is_default = false, updated_at = now()
WHERE account_id = $1 AND is_default AND id <> $2`
	defaultDomain = `UPDATE domains SET is_default = true, updated_at = now() WHERE account_id = $1 AND id = $2`
)

// SetDefault makes a domain the one that new campaigns go to; they do once it is verified.
func (d Domains) SetDefault(ctx context.Context, account, id uuid.UUID) (models.Domain, error) {
	var saved models.Domain
	err := d.s.Tx(ctx, func(s *Store) error {
		if err := s.lockNames(ctx, account); err != nil {
			return err
		}
		if _, err := s.c.ExecContext(ctx, noDefaultDomain, account, id); err != nil {
			return fmt.Errorf("db: default domain: %w", err)
		}
		err := s.one(ctx, "domain", defaultDomain, account, id)
		if err == nil {
			saved, err = s.Domains().Find(ctx, account, id)
		}
		return err
	})
	return saved, err
}

const (
	lockDomain     = `SELECT id FROM domains WHERE account_id = $1 AND id = $2 FOR UPDATE`
	leaveDomain    = `UPDATE campaigns SET domain_id = NULL WHERE domain_id = $1 AND deleted_at IS NOT NULL`
	leaveDomainToo = `UPDATE smartlinks SET domain_id = NULL WHERE domain_id = $1 AND deleted_at IS NOT NULL`
	deleteDomain   = `DELETE FROM domains WHERE account_id = $1 AND id = $2`
)

// Delete deletes a domain that no campaign and no smartlink uses. Deleted ones let go of it.
func (d Domains) Delete(ctx context.Context, account, id uuid.UUID) error {
	return d.s.Tx(ctx, func(s *Store) error {
		if _, err := get[uuid.UUID](ctx, s, "domain", lockDomain, account, id); err != nil {
			return err
		}
		found, err := s.Domains().Find(ctx, account, id)
		if err != nil {
			return err
		}
		if found.Campaigns+found.Smartlinks > 0 {
			return models.Conflict("domain_in_use", "%d campaigns and %d smartlinks still use %s",
				found.Campaigns, found.Smartlinks, found.Host)
		}
		for _, q := range []string{leaveDomain, leaveDomainToo} {
			if _, err := s.c.ExecContext(ctx, q, id); err != nil {
				return fmt.Errorf("db: delete domain: %w", err)
			}
		}
		return s.one(ctx, "domain", deleteDomain, account, id)
	})
}

const verifyDomain = `
UPDATE domains SET is_verified = $3, updated_at = now() WHERE account_id = $1 AND id = $2`

// SetVerified says whether a domain is known to be the account's: from then on it serves. A host serves one account
// only: if it does already, that is a conflict, domain_taken.
func (d Domains) SetVerified(ctx context.Context, account, id uuid.UUID, on bool) (models.Domain, error) {
	err := d.s.one(ctx, "domain", verifyDomain, account, id, on)
	if db.UniqueViolation(err) == "domains_served" {
		err = models.Conflict("domain_taken", "the host serves another account, or all of them")
	}
	if err != nil {
		return models.Domain{}, err
	}
	return d.Find(ctx, account, id)
}

// ByHost lists the own domains with a host, of all accounts. It is for operators.
func (d Domains) ByHost(ctx context.Context, host string) ([]models.Domain, error) {
	const q = `SELECT id, account_id, host, is_verified, is_default, created_at, updated_at FROM domains
	           WHERE account_id IS NOT NULL AND host = $1 ORDER BY created_at, id`
	var rows []domainRow
	if err := sqlx.SelectContext(ctx, d.s.c, &rows, q, host); err != nil {
		return nil, fmt.Errorf("db: domains: %w", err)
	}
	return modelsOf(rows, domainRow.model), nil
}
