package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/libdns/libdns"
	"github.com/libdns/rfc2136"
	"github.com/miekg/dns"

	"switchyard/workers/providers/rest"
)

// timeout is the limit of one exchange.
const timeout = 10 * time.Second

// server is the client of a DNS server that accepts dynamic updates. To list records, it queries a single name. libdns' package
// would read the whole zone, and a malicious server could then send data without end.
type server struct {
	rest.API
	c map[string]string
}

func openServer(a rest.API, credentials map[string]string) account { return &server{a, credentials} }

const maxServerZones = 50

// Zones returns the zones that the credentials name. The server must hold all of them.
func (s *server) Zones(ctx context.Context) ([]zone, error) {
	zones := strings.FieldsFunc(s.c["zones"], func(r rune) bool { return r == ',' || r <= ' ' })
	if len(zones) > maxServerZones {
		return nil, fmt.Errorf("at most %d zones of a server can be used", maxServerZones)
	}
	for _, zone := range zones {
		q := new(dns.Msg).SetQuestion(dns.Fqdn(zone), dns.TypeSOA)
		answer, err := s.exchange(ctx, q)
		if err != nil {
			return nil, err
		}
		if len(answersFor(answer, dns.Fqdn(zone))) == 0 {
			return nil, fmt.Errorf("the server does not hold the zone %s", bare(zone))
		}
	}
	return zonesNamed(zones), nil
}

var recordTypes = []uint16{
	dns.TypeCNAME, dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeMX, dns.TypeTXT, dns.TypeSRV, dns.TypeCAA, dns.TypeHTTPS,
}

// Records lists the records of a name. It first asks whether the name is in use, because a wildcard would answer for an unused
// name.
func (s *server) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	full := dns.Fqdn(absolute(name, z.name))
	unused := new(dns.Msg).SetUpdate(dns.Fqdn(z.name))
	unused.NameNotUsed([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: full}}})
	answer, err := s.exchange(ctx, unused)
	if err != nil || answer.Rcode == dns.RcodeSuccess {
		return nil, err
	}
	var out []libdns.RR
	for _, kind := range recordTypes {
		answer, err := s.exchange(ctx, new(dns.Msg).SetQuestion(full, kind))
		if err != nil {
			return nil, err
		}
		for _, rr := range answersFor(answer, full) {
			h := rr.Header()
			if h.Rrtype == kind {
				out = append(out, libdns.RR{
					Name: relative(h.Name, z.name), Type: dns.TypeToString[h.Rrtype], Data: strings.TrimPrefix(rr.String(), h.String()),
				})
			}
		}
	}
	return out, nil
}

func (s *server) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	at, err := s.address(ctx)
	if err != nil {
		return err
	}
	library := rfc2136.Provider{KeyName: s.c["key_name"], KeyAlg: s.c["key_algorithm"], Key: s.c["key"], Server: at.String()}
	_, err = library.AppendRecords(ctx, z.name, []libdns.Record{r})
	return refused(err)
}

// exchange signs and sends a message. It returns an error if the answer has no valid signature, or a code other than success,
// NXDOMAIN and YXDOMAIN.
func (s *server) exchange(ctx context.Context, m *dns.Msg) (*dns.Msg, error) {
	at, err := s.address(ctx)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	key := dns.Fqdn(strings.ToLower(s.c["key_name"]))
	m.RecursionDesired = false
	m.SetTsig(key, dns.Fqdn(s.c["key_algorithm"]), 300, s.Now().Unix()) // the clocks may differ by 300 seconds
	c := dns.Client{Net: "tcp", Timeout: timeout, TsigSecret: map[string]string{key: s.c["key"]}}
	answer, _, err := c.ExchangeContext(limited, m, at.String())
	if err != nil {
		return nil, refused(err)
	}
	switch answer.Rcode {
	case dns.RcodeNotAuth, dns.RcodeRefused:
		return nil, fmt.Errorf("%w: %s", rest.ErrRefused, dns.RcodeToString[answer.Rcode])
	case dns.RcodeSuccess, dns.RcodeNameError, dns.RcodeYXDomain:
		return answer, nil
	}
	return nil, fmt.Errorf("the server answered %s", dns.RcodeToString[answer.Rcode])
}

// refused converts errors about the key to rest.ErrRefused, and removes addresses from network errors.
func refused(err error) error {
	var network *net.OpError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, dns.ErrSig), errors.Is(err, dns.ErrNoSig), errors.Is(err, dns.ErrAuth), errors.Is(err, dns.ErrSecret),
		errors.Is(err, dns.ErrTime), errors.Is(err, dns.ErrKeyAlg), errors.Is(err, dns.ErrKey):
		return fmt.Errorf("%w: the TSIG key does not match", rest.ErrRefused)
	case errors.As(err, &network):
		return errors.New("could not connect to the server")
	}
	return err
}

// address returns the address of the server, after checking that it may be dialled.
func (s *server) address(ctx context.Context) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(s.c["server"])
	if err != nil {
		host, port = strings.Trim(s.c["server"], "[]"), "53"
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number < 1 {
		return netip.AddrPort{}, errors.New("the server's port cannot be read")
	}
	addr, err := s.Out.Address(ctx, host)
	return netip.AddrPortFrom(addr, uint16(number)), err
}

func answersFor(m *dns.Msg, name string) (out []dns.RR) {
	for _, rr := range m.Answer {
		if strings.EqualFold(rr.Header().Name, name) {
			out = append(out, rr)
		}
	}
	return out
}
