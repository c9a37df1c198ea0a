package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/bench"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// The limits that TestNeighbour checks in its long form: a multiple of the figures on a quiet service, and absolute values.
const (
	neighbourRatio  = 3
	neighbourCall   = 300 * time.Millisecond
	neighbourClick  = 15 * time.Millisecond
	neighbourLag    = 5 * time.Second
	neighbourMemory = 1 << 30 // bytes, of each process
)

// TestNeighbour checks that no account or stranger can make the service unavailable to the others. During attacks, all calls of
// another account, the neighbour, succeed, and all its clicks and conversions arrive. The long form also limits the times of these
// calls, clicks and conversions, and the memory of each process.
func TestNeighbour(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	hang, n := make(chan struct{}), &neighbour{notified: map[string]chan struct{}{}}
	receiver, err := fleet.NewReceiver(func(ctx context.Context, got fleet.Attempt) int {
		if got.Endpoint == neighbourHook {
			n.receive(got.Body)
			return http.StatusOK
		}
		select {
		case <-hang:
		case <-ctx.Done():
		}
		return http.StatusOK
	})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	defer close(hang)
	s := e2e.StartService(t, fleet.Options{Binary: e2e.OwnBinary(t), Receiver: receiver}, "web", "worker", "clock")
	a := startAttackProcess(t, newTarget(t, s, receiver.URL("/hang")))
	n.Service = s
	hook := map[string]any{"url": receiver.URL(neighbourHook), "events": []string{models.EventConversionCreated}}
	if err := s.API.Create(t.Context(), "/webhooks", hook, nil); err != nil {
		t.Fatal(err)
	}

	quiet := n.measureDuring(t, "quiet", longtest.Size(time.Second/2, 20*time.Second), nil)
	for list := range slices.Chunk(attacks, longtest.Size(4, 1)) {
		names := db.Map(list, func(how attack) string { return how.name })
		n.measureDuring(t, strings.Join(names, ", "), longtest.Size(time.Second/2, 10*time.Second), a, list...)
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var mixed figures
	for range longtest.Size(2, 200) {
		mixture := make([]attack, 1+random.IntN(3))
		for i := range mixture {
			mixture[i] = attacks[random.IntN(len(attacks))]
		}
		mixed.add(n.measureDuring(t, "", longtest.Size(time.Second/2, 600*time.Millisecond), a, mixture...))
	}
	t.Logf("%-24s %s", "random mixtures", mixed)
	n.allCounted(t)
	a.allTried(t)
	noSecretsInClear(t, s.Fleet)
	if longtest.On() {
		mixed.check(t, quiet)
		checkMemory(t, s.Fleet)
	}
}

type neighbour struct {
	*e2e.Service
	mu       sync.Mutex
	clicks   int
	notified map[string]chan struct{} // by conversion id; closed when the conversion's webhook has come
}

const neighbourHook = "/neighbour"

// figures holds the neighbour's measured times by kind.
type figures map[string][]time.Duration

const (
	redirects = "redirect"
	reported  = "in the reports"
	converted = "postback to webhook"
)

func (f *figures) add(more figures) {
	if *f == nil {
		*f = figures{}
	}
	for kind, list := range more {
		(*f)[kind] = append((*f)[kind], list...)
	}
}

// percentile returns the percentile p, from 0 to 1, of a kind. It returns 0 for a kind that was not measured.
func (f figures) percentile(kind string, p float64) time.Duration {
	list := slices.Sorted(slices.Values(f[kind]))
	if len(list) == 0 {
		return 0
	}
	return list[min(len(list)-1, int(p*float64(len(list))))]
}

// String returns the median and the 99th percentile of each kind.
func (f figures) String() string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&b, "%s %s/%s  ", kind, f.percentile(kind, 0.5).Round(100*time.Microsecond),
			f.percentile(kind, 0.99).Round(100*time.Microsecond))
	}
	return b.String()
}

// check fails the test for each kind whose 99th percentile is above its limit.
func (f figures) check(t *testing.T, quiet figures) {
	t.Helper()
	for kind := range f {
		most := min(neighbourRatio*quiet.percentile(kind, 0.99), neighbourCall)
		switch kind {
		case redirects:
			most = neighbourClick
		case reported, converted:
			most = neighbourLag
		}
		if got := f.percentile(kind, 0.99); got > most {
			t.Errorf("%s: p99 is %s, the limit is %s (quiet: %s)", kind, got, most, quiet.percentile(kind, 0.99))
		}
	}
}

// measureDuring measures the neighbour during the attacks.
func (n *neighbour) measureDuring(t *testing.T, name string, d time.Duration, a *attackProcess, list ...attack) figures {
	t.Helper()
	if len(list) > 0 {
		a.begin(t, list)
	}
	measured := n.measure(t, d)
	if len(list) > 0 {
		a.end(t)
	}
	if name != "" {
		t.Logf("%-24s %s", name, measured)
	}
	return measured
}

