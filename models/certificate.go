package models

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The edges that bring domains their certificates. An install has one, or none.
const (
	EdgeCloudflare = "cloudflare"
	EdgeOwn        = "own" // the service itself, by ACME
)

// KindReleaseCertificate is the kind of the job that has an edge forget a host.
const KindReleaseCertificate = "certificates:forget"

// Some states of a certificate; SSLStatuses has all.
const (
	SSLNone              = "none" // there is no certificate, nor is one on its way
	SSLInitializing      = "initializing"
	SSLPendingValidation = "pending_validation"
	SSLPendingIssuance   = "pending_issuance"
	SSLActive            = "active"
	SSLExpired           = "expired"
	SSLValidationTimeout = "validation_timed_out"
	SSLIssuanceTimeout   = "issuance_timed_out"
)

// SSLStatuses lists the states of a certificate: Cloudflare's names, which are used for every edge, and "none".
var SSLStatuses = []string{
	SSLNone, SSLInitializing, SSLPendingValidation, "deleted", SSLPendingIssuance, "pending_deployment", "pending_deletion",
	"pending_expiration", SSLExpired, SSLActive, "initializing_timed_out", SSLValidationTimeout, SSLIssuanceTimeout,
	"deployment_timed_out", "deletion_timed_out", "pending_cleanup", "staging_deployment", "staging_active", "deactivating",
	"inactive", "backup_issued", "holding_deployment",
}

// sslStuck lists the states that a certificate never leaves until the edge is asked again.
var sslStuck = []string{SSLNone, "deleted", SSLExpired, "inactive", "deactivating", "pending_cleanup", "pending_expiration"}

// SSLStuck reports whether a certificate stays in a state until the edge is asked again.
func SSLStuck(status string) bool {
	return strings.HasSuffix(status, "_timed_out") || slices.Contains(sslStuck, status)
}

// CertificateRecord is a DNS record that proves to the edge whose a host is.
type CertificateRecord struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CertificatePage is a page of a host that proves to the edge whose the host is.
type CertificatePage struct {
	URL  string `json:"http_url"`
	Body string `json:"http_body"`
}

// Certificate is what an edge has for a domain. The edge fills the CertificateState; the rest is of the store.
type Certificate struct {
	DomainID  uuid.UUID `db:"domain_id"`
	AccountID uuid.UUID `db:"account_id"`
	Hostname  string    `db:"host"`
	Edge      string    `db:"edge"`     // empty: no edge was ever asked
	Verified  bool      `db:"verified"` // the domain is
	Wanted    bool      `db:"wanted"`   // false: it was released
	// AskedAt is since when the edge may have something for the host; nil: it was never asked.
	AskedAt *time.Time `db:"asked_at"`
	CertificateState
	ChangedAt    time.Time  `db:"changed_at"`    // since when it is in its state
	CheckedAt    *time.Time `db:"checked_at"`    // when the edge last answered; nil: never
	Failure      string     `db:"failure"`       // why it cannot be had, as of the last time; for a person
	FailingSince *time.Time `db:"failing_since"` // nil: it serves, or is on its way for the first time
	Attempts     int        `db:"attempts"`      // that failed since it last served
}

// CertificateState is what an edge says of a certificate.
type CertificateState struct {
	// ExternalID is the edge's own name for it; empty: the edge has nothing for the host.
	ExternalID    string             `db:"external_id"`
	SSLStatus     string             `db:"ssl_status"` // of SSLStatuses
	Serving       bool               `db:"serving"`    // HTTPS works at the host, as far as the edge knows
	Detail        string             `db:"detail"`     // what is to be known or done, for a person
	Ownership     *CertificateRecord `db:"ownership,json"`
	OwnershipHTTP *CertificatePage   `db:"ownership_http,json"`
	Errors        []string           `db:"errors,json"` // what the edge says is wrong
	IssuedAt      *time.Time         `db:"issued_at"`
	ExpiresAt     *time.Time         `db:"expires_at"`
	// RenewAt is when the edge has to be asked for a new certificate; nil: the edge renews it automatically.
	RenewAt *time.Time `db:"renew_at"`
}

// Shown returns the state as an answer shows it. The last failure is the first of the errors. If there is no certificate, the
// detail says when there will be one.
func (c Certificate) Shown() CertificateState {
	s := c.CertificateState
	if c.Failure != "" {
		s.Errors = append([]string{c.Failure}, s.Errors...)
	}
	if s.SSLStatus != SSLNone || s.Detail != "" || c.Failure != "" {
		return s
	}
	switch {
	case !c.Wanted && c.Edge != "":
		s.Detail = "It was released. None is asked for until you do."
	case !c.Verified:
		s.Detail = "It is asked for once the domain is verified."
	default:
		s.Detail = "It is asked for in a moment."
	}
	return s
}

// NeedsRequest reports whether the edge has to be asked for a certificate, rather than how it is.
func (c Certificate) NeedsRequest(now time.Time) bool {
	return c.ExternalID == "" || SSLStuck(c.SSLStatus) || c.RenewAt != nil && !c.RenewAt.After(now)
}

// When certificates are looked at again.
const (
	certificateDay   = 24 * time.Hour
	firstRetry       = time.Minute
	retryGrows       = 4
	soonestLook      = 10 * time.Second
	latestLook       = time.Hour
	failingFor       = 30 * certificateDay // then only on request
	spreadOfNextLook = 0.2
)

// NextLook returns when a certificate is looked at again. random is from 0 to 1 and spreads looks that would fall on the same
// moment. ok is false if the certificate is looked at only on request.
//
// A certificate that serves is looked at daily, and when it has to be renewed. A certificate that fails is tried again after a
// minute and then after growing waits of at most a day. A certificate on its way is looked at more often the younger its state
// is.
func (c Certificate) NextLook(now time.Time, random float64) (next time.Time, ok bool) {
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
		wait = min(max(now.Sub(c.ChangedAt)/retryGrows, soonestLook), latestLook)
	}
	next = now.Add(time.Duration(float64(wait) * (1 + spreadOfNextLook*(random-0.5))))
	if c.Serving && c.RenewAt != nil && c.RenewAt.Before(next) && c.Failure == "" {
		next = *c.RenewAt
		if soonest := now.Add(firstRetry); next.Before(soonest) {
			next = soonest
		}
	}
	return next, true
}

// EdgeError is a refusal of an edge. The code of the error is edge_ with the edge's own code: Cloudflare's number, or the
// problem type of ACME, such as rateLimited.
func EdgeError(code, format string, args ...any) *Error {
	return Errorf(KindBadGateway, "edge_"+code, format, args...)
}

// Codes of an edge that could not be asked.
const (
	EdgeUnavailable = "edge_unavailable"
	EdgeUnreachable = "edge_unreachable" // the authorities behind our own
)

// EdgeRefusalError is an EdgeError with more details.
type EdgeRefusalError struct {
	Public  *Error
	Wait    time.Duration // after which the edge may be asked again, if it asks for fewer requests; else 0
	Refused bool          // it does not accept the credentials of this install
}

// Error implements error.
func (f *EdgeRefusalError) Error() string { return f.Public.Error() }

// Unwrap gives what a client may see.
func (f *EdgeRefusalError) Unwrap() error { return f.Public }

// EdgeNotConfigured says that this install has no edge.
func EdgeNotConfigured() *Error {
	return Errorf(KindUnavailable, "edge_not_configured", "this install is connected to no edge that serves HTTPS for domains")
}
