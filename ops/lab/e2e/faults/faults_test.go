package faults

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

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// ownTimes fails the test for records whose stored time is outside the time of their request. It allows one second more, because
// clocks can differ.
func ownTimes[K comparable](t *testing.T, want map[K]e2e.Span, got map[K]time.Time) {
	t.Helper()
	wrong := 0
	for k, w := range want {
		if got[k].Before(w.Asked.Add(-time.Second)) || got[k].After(w.Answered.Add(time.Second)) {
			wrong++
			t.Logf("%v was asked for at %s, answered at %s and stored for %s", k, w.Asked, w.Answered, got[k])
		}
	}
	if wrong > 0 {
		t.Errorf("%d records are not stored under the time of their request", wrong)
	}
}

// TestKilledWebLosesNoClick kills the web process five times while 64 connections request links. Every answered click is stored
// exactly once.
func TestKilledWebLosesNoClick(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	const connections, kills, between = 64, 5, 400
	s := e2e.StartService(t, fleet.Options{}, "web")
	var clicks e2e.Tally[uuid.UUID]
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: connections, ResponseHeaderTimeout: await.Timeout}
	for range connections {
		wg.Go(func() {
			for ctx.Err() == nil {
				asked := time.Now()
				id, err := s.Click(ctx, transport)
				switch {
				case err == nil:
					clicks.Add(id, asked)
				case errors.Is(err, e2e.ErrWrong):
					clicks.Fail(err)
					return
				default: // no process runs, so the click was not answered
					e2e.Pause(ctx, 20*time.Millisecond)
				}
			}
		})
	}
	err := func() error {
		for range kills {
			if err := clicks.WaitFor(ctx, clicks.Len()+between); err != nil {
				return err
			}
			s.Find("web").Kill()
			if _, err := s.Spawn("web"); err != nil {
				return err
			}
		}
		return clicks.WaitFor(ctx, clicks.Len()+between)
	}()
	stop()
	wg.Wait()
	if err := errors.Join(append(clicks.Errs, err)...); err != nil {
		t.Fatal(err)
	}
	got, err := s.WaitStored(t.Context(), &clicks, &e2e.Tally[string]{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clicks answered, %d stored", len(clicks.At), len(got.Clicks))
	if extra := len(got.Clicks) - len(clicks.At); extra > (kills+1)*connections {
		t.Errorf("%d clicks are stored although no visitor got an answer", extra)
	}
	if err := s.WaitLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestServersAwayLoseNothing takes PostgreSQL, then Redis, then both away for ten seconds each. Every request is answered as
// usual, and everything is stored afterwards under the time of its request.
func TestServersAwayLoseNothing(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	const away = 10 * time.Second
	s := e2e.StartService(t, fleet.Options{}, "web", "worker", "clock")
	var clicks e2e.Tally[uuid.UUID]
	var conversions e2e.Tally[string]
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var number atomic.Int64
	transport := &http.Transport{MaxIdleConnsPerHost: 8, ResponseHeaderTimeout: await.Timeout}
	for range 8 {
		wg.Go(func() {
			for tick := time.NewTicker(80 * time.Millisecond); ctx.Err() == nil; <-tick.C {
				sendVisit(s, &clicks, &conversions, transport, number.Add(1))
			}
		})
	}
	err := func() error {
		for _, outage := range []func(context.Context, *e2e.Service, time.Duration) error{postgresAway, redisAway, bothAway} {
			if err := clicks.WaitFor(ctx, clicks.Len()+100); err != nil {
				return err
			}
			if err := outage(ctx, s, away); err != nil {
				return err
			}
		}
		return clicks.WaitFor(ctx, clicks.Len()+100)
	}()
	stop()
	wg.Wait()
	if err := errors.Join(append(append(clicks.Errs, conversions.Errs...), err)...); err != nil {
		t.Fatal(err)
	}
	got, err := s.WaitStored(t.Context(), &clicks, &conversions)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clicks and %d conversions", len(got.Clicks), len(got.Conversions))
	if len(got.Clicks) != len(clicks.At) || len(got.Conversions) != len(conversions.At) {
		t.Errorf("stored %d clicks and %d conversions instead of %d and %d",
			len(got.Clicks), len(got.Conversions), len(clicks.At), len(conversions.At))
	}
	ownTimes(t, clicks.At, got.Clicks)
	ownTimes(t, conversions.At, got.Conversions)
	if err := s.WaitLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

// sendVisit sends one click and, if n is a multiple of 4, a postback for it. The end of the test does not cancel the requests.
func sendVisit(s *e2e.Service, clicks *e2e.Tally[uuid.UUID], conversions *e2e.Tally[string], via http.RoundTripper, n int64) {
	ctx, asked := context.Background(), time.Now()
	id, err := s.Click(ctx, via)
	if err != nil {
		clicks.Fail(err)
		return
	}
	clicks.Add(id, asked)
	if n%4 != 0 {
		return
	}
	key := "order-" + strconv.FormatInt(n, 10)
	path := "/postback?payout=2&conversion_id=" + key + "&clickid=" + models.FormatClickID(id)
	asked = time.Now()
	got, err := s.Request(ctx, via, http.MethodGet, path)
	if err != nil || got.Status != http.StatusOK {
		conversions.Fail(fmt.Errorf("postback %s: %d %.200s %w", key, got.Status, got.Body, err))
		return
	}
	conversions.Add(key, asked)
}

func postgresAway(ctx context.Context, s *e2e.Service, d time.Duration) error {
	server, err := s.Postgres()
	if err != nil {
		return err
	}
	if err := server.Kill(ctx); err != nil {
		return err
	}
	e2e.Pause(ctx, d)
	return s.StartServers(ctx)
}

func redisAway(ctx context.Context, s *e2e.Service, d time.Duration) error {
	server, err := s.Redis(ctx)
	if err != nil {
		return err
	}
	if err := server.Kill(ctx); err != nil {
		return err
	}
	e2e.Pause(ctx, d)
	return s.StartServers(ctx)
}

// bothAway freezes PostgreSQL and Redis. Frozen servers refuse no connection and answer nothing.
func bothAway(ctx context.Context, s *e2e.Service, d time.Duration) error {
	postgres, err := s.Postgres()
	if err != nil {
		return err
	}
	redis, err := s.Redis(ctx)
	if err != nil {
		return err
	}
	err = errors.Join(postgres.Freeze(), redis.Freeze())
	if err == nil {
		e2e.Pause(ctx, d)
	}
	return errors.Join(err, postgres.Thaw(), redis.Thaw())
}

// TestKilledWorkerDeliversAll kills the worker three times in the middle of its deliveries. Every event is delivered. A delivery
// is repeated only if the worker died before it recorded the answer.
func TestKilledWorkerDeliversAll(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	const events, kills = 120, 3
	receiver, err := fleet.NewReceiver(func(ctx context.Context, _ fleet.Attempt) int {
		e2e.Pause(ctx, 150*time.Millisecond) // long enough to kill the worker during the request
		return http.StatusNoContent
	})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	s := e2e.StartService(t, fleet.Options{Receiver: receiver, Env: []string{"WEBHOOK_SCHEDULE=1s,1s,1s,1s,1s,1s"}}, "web", "clock")
	var hook struct{ Secret string }
	body := map[string]any{"url": receiver.URL("/hook"), "events": []string{models.EventConversionCreated}}
	if err := s.API.Create(t.Context(), "/webhooks", body, &hook); err != nil {
		t.Fatal(err)
	}
	receiver.SetSecret("/hook", hook.Secret)
	var clicks e2e.Tally[uuid.UUID]
	var conversions e2e.Tally[string]
	for n := range int64(events) {
		sendVisit(s, &clicks, &conversions, http.DefaultTransport, 4*n)
	}
	if err := errors.Join(append(clicks.Errs, conversions.Errs...)...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), await.Timeout)
	defer cancel()
	delivered := func(n int) func() (bool, error) {
		return func() (bool, error) { return len(byOrder(receiver.Attempts())) >= n, nil }
	}
	for i := range kills {
		if _, err := s.Spawn("worker"); err != nil {
			t.Fatal(err)
		}
		if err := client.Poll(ctx, 5*time.Millisecond, delivered((i+1)*events/(kills+2))); err != nil {
			t.Fatalf("%d of %d events were delivered before the kill: %v", len(byOrder(receiver.Attempts())), events, err)
		}
		s.Find("worker").Kill()
	}
	if _, err := s.Spawn("worker"); err != nil {
		t.Fatal(err)
	}
	if err := client.Poll(ctx, 50*time.Millisecond, delivered(events)); err != nil {
		t.Fatalf("%d of %d events were delivered in the end: %v", len(byOrder(receiver.Attempts())), events, err)
	}
	err = client.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		var pending struct{ Rows []any }
		err := s.API.Get(ctx, "/webhooks/deliveries?status=pending&limit=1", &pending)
		return len(pending.Rows) == 0, err
	})
	if err != nil {
		t.Errorf("deliveries stay pending: %v", err)
	}
	doubled := 0
	for order, ids := range byOrder(receiver.Attempts()) {
		if len(ids) != 1 {
			t.Errorf("conversion %s was announced by %d events, want 1", order, len(ids))
		}
		for id, n := range ids {
			if doubled += n - 1; n > kills+1 {
				t.Errorf("event %s was delivered %d times", id, n)
			}
		}
	}
	t.Logf("%d events, %d delivered again", events, doubled)
	for _, a := range receiver.Attempts() {
		if a.Problem != "" {
			t.Error(a.Problem)
		}
	}
}

func byOrder(attempts []fleet.Attempt) map[string]map[string]int {
	orders := map[string]map[string]int{}
	for _, a := range attempts {
		var body struct{ Data models.ConversionData }
		if json.Unmarshal(a.Body, &body) != nil || !a.Accepted() {
			continue
		}
		order := body.Data.ConversionID
		if orders[order] == nil {
			orders[order] = map[string]int{}
		}
		orders[order][a.EventID]++
	}
	return orders
}
