package models

import "net/netip"

// IPPrivacy is how much of the addresses of visitors is stored. Decisions at the click see whole addresses.
type IPPrivacy string

// The choices.
const (
	IPFull      IPPrivacy = "full"      // as they are; also the zero value
	IPTruncated IPPrivacy = "truncated" // the network: /24 of IPv4, /48 of IPv6
	IPNone      IPPrivacy = "none"
)

const (
	truncatedIPv4 = 24
	truncatedIPv6 = 48
)

// Whole reports whether whole addresses are stored.
func (p IPPrivacy) Whole() bool { return p == IPFull || p == "" }

// Stored is what is stored of an address.
func (p IPPrivacy) Stored(ip netip.Addr) netip.Addr {
	if p.Whole() {
		return ip
	}
	ip = ip.Unmap().WithZone("")
	if p != IPTruncated || !ip.IsValid() {
		return netip.Addr{}
	}
	bits := truncatedIPv6
	if ip.Is4() {
		bits = truncatedIPv4
	}
	network, _ := ip.Prefix(bits) // of a valid address
	return network.Addr()
}
