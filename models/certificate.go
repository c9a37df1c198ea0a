package models

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The edges that obtain certificates for domains. An install has one edge, or none.
const (
	EdgeCloudflare = "cloudflare"
	EdgeOwn        = "own" // the service itself, with ACME
)

// KindReleaseCertificate is the kind of the job that makes an edge delete the certificate of a host.
const KindReleaseCertificate = "certificates:forget"

// Some states of a certificate.
const (
	SSLNone              = "none" // there is no certificate, and no request for one is open
	SSLInitializing      = "initializing"
	SSLPendingValidation = "pending_validation"
	SSLPendingIssuance   = "pending_issuance"
	SSLActive            = "active"
	SSLExpired           = "expired"
	SSLValidationTimeout = "validation_timed_out"
	SSLIssuanceTimeout   = "issuance_timed_out"
)

// SSLStatuses lists the states of a certificate. Except for "none" they are the names that Cloudflare uses.
var SSLStatuses = []string{
	SSLNone, SSLInitializing, SSLPendingValidation, "deleted", SSLPendingIssuance, "pending_deployment", "pending_deletion",
	"pending_expiration", SSLExpired, SSLActive, "initializing_timed_out", SSLValidationTimeout, SSLIssuanceTimeout,
	"deployment_timed_out", "deletion_timed_out", "pending_cleanup", "staging_deployment", "staging_active", "deactivating",
	"inactive", "backup_issued", "holding_deployment",
}

// sslStuck lists the states that a certificate leaves only after a new request to the edge, without the states that end in
// _timed_out.
var sslStuck = []string{SSLNone, "deleted", SSLExpired, "inactive", "deactivating", "pending_cleanup", "pending_expiration"}

// SSLStuck reports whether a certificate leaves a state only after a new request to the edge.
func SSLStuck(status string) bool {
	return strings.HasSuffix(status, "_timed_out") || slices.Contains(sslStuck, status)
}

// CertificateRecord is a DNS record by which the account proves to the edge that it owns a host.
type CertificateRecord struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CertificatePage is a page of a host by which the account proves to the edge that it owns the host.
type CertificatePage struct {
	URL  string `json:"http_url"`
	Body string `json:"http_body"`
}

// Certificate describes the certificate that an edge has for a domain. The edge sets the CertificateState, and the store sets the
// rest.
type Certificate struct {
	DomainID  uuid.UUID `db:"domain_id"`
	AccountID uuid.UUID `db:"account_id"`
	Hostname  string    `db:"host"`
	Edge      string    `db:"edge"` // empty: the certificate was never requested from an edge
	Verified  bool      `db:"verified"`
	Wanted    bool      `db:"wanted"` // false: the certificate was released
	// AskedAt is the time of the first request to the edge. Since then, the edge may have a certificate or an order for the host.
	// It is nil if there was no request.
	AskedAt *time.Time `db:"asked_at"`
	CertificateState
	ChangedAt    time.Time  `db:"changed_at"`    // time at which the certificate got its present state
	CheckedAt    *time.Time `db:"checked_at"`    // when the edge last answered; nil: never
	Failure      string     `db:"failure"`       // why the last attempt to get the certificate failed; for people
	FailingSince *time.Time `db:"failing_since"` // time of the first of the failed attempts that Attempts counts; nil: none
	Attempts     int        `db:"attempts"`      // failed attempts since the edge last answered that the certificate serves
}

// CertificateState is the state of a certificate as the edge reports it.
type CertificateState struct {
	// ExternalID is the edge's own id of the certificate. It is empty if the edge has nothing for the host.
	ExternalID    string             `db:"external_id"`
	SSLStatus     string             `db:"ssl_status"` // one of SSLStatuses
	Serving       bool               `db:"serving"`    // HTTPS works at the host, as far as the edge knows
	Detail        string             `db:"detail"`     // what a person should know or do
	Ownership     *CertificateRecord `db:"ownership,json"`
	OwnershipHTTP *CertificatePage   `db:"ownership_http,json"`
	Errors        []string           `db:"errors,json"` // errors that the edge reports
	IssuedAt      *time.Time         `db:"issued_at"`
	ExpiresAt     *time.Time         `db:"expires_at"`
	// RenewAt is the time at which a new certificate must be requested. It is nil if the edge renews automatically.
	RenewAt *time.Time `db:"renew_at"`
}

