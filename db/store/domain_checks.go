package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// DomainSecret returns the key that signs the answers to challenges at the domains of this install: see models.DomainProof.
func (s *Store) DomainSecret(ctx context.Context) ([]byte, error) {
	return seal.InstallSecret(ctx, s.c, LanderKeys)
}

const watchDomain = `
INSERT INTO domain_checks (domain_id, account_id, due_at, by_operator) VALUES ($2, $1, $3, $4)
ON CONFLICT (domain_id) DO UPDATE SET due_at = $3, by_operator = $4, wrong_since = NULL`

const claimDueDomains = `
UPDATE domain_checks k SET due_at = $1::timestamptz + interval '15 minutes' WHERE domain_id IN (
	SELECT domain_id FROM domain_checks WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
RETURNING account_id, domain_id`

// DueDomain identifies a domain whose check is due.
type DueDomain struct {
	AccountID uuid.UUID `db:"account_id"`
	ID        uuid.UUID `db:"domain_id"`
}

// ClaimDue claims domains whose check is due, in all accounts. The parameter limit is the maximum number of domains. Each domain
// becomes due again 15 minutes later, in case the caller dies. RecordCheck sets the regular time of the next check.
func (d Domains) ClaimDue(ctx context.Context, now time.Time, limit int) ([]DueDomain, error) {
	return db.Select[DueDomain](ctx, d.s.c, "due domains", claimDueDomains, now, limit)
}

const scheduleCheck = `UPDATE domain_checks SET due_at = $3 WHERE account_id = $1 AND domain_id = $2 AND due_at > $3`

// ScheduleCheck makes a changed domain's check due at the given time, unless it is due earlier. It does not restart checks that
// have ended.
func (d Domains) ScheduleCheck(ctx context.Context, account, id uuid.UUID, by time.Time) error {
	return d.s.run(ctx, "schedule check of a domain", scheduleCheck, account, id, by)
}

const recordDomainCheck = `
INSERT INTO domain_checks AS k (domain_id, account_id, checked_at, points, https, records, detail, wrong_since)
VALUES ($2, $1, $3, $4, $5, $6, $7, CASE WHEN $8 THEN $3::timestamptz END)
ON CONFLICT (domain_id) DO UPDATE SET checked_at = $3, points = $4, https = $5, records = $6, detail = $7,
	wrong_since = CASE WHEN $8 THEN coalesce(k.wrong_since, $3) WHEN $9 THEN NULL ELSE k.wrong_since END
WHERE k.account_id = $1
RETURNING wrong_since`

// RecordCheck records the result of a domain check. It starts or stops serving the domain by the rules next to models.ProofTXT. A
// decision of an operator takes precedence.
//
// The conflict domain_taken means that another account got the host a moment ago. Call RecordCheck again then.
func (d Domains) RecordCheck(ctx context.Context, account, id uuid.UUID, c models.DomainCheck) (models.DomainState, error) {
	return TxOf(ctx, d.s, func(s *Store) (out models.DomainState, err error) {
		domains := s.Domains()
		if _, err = db.Get[uuid.UUID](ctx, s.c, "domain", lockDomain, account, id); err != nil {
			return out, err
		}
		if out.Domain, err = domains.Find(ctx, account, id); err != nil {
			return out, err
		}
		byOperator, _, err := db.First[bool](ctx, s.c, "check of a domain",
			`SELECT by_operator FROM domain_checks WHERE account_id = $1 AND domain_id = $2`, account, id)
		if err != nil {
			return out, err
		}
		verify := false
		if c.AnsweredHere && !out.IsVerified {
			if verify, c.Detail, err = domains.mayServe(ctx, out.Domain, byOperator, c); err != nil {
				return out, err
			}
		}
		if out.WrongSince, err = domains.writeCheck(ctx, out.Domain, c); err != nil {
			return out, err
		}
		lost := c.Wrong(out.Domain) && out.WrongSince != nil && c.At.Sub(*out.WrongSince) >= models.UnverifyAfter
		serves := verify || out.IsVerified && (byOperator || !lost)
		if err := domains.setServing(ctx, out.Domain, c, serves); err != nil {
			return out, err
		}
		if out.Domain, err = domains.Find(ctx, account, id); err != nil {
			return out, err
		}
		out.Checked = c
		var due *time.Time
		if at, ok := out.NextCheck(); ok {
			due = &at
		}
		const next = `UPDATE domain_checks SET due_at = $3 WHERE account_id = $1 AND domain_id = $2`
		err = s.run(ctx, "next check of a domain", next, account, id, due)
		return out, err
	})
}

// setServing starts or stops serving a domain after a check. If it serves the domain, it stores the proof that the check found,
// unless the domain is verified by a proof already.
func (d Domains) setServing(ctx context.Context, domain models.Domain, c models.DomainCheck, on bool) error {
	proof := domain.Proof
	if on && c.Proof != nil && *c.Proof != models.ProofNone && (!domain.IsVerified || proof == models.ProofBefore || proof == models.ProofNone) {
		proof = *c.Proof
	}
	if on == domain.IsVerified && proof == domain.Proof {
		return nil
	}
	return d.serve(ctx, domain.AccountID, domain.ID, on, proof)
}

