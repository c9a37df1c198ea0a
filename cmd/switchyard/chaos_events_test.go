package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// announce makes a click and its conversion, again until both were answered: the second postback of the same order,
// after one whose answer was lost, is an update and no new event.
func (s *service) announce(ctx context.Context, via http.RoundTripper, n int64, orders *tally[string]) {
	key := "order-" + strconv.FormatInt(n, 10)
	for ctx.Err() == nil {
		id, err := s.click(ctx, via)
		if errors.Is(err, errWrong) {
			orders.fail(err)
			return
		}
		path := "/postback?payout=2&conversion_id=" + key + "&clickid=" + models.FormatClickID(id)
		for err == nil && ctx.Err() == nil {
			asked := time.Now()
			got, failed := s.ask(ctx, via, http.MethodGet, path)
			if failed == nil && got.status == http.StatusOK {
				orders.add(key, asked)
				return
			}
			pause(ctx, 50*time.Millisecond) // the web process is away
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// arrivals counts the attempts that each endpoint accepted of each order's one event.
type arrivals struct {
	read int                                  // attempts
	got  map[string]map[string]map[string]int // by endpoint, order and event
	all  int                                  // orders that arrived, of all endpoints
}

// add counts what came since it was called last.
func (a *arrivals) add(attempts []fleet.Attempt) {
	if a.got == nil {
		a.got = map[string]map[string]map[string]int{}
	}
	for ; a.read < len(attempts); a.read++ {
		at := attempts[a.read]
		var body struct{ Data models.ConversionData }
		if json.Unmarshal(at.Body, &body) != nil || !at.Accepted() {
			continue
		}
		if a.got[at.Endpoint] == nil {
			a.got[at.Endpoint] = map[string]map[string]int{}
		}
		orders := a.got[at.Endpoint]
		if orders[body.Data.ConversionID] == nil {
			orders[body.Data.ConversionID] = map[string]int{}
			a.all++
		}
		orders[body.Data.ConversionID][at.EventID]++
	}
}

// await waits until so many have arrived, however long that takes, as long as some still do.
func (a *arrivals) await(ctx context.Context, t *testing.T, from *fleet.Receiver, want int) {
	t.Helper()
	for a.all < want {
		before := a.all
		wait, cancel := context.WithTimeout(ctx, await.Timeout)
		err := client.Poll(wait, 100*time.Millisecond, func() (bool, error) {
			a.add(from.Attempts())
			return a.all >= want || a.all > before+1000, nil
		})
		cancel()
		if err != nil && a.all == before {
			t.Fatalf("%d of %d deliveries are missing", want-a.all, want)
		}
	}
}

// trafficSource counts the postbacks that a traffic source accepted of each order, by their ids.
type trafficSource struct {
	*httptest.Server
	mu   sync.Mutex
	told map[string]map[string]int
}

func newTrafficSource(t *testing.T) *trafficSource {
	t.Helper()
	s := &trafficSource{told: map[string]map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		order := r.URL.Query().Get("order") + " " + r.URL.Query().Get("status")
		if s.told[order] == nil {
			s.told[order] = map[string]int{}
		}
		s.told[order][r.Header.Get("Switchyard-Delivery")]++
	}))
	t.Cleanup(s.Close)
	return s
}

// hears has the source of the service's clicks told of conversions here.
func (s *trafficSource) hears(ctx context.Context, of *service) error {
	body := map[string]any{"id": of.source, "name": "s", "postback_url": s.URL + "/?order={conversion_id}&status={status}"}
	return of.api.Do(ctx, http.StatusOK, http.MethodPut, "/traffic-sources", body, nil)
}

// check waits until it was told of all orders, and holds each to one id.
func (s *trafficSource) check(ctx context.Context, t *testing.T, orders []string) {
	t.Helper()
	missing := func() (list []string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.DeleteFunc(slices.Clone(orders), func(order string) bool { return s.told[order+" approved"] != nil })
	}
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	err := client.Poll(ctx, 100*time.Millisecond, func() (bool, error) { return len(missing()) == 0, nil })
	if err != nil {
		t.Fatalf("the traffic source was not told of %d of %d orders: %v", len(missing()), len(orders), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for order, ids := range s.told {
		if len(ids) != 1 {
			t.Errorf("the traffic source was told of %s under %d ids", order, len(ids))
		}
	}
	if len(s.told) != len(orders) {
		t.Errorf("the traffic source was told of %d orders, want %d", len(s.told), len(orders))
	}
}

// TestEveryEventArrives (W1) kills web, worker and Redis in turn while conversions come in: each one that was answered
// is announced to every endpoint, under one event id, and told to the traffic source, under one id.
func TestEveryEventArrives(t *testing.T) {
	t.Parallel()
	endpoints, kills, between := longtest.Size(3, 10), longtest.Size(3, 24), longtest.Size(15, 200)
	receiver, err := fleet.NewReceiver(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	s := startService(t, fleet.Options{Binary: ownBinary(t), Receiver: receiver, Env: []string{"WEBHOOK_SCHEDULE=1s,1s,1s,1s,1s,1s"}},
		"web", "worker", "clock")
	for i := range endpoints {
		path := fmt.Sprintf("/hook%d", i)
		var hook struct{ Secret string }
		body := map[string]any{"url": receiver.URL(path), "events": []string{models.EventConversionCreated}}
		if err := s.api.Create(t.Context(), "/webhooks", body, &hook); err != nil {
			t.Fatal(err)
		}
		receiver.SetSecret(path, hook.Secret)
	}
	told := newTrafficSource(t)
	if err := told.hears(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	var orders tally[string]
	var number atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: 4, ResponseHeaderTimeout: await.Timeout}
	for range 4 {
		wg.Go(func() {
			for tick := time.NewTicker(longtest.Size(40*time.Millisecond, 20*time.Millisecond)); ctx.Err() == nil; <-tick.C {
				s.announce(t.Context(), transport, number.Add(1), &orders)
			}
		})
	}
	err = s.killInTurn(ctx, kills, func() error { return orders.waitFor(ctx, orders.len()+between) })
	stop()
	wg.Wait()
	if err := errors.Join(append(orders.errs, err)...); err != nil {
		t.Fatal(err)
	}
	var came arrivals
	begin := time.Now()
	came.await(t.Context(), t, receiver, endpoints*len(orders.at))
	told.check(t.Context(), t, slices.Collect(maps.Keys(orders.at)))
	again := 0
	for endpoint, orders := range came.got {
		for order, ids := range orders {
			if len(ids) != 1 {
				t.Errorf("%s: %s was announced by %d events", endpoint, order, len(ids))
			}
			for _, n := range ids {
				again += n - 1
			}
		}
	}
	for _, a := range receiver.Attempts() {
		if a.Problem != "" {
			t.Error(a.Problem)
		}
	}
	t.Logf("W1: %d events to %d endpoints, %d kills, all delivered %s after the last, %d deliveries repeated",
		len(orders.at), endpoints, kills, time.Since(begin).Round(time.Millisecond), again)
}

// killInTurn kills web, worker and Redis in turn, each after progress.
func (s *service) killInTurn(ctx context.Context, kills int, progress func() error) error {
	for i := range kills {
		if err := progress(); err != nil {
			return err
		}
		if i%3 == 2 {
			if err := s.redisAway(ctx, 0); err != nil {
				return err
			}
			continue
		}
		name := []string{"web", "worker"}[i%3]
		s.Find(name).Kill()
		if _, err := s.Spawn(name); err != nil {
			return err
		}
	}
	return progress()
}
