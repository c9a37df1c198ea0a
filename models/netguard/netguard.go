// Package netguard decides which addresses a customer's URL may reach: addresses of the public internet, and the addresses that a
// Policy accepts in addition. It does not resolve names: the addresses of a name are checked when a connection is made.
package netguard

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
)

// special lists the ranges outside the public internet, according to IANA's special-purpose registries, and one address of a cloud.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32",           // the host agent of a cloud: a public address
	"::/8",                       // unspecified, loopback, v4-compatible, v4-translated
	"64:ff9b::/96",               // NAT64
	"64:ff9b:1::/48",             // NAT64, local use
	"100::/64", "100:0:0:1::/64", // discard, dummy
	"2001::/23",                  // Teredo, benchmarking, ORCHID and other protocol assignments
	"2001:db8::/32", "3fff::/20", // documentation
	"2002::/16",         // 6to4
	"2620:4f:8000::/48", // AS112
	"5f00::/16",         // segment routing
	"fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// global is the only range of IPv6 that has public addresses.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		all[i] = netip.MustParsePrefix(t)
	}
	return all
}

// Blocked reports whether an address is outside the public internet. Invalid addresses and addresses with a zone are blocked.
func Blocked(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return true
	}
	if a = a.Unmap(); a.Is6() && !global.Contains(a) {
		return true
	}
	return Within(a, special)
}

// Within reports whether one of the prefixes contains the address. An IPv4-mapped address counts as IPv4.
func Within(a netip.Addr, prefixes []netip.Prefix) bool {
	a = a.Unmap()
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(a) })
}

// MaxURL is the maximum length of a URL in bytes.
const MaxURL = 2048

// localNames lists last labels that no public server has in its name. reservedNames lists last labels that are reserved, so names
// with them do not exist in the DNS.
var (
	localNames = []string{
		"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa",
	}
	reservedNames = []string{"test", "example", "invalid", "onion", "alt"}
)

var (
	hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)+$`)
	number   = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)$`)
)

// Policy defines which URLs Check accepts.
type Policy struct {
	Schemes []string       // default: https
	Allow   []netip.Prefix // literal addresses that are accepted although they are not public; 127.0.0.1 includes localhost
	// Reserved makes Check accept reserved names such as shop.example. Callers set it for addresses to which nothing is sent yet.
	Reserved bool
	// Known reports whether the operator has configured an address for host, which is in lower case. Such a host is accepted without any further check. If Known is nil, there are
	// no such hosts.
	Known func(host string) bool
}

// Check returns an error with the code invalid_url and KindInvalid for a URL that the policy does not accept.
func (p Policy) Check(raw string) error {
	if len(p.Schemes) == 0 {
		p.Schemes = []string{"https"}
	}
	if len(raw) > MaxURL || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return invalid("it is too long or has characters that a URL cannot have")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return invalid("it cannot be read")
	}
	if !slices.Contains(p.Schemes, u.Scheme) {
		return invalid("it must begin with " + strings.Join(p.Schemes, ":// or ") + "://")
	}
	if u.Opaque != "" || u.Hostname() == "" {
		return invalid("it names no host")
	}
	if u.User != nil {
		return invalid("it must not hold a user name or a password")
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return invalid("its port is not a number from 1 to 65535")
		}
	}
	return p.checkHost(strings.ToLower(u.Hostname()))
}

// CheckSent does the same as Check, for an address that a client sends. It also refuses an address in the masked
// form in which answers show it.
func (p Policy) CheckSent(raw string) error {
	if strings.HasSuffix(raw, "/"+models.MaskedSecret) {
		return models.Invalid("invalid_url", "this is the masked address: send the whole address, or leave url out to keep the stored one")
	}
	return p.Check(raw)
}

func (p Policy) checkHost(host string) error {
	if p.Known != nil && p.Known(host) {
		return nil
	}
	a, literal := literalAddress(host)
	if !literal && slices.Contains([]string{"localhost", "localhost."}, host) {
		a, literal = netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	if literal {
		if !Blocked(a) || a.IsValid() && a.Zone() == "" && Within(a, p.Allow) {
			return nil
		}
		return invalid("its address is not on the public internet")
	}
	host = strings.TrimSuffix(host, ".")
	for i := range len(host) {
		if host[i] >= 0x80 {
			return invalid("write an international name in its xn-- form")
		}
	}
	if len(host) > 253 || !hostName.MatchString(host) {
		return invalid("its host is not a public name")
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if slices.Contains(localNames, last) || !p.Reserved && slices.Contains(reservedNames, last) {
		return invalid("its host is not a public name")
	}
	return nil
}

// literalAddress parses a host that is an IP address in the usual notation. It returns false for a host that is a name. It
// returns the invalid address and true for a broken IPv6 address, and for decimal, octal and hexadecimal forms, which resolvers read
// differently. Every other host whose last label is a number counts as such a form, because no top-level domain is a number.
func literalAddress(host string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a, true
	}
	if strings.ContainsAny(host, ":%") {
		return netip.Addr{}, true
	}
	host = strings.TrimSuffix(host, ".")
	return netip.Addr{}, number.MatchString(host[strings.LastIndexByte(host, '.')+1:])
}

func invalid(why string) error {
	return models.Invalid("invalid_url", "the url is not accepted: %s", why)
}
