package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Certificates accesses the certificates of domains. They were requested from an edge.
type Certificates struct{ s *Store }

// Certificates returns access to the certificates.
func (s *Store) Certificates() Certificates { return Certificates{s} }

var certificateColumns = db.Columns[models.CertificateState]("c.") + `, c.domain_id, c.account_id, c.host, c.edge, c.wanted, c.asked_at,
	c.changed_at, c.checked_at, c.failure, c.failing_since, c.attempts, d.is_verified AS verified`

// Find returns the certificate of a domain. Its state is SSLNone if no certificate was ever requested for the domain.
func (k Certificates) Find(ctx context.Context, account, domain uuid.UUID) (models.Certificate, error) {
	d, err := k.s.Domains().Find(ctx, account, domain)
	if err != nil {
		return models.Certificate{}, err
	}
	c, ok, err := db.First[models.Certificate](ctx, k.s.c, "certificate", `SELECT `+certificateColumns+`
		FROM certificates c JOIN domains d ON d.id = c.domain_id WHERE c.account_id = $1 AND c.domain_id = $2`, account, domain)
	if err == nil && !ok {
		c = models.Certificate{
			DomainID: d.ID, AccountID: account, Hostname: d.Host, Verified: d.IsVerified,
			CertificateState: models.CertificateState{SSLStatus: models.SSLNone, Errors: []string{}},
		}
	}
	return c, err
}

// CertificateOf identifies a certificate by its domain.
type CertificateOf struct {
	AccountID uuid.UUID `db:"account_id"`
	DomainID  uuid.UUID `db:"domain_id"`
}

const (
	// Requests for the same host run one after the other, in all accounts.
	lockHost = `SELECT pg_advisory_xact_lock(hashtextextended('certificate ' || host, 0)), host, is_verified
FROM domains WHERE id = $2 AND account_id = $1 FOR SHARE`

	takeOver = `
UPDATE certificates c SET ` + releasedState + ` FROM (
	SELECT domain_id, external_id, asked_at FROM certificates
	WHERE host = $1 AND edge = $2 AND domain_id <> $3 AND wanted FOR UPDATE
) old WHERE c.domain_id = old.domain_id RETURNING old.external_id, old.asked_at`

	requestCertificate = `
INSERT INTO certificates AS c (domain_id, account_id, host, edge, next_at, changed_at, external_id, asked_at)
VALUES ($2, $1, $3, $4, $5, $5, $6, $7)
ON CONFLICT (domain_id) DO UPDATE SET wanted = true, edge = $4, next_at = $5, changed_at = $5,
	external_id = CASE WHEN $6 = '' AND c.edge = $4 THEN c.external_id ELSE $6 END,
	asked_at = CASE WHEN c.edge = $4 THEN least(c.asked_at, $7) ELSE $7 END,
	ssl_status = CASE WHEN c.edge = $4 THEN c.ssl_status ELSE 'none' END, serving = c.serving AND c.edge = $4,
	attempts = 0, failure = '', failing_since = NULL`

	// releasedState is the state of a certificate that must no longer exist at the edge. The lease stays, because the worker
	// that holds it may still be sending requests to the edge.
	releasedState = `wanted = false, external_id = '', asked_at = NULL, ssl_status = 'none', serving = false, detail = '',
	ownership = 'null', ownership_http = 'null', errors = '[]', issued_at = NULL, expires_at = NULL, renew_at = NULL,
	failure = '', failing_since = NULL, attempts = 0, next_at = NULL, changed_at = clock_timestamp(), fence = fence + 1`
)

// Request records that a certificate for the domain is wanted at an edge, and makes it due now. If another domain already has a
// certificate of the same host, that certificate is taken over, but only for a verified domain. For an unverified domain the error is
// edge_1406.
func (k Certificates) Request(ctx context.Context, id CertificateOf, edge string, now time.Time) error {
	return k.s.Tx(ctx, func(s *Store) error {
		d, err := db.Get[struct {
			Lock     string `db:"pg_advisory_xact_lock"`
			Host     string `db:"host"`
			Verified bool   `db:"is_verified"`
		}](ctx, s.c, "domain", lockHost, id.AccountID, id.DomainID)
		if err != nil {
			return err
		}
		const others = `SELECT EXISTS (SELECT FROM certificates WHERE host = $1 AND edge = $2 AND domain_id <> $3 AND wanted)`
		taken, err := db.Get[bool](ctx, s.c, "certificates", others, d.Host, edge, id.DomainID)
		if err != nil {
			return err
		}
		if taken && !d.Verified {
			return models.EdgeError("1406", "another domain of this install has the certificate of %s: verify the domain first", d.Host)
		}
		former, _, err := db.First[struct {
			ID      string     `db:"external_id"`
			AskedAt *time.Time `db:"asked_at"`
		}](ctx, s.c, "take certificate over", takeOver, d.Host, edge, id.DomainID)
		if err != nil {
			return err
		}
		return s.run(ctx, "want certificate", requestCertificate, id.AccountID, id.DomainID, d.Host, edge, now, former.ID, former.AskedAt)
	})
}

