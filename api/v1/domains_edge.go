package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
)

// CertificateAnswer is the state of a domain's certificate at the edge.
type CertificateAnswer struct {
	Hostname      string         `json:"hostname"`
	Edge          *string        `json:"edge" enum:"own,cloudflare" doc:"which edge issues the certificate; own: this install, by ACME; null: no certificate was requested yet"`
	SSLStatus     string         `json:"ssl_status" doc:"the state of the certificate in the edge's own words, or none"`
	Serving       bool           `json:"serving" doc:"whether the hostname and the certificate are active"`
	Detail        string         `json:"detail"`
	Ownership     *OwnershipTXT  `json:"ownership" doc:"the DNS record to set, which proves who owns the hostname"`
	OwnershipHTTP *OwnershipHTTP `json:"ownership_http" doc:"the file to serve, which proves who owns the hostname"`
	Errors        []string       `json:"errors"`
	ExpiresAt     *string        `json:"expires_at" doc:"when the certificate expires; null: there is no certificate, or the edge does not report it"`
}

// OwnershipTXT is a DNS record that the edge requires.
type OwnershipTXT struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// OwnershipHTTP is a file that the edge requires.
type OwnershipHTTP struct {
	HTTPURL  string `json:"http_url"`
	HTTPBody string `json:"http_body"`
}

// CertificateDeleted is the answer to releasing a certificate.
type CertificateDeleted struct {
	Deleted bool   `json:"deleted"`
	Detail  string `json:"detail"`
}

func certificateAnswer(c jobs.Certificate) CertificateAnswer {
	out := CertificateAnswer{
		Hostname: c.Host, Edge: answer.OrNull(c.Edge), SSLStatus: c.SSLStatus, Serving: c.Serving, Detail: c.Detail, Errors: append([]string{}, c.Errors...),
		ExpiresAt: answer.StampOrNull(c.ExpiresAt),
	}
	if o := c.Ownership; o != nil {
		out.Ownership = &OwnershipTXT{o.Type, o.Name, o.Value}
	}
	if o := c.OwnershipHTTP; o != nil {
		out.OwnershipHTTP = &OwnershipHTTP{o.URL, o.Body}
	}
	return out
}

var (
	requestCertificateJob = slow.New(jobs.RequestCertificate, certificateAnswer)
	readCertificateJob    = slow.New(jobs.ReadCertificate, certificateAnswer)
	releaseCertificateJob = slow.New(jobs.ReleaseCertificate, func(r jobs.ReleasedCertificate) CertificateDeleted {
		return CertificateDeleted{r.Deleted, r.Detail}
	})
)

// atEdge returns a handler that runs a job for the domain's certificate.
func atEdge[R, T any](d Deps, job slow.Job[jobs.CertificateArgs, R, T]) func(*route.Call, models.Domain) (T, error) {
	return func(c *route.Call, _ models.Domain) (none T, err error) {
		if d.Edge == "" {
			return none, models.EdgeNotConfigured()
		}
		return job.Run(c, d.Jobs, jobs.CertificateArgs{Domain: c.ID})
	}
}

// PointAnswer is the result of pointing a domain through a DNS account.
type PointAnswer struct {
	OK          bool               `json:"ok"`
	Provider    string             `json:"provider"`
	Message     string             `json:"message"`
	Detail      string             `json:"detail" doc:"the record that points the domain at the tracker, or a conflicting record"`
	Certificate *CertificateAnswer `json:"certificate" doc:"the certificate as the edge last reported it; null: there is no edge"`
	Note        string             `json:"note"`
}

var pointDomainJob = slow.New(jobs.PointDomain, func(p jobs.PointedDomain) PointAnswer {
	out := PointAnswer{OK: p.OK, Provider: p.Provider, Message: p.Message}
	if p.Record != nil {
		out.Detail = p.Record.Name + " " + p.Record.Type + " " + p.Record.Value
	}
	if p.Certificate != nil {
		out.Certificate = new(certificateAnswer(*p.Certificate))
	}
	if p.OK {
		out.Note = "Resolvers may show the old state for a while. Links on the domain work once it is verified."
	}
	return out
})

func (d Deps) pointDomain(c *route.Call, domain models.Domain) (PointAnswer, error) {
	connected, err := c.Store.DNSAccounts().List(c.Context(), c.Account.ID)
	if err == nil && len(connected) == 0 {
		err = models.Invalid("no_provider", "no DNS account is connected: connect the one that has the zone of %s", domain.Host)
	}
	if err != nil {
		return PointAnswer{}, err
	}
	return pointDomainJob.Run(c, d.Jobs, jobs.PointDomainArgs{ID: c.ID})
}

// VerifyAnswer tells whether a domain points at the tracker.
type VerifyAnswer struct {
	ID        uuid.UUID `json:"id"`
	Domain    string    `json:"domain"`
	Expected  string    `json:"expected" doc:"what the domain's CNAME should point at; the records to set are in GET /domains"`
	Verified  bool      `json:"verified" doc:"whether links on the domain work: either this install has answered at the domain and DNS proves that the domain is the account's, or the operator has verified the domain"`
	Points    *bool     `json:"points" doc:"whether DNS points at the tracker; null: DNS could not be queried"`
	Detail    string    `json:"detail"`
	HTTPS     *bool     `json:"https" doc:"whether the domain answers over HTTPS with a certificate that browsers accept; null: this could not be checked"`
	Records   []string  `json:"records" doc:"what DNS answered"`
	Proof     *string   `json:"proof" enum:"none,txt,cname" doc:"how DNS proves that the domain is the account's; null: DNS could not be queried"`
	CheckedAt *string   `json:"checked_at"`
}

var verifyDomainJob = slow.New(jobs.VerifyDomain, func(v jobs.VerifiedDomain) VerifyAnswer {
	return VerifyAnswer{
		ID: v.ID, Domain: v.Host, Expected: v.Expected, Verified: v.Verified, Points: v.Points, Detail: v.Detail, HTTPS: v.HTTPS,
		Records: append([]string{}, v.Records...), Proof: v.Proof, CheckedAt: answer.StampOrNull(&v.At),
	}
})

func (d Deps) verifyDomain(c *route.Call, _ models.Domain) (VerifyAnswer, error) {
	if d.Tracker.Host == "" {
		return VerifyAnswer{}, models.Errorf(models.KindUnavailable, "tracking_domain_unset",
			"this install has no hostname to point a domain at")
	}
	return verifyDomainJob.Run(c, d.Jobs, jobs.VerifyDomainArgs{ID: c.ID})
}
