package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Domains accesses the tracking domains of accounts.
type Domains struct{ records[models.Domain] }

// Domains returns access to the tracking domains.
func (s *Store) Domains() Domains { return Domains{records[models.Domain]{s, domainTable}} }

var domainTable = newTable(table[models.Domain]{
	name: "domains", what: "domain",
	joined: `,
		coalesce((SELECT a.domain_token FROM accounts a WHERE a.id = t.account_id), '') AS token,
		(SELECT count(*) FROM campaigns c WHERE c.domain_id = t.id AND c.deleted_at IS NULL) AS campaigns,
		(SELECT count(*) FROM smartlinks l WHERE l.domain_id = t.id AND l.deleted_at IS NULL) AS smartlinks,
		(SELECT count(*) FROM domain_failovers f JOIN campaigns c ON c.id = f.campaign_id AND c.domain_id = f.to_domain
			WHERE f.from_domain = t.id AND c.deleted_at IS NULL) AS failed_over,
		(SELECT k.points FROM domain_checks k WHERE k.domain_id = t.id) AS points,
		(SELECT k.https FROM domain_checks k WHERE k.domain_id = t.id) AS https,
		(SELECT k.checked_at FROM domain_checks k WHERE k.domain_id = t.id) AS checked_at,
		(SELECT k.registered_until FROM domain_checks k WHERE k.domain_id = t.id) AS registered_until,
		coalesce((SELECT k.ssl_status FROM certificates k WHERE k.domain_id = t.id), 'none') AS ssl_status,
		(SELECT k.expires_at FROM certificates k WHERE k.domain_id = t.id) AS certificate_expires_at`,
})

// SharedDomain is a link domain of the install, which every account may use.
type SharedDomain struct {
	ID        uuid.UUID `db:"id"`
	Host      string    `db:"host"`
	IsDefault bool      `db:"is_default"`
}

// Shared lists the shared link domains. The default of new campaigns comes first.
func (d Domains) Shared(ctx context.Context) ([]SharedDomain, error) {
	const q = `SELECT id, host, is_default FROM domains WHERE account_id IS NULL ORDER BY is_default DESC, host`
	return db.Select[SharedDomain](ctx, d.s.c, "shared domains", q)
}

// selectLinkDomains selects the domains on which a campaign's alias leads to the campaign: its own domain, if it is shared or
// verified, and every other verified domain of the account on which no other record has the alias. If several campaigns have the
// same alias, the oldest gets the other domains.
const selectLinkDomains = `
WITH c AS MATERIALIZED (
	SELECT id, account_id, domain_id, alias FROM campaigns WHERE account_id = $1 AND id = $2
), namesakes AS MATERIALIZED (
	SELECT o.id, o.domain_id FROM c JOIN campaigns o USING (account_id, alias) WHERE o.deleted_at IS NULL AND o.id <> c.id
)
SELECT d.id, d.host, d.account_id IS NULL AS shared, d.tag_name FROM c
JOIN domains d ON d.account_id = c.account_id AND d.is_verified OR d.id = c.domain_id AND d.account_id IS NULL
WHERE d.id = c.domain_id OR NOT EXISTS (SELECT FROM namesakes o WHERE o.domain_id = d.id OR o.id < c.id)
	AND NOT EXISTS (SELECT FROM smartlinks l WHERE l.domain_id = d.id AND l.slug = c.alias AND l.deleted_at IS NULL)
ORDER BY d.id = c.domain_id DESC, d.is_default DESC, d.host LIMIT 500`

// LinkDomain is a host that answers for an account.
type LinkDomain struct {
	ID      uuid.UUID `db:"id"`
	Host    string    `db:"host"`
	Shared  bool      `db:"shared"`
	TagName string    `db:"tag_name"` // name of the page tag; only LinksOf and Serving set it
}

// LinksOf lists the hosts on which the link of a campaign works. The campaign's own host comes first.
func (d Domains) LinksOf(ctx context.Context, account, campaign uuid.UUID) ([]LinkDomain, error) {
	return db.Select[LinkDomain](ctx, d.s.c, "domains of a campaign", selectLinkDomains, account, campaign)
}

const selectServing = `
SELECT id, host, account_id IS NULL AS shared, tag_name FROM domains WHERE account_id IS NULL OR account_id = $1 AND is_verified
ORDER BY is_default DESC, host LIMIT 500`