// writeCheck stores the result of a domain check. It returns the time since which the domain has been wrong, or nil.
func (d Domains) writeCheck(ctx context.Context, domain models.Domain, c models.DomainCheck) (since *time.Time, err error) {
	records, err := json.Marshal(c.Records)
	if err != nil {
		return nil, fmt.Errorf("store: records of a domain: %w", err)
	}
	return db.Get[*time.Time](ctx, d.s.c, "check of a domain", recordDomainCheck, domain.AccountID, domain.ID, c.At, c.Points, c.HTTPS,
		string(records), c.Detail, c.Wrong(domain), c.Right(domain))
}

const (
	otherClaims = `
SELECT EXISTS (SELECT FROM domain_claims WHERE host = $1 AND owner_id <> $2) AS claimed,
	EXISTS (SELECT FROM domains WHERE host = $1 AND id <> $3 AND (is_verified OR account_id IS NULL)) AS served`

	// stopServing stops serving another account's domain with the same host, if it was verified without a proof and no operator
	// has decided about it. That account is notified without a grace period.
	stopServing = `
WITH lost AS (
	UPDATE domains d SET is_verified = false, updated_at = clock_timestamp()
	WHERE host = $1 AND account_id <> $2 AND is_verified AND proof = 'before'
		AND NOT EXISTS (SELECT FROM domain_checks k WHERE k.domain_id = d.id AND k.by_operator)
	RETURNING id
)
UPDATE domain_checks k SET due_at = $3, wrong_since = $3, points = NULL,
	detail = 'Another account has proved by a TXT record that the host is its own.'
FROM lost WHERE k.domain_id = lost.id RETURNING k.domain_id`
)

// mayServe reports whether a domain whose DNS leads to this install may serve its account. If not, detail contains the reason. It
// may take the host from another account that has not proved it.
func (d Domains) mayServe(ctx context.Context, domain models.Domain, byOperator bool, c models.DomainCheck) (ok bool, detail string, err error) {
	others, err := db.Get[struct {
		Claimed bool `db:"claimed"`
		Served  bool `db:"served"`
	}](ctx, d.s.c, "host", otherClaims, domain.Host, domain.AccountID, domain.ID)
	if err != nil {
		return false, c.Detail, err
	}
	const claimed = true
	if others.Served && c.Verifies(claimed) && !byOperator {
		taken, err := db.Select[uuid.UUID](ctx, d.s.c, "take host", stopServing, domain.Host, domain.AccountID, c.At)
		if err != nil {
			return false, c.Detail, err
		}
		others.Served = len(taken) == 0
	}
	record := domain.ProofRecord()
	switch {
	case byOperator:
		return false, "The domain leads here, but the operator of this install has rejected it.", nil
	case c.Verifies(others.Claimed) && !others.Served:
		return true, c.Detail, nil
	case c.Verifies(claimed):
		return false, "The domain leads here, but its host serves another account: ask the operator of this install.", nil
	case others.Claimed && c.Verifies(!claimed):
		return false, "The domain leads here, but another account has added its host too, or had it verified in the last year. Set a TXT record of " + record.Name +
			" to " + record.Value + ".", nil
	}
	return false, c.Detail, nil
}

// DeleteExpiredClaims deletes the records of former owners of hosts, one year after they left.
func (d Domains) DeleteExpiredClaims(ctx context.Context, now time.Time) error {
	return d.s.run(ctx, "expired claims of hosts", `DELETE FROM domain_claims WHERE left_at < $1`, now.AddDate(-1, 0, 0))
}

// StrayDomain is a domain that leads elsewhere or is not proved.
type StrayDomain struct {
	ID         uuid.UUID `db:"id"`
	Host       string    `db:"host"`
	IsVerified bool      `db:"is_verified"` // false: the domain's links do not work
	Detail     string    `db:"detail"`
	ByOperator bool      `db:"by_operator"`
	Since      time.Time `db:"wrong_since"`
	CheckedAt  time.Time `db:"checked_at"`
}

// Stray lists at most 500 of the account's domains that lead elsewhere or are not proved. An unverified domain is listed only if
// campaigns or smartlinks use it, and if it was verified once or has been wrong for at least models.UnverifyAfter.
func (d Domains) Stray(ctx context.Context, account uuid.UUID, now time.Time) ([]StrayDomain, error) {
	const q = `SELECT d.id, d.host, d.is_verified, k.detail, k.by_operator, k.wrong_since, k.checked_at
		FROM domain_checks k JOIN domains d ON d.id = k.domain_id AND d.account_id = k.account_id
		WHERE k.account_id = $1 AND k.wrong_since IS NOT NULL AND (d.is_verified OR (d.proof <> 'none' OR k.wrong_since <= $2) AND (
			EXISTS (SELECT FROM campaigns c WHERE c.domain_id = d.id AND c.deleted_at IS NULL)
			OR EXISTS (SELECT FROM smartlinks l WHERE l.domain_id = d.id AND l.deleted_at IS NULL)))
		ORDER BY k.wrong_since DESC, d.id LIMIT $3`
	return db.Select[StrayDomain](ctx, d.s.c, "domains that lead elsewhere", q, account, now.Add(-models.UnverifyAfter), MaxAlerts)
}