// measure makes the neighbour's calls and clicks for the duration d, at least one of each kind.
func (n *neighbour) measure(t *testing.T, d time.Duration) figures {
	t.Helper()
	calls := map[string]func(context.Context) error{
		"plan":      func(ctx context.Context) error { return n.API.Get(ctx, "/plan", nil) },
		"campaigns": func(ctx context.Context) error { return n.API.Get(ctx, "/campaigns", nil) },
		"report": func(ctx context.Context) error {
			return n.API.Get(ctx, "/reports/performance?dimension=campaign_id,country", nil)
		},
		"write": func(ctx context.Context) error {
			return n.API.Create(ctx, "/offers", map[string]any{"name": uuid.NewString(), "url": "https://offer.example"}, nil)
		},
		redirects: n.redirect,
		reported:  n.untilReported,
		converted: n.convert,
	}
	end := time.Now().Add(d)
	got := figures{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for kind, call := range calls {
		pace := 300 * time.Millisecond // within the calls per minute of the neighbour's plan
		if kind == redirects {
			pace = 20 * time.Millisecond
		}
		all.Go(func() {
			for first := true; first || time.Now().Before(end); first = false {
				began := time.Now()
				err := call(t.Context())
				took := time.Since(began)
				if err != nil {
					t.Errorf("%s: %v", kind, err)
					return
				}
				mu.Lock()
				got[kind] = append(got[kind], took)
				mu.Unlock()
				select {
				case <-t.Context().Done():
				case <-time.After(pace - took):
				}
			}
		})
	}
	all.Wait()
	return got
}

func (n *neighbour) redirect(ctx context.Context) error {
	if _, err := n.Click(ctx, http.DefaultTransport); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clicks++
	return nil
}

// convert sends the postback of a click and waits for the webhook of the conversion.
func (n *neighbour) convert(ctx context.Context) error {
	click, err := n.Click(ctx, http.DefaultTransport)
	if err != nil {
		return err
	}
	id, arrived := uuid.NewString(), make(chan struct{})
	n.mu.Lock()
	n.clicks++
	n.notified[id] = arrived
	n.mu.Unlock()
	path := "/postback?payout=1&conversion_id=" + id + "&clickid=" + models.FormatClickID(click)
	got, err := n.Request(ctx, fromNetwork{}, http.MethodGet, path)
	if err != nil || got.Status != http.StatusOK {
		return fmt.Errorf("postback: %d %.200s: %w", got.Status, got.Body, err)
	}
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	select {
	case <-arrived:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the webhook of conversion %s did not come: %w", id, ctx.Err())
	}
}

// receive records that a webhook has arrived. It may arrive more than once.
func (n *neighbour) receive(body []byte) {
	var event struct{ Data models.ConversionData }
	_ = json.Unmarshal(body, &event) // an unreadable body names no conversion
	n.mu.Lock()
	defer n.mu.Unlock()
	if arrived, ok := n.notified[event.Data.ConversionID]; ok {
		close(arrived)
		delete(n.notified, event.Data.ConversionID)
	}
}

// fromNetwork sends requests as a network's server does, from an address that no attacker uses.
type fromNetwork struct{}

func (fromNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", "81.2.69.142")
	return http.DefaultTransport.RoundTrip(r)
}

func (n *neighbour) sent() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.clicks
}

func (n *neighbour) counted(ctx context.Context) (int, error) {
	var got struct{ Clicks, Bots int }
	err := n.API.Get(ctx, "/stats/overview", &got)
	return got.Clicks + got.Bots, err
}

// untilReported waits until the reports count all clicks that were answered before the call.
func (n *neighbour) untilReported(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	want := n.sent()
	return client.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		got, err := n.counted(ctx)
		return got >= want, err
	})
}

// allCounted checks that the reports count exactly the answered clicks.
func (n *neighbour) allCounted(t *testing.T) {
	t.Helper()
	if err := n.untilReported(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := n.counted(t.Context()); err != nil || got != n.sent() {
		t.Errorf("%d clicks are counted, %d were answered: %v", got, n.sent(), err)
	}
}

// checkMemory checks the peak memory of each process. It skips the test on a system without this figure.
func checkMemory(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	for _, name := range []string{"web", "worker", "clock"} {
		kB, err := f.Find(name).Memory("VmHWM")
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("the system does not tell the memory of a process")
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: at most %d MB", name, kB>>10)
		if kB<<10 > neighbourMemory {
			t.Errorf("%s took %d MB, the limit is %d MB", name, kB>>10, neighbourMemory>>20)
		}
	}
}

// seedClicks stores clicks of yesterday for an account.
func seedClicks(t *testing.T, f *fleet.Fleet, account string, clicks int) {
	t.Helper()
	d, err := db.Open(t.Context(), f.DatabaseURL, db.Options{Name: "neighbour", MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	yesterday := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	if err := bench.StoreDay(t.Context(), d, uuid.MustParse(account), yesterday, clicks); err != nil {
		t.Fatal(err)
	}
}
