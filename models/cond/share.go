package cond

import (
	"encoding/binary"
	"net/netip"

	"go4.org/netipx"
)

// public6 are the IPv6 addresses that are given out.
var public6 = netipx.RangeOfPrefix(netip.MustParsePrefix("2000::/3"))

// Shares is how much of all IPv4 addresses, and of the IPv6 addresses that are given out, ranges have together: from 0 to
// 1. Ranges that are not valid, and less than a /64, count for nothing.
func Shares(ranges []netipx.IPRange) (v4, v6 float64) {
	var b netipx.IPSetBuilder
	for _, r := range ranges {
		b.AddRange(r)
	}
	set, _ := b.IPSet() // what is not valid is left out
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
