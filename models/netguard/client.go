package netguard

import "net/netip"

// ClientPrefix returns the prefix of addresses that count as one client. For IPv4 it is the whole address. For IPv6 it is the first
// 64 bits, because one client can use all addresses of such a network. It returns the zero prefix for an invalid address.
func ClientPrefix(a netip.Addr) netip.Prefix {
	return prefix(a, 32, 64)
}

// NetworkPrefix returns the network that one customer of a provider may have as a whole: a prefix of 24 bits for IPv4, and the 48
// bits of a site for IPv6.
func NetworkPrefix(a netip.Addr) netip.Prefix { return prefix(a, 24, 48) }

func prefix(a netip.Addr, bits4, bits6 int) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := bits4
	if a.Is6() {
		bits = bits6
	}
	p, _ := a.Prefix(bits) // fails only for an invalid address
	return p
}
