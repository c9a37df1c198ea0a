package models

import (
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Domain is a host of an account's tracking links. It serves once it is verified.
type Domain struct {
	Owned
	Host       string `db:"host,once" json:"domain"`
	IsVerified bool   `db:"is_verified,auto" json:"is_verified" doc:"links on it work once it is verified"`
	IsDefault  bool   `db:"is_default,auto" json:"is_default" doc:"new campaigns that name no domain use it, once it is verified"`
	Proof      string `db:"proof,auto" json:"proof" enum:"none,txt,cname,operator,before" doc:"how the account last proved that the host is its own; operator: the operator said so; before: the domain was added before proofs were required"`
	DomainSettings

	Token string `db:"token,joined" json:"-"` // the account's token, which its DNS records contain

	// These counts are read with the domain and never written: how many live records use it.
	Campaigns  int `db:"campaigns,joined" json:"campaigns" doc:"campaigns with their link on it"`
	Smartlinks int `db:"smartlinks,joined" json:"smartlinks" doc:"smartlinks on it"`
	FailedOver int `db:"failed_over,joined" json:"failed_over" doc:"campaigns that left it for a spare domain, because it was listed as unsafe"`

	// The result of the last check of the domain. A field is nil if the check could not find out the answer.
	Points    *bool  `db:"points,joined" json:"points" doc:"DNS points at the tracker; null: not known"`
	HTTPS     *bool  `db:"https,joined" json:"https" doc:"it answers over HTTPS; null: not known"`
	CheckedAt *Stamp `db:"checked_at,joined" json:"checked_at" doc:"when it was last checked; null: never"`

	RegisteredUntil *Stamp `db:"registered_until,joined" json:"registered_until" doc:"when the registration of its name ends, as the registry says; null: not known"`

	SSLStatus            string `db:"ssl_status,joined" json:"ssl_status" doc:"state of its certificate at the edge, as the edge last reported it; none: it has no certificate"`
	CertificateExpiresAt *Stamp `db:"certificate_expires_at,joined" json:"certificate_expires_at" doc:"null: there is none, or the edge does not say"`

	Dated
}

// DomainSettings are the settings of a domain that an account chooses.
type DomainSettings struct {
	GroupName string `db:"group_name" json:"group_name"`
	Failover  bool   `db:"failover" json:"failover" doc:"when a list of unsafe addresses contains it, its campaigns move to a spare domain"`
	TagName   string `db:"tag_name" json:"tag_name" doc:"the page tag is served as /{tag_name}.js too, because lists of ad blockers know t.js; empty: only as t.js"`
	DomainFields
}

// SpareDomains is the group of spare domains. They take over the campaigns of a domain that fails over.
const SpareDomains = "spare"

// DomainFields are the settings of a domain, without group and failover. A setting that is left out is set to its default.
type DomainFields struct {
	Crawlers  string `db:"crawlers" json:"crawlers" enum:"allow,disallow" default:"disallow" send:"what robots.txt tells crawlers"`
	HTTPSOnly bool   `db:"https_only" json:"https_only" optional:"true" default:"true"`
	IndexPage string `db:"index_page" json:"index_page" bad:"invalid_index_page" trim:"true" maxLength:"4000" format:"routable" send:"where the bare domain sends a visitor; http(s) or empty"`
}

const (
	maxHost  = 253
	maxLabel = 63
)

// BareHost returns the name or address in a Host header, in lower case. It removes the port, brackets and the dot at the end.
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

// HostOf reads the hostname from a text that a person typed. It removes scheme, user, path, port and a final dot, folds case,
// and turns letters beyond ASCII into punycode. ok is false for any other text: an IP address, a single label, or a name that
// DNS does not allow.
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

// PublicSuffix reports whether anyone can register names directly below a host, as below co.uk. It uses the library's copy of
// the list of publicsuffix.org.
func PublicSuffix(host string) bool {
	suffix, _ := publicsuffix.PublicSuffix(host)
	return suffix == host
}

// Apex returns the registered name at or above a host, such as example.com for a.example.com. It returns the host itself if no
// registered name is known.
func Apex(host string) string {
	if name, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return name
	}
	return host
}

// IsApex reports whether a host itself is a registered name. DNS allows no CNAME for it.
func IsApex(host string) bool {
	registered, err := publicsuffix.EffectiveTLDPlusOne(host)
	return err == nil && registered == host
}

// Reserves reports whether a host is closed to customers because of own, a name or address that this install uses. The host is
// reserved if it equals the registered name of own, or lies below that name. Cookies and certificates of the install reach no
// further. A name without a registration, such as localhost or an IP address, reserves only itself.
func Reserves(own, host string) bool {
	name, named := HostOf(own)
	if !named || PublicSuffix(name) {
		return host != "" && host == name
	}
	return host == Apex(name) || strings.HasSuffix(host, "."+Apex(name))
}

const hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"