// Public returns the state in the form of answers. The last failure becomes the first of the errors. If there is nothing else to
// report, the detail says whether and when a certificate will be requested.
func (c Certificate) Public() CertificateState {
	s := c.CertificateState
	if c.Failure != "" {
		s.Errors = append([]string{c.Failure}, s.Errors...)
	}
	if s.SSLStatus != SSLNone || s.Detail != "" || c.Failure != "" {
		return s
	}
	switch {
	case !c.Wanted && c.Edge != "":
		s.Detail = "The certificate was released. No new certificate is obtained until you request one."
	case !c.Verified:
		s.Detail = "The certificate will be requested once the domain is verified."
	default:
		s.Detail = "The certificate will be requested in a moment."
	}
	return s
}

// NeedsRequest reports whether a new certificate must be requested from the edge. If not, only its state is read.
func (c Certificate) NeedsRequest(now time.Time) bool {
	return c.ExternalID == "" || SSLStuck(c.SSLStatus) || c.RenewAt != nil && !c.RenewAt.After(now)
}

// The constants of NextCheck.
const (
	certificateDay = 24 * time.Hour
	firstRetry     = time.Minute
	retryGrows     = 4 // factor from one wait to the next after failures; a state is checked again after 1/retryGrows of its age
	soonestCheck   = 10 * time.Second
	latestCheck    = time.Hour
	failingFor     = 30 * certificateDay // a certificate that has failed for longer and does not serve is checked only on request
	checkSpread    = 0.2
)

// NextCheck returns the time of the next check of a certificate. random, from 0 to 1, spreads checks that would otherwise happen
// at the same moment. ok is false if the certificate is checked only on request.
//
// A certificate that serves is checked once a day, and renewed in time. A failed certificate is retried after a minute, and then
// at growing intervals of at most a day. A certificate that is being issued is checked after a quarter of its state's age, but
// after at least 10 seconds and at most 1 hour.
func (c Certificate) NextCheck(now time.Time, random float64) (next time.Time, ok bool) {
	var wait time.Duration
	switch {
	case c.Attempts > 0 && !c.Serving && c.FailingSince != nil && now.Sub(*c.FailingSince) > failingFor:
		return now, false
	case c.Attempts > 0 && (c.Failure != "" || SSLStuck(c.SSLStatus)):
		wait = firstRetry
		for i := 1; i < c.Attempts && wait < certificateDay; i++ {
			wait = min(wait*retryGrows, certificateDay)
		}
	case c.Serving:
		wait = certificateDay
	default:
		wait = min(max(now.Sub(c.ChangedAt)/retryGrows, soonestCheck), latestCheck)
	}
	next = now.Add(time.Duration(float64(wait) * (1 + checkSpread*(random-0.5))))
	if c.Serving && c.RenewAt != nil && c.RenewAt.Before(next) && c.Failure == "" {
		next = *c.RenewAt
		if soonest := now.Add(firstRetry); next.Before(soonest) {
			next = soonest
		}
	}
	return next, true
}

// CertificateExpiresSoon is the remaining lifetime below which a certificate should already have been renewed.
const CertificateExpiresSoon = 14 * 24 * time.Hour

// EdgeError returns the error for a refusal by an edge. The code is "edge_", followed by the number of Cloudflare's error or by
// the problem type of ACME, such as rateLimited.
func EdgeError(code, format string, args ...any) *Error {
	return Errorf(KindBadGateway, "edge_"+code, format, args...)
}

// Codes of the errors if no request could be made to an edge.
const (
	EdgeUnavailable = "edge_unavailable"
	EdgeUnreachable = "edge_unreachable" // no certificate authority of our own edge can be reached
)

// EdgeRefusalError is an EdgeError with details for the caller.
type EdgeRefusalError struct {
	Public  *Error
	Wait    time.Duration // wait before the next request if the edge limits requests, otherwise 0
	Refused bool          // the edge does not accept the credentials of this install
}

// Error implements error.
func (f *EdgeRefusalError) Error() string { return f.Public.Error() }

// Unwrap returns the error that a client may see.
func (f *EdgeRefusalError) Unwrap() error { return f.Public }

// EdgeNotConfigured returns the error for an install that has no edge.
func EdgeNotConfigured() *Error {
	return Errorf(KindUnavailable, "edge_not_configured", "this install is not connected to an edge that serves HTTPS for domains")
}
