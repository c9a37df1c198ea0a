package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"switchyard/jobs"
)

// Sizes and goal of the measurement of syncs while other platforms do not answer.
const (
	slowAccounts = 10 // that are connected to it
	slowEach     = 4  // times each
	slowNetwork  = "affise"
	quickOnes    = 4 // accounts whose syncs are measured, one after another
	quickAsks    = 20
	quickClicks  = 100
	goalBeside   = 1.5 // times as long while it does not answer
)

// slowPlatforms wraps Platforms and can keep some of them from answering for a while.
type slowPlatforms struct {
	Platforms
	mu      sync.Mutex
	held    chan struct{} // requests to slow platforms wait until it is closed; nil: they do not
	waiting atomic.Int64
}

// ServeHTTP implements http.Handler.
func (p *slowPlatforms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	p.mu.Lock()
	held := p.held
	p.mu.Unlock()
	if held != nil && (name == slowNetwork || name == syncUpload) {
		body, err := io.ReadAll(r.Body) // the server notices a client that gives up only once the body is read
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.waiting.Add(1)
		defer p.waiting.Add(-1)
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
	}
	p.Platforms.ServeHTTP(w, r)
}

// hold keeps the slow platforms from answering until release is called.
func (p *slowPlatforms) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := make(chan struct{})
	p.held = held
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held = nil
		close(held)
	})
}

// askSync is a call of an account.
type askSync struct {
	*syncAccount
	path string
	body object
}

// Measures the syncs of some accounts twice: alone, and while a network and an ad platform do not answer the requests of many
// other accounts.
func (s *syncs) beside(ctx context.Context) error {
	quick, slow, told, err := s.neighbours(ctx)
	if err != nil {
		return err
	}
	worker, err := s.worker(ctx)
	if err != nil {
		return err
	}
	defer worker.Stop()
	if _, err := s.turn(ctx, quick); err != nil { // the first ones write
		return err
	}
	alone, err := s.turn(ctx, quick)
	if err != nil {
		return err
	}
	release := s.slow.hold()
	defer release()
	for _, a := range told { // only now, because the clock sends uploads on its own
		if err := s.convert(ctx, a); err != nil {
			return err
		}
	}
	if _, err := jobs.Submit(ctx, s.jobs, jobs.SweepUploads, uuid.Nil, jobs.Tick{}); err != nil {
		return err
	}
	for _, a := range slow {
		got, err := a.Call(ctx, http.MethodPost, a.path, a.body, "Prefer", "respond-async")
		if err == nil && got.Status != http.StatusAccepted {
			err = fmt.Errorf("bench: a slow sync: %d %.200s", got.Status, got.Body)
		}
		if err != nil {
			return err
		}
	}
	if err := s.until(ctx, func() bool { return s.slow.waiting.Load() >= 4 }); err != nil {
		return fmt.Errorf("bench: nobody waits for the slow platforms: %w", err)
	}
	beside, err := s.turn(ctx, quick)
	if err != nil {
		return err
	}
	waiting := s.slow.waiting.Load()
	ratio := float64(beside.Percentile(0.95)) / float64(alone.Percentile(0.95))
	s.say("syncs alone %s; beside a network and an ad platform that do not answer %s, %d requests to which wait", alone.spread(), beside.spread(), waiting)
	s.add(fmt.Sprintf("syncs of %d accounts", quickOnes), alone.spread(), "", true)
	s.add(fmt.Sprintf("beside %d to a network and %d to an ad platform that do not answer", len(slow), slowAccounts*slowEach),
		beside.spread(), "", true)
	s.add("p95 of the one by the other", fmt.Sprintf("%.2f", ratio), fmt.Sprintf("<= %.1f", goalBeside), ratio <= goalBeside)
	return nil
}

func (s *syncs) until(ctx context.Context, done func() bool) error {
	for limited, cancel := context.WithTimeout(ctx, time.Minute); ; {
		if done() {
			cancel()
			return nil
		}
		if err := pause(limited); err != nil {
			cancel()
			return err
		}
	}
}

// neighbours creates and connects the accounts. told holds the accounts whose conversions are uploaded to an ad platform.
func (s *syncs) neighbours(ctx context.Context) (quick, slow []askSync, told []*syncAccount, err error) {
	from, to := s.span()
	body := object{"from": from, "to": to}
	var orders []Order
	for n := range quickOnes {
		a, err := s.account(ctx, fmt.Sprint("Quick ", n), quickClicks)
		if err != nil {
			return nil, nil, nil, err
		}
		orders = append(orders, ordersOf(a)...)
		path, err := s.network(ctx, a, syncNetwork)
		if err != nil {
			return nil, nil, nil, err
		}
		source, err := s.source(ctx, a, a.source, syncCost)
		if err != nil {
			return nil, nil, nil, err
		}
		quick = append(quick, askSync{a, path + "/sync", body}, askSync{a, source, object{"action": "sync", "from": from, "to": to}})
	}
	spend := make([]Spend, quickClicks)
	for i := range spend {
		spend[i] = Spend{s.today, strconv.Itoa(i)}
	}
	s.Platforms.Have(orders, spend)
	for n := range slowAccounts {
		a, err := s.account(ctx, fmt.Sprint("Slow ", n), 0)
		if err != nil {
			return nil, nil, nil, err
		}
		for range slowEach {
			path, err := s.network(ctx, a, slowNetwork)
			if err != nil {
				return nil, nil, nil, err
			}
			slow = append(slow, askSync{a, path + "/sync", body})
			uploading, err := s.toUpload(ctx, a)
			if err != nil {
				return nil, nil, nil, err
			}
			told = append(told, uploading)
		}
	}
	return quick, slow, told, nil
}

// toUpload connects one more traffic source of an account and gives it a click that can convert.
func (s *syncs) toUpload(ctx context.Context, a *syncAccount) (*syncAccount, error) {
	id, err := a.create(ctx, "/traffic-sources")
	if err != nil {
		return nil, err
	}
	if _, err := s.source(ctx, a, id, syncUpload); err != nil {
		return nil, err
	}
	one := *a
	one.source = id
	return &one, s.strew(ctx, &one, 1)
}

// turn requests syncs for all quick accounts at once, and one after another within each account. It returns the sorted durations.
func (s *syncs) turn(ctx context.Context, quick []askSync) (took Result, err error) {
	var mu sync.Mutex
	g, asking := errgroup.WithContext(ctx)
	for i := range quickOnes {
		g.Go(func() error {
			for n := range 2 * quickAsks {
				a := quick[2*i+n%2]
				began := time.Now()
				if err := a.Do(asking, http.StatusOK, http.MethodPost, a.path, a.body, nil); err != nil {
					return err
				}
				mu.Lock()
				took.latencies = append(took.latencies, time.Since(began))
				mu.Unlock()
			}
			return nil
		})
	}
	err = g.Wait()
	slices.Sort(took.latencies)
	return took, err
}
