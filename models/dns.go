package models

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// DNSField is a credential of a DNS provider.
type DNSField struct {
	Name     string
	Label    string
	Secret   bool // it is sealed, and never shown
	Required bool
	// Address says where requests go. When it changes, the secrets must be sent again: a kept one would go to a place that
	// its owner did not choose.
	Address bool
	Values  []string // what it may be; empty: any text
	Default string   // when it is left out
	Help    string   // where it is found
}

// How a provider points the apex of a zone, where DNS allows no CNAME, at a name.
const (
	ApexFlattens = "CNAME" // it takes a CNAME and answers addresses
	ApexAlias    = "ALIAS" // it has a record type of its own
	ApexAddress  = ""      // it cannot: the addresses of the name have to be set
)

// DNSProvider is a provider of DNS in which accounts can set records.
type DNSProvider struct {
	Name   string // as DNSAccount.Provider
	Label  string
	Apex   string
	Fields []DNSField
}

// DNSProviderNamed finds a provider.
func DNSProviderNamed(name string) (DNSProvider, bool) {
	i := slices.IndexFunc(DNSProviders, func(p DNSProvider) bool { return p.Name == name })
	if i < 0 {
		return DNSProvider{}, false
	}
	return DNSProviders[i], true
}

// MaskedSecret takes the place of a secret in answers. Sent back, it means what a blank one means: the stored one stays.
const MaskedSecret = "********"

// maxCredential is the longest credential in characters: a private key in JSON has some 2,500.
const maxCredential = 8000

// Complete checks what was sent for an account of the provider, and fills what was left blank from the stored
// credentials and the defaults. The error is invalid_credentials; it does not contain a value.
func (p DNSProvider) Complete(sent, stored map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name := range sent {
		if !slices.ContainsFunc(p.Fields, func(f DNSField) bool { return f.Name == name }) {
			return nil, credentialsError("%s has no field %.60q: its fields are %s", p.Label, name, p.fieldNames())
		}
	}
	moved := p.moved(sent, stored)
	for _, f := range p.Fields {
		value := clean(f, sent[f.Name])
		if value == "" && (!f.Secret || !moved) {
			value = stored[f.Name]
		}
		if value == "" {
			value = f.Default
		}
		switch {
		case value == "" && f.Required && f.Secret && moved:
			return nil, credentialsError("%s is required again, because the address changes", f.Name)
		case value == "" && f.Required:
			return nil, credentialsError("%s is required", f.Name)
		case utf8.RuneCountInString(value) > maxCredential:
			return nil, credentialsError("%s may have at most %d characters", f.Name, maxCredential)
		case strings.ContainsRune(value, 0):
			return nil, credentialsError("%s contains the character U+0000", f.Name)
		case len(f.Values) > 0 && value != "" && !slices.Contains(f.Values, value):
			return nil, credentialsError("%s must be one of %s", f.Name, strings.Join(f.Values, ", "))
		}
		if value != "" {
			out[f.Name] = value
		}
	}
	return out, nil
}

// moved reports whether a field that says where requests go changes.
func (p DNSProvider) moved(sent, stored map[string]string) bool {
	return slices.ContainsFunc(p.Fields, func(f DNSField) bool {
		value := clean(f, sent[f.Name])
		return f.Address && value != "" && stored[f.Name] != "" && value != stored[f.Name]
	})
}

func clean(f DNSField, value string) string {
	if value = strings.TrimSpace(value); f.Secret && value == MaskedSecret {
		return ""
	}
	return value
}

func credentialsError(format string, args ...any) error {
	return Invalid("invalid_credentials", format, args...)
}

func (p DNSProvider) fieldNames() string {
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// Split parts credentials into those that may be shown and the secrets.
func (p DNSProvider) Split(credentials map[string]string) (open, secrets map[string]string) {
	open, secrets = map[string]string{}, map[string]string{}
	for _, f := range p.Fields {
		into := open
		if f.Secret {
			into = secrets
		}
		if value := credentials[f.Name]; value != "" {
			into[f.Name] = value
		}
	}
	return open, secrets
}

// Masked are credentials as an answer shows them.
func (p DNSProvider) Masked(open map[string]string) map[string]string {
	out := maps.Clone(open)
	if out == nil {
		out = map[string]string{}
	}
	for _, f := range p.Fields {
		if f.Secret {
			out[f.Name] = MaskedSecret
		}
	}
	return out
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

// What was done in DNS for a host.
const (
	DNSCreated  = "created"  // the record was set
	DNSKept     = "kept"     // it was there
	DNSConflict = "conflict" // another record is there, and was left as it is
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
