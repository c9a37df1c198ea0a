package models

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// How a provider points the apex of a zone, where DNS allows no CNAME, at a name.
const (
	ApexFlattens = "CNAME" // it takes a CNAME and answers addresses
	ApexAlias    = "ALIAS" // it has a record type of its own
	ApexAddress  = ""      // it cannot: the addresses of the name have to be set
)

// DNSProvider is a provider of DNS in which accounts can set records.
type DNSProvider struct {
	Name string // as DNSAccount.Provider
	Apex string
	CredentialForm
}

// DNSProviderNamed finds a provider.
func DNSProviderNamed(name string) (DNSProvider, bool) {
	i := slices.IndexFunc(DNSProviders, func(p DNSProvider) bool { return p.Name == name })
	if i < 0 {
		return DNSProvider{}, false
	}
	return DNSProviders[i], true
}

// MaxDNSAccounts is how many DNS accounts an account may connect.
const MaxDNSAccounts = 25

// DNSAccount is an account at a DNS provider that a customer has connected. Its secrets stay in the store.
type DNSAccount struct {
	ID        uuid.UUID         `db:"id"`
	AccountID uuid.UUID         `db:"account_id"`
	Provider  string            `db:"provider"`
	Label     string            `db:"label"`
	Settings  map[string]string `db:"settings,json"` // the credentials that are no secrets
	SavedAt   time.Time         `db:"saved_at"`
	// CheckedAt is when the provider was last asked; nil: never.
	CheckedAt *time.Time `db:"checked_at"`
	// FailingSince is when it began to fail; nil: the last time it did not.
	FailingSince *time.Time `db:"failing_since"`
	Failure      string     `db:"failure"` // for a person; without secrets
}

// Name is what a person calls the DNS account.
func (a DNSAccount) Name() string {
	p, _ := DNSProviderNamed(a.Provider)
	if a.Label == "" {
		return p.Label
	}
	return p.Label + " " + a.Label
}

// The results of a DNS change for a host.
const (
	DNSCreated  = "created"  // the record was set
	DNSKept     = "kept"     // it was there
	DNSConflict = "conflict" // there is another record, which was left unchanged
	DNSFailed   = "failed"   // the provider did not do it
)

// DNSRecord is a record of a host.
type DNSRecord struct {
	Type  string `json:"type"`
	Name  string `json:"name" doc:"in full"`
	Value string `json:"value"`
}

// DNSPoint is what a DNS account did for a host.
type DNSPoint struct {
	Host    string     `json:"host"`
	OK      bool       `json:"ok" doc:"the host points at the tracker, as soon as DNS has spread it"`
	Action  string     `json:"action" enum:"created,kept,conflict,failed" doc:"conflict: another record is there and was left as it is"`
	Record  *DNSRecord `json:"record" doc:"that points the host at the tracker or, in a conflict, that is there; null: none was looked at"`
	Message string     `json:"message" doc:"what was done, or what is to be done"`
}
