package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// DNSArgs name a DNS account.
type DNSArgs struct {
	ID uuid.UUID `json:"id"`
}

// DNSZones lists the zones of a DNS account. If OK is false, Message has the reason.
type DNSZones struct {
	ID       uuid.UUID `json:"id"`
	Provider string    `json:"provider"`
	Label    string    `json:"label"`
	OK       bool      `json:"ok"`
	Message  string    `json:"message"`
	Zones    []string  `json:"zones"`
}

// The parts of the time limits of the jobs below.
const (
	ZonesTimeout = 15 * time.Second // for reading the zones of an account; all accounts are read in parallel
	PointTimeout = 20 * time.Second // for pointing one host at the tracker
	spareTime    = 9 * time.Second  // for the rest of a job's work
)

// MaxPointed is the maximum number of hosts that one job points at the tracker.
const MaxPointed = 10

var zonesPolicy = interactive(ZonesTimeout + spareTime)

// TestDNS reads the zones of a DNS account. Errors: not_connected.
var TestDNS = Define[DNSArgs, DNSZones]("dns:test", zonesPolicy)

// ListDNSZones reads the zones of all DNS accounts of an account.
var ListDNSZones = Define[None, []DNSZones]("dns:zones", zonesPolicy)

// AddDomainsArgs has at most MaxPointed hosts, and the DNS account that is used to point them at the tracker.
type AddDomainsArgs struct {
	DNS      uuid.UUID             `json:"dns"`
	Hosts    []string              `json:"hosts"`
	Settings models.DomainSettings `json:"settings"`
}

// AddedDomain is a domain that was added.
type AddedDomain struct {
	ID         uuid.UUID `json:"id"`
	Host       string    `json:"host"`
	IsVerified bool      `json:"is_verified"`
}

// AddedDomains has the domains that were added, the hosts that were skipped, and the changes made in DNS for each added domain.
type AddedDomains struct {
	Added   []AddedDomain     `json:"added"`
	Skipped []string          `json:"skipped"`
	Points  []models.DNSPoint `json:"points"`
}

// AddDomains adds domains, and points them at the tracker with a DNS account. Errors: dns_account_not_found, and the errors of
// adding a domain.
var AddDomains = Define[AddDomainsArgs, AddedDomains]("domains:add", interactive(ZonesTimeout+MaxPointed*PointTimeout+spareTime))

// PointDomainArgs name a domain.
type PointDomainArgs struct {
	ID uuid.UUID `json:"id"`
}

// PointedDomain describes the changes made in DNS for a domain.
type PointedDomain struct {
	models.DNSPoint
	Provider    string       `json:"provider"`
	Certificate *Certificate `json:"certificate"` // the state that the edge last reported; nil: this install has no edge
}

// PointDomain points a domain at the tracker, with the DNS account that has the domain's zone. Errors: not_found, no_provider.
var PointDomain = Define[PointDomainArgs, PointedDomain]("domains:point", interactive(ZonesTimeout+PointTimeout+spareTime))
