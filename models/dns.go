package models

import (
	"time"

	"github.com/google/uuid"
)

// The ways in which the apex of a zone can point at a name. DNS does not allow a CNAME at an apex.
const (
	ApexFlattens = "CNAME" // the provider accepts a CNAME and answers queries with addresses
	ApexAlias    = "ALIAS" // the provider has a record type of its own
	ApexAddress  = ""      // the apex cannot point at a name: the name's addresses must be set
)

// DNSProvider is a provider of DNS in which accounts can set records.
type DNSProvider struct {
	Name string // the value of DNSAccount.Provider
	Apex string
	CredentialForm
}

// DNSProviderNamed finds a provider by its name.
func DNSProviderNamed(name string) (DNSProvider, bool) {
	return find(DNSProviders, func(p DNSProvider) bool { return p.Name == name })
}

// MaxDNSAccounts is the maximum number of DNS accounts that an account may connect.
const MaxDNSAccounts = 25

// DNSAccount is an account at a DNS provider that a customer has connected. Its secrets are left out.
type DNSAccount struct {
	ID        uuid.UUID         `db:"id"`
	AccountID uuid.UUID         `db:"account_id"`
	Provider  string            `db:"provider"`
	Label     string            `db:"label"`
	Settings  map[string]string `db:"settings,json"` // the credentials that are not secret
	SavedAt   time.Time         `db:"saved_at"`
	// CheckedAt is the time of the last request to the provider. It is nil if no request was made.
	CheckedAt *time.Time `db:"checked_at"`
	// FailingSince is the time since which requests fail. It is nil if the last request succeeded.
	FailingSince *time.Time `db:"failing_since"`
	Failure      string     `db:"failure"` // for people; contains no secrets
}

// Name returns the name of the DNS account for people: the provider's label and the account's own label, if it has one.
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
	DNSKept     = "kept"     // the record was already there
	DNSConflict = "conflict" // there is another record, which was left unchanged
	DNSFailed   = "failed"   // the provider did not set the record
)

// DNSRecord is a record of a host.
type DNSRecord struct {
	Type  string `json:"type"`
	Name  string `json:"name" doc:"the full name"`
	Value string `json:"value"`
}

// DNSPoint is the result of pointing a host at the tracker through a DNS account.
type DNSPoint struct {
	Host    string     `json:"host"`
	OK      bool       `json:"ok" doc:"the host points at the tracker, once DNS has propagated the record"`
	Action  string     `json:"action" enum:"created,kept,conflict,failed" doc:"conflict: there is another record, which was not changed"`
	Record  *DNSRecord `json:"record" doc:"the record that points the host at the tracker or, in a conflict, the existing record; null: no record was read"`
	Message string     `json:"message" doc:"what was done, or what must still be done"`
}
