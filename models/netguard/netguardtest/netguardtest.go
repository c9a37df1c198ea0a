// Package netguardtest lists addresses for the tests of all code that makes outgoing requests.
package netguardtest

import "strings"

// Private lists IP addresses that no customer's URL may reach. Some of them are IPv6 addresses that contain such an IPv4 address.
var Private = strings.Fields(`
	0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.0.0.2 127.255.255.254
	169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.8 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.1
	192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1
	255.255.255.255 168.63.129.16
	:: ::1 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0 ::ffff:0:127.0.0.1
	64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1
	2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1:: 2002:a9fe:a9fe:: 2620:4f:8000::1 3fff::1 5f00::1 fc00::1
	fd00:ec2::254 fd12:3456:789a::1 fe80::1 febf::1 fec0::1 feff::1 ff02::1 ff0e::1 4000::1`)

// Disguised lists hosts that some resolver or library reads as a private address, or that name the local machine or a machine of
// the local network.
var Disguised = strings.Fields(`
	localhost localhost. LOCALHOST foo.localhost 127.1 127.0.1 2130706433 017700000001 0177.0.0.1 0x7f000001 0x7f.0.0.1
	0x7f.1 127.0.0.1. 0 0x0 00000000 3232235777 0xa9fea9fe 2852039166 0251.0376.0251.0376 127.0.0.1.nip.io.local
	metadata.google.internal. metadata.internal router.lan printer.local [::1%25eth0] [fe80::1%25lo] [::ffff:7f00:1]
	[0:0:0:0:0:0:0:1] [0000::1] [::ffff:127.0.0.1] [0:0:0:0:0:ffff:127.0.0.1] 127.0.0.1%2f.example.com`)

// Hosts returns all hosts of Private and Disguised, as they are written in a URL.
func Hosts() []string {
	hosts := make([]string, 0, len(Private)+len(Disguised))
	for _, a := range Private {
		if strings.Contains(a, ":") {
			a = "[" + a + "]"
		}
		hosts = append(hosts, a)
	}
	return append(hosts, Disguised...)
}
