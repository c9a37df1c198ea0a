package visitor

import (
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// UntrustedAdvice is the advice to the operator when requests come through a proxy that is not trusted.
const UntrustedAdvice = "visitors come through a proxy whose X-Forwarded-For is not trusted, so all of them have its " +
	"address: add the proxy to TRUSTED_PROXIES"

// untrusted counts requests that came through a proxy that is missing in TRUSTED_PROXIES. An address counts as a proxy's only if it is
// private, loopback or link-local, because any client on the internet can send X-Forwarded-For.
type untrusted struct {
	requests atomic.Int64
	last     atomic.Int64 // Unix seconds
	logged   sync.Once
}

func (u *untrusted) record(peer netip.Addr) {
	if !peer.IsPrivate() && !peer.IsLoopback() && !peer.IsLinkLocalUnicast() {
		return
	}
	u.requests.Add(1)
	u.last.Store(time.Now().Unix())
	u.logged.Do(func() { slog.Warn(UntrustedAdvice, "proxy", peer) })
}

// Untrusted returns how many requests came through a proxy that is missing in TRUSTED_PROXIES, and the time of the last one.
func (d *Describer) Untrusted() (requests int64, last time.Time) {
	if s := d.untrusted.last.Load(); s > 0 {
		last = time.Unix(s, 0)
	}
	return d.untrusted.requests.Load(), last
}
