package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// VerifyDomainArgs name a domain.
type VerifyDomainArgs struct {
	ID uuid.UUID `json:"id"`
}

// VerifiedDomain is what a look at a domain found, and whether it serves now.
type VerifiedDomain struct {
	ID       uuid.UUID `json:"id"`
	Host     string    `json:"host"`
	Expected string    `json:"expected"` // what the domain should lead to
	Verified bool      `json:"verified"`
	models.DomainCheck
}

// CheckTimeout is for a look at a domain.
const CheckTimeout = 15 * time.Second

// VerifyDomain looks where a domain leads, now. Errors: not_found.
var VerifyDomain = Define[VerifyDomainArgs, VerifiedDomain]("domains:verify", Policy{
	Queue: Interactive, Timeout: CheckTimeout + spareTime,
})

// SweepDomains looks at the domains whose check is due. The next run continues where a run ends.
var SweepDomains = tick("domains:sweep", 10*time.Minute)

// SweepRegistrations looks up when the registrations of domain names end. The next run continues where a run ends.
var SweepRegistrations = tick("domains:registrations", 10*time.Minute)

// SweepOwnHosts obtains the certificates of the install's own hosts, and deletes challenges that were left unfinished.
var SweepOwnHosts = tick("certificates:own", 10*time.Minute)
