package models

import (
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Domain is a host of an account's tracking links. Its links work once it is verified.
type Domain struct {
	Owned
	Host       string `db:"host,once" json:"domain"`
	IsVerified bool   `db:"is_verified,auto" json:"is_verified" doc:"links on it work once it is verified"`
	IsDefault  bool   `db:"is_default,auto" json:"is_default" doc:"the domain of new campaigns that name no domain, once it is verified"`
	Proof      string `db:"proof,auto" json:"proof" enum:"none,txt,cname,operator,before" doc:"how the account last proved that the host is its own; operator: the operator said so; before: the domain was added before proofs were required"`
	DomainSettings

	Token string `db:"token,joined" json:"-"` // the account's token, which its DNS records contain

	// The numbers of live records. They are read together with the domain, but never written.
	Campaigns  int `db:"campaigns,joined" json:"campaigns" doc:"campaigns whose link is on the domain"`
	Smartlinks int `db:"smartlinks,joined" json:"smartlinks" doc:"smartlinks on the domain"`
	FailedOver int `db:"failed_over,joined" json:"failed_over" doc:"campaigns that moved from the domain to a spare domain, because it was listed as unsafe"`

	// The result of the last check of the domain.
	Points    *bool  `db:"points,joined" json:"points" doc:"DNS points at the tracker; null: not known"`
	HTTPS     *bool  `db:"https,joined" json:"https" doc:"the domain answers over HTTPS; null: not known"`
	CheckedAt *Stamp `db:"checked_at,joined" json:"checked_at" doc:"when the domain was last checked; null: never"`

	RegisteredUntil *Stamp `db:"registered_until,joined" json:"registered_until" doc:"when the registration of the domain's name ends, according to the registry; null: not known"`

	SSLStatus            string `db:"ssl_status,joined" json:"ssl_status" doc:"state of the domain's certificate that the edge last reported; none: there is no certificate"`
	CertificateExpiresAt *Stamp `db:"certificate_expires_at,joined" json:"certificate_expires_at" doc:"null: there is no certificate, or the edge does not report its end"`

	Dated
}

// DomainSettings are the settings of a domain that an account chooses.
type DomainSettings struct {
	GroupName string `db:"group_name" json:"group_name"`
	Failover  bool   `db:"failover" json:"failover" doc:"if a list of unsafe addresses contains the domain, its campaigns move to a spare domain"`
	TagName   string `db:"tag_name" json:"tag_name" doc:"a further name of the page tag, /{tag_name}.js, because lists of ad blockers contain t.js; empty: only t.js"`
	DomainFields
}

// SpareDomains is the name of the group with spare domains. Campaigns move to one of them if their domain fails over.
const SpareDomains = "spare"

// DomainFields are the settings that the API reads in the same way for a new domain and for a changed domain.
type DomainFields struct {
	Crawlers  string `db:"crawlers" json:"crawlers" enum:"allow,disallow" default:"disallow" send:"what robots.txt tells crawlers"`
	HTTPSOnly bool   `db:"https_only" json:"https_only" optional:"true" default:"true"`
	IndexPage string `db:"index_page" json:"index_page" bad:"invalid_index_page" trim:"true" maxLength:"4000" format:"routable" send:"where the bare domain sends a visitor; http(s) or empty"`
}

const (
	maxHost  = 253
	maxLabel = 63
)

// BareHost returns the name or address in a Host header, in lower case. The port, brackets and a dot at the end are removed.
func BareHost(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && (strings.IndexByte(host, ':') == i || host[i-1] == ']') {
		host = host[:i]
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// Loopback reports whether a host always means this machine: localhost or a loopback address.
func Loopback(host string) bool {
	name := BareHost(host)
	a, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// HostOf returns the host name in a text that a person has typed. It removes scheme, user, path, port and a dot at the end, and
// converts the name to lower case and punycode. ok is false for an IP address, a single label, and a name that DNS does not
// allow.
func HostOf(text string) (host string, ok bool) {
	host = strings.TrimSpace(text)
	if _, rest, found := strings.Cut(host, "://"); found {
		host = rest
	}
	host = strings.TrimPrefix(host, "//")
	if i := strings.IndexAny(host, `/?#\`); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(host, ".")
	host, err := idna.Lookup.ToASCII(host)
	if err != nil || len(host) > maxHost {
		return host, false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return host, false
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || len(l) > maxLabel || l[0] == '-' || l[len(l)-1] == '-' || strings.Trim(l, hostLetters) != "" {
			return host, false
		}
	}
	// A host whose last label is a number is an IP address.
	return host, len(labels) > 1 && strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

// PublicSuffix reports whether anyone can register names directly below a host, as below co.uk. It uses the library's
// copy of the list at publicsuffix.org.
func PublicSuffix(host string) bool {
	suffix, _ := publicsuffix.PublicSuffix(host)
	return suffix == host
}

// Apex returns the registered name to which a host belongs, such as example.com for a.example.com. For a host without a
// registered name, it is the host itself.
func Apex(host string) string {
	if name, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return name
	}
	return host
}

// IsApex reports whether a host is itself a registered name. DNS does not allow a CNAME there.
func IsApex(host string) bool {
	registered, err := publicsuffix.EffectiveTLDPlusOne(host)
	return err == nil && registered == host
}

// Reserves reports whether a host is reserved for this install, so that customers may not use it. The parameter own is an
// address or host name of the install. Its registered name and all hosts below that name are reserved: if own is app.example.com,
// these are example.com and all hosts below it. If own has no registered name, as localhost, only own itself is reserved.
func Reserves(own, host string) bool {
	name, named := HostOf(own)
	if !named || PublicSuffix(name) {
		return host != "" && host == name
	}
	return host == Apex(name) || strings.HasSuffix(host, "."+Apex(name))
}

const hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"
