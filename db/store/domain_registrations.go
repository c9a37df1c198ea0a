package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

const claimDueRegistrations = `
UPDATE domain_checks k SET registration_due_at = $1::timestamptz + interval '1 day' FROM domains d
WHERE d.id = k.domain_id AND k.domain_id IN (
	SELECT c.domain_id FROM domain_checks c JOIN domains v ON v.id = c.domain_id AND v.is_verified
	WHERE c.registration_due_at <= $1 ORDER BY c.registration_due_at LIMIT $2 FOR UPDATE OF c SKIP LOCKED)
RETURNING k.account_id, k.domain_id, d.host`

// DueRegistration is a verified domain for which it is time to look up when its registration ends.
type DueRegistration struct {
	DueDomain
	Host string `db:"host"`
}

// ClaimDueRegistrations claims verified domains whose registration is due for a look-up, in all accounts. The parameter limit is the
// maximum number of domains. The claimed domains become due again a day later, unless RecordRegistration sets another time.
func (d Domains) ClaimDueRegistrations(ctx context.Context, now time.Time, limit int) ([]DueRegistration, error) {
	return db.Select[DueRegistration](ctx, d.s.c, "due registrations", claimDueRegistrations, now, limit)
}

const recordRegistration = `
UPDATE domain_checks SET registered_until = $3, registration_checked_at = $4, registration_due_at = $5
WHERE account_id = $1 AND domain_id = $2`

// RecordRegistration records the end of a domain's registration and the time of the next look-up. The end is nil if the registry
// does not return it.
func (d Domains) RecordRegistration(ctx context.Context, domain DueDomain, until *time.Time, checked, next time.Time) error {
	return d.s.run(ctx, "registration of a domain", recordRegistration, domain.AccountID, domain.ID, until, checked, next)
}

// EndingDomain is a verified domain whose registration has ended or ends soon.
type EndingDomain struct {
	ID        uuid.UUID `db:"id"`
	Host      string    `db:"host"`
	Until     time.Time `db:"registered_until"`
	CheckedAt time.Time `db:"registration_checked_at"`
}

// Ending lists at most 500 of the account's verified domains whose registration has ended or ends within RegistrationEndsSoon.
func (d Domains) Ending(ctx context.Context, account uuid.UUID, now time.Time) ([]EndingDomain, error) {
	const q = `SELECT d.id, d.host, k.registered_until, k.registration_checked_at
		FROM domain_checks k JOIN domains d ON d.id = k.domain_id AND d.account_id = k.account_id
		WHERE k.account_id = $1 AND d.is_verified AND k.registered_until < $2
		ORDER BY k.registered_until, d.id LIMIT $3`
	return db.Select[EndingDomain](ctx, d.s.c, "domains whose registration ends", q, account, now.Add(models.RegistrationEndsSoon), MaxAlerts)
}
