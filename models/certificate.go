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

// SSLStatuses are the states of a certificate: those that Cloudflare names, whichever edge it is, and none.
var SSLStatuses = []string{
	SSLNone, SSLInitializing, SSLPendingValidation, "deleted", SSLPendingIssuance, "pending_deployment", "pending_deletion",
	"pending_expiration", SSLExpired, SSLActive, "initializing_timed_out", SSLValidationTimeout, SSLIssuanceTimeout,
	"deployment_timed_out", "deletion_timed_out", "pending_cleanup", "staging_deployment", "staging_active", "deactivating",
	"inactive", "backup_issued", "holding_deployment",
}

// sslStuck are the states that no certificate leaves by itself: the edge has to be asked again.
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

// Certificate is what an edge has for a domain. An edge fills what follows ExternalID from its own answers; the rest is of
// the store.
type Certificate struct {
	ID       uuid.UUID `db:"id"`
	Hostname string    `db:"host"`
	Edge     string    `db:"edge"`
	Verified bool      `db:"verified"` // the domain is
	// ExternalID is the edge's own name for it; empty: it has nothing for the host.
	ExternalID    string             `db:"external_id"`
	SSLStatus     string             `db:"ssl_status"` // of SSLStatuses
	Serving       bool               `db:"serving"`    // HTTPS works at the host, as far as the edge knows
	Detail        string             `db:"detail"`     // what is to be known or done, for a person
	Ownership     *CertificateRecord `db:"ownership,json"`
	OwnershipHTTP *CertificatePage   `db:"ownership_http,json"`
	Errors        []string           `db:"errors,json"` // what the edge says is wrong
	IssuedAt      *time.Time         `db:"issued_at"`
	ExpiresAt     *time.Time         `db:"expires_at"`
	// RenewAt is when the edge has to be asked for a new certificate; nil: it renews by itself.
	RenewAt *time.Time `db:"renew_at"`
}

// EdgeError is a refusal of an edge. The code of the error is edge_ with the edge's own code: Cloudflare's number, or the
// problem type of ACME, such as rateLimited.
func EdgeError(code, format string, args ...any) *Error {
	return Errorf(KindBadGateway, "edge_"+code, format, args...)
}

// EdgeNotConfigured says that this install has no edge.
func EdgeNotConfigured() *Error {
	return Errorf(KindUnavailable, "edge_not_configured", "this install is connected to no edge that serves HTTPS for domains")
}
