package netguard

import "net/netip"

// ClientPrefix is what counts as one client: an address, or of IPv6 the 64 bits that a provider gives to one customer.
// It is the zero prefix for no address.
func ClientPrefix(a netip.Addr) netip.Prefix {
	return prefix(a, 32, 64)
}

// NetworkPrefix is what one customer of a provider may have at most: 24 bits of IPv4, and of IPv6 the 48 bits that a site gets.
func NetworkPrefix(a netip.Addr) netip.Prefix { return prefix(a, 24, 48) }

func prefix(a netip.Addr, bits4, bits6 int) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := bits4
	if a.Is6() {
		bits = bits6
	}
	p, _ := a.Prefix(bits) // fails for no address only
	return p
}