const selectUnasked = `
SELECT d.account_id, d.id AS domain_id FROM domains d LEFT JOIN certificates c ON c.domain_id = d.id
WHERE d.is_verified AND d.account_id IS NOT NULL AND (c.domain_id IS NULL OR c.wanted AND c.edge <> $1) LIMIT $2`

// ListUnrequested lists at most `limit` verified domains for which no certificate was requested yet, or for which the last one was
// requested from another edge. It leaves out domains whose certificate was released.
func (k Certificates) ListUnrequested(ctx context.Context, edge string, limit int) ([]CertificateOf, error) {
	return db.Select[CertificateOf](ctx, k.s.c, "domains without certificate", selectUnasked, edge, limit)
}

const selectDueCertificates = `
SELECT account_id, domain_id FROM (
	SELECT account_id, domain_id, next_at, row_number() OVER (PARTITION BY account_id ORDER BY next_at) AS place FROM certificates
	WHERE wanted AND edge = $1 AND next_at <= $2 AND (lease_until IS NULL OR lease_until <= $2)
) due ORDER BY place, next_at LIMIT $3`

// ListDue lists at most `limit` due certificates of an edge, in turns between accounts.
func (k Certificates) ListDue(ctx context.Context, edge string, now time.Time, limit int) ([]CertificateOf, error) {
	return db.Select[CertificateOf](ctx, k.s.c, "due certificates", selectDueCertificates, edge, now, limit)
}

// LeasedCertificate is a certificate that a worker has leased.
type LeasedCertificate struct {
	models.Certificate
	NextAt *time.Time `db:"next_at"` // when the certificate's check was due
	Fence  int64      `db:"fence"`
}

var beginCertificate = `
UPDATE certificates c SET lease_until = $3::timestamptz + make_interval(secs => $4), fence = c.fence + 1,
	asked_at = coalesce(c.asked_at, $3)
FROM domains d WHERE d.id = c.domain_id AND c.account_id = $1 AND c.domain_id = $2 AND c.wanted
	AND (c.lease_until IS NULL OR c.lease_until <= $3) AND (NOT $5 OR c.next_at <= $3)
RETURNING ` + certificateColumns + `, c.next_at, c.fence`

// Begin leases a certificate to a worker before the worker sends a request to the edge. ok is false if another worker has the
// lease or the certificate is not wanted. If `due` is true, ok is also false for a certificate that is not due.
func (k Certificates) Begin(ctx context.Context, id CertificateOf, now time.Time, lease time.Duration, due bool) (
	LeasedCertificate, bool, error,
) {
	return db.First[LeasedCertificate](ctx, k.s.c, "begin certificate", beginCertificate, id.AccountID, id.DomainID, now,
		lease.Seconds(), due)
}

// Renew extends the lease of a certificate. ok is false if the certificate was released, taken over or leased again since Begin.
// The caller must then discard what the edge answered.
func (k Certificates) Renew(ctx context.Context, h LeasedCertificate, now time.Time, lease time.Duration) (ok bool, err error) {
	const q = `UPDATE certificates SET lease_until = $4::timestamptz + make_interval(secs => $5)
		WHERE account_id = $1 AND domain_id = $2 AND fence = $3`
	n, err := k.s.exec(ctx, "renew certificate", q, h.AccountID, h.DomainID, h.Fence, now, lease.Seconds())
	return n > 0, err
}

const finishCertificate = `
UPDATE certificates SET lease_until = NULL, external_id = $4,
	changed_at = CASE WHEN ssl_status <> $5 OR serving <> $6 THEN $19 ELSE changed_at END,
	ssl_status = $5, serving = $6, detail = $7, ownership = $8, ownership_http = $9, errors = $10, issued_at = $11,
	expires_at = $12, renew_at = $13, checked_at = $14, failure = $15, failing_since = $16, attempts = $17, next_at = $18
WHERE account_id = $1 AND domain_id = $2 AND fence = $3`