// Serving lists the hosts that answer for an account: its verified domains and the shared link domains.
func (d Domains) Serving(ctx context.Context, account uuid.UUID) ([]LinkDomain, error) {
	return db.Select[LinkDomain](ctx, d.s.c, "serving domains", selectServing, account)
}

const selectPostbackHost = `
SELECT id, host, account_id IS NULL AS shared FROM domains WHERE account_id IS NULL OR account_id = $1 AND is_verified
ORDER BY account_id IS NULL DESC, is_default DESC, host LIMIT 1`

// PostbackHost returns the host to which an account's networks send their postbacks. It prefers shared link domains, because they
// stay even if the account gives up all its own. ok is false if there is no host.
func (d Domains) PostbackHost(ctx context.Context, account uuid.UUID) (host LinkDomain, ok bool, err error) {
	return db.First[LinkDomain](ctx, d.s.c, "host of postbacks", selectPostbackHost, account)
}

// Add adds hosts with the same settings. Hosts that the account already has are skipped. All other hosts are added or, if the
// plan has no room, none. The new domains are not verified yet. Conflicts: duplicate if the account has all hosts, shared_domain if a
// host is a shared link domain.
//
// A host of another account can be added too: otherwise any account could lock out the owner of a host. The host serves only the
// account that verifies it.
func (d Domains) Add(ctx context.Context, account uuid.UUID, hosts []string, set models.DomainSettings) (
	added []models.Domain, skipped []string, err error,
) {
	err = d.s.LockedTx(ctx, account, func(s *Store) error {
		existing, err := s.Domains().existing(ctx, account, hosts)
		if err != nil {
			return err
		}
		var fresh []string
		for _, host := range hosts {
			shared, known := existing[host]
			switch {
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
		const byOperator = false
		for _, host := range fresh {
			saved, err := domainTable.add(ctx, s, models.Domain{Owned: models.Owned{AccountID: account}, Host: host, DomainSettings: set})
			if err != nil {
				return err
			}
			if err := s.run(ctx, "watch domain", watchDomain, account, saved.ID, time.Now(), byOperator); err != nil {
				return err
			}
			added = append(added, saved)
		}
		return nil
	})
	return added, skipped, err
}

// existing returns which of the hosts exist already. The value is false for a domain of the account, and true for a shared
// domain.
func (d Domains) existing(ctx context.Context, account uuid.UUID, hosts []string) (map[string]bool, error) {
	const q = `SELECT host, account_id IS NULL AS shared FROM domains
	           WHERE host = ANY ($2) AND (account_id = $1 OR account_id IS NULL) ORDER BY shared`
	return db.Pairs[string, bool](ctx, d.s.c, "domains", q, account, hosts)
}

func (d Domains) allow(ctx context.Context, account uuid.UUID, more int) error {
	// Store.allow asks for room for one record.
	count := fmt.Sprintf(`SELECT count(*) + %d FROM domains WHERE account_id = $1`, more-1)
	return d.s.allow(ctx, account, allowance{"domains", count, func(p models.Plan) int { return p.Domains }})
}

// Update changes the settings of a domain. It calls edit with the saved settings, under a lock.
func (d Domains) Update(ctx context.Context, account, id uuid.UUID, edit func(*models.DomainSettings)) (models.Domain, error) {
	return TxOf(ctx, d.s, func(s *Store) (models.Domain, error) {
		domain, err := domainTable.findLocked(ctx, s, account, id)
		if err != nil {
			return domain, err
		}
		edit(&domain.DomainSettings)
		return domainTable.save(ctx, s, domain)
	})
}

const noDefaultDomain = `
UPDATE domains SET is_default = false, updated_at = now() WHERE account_id = $1 AND is_default AND id <> $2`

// SetDefault makes a domain the default of new campaigns. The default takes effect once the domain is verified.
func (d Domains) SetDefault(ctx context.Context, account, id uuid.UUID) (models.Domain, error) {
	return LockedTxOf(ctx, d.s, account, func(s *Store) (saved models.Domain, err error) {
		if err := s.run(ctx, "default domain", noDefaultDomain, account, id); err != nil {
			return saved, err
		}
		if err := s.execOne(ctx, domainTable.what, domainTable.set(`is_default = true`), account, id); err != nil {
			return saved, err
		}
		return s.Domains().Find(ctx, account, id)
	})
}

const (
	lockDomain       = `SELECT id FROM domains WHERE account_id = $1 AND id = $2 FOR UPDATE`
	detachCampaigns  = `UPDATE campaigns SET domain_id = NULL WHERE domain_id = $1 AND deleted_at IS NOT NULL`
	detachSmartlinks = `UPDATE smartlinks SET domain_id = NULL WHERE domain_id = $1 AND deleted_at IS NOT NULL`
)

// Remove deletes a domain as Delete does, but does not report whether a certificate is released.
func (d Domains) Remove(ctx context.Context, account, id uuid.UUID) error {
	_, err := d.Delete(ctx, account, id)
	return err
}

// Delete deletes a domain. released reports whether the edge now has to delete the domain's certificate. If live campaigns or
// smartlinks use the domain, the error is the conflict domain_in_use.
func (d Domains) Delete(ctx context.Context, account, id uuid.UUID) (released bool, err error) {
	return TxOf(ctx, d.s, func(s *Store) (bool, error) {
		if _, err := db.Get[uuid.UUID](ctx, s.c, "domain", lockDomain, account, id); err != nil {
			return false, err
		}
		found, err := s.Domains().Find(ctx, account, id)
		if err != nil {
			return false, err
		}
		if found.Campaigns+found.Smartlinks > 0 {
			return false, models.Conflict("domain_in_use", "%d campaigns and %d smartlinks still use %s",
				found.Campaigns, found.Smartlinks, found.Host)
		}
		for _, q := range []string{detachCampaigns, detachSmartlinks} {
			if err := s.run(ctx, "delete domain", q, id); err != nil {
				return false, err
			}
		}
		job, err := s.Certificates().enqueueRelease(ctx, account, id)
		if err != nil {
			return false, err
		}
		return job != uuid.Nil, s.Domains().records.Remove(ctx, account, id)
	})
}

// When serving stops, the last proof stays stored as a record of the former owner.
const setVerified = `is_verified = $3, proof = CASE WHEN $3 THEN $4 ELSE t.proof END`

// serve starts or stops serving a domain. If the host already serves another account, or all accounts, the error is the conflict
// domain_taken.
func (d Domains) serve(ctx context.Context, account, id uuid.UUID, on bool, proof string) error {
	err := d.s.execOne(ctx, domainTable.what, domainTable.set(setVerified), account, id, on, proof)
	if db.UniqueViolation(err) == "domains_served" {
		err = models.Conflict("domain_taken", "the host already serves another account, or all accounts")
	}
	return err
}

// SetVerified records an operator's decision whether the domain belongs to the account. No later check overrides the decision. If
// the host already serves another account, or all accounts, the error is the conflict domain_taken.
func (d Domains) SetVerified(ctx context.Context, account, id uuid.UUID, on bool) (models.Domain, error) {
	return TxOf(ctx, d.s, func(s *Store) (out models.Domain, err error) {
		if err := s.Domains().serve(ctx, account, id, on, models.ProofOperator); err != nil {
			return out, err
		}
		var due *time.Time // a domain that an operator has refused is not checked again
		if on {
			now := time.Now()
			due = &now
		}
		const byOperator = true
		if err = s.run(ctx, "watch domain", watchDomain, account, id, due, byOperator); err != nil {
			return out, err
		}
		return s.Domains().Find(ctx, account, id)
	})
}

// ListAll lists the domains of all accounts, ordered by host. It is for operators only.
func (d Domains) ListAll(ctx context.Context) ([]models.Domain, error) {
	q := domainTable.from + ` WHERE t.account_id IS NOT NULL ORDER BY t.host, t.created_at, t.id`
	return db.Select[models.Domain](ctx, d.s.c, "domains", q)
}

// ByHost lists the domains of all accounts with the given host. It is for operators only.
func (d Domains) ByHost(ctx context.Context, host string) ([]models.Domain, error) {
	q := domainTable.from + ` WHERE t.account_id IS NOT NULL AND t.host = $1 ORDER BY t.created_at, t.id`
	return db.Select[models.Domain](ctx, d.s.c, "domains", q, host)
}
