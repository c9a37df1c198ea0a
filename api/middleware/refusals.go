package middleware

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/semaphore"

	"switchyard/api/route"
	"switchyard/db/kv"
	"switchyard/models/bucket"
	"switchyard/models/interval"
	"switchyard/models/netguard"
)

// Limits for callers that continue after they were refused with 401 or 429. Refusals beyond the burst and the rate are answered
// after a pause.
const (
	refusalRate  = 20  // refusals per second that one caller gets without a pause
	refusalBurst = 200 // refusals that a caller gets without a pause before that rate applies
	refusalPause = time.Second
	maxDelayed   = 2000   // refusals that wait at the same time in a process; each needs about 30 kB, including its connection
	maxCallers   = 10_000 // maximum number of callers whose refusals are counted, and of remembered keys whose calls are used up
)

// refusals slows down floods of refused calls, and remembers the keys whose calls of the minute are used up.
type refusals struct {
	callers bucket.Set[caller]
	delayed *semaphore.Weighted
	now     func() time.Time
	pause   func(context.Context)
	spent   *otter.Cache[[sha256.Size]byte, exhaustedWindow]
}

// caller is the account of the key or the session. Without an account it is the network of the connection's peer.
type caller struct {
	account uuid.UUID
	client  netip.Prefix
}

// exhaustedWindow is a rate-limit window whose calls are used up, and the time when it ends.
type exhaustedWindow struct {
	window kv.Window
	ends   time.Time
}

func newRefusals() *refusals {
	return &refusals{
		callers: bucket.New[caller](refusalRate, refusalBurst, maxCallers),
		delayed: semaphore.NewWeighted(maxDelayed),
		now:     time.Now,
		pause:   func(ctx context.Context) { _ = interval.Sleep(ctx, refusalPause) },
		spent:   otter.Must(&otter.Options[[sha256.Size]byte, exhaustedWindow]{MaximumSize: maxCallers}),
	}
}

// delay delays a refusal if its caller had too many refusals. It does not delay a refusal if maxDelayed refusals wait already.
func (f *refusals) delay(c *route.Call, status int) {
	if status != http.StatusTooManyRequests && status != http.StatusUnauthorized {
		return
	}
	who := caller{account: c.Account.ID}
	if c.Account.ID == uuid.Nil {
		peer, _ := netip.ParseAddrPort(c.Request.RemoteAddr)
		who.client = netguard.ClientPrefix(peer.Addr())
	}
	if f.callers.Allow(who, f.now()) || !f.delayed.TryAcquire(1) {
		return
	}
	defer f.delayed.Release(1)
	f.pause(c.Context())
}

// markExhausted remembers that the calls of a key's window are used up.
func (f *refusals) markExhausted(key string, w kv.Window) {
	f.spent.Set(sha256.Sum256([]byte(key)), exhaustedWindow{w, f.now().Add(w.Reset)})
}

// exhausted returns the window of a key whose calls are used up. Its Reset is the time until the window ends.
func (f *refusals) exhausted(key string) (w kv.Window, ok bool) {
	s, ok := f.spent.GetIfPresent(sha256.Sum256([]byte(key)))
	if !ok {
		return w, false
	}
	w = s.window
	w.Reset = s.ends.Sub(f.now())
	return w, w.Reset > 0
}
