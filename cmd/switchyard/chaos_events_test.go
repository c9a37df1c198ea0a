package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/ops/fleet"
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
			got, asked := s.ask(ctx, via, http.MethodGet, path)
			if asked == nil && got.status == http.StatusOK {
				orders.add(key)
				return
			}
			pause(ctx, 50*time.Millisecond) // the web process is away
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// arrivals counts the attempts that each endpoint accepted of each order's one event.
func arrivals(attempts []fleet.Attempt) map[string]map[string]map[string]int {
	all := map[string]map[string]map[string]int{}
	for _, a := range attempts {
		var body struct{ Data models.ConversionData }
		if json.Unmarshal(a.Body, &body) != nil || !a.Accepted() {
			continue
		}
		if all[a.Endpoint] == nil {
			all[a.Endpoint] = map[string]map[string]int{}
		}
		orders := all[a.Endpoint]
		if orders[body.Data.ConversionID] == nil {
			orders[body.Data.ConversionID] = map[string]int{}
		}
		orders[body.Data.ConversionID][a.EventID]++
	}
	return all
}

// TestEveryEventArrives (W1) kills web, worker and Redis in turn while conversions come in: each one that was answered
// is announced to every endpoint, under one event id.
func TestEveryEventArrives(t *testing.T) {
	t.Parallel()
	endpoints, kills, between := size(3, 10), size(3, 24), size(15, 500)
	receiver, err := fleet.NewReceiver(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	s := startService(t, fleet.Options{Receiver: receiver, Env: []string{"WEBHOOK_SCHEDULE=1s,1s,1s,1s,1s,1s"}},
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
	var orders tally[string]
	var number atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: 4, ResponseHeaderTimeout: 20 * time.Second}
	for range 4 {
		wg.Go(func() {
			for tick := time.NewTicker(size(40*time.Millisecond, 20*time.Millisecond)); ctx.Err() == nil; <-tick.C {
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
	wait, cancel := context.WithTimeout(t.Context(), size(patience, 5*time.Minute))
	defer cancel()
	missing := -1
	err = fleet.Poll(wait, 100*time.Millisecond, func() (bool, error) {
		got := arrivals(receiver.Attempts())
		missing = 0
		for i := range endpoints {
			for order := range orders.at {
				if len(got[fmt.Sprintf("/hook%d", i)][order]) == 0 {
					missing++
				}
			}
		}
		return missing == 0, nil
	})
	if err != nil {
		t.Fatalf("%d of %d deliveries are missing", missing, endpoints*len(orders.at))
	}
	again := 0
	for endpoint, orders := range arrivals(receiver.Attempts()) {
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
	t.Logf("W1: %d events to %d endpoints, %d deliveries repeated", len(orders.at), endpoints, again)
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
