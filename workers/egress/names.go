package egress

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"
)

// Names looks up names and addresses at the operator's or the system's DNS servers.
type Names struct {
	resolver *net.Resolver
	servers  []netip.AddrPort // empty: the system's servers
}

// NewNames returns a Names that asks the given servers. If none are given, it asks the system's servers.
func NewNames(servers ...netip.AddrPort) *Names {
	if len(servers) == 0 {
		return &Names{resolver: net.DefaultResolver}
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		to := servers[rand.IntN(len(servers))] //nolint:gosec // any of them will do
		return (&net.Dialer{Timeout: dnsTimeout}).DialContext(ctx, network, to.String())
	}
	return &Names{resolver: &net.Resolver{PreferGo: true, Dial: dial}, servers: servers}
}

// Resolver returns a resolver that asks the same DNS servers.
func (n *Names) Resolver() Resolver { return n.resolver }

const dnsTimeout = 5 * time.Second

// LookupAddr returns the names of an address. An address without a name is no error.
func (n *Names) LookupAddr(ctx context.Context, addr netip.Addr) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, dnsTimeout)
	defer cancel()
	names, err := n.resolver.LookupAddr(ctx, addr.Unmap().String())
	return names, ignoreNotFound(err)
}

// Addresses returns the addresses of a name. A name without an address is no error.
func (n *Names) Addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, dnsTimeout)
	defer cancel()
	list, err := n.resolver.LookupNetIP(ctx, "ip", name)
	for i := range list {
		list[i] = list[i].Unmap()
	}
	return list, ignoreNotFound(err)
}

// ignoreNotFound returns nil for the error that a name or record does not exist, and any other error unchanged.
func ignoreNotFound(err error) error {
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return nil
	}
	return err
}
