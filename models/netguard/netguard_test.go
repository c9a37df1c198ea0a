package netguard_test

import (
	"errors"
	"net/netip"
	"testing"

	"switchyard/models"
	"switchyard/models/netguard"
)

var blocked = []string{
	"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
	"169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.1.1",
	"198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1",
	"255.255.255.255", "168.63.129.16",
	"::", "::1", "::7f00:1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
	"::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "100:0:0:1::1",
	"2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::",
	"2620:4f:8000::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1",
	"4000::1", "fe80::1%eth0", "2606:4700::1%eth0",
}

func TestBlocked(t *testing.T) {
	t.Parallel()
	for _, text := range blocked {
		if !netguard.Blocked(netip.MustParseAddr(text)) {
			t.Errorf("%s is not blocked", text)
		}
	}
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "93.184.215.14", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1",
		"198.17.255.255", "223.255.255.254", "::ffff:8.8.8.8", "2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888",
	} {
		if netguard.Blocked(netip.MustParseAddr(text)) {
			t.Errorf("the public address %s is blocked", text)
		}
	}
	if !netguard.Blocked(netip.Addr{}) {
		t.Error("Blocked returns false for the invalid address")
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"https://example.com", "https://example.com:8443/hook?a=b#c", "https://xn--bcher-kva.example.org/", "https://8.8.8.8/",
		"https://[2606:4700::1111]/", "https://hooks.example.com./x", "https://my_app.example.com",
	} {
		if err := (netguard.Policy{}).Check(raw); err != nil {
			t.Errorf("the public URL %s is refused: %v", raw, err)
		}
	}
	bad := []string{
		"", "example.com", "http://example.com", "ftp://example.com", "javascript:alert(1)", "https:", "https://", "https:///x",
		"https:example.com", "https://user@example.com", "https://user:pw@example.com", "https://@example.com",
		"https://localhost", "https://LOCALHOST/", "https://localhost./", "https://a.localhost", "https://printer.local",
		"https://x.internal", "https://metadata.google.internal/", "https://intranet", "https://router.lan", "https://x.home.arpa",
		"https://127.0.0.1", "https://134744072/", "https://127.1", "https://127.0.1", "https://2130706433", "https://0x7f000001", "https://0x7f.1",
		"https://0177.0.0.1", "https://017700000001", "https://0x7f.0x0.0x0.0x1", "https://127.0.0.1.", "https://0", "https://0x",
		"https://0x7F.0.0.1", "https://010.0.0.1", "https://3232235777", "https://2852039166/latest/meta-data", "https://10.1",
		"https://169.254.169.254/", "https://192.168.257", "https://1.2.3.4.5", "https://256.1.1.1", "https://08.8.8.8",
		"https://foo.123", "https://99999999999", "https://[::1]", "https://[::]", "https://[::ffff:127.0.0.1]",
		"https://[::ffff:7f00:1]", "https://[fe80::1%25eth0]/", "https://[::%25eth0]", "https://[64:ff9b::a9fe:a9fe]",
		"https://[2002:7f00:1::]", "https://[fd00:ec2::254]", "https://example.com:0", "https://example.com:99999",
		"https://example.com:", "https://exa mple.com", "https://example.com\\@127.0.0.1/", "https://example.com\n", "https://①②⑦.0.0.1",
		"https://１２７.0.0.1", "https://bücher.example.com", "https://-a.com", "https://a..com", "https://%31%32%37.0.0.1/",
	}
	for _, raw := range bad {
		if err := (netguard.Policy{}).Check(raw); !errors.Is(err, models.Invalid("invalid_url", "")) {
			t.Errorf("%q: %v, want invalid_url", raw, err)
		}
	}
	if len(bad)+len(blocked) < 60 {
		t.Error("fewer than 60 refused hosts are tested")
	}
}

func TestAllow(t *testing.T) {
	t.Parallel()
	p := netguard.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	for raw, ok := range map[string]bool{
		"https://127.0.0.1:8443/x": true, "https://localhost:8443/x": true, "https://[::ffff:127.0.0.1]/": true,
		"https://10.0.0.1/": false, "https://[::1]/": false, "http://127.0.0.1/": false,
	} {
		if err := p.Check(raw); (err == nil) != ok {
			t.Errorf("with 127.0.0.0/8 allowed, Check(%s) returns %v, want allowed: %t", raw, err, ok)
		}
	}
	if err := (netguard.Policy{Schemes: []string{"http", "https"}}).Check("http://example.com"); err != nil {
		t.Errorf("http is refused although the policy allows it: %v", err)
	}
}

func FuzzPublicURL(f *testing.F) {
	for _, a := range blocked {
		f.Add("https://" + a)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		_ = (netguard.Policy{}).Check(raw) // must not panic
	})
}
