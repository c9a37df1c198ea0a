package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// CertificateArgs name a domain.
type CertificateArgs struct {
	Domain uuid.UUID `json:"domain"`
}

// Certificate is the state of a domain's certificate at the edge.
type Certificate struct {
	Host string `json:"host"`
	Edge string `json:"edge"` // name of the edge; empty: no certificate was requested
	models.CertificateState
}

// ReleasedCertificate is the result of a release.
type ReleasedCertificate struct {
	Deleted bool   `json:"deleted"` // the edge had a certificate
	Detail  string `json:"detail"`
}

// certificatePolicy applies to jobs that send a request to the edge while a caller waits. An install that is its own edge may
// have to wait for the certificate authority.
var certificatePolicy = interactive(2 * time.Minute)

// RequestCertificate requests the certificate of a domain from the edge. Errors: not_found, edge_not_configured, edge_<code>.
var RequestCertificate = Define[CertificateArgs, Certificate]("certificates:request", certificatePolicy)

// ReadCertificate reads the state of a domain's certificate from the edge. It has the errors of RequestCertificate.
var ReadCertificate = Define[CertificateArgs, Certificate]("certificates:read", certificatePolicy)

// ReleaseCertificate releases the certificate of a domain, so that it is not obtained again automatically. If the edge refuses,
// the job fails with an error of RequestCertificate, and ReleaseAtEdge keeps trying.
var ReleaseCertificate = Define[CertificateArgs, ReleasedCertificate]("certificates:release", certificatePolicy)

// ReleaseAtEdgeArgs name the host whose certificate the edge must delete.
type ReleaseAtEdgeArgs struct {
	Edge       string    `json:"edge"`
	Host       string    `json:"host"`
	ExternalID string    `json:"external_id"` // empty: unknown; the edge then deletes what was created after AskedAt
	AskedAt    time.Time `json:"asked_at"`
}

// ReleaseAtEdge makes the edge delete a host whose certificate was released or whose domain was deleted. Its row is written
// together with that change. The last wait between attempts repeats for about twelve days, so that an operator can correct the
// credentials.
var ReleaseAtEdge = Define[ReleaseAtEdgeArgs, None](models.KindReleaseCertificate, Policy{
	Queue: Bulk, Timeout: 2 * time.Minute, Row: true, MaxAttempts: 40,
	Retries: []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 8 * time.Hour},
})

// SweepCertificates requests the certificates of verified domains from the edge, and checks the certificates whose next check is due.
var SweepCertificates = tickWithin("certificates:sweep", 10*time.Minute)
