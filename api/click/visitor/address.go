package visitor

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// maxHops is the maximum number of forwarded addresses that are read, from the right.
const maxHops = 32

// ClientIP returns the address of the visitor. This is the peer's address, unless the peer is a trusted proxy. Behind a trusted proxy
// it is the rightmost address of X-Forwarded-For that is not a trusted proxy, or the leftmost address if all are trusted proxies.
// Without that header, Forwarded is read in the same way. Addresses to the left of the visitor's may come from the client and
// are never trusted. A hop that is not an address ends the search at the proxy that reported the hop.
func (d *Describer) ClientIP(r *http.Request) netip.Addr {
	peer := parseHost(r.RemoteAddr)
	if !d.isTrusted(peer) {
		if r.Header["X-Forwarded-For"] != nil || r.Header["Forwarded"] != nil {
			d.untrusted.record(peer)
		}
		return peer
	}
	if lines := r.Header["X-Forwarded-For"]; len(lines) > 0 {
		return d.walk(peer, lines, parseHost)
	}
	return d.walk(peer, r.Header["Forwarded"], parseForwarded)
}

// ForwardedProto returns the visitor's protocol as a trusted proxy reports it, in lower case.
func (d *Describer) ForwardedProto(r *http.Request) string {
	v := r.Header["X-Forwarded-Proto"]
	if len(v) == 0 || !d.isTrusted(parseHost(r.RemoteAddr)) {
		return ""
	}
	proto, _, _ := strings.Cut(v[0], ",")
	return strings.ToLower(strings.TrimSpace(proto))
}

// walk goes through forwarded addresses from the right, beginning at a trusted peer.
func (d *Describer) walk(client netip.Addr, lines []string, parse func(string) netip.Addr) netip.Addr {
	hops := 0
	for i := len(lines) - 1; i >= 0; i-- {
		unread, more := lines[i], true
		for more {
			var hop string
			unread, hop, more = cutLast(unread)
			addr := parse(hop)
			if !addr.IsValid() {
				return client
			}
			client = addr
			if hops++; hops == maxHops {
				return client
			}
			if !d.isTrusted(addr) {
				if more || i > 0 {
					d.untrusted.record(addr) // the address to its left may be the visitor's
				}
				return client
			}
		}
	}
	return client
}

func cutLast(list string) (before, last string, found bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

func (d *Describer) isTrusted(a netip.Addr) bool {
	return slices.ContainsFunc(d.trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseHost reads an address as proxies write it: bare, in brackets, with or without port.
func parseHost(s string) netip.Addr {
	s = strings.TrimSpace(s)
	if len(s) > 64 || s == "" {
		return netip.Addr{}
	}
	if s[0] == '[' {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return netip.Addr{}
		}
		s = s[1:end]
	} else if i := strings.IndexByte(s, ':'); i > 0 && strings.LastIndexByte(s, ':') == i {
		s = s[:i] // IPv4 with port; an IPv6 address has two colons at least
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// parseForwarded reads the for= parameter of one element of the Forwarded header (RFC 7239).
func parseForwarded(element string) netip.Addr {
	for part := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if strings.EqualFold(name, "for") {
			return parseHost(strings.Trim(value, `"`))
		}
	}
	return netip.Addr{}
}

// unmapPrefix turns ::ffff:a.b.c.d/n into its IPv4 form, because addresses are compared unmapped.
func unmapPrefix(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p
}
