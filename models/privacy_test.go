package models_test

import (
	"net/netip"
	"testing"

	"switchyard/models"
)

func TestIPPrivacy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ ip, truncated string }{
		{"203.0.113.77", "203.0.113.0"},
		{"::ffff:203.0.113.77", "203.0.113.0"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1::"},
		{"fe80::1%eth0", "fe80::"},
	} {
		ip := netip.MustParseAddr(tt.ip)
		if got := models.IPTruncated.StoredPart(ip); got != netip.MustParseAddr(tt.truncated) {
			t.Errorf("IPTruncated stores %s as %s, want %s", tt.ip, got, tt.truncated)
		}
		if got := models.IPFull.StoredPart(ip); got != ip {
			t.Errorf("IPFull stores %s as %s, want the whole address", tt.ip, got)
		}
		for _, p := range []models.IPPrivacy{models.IPNone, "mistyped"} {
			if got := p.StoredPart(ip); got.IsValid() {
				t.Errorf("%q stores %s, want nothing", p, got)
			}
		}
	}
	if models.IPTruncated.StoredPart(netip.Addr{}).IsValid() || !models.IPPrivacy("").StoresWhole() || models.IPNone.StoresWhole() {
		t.Error("IPTruncated stores a part of an invalid address, or StoresWhole is false for the default or true for IPNone")
	}
}
