package egresstest

import (
	"net"
	"net/netip"
	"testing"

	"github.com/miekg/dns"
)

// Answers starts a DNS server with records in zone file notation, such as "a.example. CNAME b.example.". All other names are
// NXDOMAIN.
func Answers(tb testing.TB, records ...string) netip.AddrPort {
	tb.Helper()
	known := map[string][]dns.RR{}
	for _, r := range records {
		rr, err := dns.NewRR(r)
		if err != nil {
			tb.Fatal(err)
		}
		known[rr.Header().Name] = append(known[rr.Header().Name], rr)
	}
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0") //nolint:noctx // it ends with the test
	if err != nil {
		tb.Fatal(err)
	}
	s := &dns.Server{PacketConn: conn, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		m.Answer = known[q.Question[0].Name]
		if m.Answer == nil {
			m.Rcode = dns.RcodeNameError
		}
		_ = w.WriteMsg(m)
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.ActivateAndServe() // until its connection is closed
	}()
	tb.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return netip.MustParseAddrPort(conn.LocalAddr().String())
}
