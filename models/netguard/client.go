package netguard

import "net/netip"

// ClientPrefix is what counts as one client: an address, or of IPv6 the 64 bits that a provider gives to one customer.
// It is the zero prefix for no address.
func ClientPrefix(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // fails for no address only
	return p
}
