package cond

import (
	"encoding/binary"
	"net/netip"

	"go4.org/netipx"
)

var public6 = netipx.RangeOfPrefix(netip.MustParsePrefix("2000::/3"))

// Shares returns the shares, from 0 to 1, of all IPv4 addresses and of all public IPv6 addresses that the ranges cover together.
// It ignores invalid ranges, and IPv6 ranges within a single /64.
func Shares(ranges []netipx.IPRange) (v4, v6 float64) {
	var b netipx.IPSetBuilder
	for _, r := range ranges {
		b.AddRange(r)
	}
	set, _ := b.IPSet() // invalid ranges are left out
	for _, r := range set.Ranges() {
		if r.From().Is4() {
			from, to := r.From().As4(), r.To().As4()
			v4 += (float64(binary.BigEndian.Uint32(to[:])) - float64(binary.BigEndian.Uint32(from[:])) + 1) / (1 << 32)
			continue
		}
		if !r.Overlaps(public6) {
			continue
		}
		low, high := r.From(), r.To()
		if low.Less(public6.From()) {
			low = public6.From()
		}
		if public6.To().Less(high) {
			high = public6.To()
		}
		from, to := low.As16(), high.As16()
		v6 += (float64(binary.BigEndian.Uint64(to[:8])) - float64(binary.BigEndian.Uint64(from[:8]))) / (1 << 61)
	}
	return v4, v6
}
