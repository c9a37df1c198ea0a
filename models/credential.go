package models

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// CredentialField is a credential that an account at a provider needs.
type CredentialField struct {
	Name     string
	Label    string
	Secret   bool // the credential is sealed, and never shown
	Required bool
	ForCost  bool // without this credential, no spend can be read from an ad platform
	// ForConversions says that no conversion can be uploaded without this credential.
	ForConversions bool
	// Address marks a field that decides where requests are sent. When it changes, the secrets must be entered again. Otherwise a
	// stored secret could be sent to a place that its owner did not choose.
	Address bool
	Zone    bool
	Values  []string // allowed values; empty: any text
	Default string   // the value if the field is left out
	Help    string   // where a person finds the value
}

// CredentialForm lists the credentials that are needed to use an account at a provider.
type CredentialForm struct {
	Label  string
	Fields []CredentialField
}

func credentials(label string, fields ...CredentialField) CredentialForm {
	return CredentialForm{label, fields}
}

func secret(name, label, help string) CredentialField {
	return CredentialField{Name: name, Label: label, Secret: true, Required: true, Help: help}
}

// MaskedSecret replaces a secret in answers. If it is sent back, it counts as a blank value.
const MaskedSecret = "********"

// maxCredential is the maximum length of a credential in characters. A private key in JSON has about 2,500.
const maxCredential = 8000

// Complete checks the credentials that were sent for an account at the provider. It fills blank fields with the stored
// credentials and the defaults. It does not use stored secrets if an Address changes. The error invalid_credentials never
// contains a value.
func (p CredentialForm) Complete(sent, stored map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name := range sent {
		if !slices.ContainsFunc(p.Fields, func(f CredentialField) bool { return f.Name == name }) {
			return nil, credentialsError("%s has no field %.60q: its fields are %s", p.Label, name, p.fieldNames())
		}
	}
	moved := p.changesTarget(sent, stored)
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
		case f.Zone && !isZone(value):
			return nil, credentialsError("%s must be a time zone, such as America/New_York", f.Name)
		case len(f.Values) > 0 && value != "" && !slices.Contains(f.Values, value):
			return nil, credentialsError("%s must be one of %s", f.Name, strings.Join(f.Values, ", "))
		}
		if value != "" {
			out[f.Name] = value
		}
	}
	return out, nil
}

func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return name != "" && name != "Local" && err == nil
}

// changesTarget reports whether the place to which requests are sent changes.
func (p CredentialForm) changesTarget(sent, stored map[string]string) bool {
	return slices.ContainsFunc(p.Fields, func(f CredentialField) bool {
		value := clean(f, sent[f.Name])
		return f.Address && value != "" && stored[f.Name] != "" && value != stored[f.Name]
	})
}

func clean(f CredentialField, value string) string {
	if value = strings.TrimSpace(value); f.Secret && value == MaskedSecret {
		return ""
	}
	return value
}

func credentialsError(format string, args ...any) error {
	return Invalid("invalid_credentials", format, args...)
}

func (p CredentialForm) fieldNames() string {
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// Split separates credentials into open values and secrets.
func (p CredentialForm) Split(credentials map[string]string) (open, secrets map[string]string) {
	open, secrets = map[string]string{}, map[string]string{}
	for _, f := range p.Fields {
		values := open
		if f.Secret {
			values = secrets
		}
		if value := credentials[f.Name]; value != "" {
			values[f.Name] = value
		}
	}
	return open, secrets
}

// Masked returns credentials as answers show them, with masked secrets. open holds the open values, and a blank value for each
// secret that is not stored.
func (p CredentialForm) Masked(open map[string]string) map[string]string {
	out := maps.Clone(open)
	if out == nil {
		out = map[string]string{}
	}
	for _, f := range p.Fields {
		if _, isMissing := open[f.Name]; f.Secret && isMissing {
			delete(out, f.Name)
		} else if f.Secret {
			out[f.Name] = MaskedSecret
		}
	}
	return out
}
