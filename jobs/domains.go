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

// VerifiedDomain is the result of a check of a domain.
type VerifiedDomain struct {
	ID       uuid.UUID `json:"id"`
	Host     string    `json:"host"`
	Expected string    `json:"expected"` // the address that the domain should lead to
	Verified bool      `json:"verified"`
	models.DomainCheck
}

// CheckTimeout is the time limit of a check of a domain.
const CheckTimeout = 15 * time.Second

// VerifyDomain checks where a domain leads now. Errors: not_found.
var VerifyDomain = Define[VerifyDomainArgs, VerifiedDomain]("domains:verify", interactive(CheckTimeout+spareTime))

// SweepDomains checks the domains whose check is due.
var SweepDomains = tickWithin("domains:sweep", 10*time.Minute)

// SweepRegistrations looks up when the registrations of domain names end.
var SweepRegistrations = tickWithin("domains:registrations", 10*time.Minute)

// SweepOwnHosts obtains and renews the certificates of the install's own hosts, and deletes expired challenges.
var SweepOwnHosts = tickWithin("certificates:own", 10*time.Minute)