// Finish records what the edge answered about a certificate, and ends the lease. next is the time of the next check. If it is
// nil, only Request makes a check due. If the certificate was released, taken over or leased again since Begin, Finish records
// nothing, and ok is false.
func (k Certificates) Finish(ctx context.Context, h LeasedCertificate, now time.Time, next *time.Time) (ok bool, err error) {
	n, err := k.s.exec(ctx, "finish certificate", finishCertificate, h.AccountID, h.DomainID, h.Fence, h.ExternalID, h.SSLStatus,
		h.Serving, h.Detail, db.Document(h.Ownership), db.Document(h.OwnershipHTTP), db.Document(h.Errors), h.IssuedAt,
		h.ExpiresAt, h.RenewAt, h.CheckedAt, h.Failure, h.FailingSince, h.Attempts, next, now)
	return n > 0, err
}

// releaseCertificates returns a statement that adds a job for each selected certificate and returns the ids of the jobs. A job
// deletes its certificate at the edge. If a worker has leased the certificate, the job waits until the lease ends.
func releaseCertificates(which string) string {
	return `WITH released AS MATERIALIZED (
	SELECT jsonb_build_object('edge', edge, 'host', host, 'external_id', external_id, 'asked_at', asked_at) AS args,
		greatest(clock_timestamp(), lease_until) AS due
	FROM certificates WHERE wanted AND asked_at IS NOT NULL AND ` + which + ` FOR UPDATE
)` + jobrow.InsertWithoutAccount("released", models.KindReleaseCertificate) + ` RETURNING id`
}

var (
	releaseOne = releaseCertificates(`account_id = $1 AND domain_id = $2`)
	releaseAll = releaseCertificates(`account_id = $1`)
)

// Release releases the certificate of a domain, which is then not requested again automatically. The job with the returned id
// deletes the certificate at the edge. The id is zero if the edge has nothing to delete.
func (k Certificates) Release(ctx context.Context, account, domain uuid.UUID) (job uuid.UUID, err error) {
	return TxOf(ctx, k.s, func(s *Store) (job uuid.UUID, err error) {
		if job, err = s.Certificates().enqueueRelease(ctx, account, domain); err != nil {
			return job, err
		}
		err = s.run(ctx, "release certificate", `UPDATE certificates SET `+releasedState+`
			WHERE account_id = $1 AND domain_id = $2 AND wanted`, account, domain)
		return job, err
	})
}

func (k Certificates) enqueueRelease(ctx context.Context, account, domain uuid.UUID) (job uuid.UUID, err error) {
	job, _, err = db.First[uuid.UUID](ctx, k.s.c, "release certificate", releaseOne, account, domain)
	return job, err
}

func (k Certificates) releaseAll(ctx context.Context, account uuid.UUID) error {
	return k.s.Tx(ctx, func(s *Store) error {
		if err := s.run(ctx, "release certificates", releaseAll, account); err != nil {
			return err
		}
		return s.run(ctx, "release certificates", `UPDATE certificates SET `+releasedState+` WHERE account_id = $1 AND wanted`, account)
	})
}

const certificateInUse = `
SELECT EXISTS (SELECT FROM certificates c JOIN domains d ON d.id = c.domain_id
WHERE c.edge = $1 AND c.host = $2 AND c.wanted AND (d.is_verified OR $3 <> '' AND c.external_id = $3))`

// InUse reports whether a domain uses a certificate that is about to be deleted at the edge. This is so if the host was added
// again.
func (k Certificates) InUse(ctx context.Context, edge, host, externalID string) (bool, error) {
	return db.Get[bool](ctx, k.s.c, "certificate in use", certificateInUse, edge, host, externalID)
}

const certificateFails = 3

var selectTroubledCertificates = `SELECT ` + certificateColumns + ` FROM certificates c JOIN domains d ON d.id = c.domain_id
WHERE c.account_id = $1 AND c.wanted AND (c.expires_at < $2 OR NOT c.serving AND c.attempts >= $3)
ORDER BY c.expires_at, c.domain_id LIMIT $4`

// Troubled lists the account's certificates that expire soon and were not renewed, and certificates that cannot be obtained.
func (k Certificates) Troubled(ctx context.Context, account uuid.UUID, now time.Time) ([]models.Certificate, error) {
	return db.Select[models.Certificate](ctx, k.s.c, "troubled certificates", selectTroubledCertificates, account,
		now.Add(models.CertificateExpiresSoon), certificateFails, MaxAlerts)
}

const hurryCertificates = `
UPDATE certificates SET next_at = $2 WHERE host = $1 AND wanted AND NOT serving AND attempts < 3 AND next_at > $2`

// MakeDue makes the certificates of a host due now, because a visitor requested the host and there was no certificate. A
// certificate that has failed three times in a row keeps its next time.
func (k Certificates) MakeDue(ctx context.Context, host string, now time.Time) error {
	return k.s.run(ctx, "hurry certificate", hurryCertificates, host, now)
}
