package models

import (
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/net/idna"
)

// What a domain's robots.txt says to crawlers.
const (
	CrawlersAllow    = "allow"
	CrawlersDisallow = "disallow"
)

// Domain is a host of an account's tracking links. It serves once it is verified.
type Domain struct {
	ID         uuid.UUID `db:"id"`
	AccountID  uuid.UUID `db:"account_id"`
	Host       string    `db:"host,once"`
	IsVerified bool      `db:"is_verified,auto"`
	IsDefault  bool      `db:"is_default,auto"` // new campaigns that name no domain go here
	DomainSettings
	CreatedAt time.Time `db:"created_at,auto"`
	UpdatedAt time.Time `db:"updated_at,auto"`

	// Read with the domain, never written: how many live records use it.
	Campaigns  int `db:"campaigns,joined"`
	Smartlinks int `db:"smartlinks,joined"`
}

// DomainSettings are what an account chooses for a domain.
type DomainSettings struct {
	GroupName string `db:"group_name"`
	Crawlers  string `db:"crawlers"` // CrawlersAllow or CrawlersDisallow
	HTTPSOnly bool   `db:"https_only"`
	IndexPage string `db:"index_page"` // where the bare domain sends a visitor; empty: nowhere
}

const (
	maxHost  = 253
	maxLabel = 63
)

// HostOf reads the hostname from what a person typed. It strips scheme, user, path, port and a final dot, folds case,
// and turns letters beyond ASCII into punycode. ok is false for anything but a hostname: an IP address, a single
// label, or a name that DNS does not allow.
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
	// A last label that is a number makes an address.
	return host, len(labels) > 1 && strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

const hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"
