package egress

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/miekg/dns"
)

// Records are a DNS server's answer for a name. Both lists are empty if the name has neither an alias nor an address.
type Records struct {
	Names     []string // the chain of names that it is an alias of, in lower case without the final dot
	Addresses []netip.Addr
}

const maxServers = 4

// Records returns the answer of each server that can answer for a name. It asks at most four servers, all at once. If none can
// answer, that is an error.
func (n *Names) Records(ctx context.Context, name string) ([]Records, error) {
	return queryAll(ctx, n, func(ctx context.Context, server string) (Records, error) { return queryAddresses(ctx, server, name) })
}

// Texts returns the TXT records of a name from all servers, in one list. It does not follow an alias. If no server can answer,
// that is an error.
func (n *Names) Texts(ctx context.Context, name string) ([]string, error) {
	found, err := queryAll(ctx, n, func(ctx context.Context, server string) ([]string, error) { return queryTexts(ctx, server, name) })
	return slices.Concat(found...), err
}

// queryAll asks all servers at once and returns the answers that it gets. If no server can answer, that is an error.
func queryAll[T any](ctx context.Context, n *Names, request func(ctx context.Context, server string) (T, error)) ([]T, error) {
	servers, err := n.list()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dnsTimeout)
	defer cancel()
	found, errs := make([]T, len(servers)), make([]error, len(servers))
	var all sync.WaitGroup
	for i, server := range servers {
		all.Go(func() { found[i], errs[i] = request(ctx, server) })
	}
	all.Wait()
	var out []T
	for i := range found {
		if errs[i] == nil {
			out = append(out, found[i])
		}
	}
	if len(out) == 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

// list returns at most maxServers servers: the servers that the operator named, or else the servers of the system.
func (n *Names) list() ([]string, error) {
	var out []string
	for _, s := range n.servers {
		out = append(out, s.String())
	}
	if len(out) == 0 {
		c, err := dns.ClientConfigFromFile("/etc/resolv.conf")
		if err != nil {
			return nil, fmt.Errorf("egress: the system's DNS servers: %w", err)
		}
		for _, s := range c.Servers {
			addr, err := netip.ParseAddr(s)
			if err != nil {
				continue
			}
			out = append(out, netip.AddrPortFrom(addr, 53).String())
		}
	}
	if len(out) == 0 {
		return nil, errors.New("egress: no DNS server is known")
	}
	return out[:min(len(out), maxServers)], nil
}

func queryAddresses(ctx context.Context, server, name string) (out Records, err error) {
	for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
		answer, err := exchange(ctx, server, new(dns.Msg).SetQuestion(dns.Fqdn(name), kind))
		if err != nil {
			return out, err
		}
		names, addresses := follow(answer, dns.Fqdn(name))
		if len(names) > len(out.Names) {
			out.Names = names
		}
		out.Addresses = append(out.Addresses, addresses...)
	}
	return out, nil
}

func queryTexts(ctx context.Context, server, name string) (out []string, err error) {
	answer, err := exchange(ctx, server, new(dns.Msg).SetQuestion(dns.Fqdn(name), dns.TypeTXT))
	if err != nil {
		return nil, err
	}
	for _, rr := range answer.Answer {
		if text, ok := rr.(*dns.TXT); ok && strings.EqualFold(text.Hdr.Name, dns.Fqdn(name)) {
			out = append(out, strings.Join(text.Txt, ""))
		}
	}
	return out, nil
}

// exchange sends a question by UDP, and again by TCP if the answer does not fit a datagram.
func exchange(ctx context.Context, server string, q *dns.Msg) (*dns.Msg, error) {
	answer, _, err := (&dns.Client{Timeout: dnsTimeout}).ExchangeContext(ctx, q, server)
	if err == nil && answer.Truncated {
		answer, _, err = (&dns.Client{Net: "tcp", Timeout: dnsTimeout}).ExchangeContext(ctx, q, server)
	}
	if err != nil {
		return nil, fmt.Errorf("egress: ask %s: %w", server, err)
	}
	if answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		return nil, fmt.Errorf("egress: %s answered %s", server, dns.RcodeToString[answer.Rcode])
	}
	return answer, nil
}

const maxChain = 16

// follow reads the chain of aliases of a name in an answer, and the addresses at its end.
func follow(m *dns.Msg, name string) (names []string, addresses []netip.Addr) {
	for len(names) < maxChain {
		next := ""
		for _, rr := range m.Answer {
			if !strings.EqualFold(rr.Header().Name, name) {
				continue
			}
			switch v := rr.(type) {
			case *dns.CNAME:
				next = v.Target
			case *dns.A:
				addresses = appendAddress(addresses, v.A)
			case *dns.AAAA:
				addresses = appendAddress(addresses, v.AAAA)
			}
		}
		if next == "" {
			break
		}
		name = next
		names = append(names, strings.ToLower(strings.TrimSuffix(next, ".")))
	}
	return names, addresses
}

func appendAddress(list []netip.Addr, ip []byte) []netip.Addr {
	if addr, ok := netip.AddrFromSlice(ip); ok {
		list = append(list, addr.Unmap())
	}
	return list
}
