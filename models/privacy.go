package models

import "net/netip"

// IPPrivacy decides how much of a visitor's address is stored. Decisions at the click always use the whole address.
type IPPrivacy string

// The choices of IPPrivacy.
const (
	IPFull      IPPrivacy = "full"      // the whole address; the zero value means the same
	IPTruncated IPPrivacy = "truncated" // the network: /24 of IPv4, /48 of IPv6
	IPNone      IPPrivacy = "none"
)

const (
	truncatedIPv4 = 24
	truncatedIPv6 = 48
)

// StoresWhole reports whether whole addresses are stored.
func (p IPPrivacy) StoresWhole() bool { return p == IPFull || p == "" }

// StoredPart returns the part of an address that is stored. It returns an invalid address if no part is stored.
func (p IPPrivacy) StoredPart(ip netip.Addr) netip.Addr {
	if p.StoresWhole() {
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
	network, _ := ip.Prefix(bits)
	return network.Addr()
}
