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

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// stored reads what the service has in PostgreSQL.
type stored struct {
	clicks      map[uuid.UUID]time.Time
	conversions map[string]time.Time // by the network's id
}

func (s *service) stored(ctx context.Context) (stored, error) {
	out := stored{map[uuid.UUID]time.Time{}, map[string]time.Time{}}
	d, err := db.Open(ctx, s.DatabaseURL, db.Options{Name: "faults"})
	if err != nil {
		return out, err
	}
	defer d.Close()
	err = readTimes(ctx, d, `SELECT id::text, at FROM clicks`, func(id string, at time.Time) {
		out.clicks[uuid.MustParse(id)] = at
	})
	if err != nil {
		return out, err
	}
	err = readTimes(ctx, d, `SELECT conversion_id, recorded_at FROM conversions`, func(id string, at time.Time) {
		out.conversions[id] = at
	})
	return out, err
}

func readTimes(ctx context.Context, d *db.DB, query string, add func(string, time.Time)) error {
	rows, err := d.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var at time.Time
		if err := rows.Scan(&id, &at); err != nil {
			return err
		}
		add(id, at)
	}
	return rows.Err()
}

// waitStored waits until everything that was answered is stored.
func (s *service) waitStored(ctx context.Context, clicks *tally[uuid.UUID], conversions *tally[string]) (stored, error) {
	var got stored
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	missing := len(clicks.at) + len(conversions.at)
	var last error
	err := client.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		now, err := s.stored(ctx) // it fails while PostgreSQL starts, and when the time is over
		if last = err; err == nil {
			got, missing = now, absent(clicks.at, now.clicks)+absent(conversions.at, now.conversions)
		}
		return err == nil && missing == 0, nil
	})
	if err = errors.Join(err, last); err != nil {
		err = fmt.Errorf("%d of %d clicks and %d conversions were missing when last counted: %w",
			missing, len(clicks.at), len(conversions.at), err)
	}
	return got, err
}

func absent[K comparable](want map[K]span, got map[K]time.Time) int {
	n := 0
	for k := range want {
		if _, ok := got[k]; !ok {
			n++
		}
	}
	return n
}

// ownTimes fails for what is stored under a time outside its request. A second more at both ends is for clocks that are
// read at once and differ.
func ownTimes[K comparable](t *testing.T, want map[K]span, got map[K]time.Time) {
	t.Helper()
	wrong := 0
	for k, w := range want {
		if got[k].Before(w.asked.Add(-time.Second)) || got[k].After(w.answered.Add(time.Second)) {
			wrong++
			t.Logf("%v was asked for at %s, answered at %s and stored for %s", k, w.asked, w.answered, got[k])
		}
	}
	if wrong > 0 {
		t.Errorf("%d have lost their own time", wrong)
	}
}

// waitLedger waits until the reports count exactly the rows that are stored. The rows are counted again each time, because a
// click whose visitor got no answer may be stored late, when a process takes over the spool of a killed process.
func (s *service) waitLedger(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	var got struct {
		Clicks int `json:"clicks"`
		Bots   int `json:"bot_clicks"`
	}
	rows := 0
	err := client.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		now, err := s.stored(ctx)
		if err != nil {
			return false, err
		}
		rows = len(now.clicks)
		err = s.api.Get(ctx, "/stats/overview", &got)
		return got.Clicks+got.Bots == rows, err
	})
	if err != nil {
		return fmt.Errorf("%d rows, the reports say %+v: %w", rows, got, err)
	}
	return nil
}

// TestKilledWebLosesNoClick kills the web process five times under 64 connections: every click that was answered is in
// the database exactly once, and the reports count each row once.
func TestKilledWebLosesNoClick(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	const connections, kills, between = 64, 5, 400
	s := startService(t, fleet.Options{}, "web")
	var clicks tally[uuid.UUID]
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: connections, ResponseHeaderTimeout: await.Timeout}
	for range connections {
		wg.Go(func() {
			for ctx.Err() == nil {
				asked := time.Now()
				id, err := s.click(ctx, transport)
				switch {
				case err == nil:
					clicks.add(id, asked)
				case errors.Is(err, errWrong):
					clicks.fail(err)
					return
				default: // no process is there: not answered
					pause(ctx, 20*time.Millisecond)
				}
			}
		})
	}
	err := func() error {
		for range kills {
			if err := clicks.waitFor(ctx, clicks.len()+between); err != nil {
				return err
			}
			s.Find("web").Kill()
			if _, err := s.Spawn("web"); err != nil {
				return err
			}
		}
		return clicks.waitFor(ctx, clicks.len()+between)
	}()
	stop()
	wg.Wait()
	if err := errors.Join(append(clicks.errs, err)...); err != nil {
		t.Fatal(err)
	}
	got, err := s.waitStored(t.Context(), &clicks, &tally[string]{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clicks answered, %d stored", len(clicks.at), len(got.clicks))
	if extra := len(got.clicks) - len(clicks.at); extra > (kills+1)*connections {
		t.Errorf("%d clicks are stored that nobody was answered for", extra)
	}
	if err := s.waitLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// TestServersAwayLoseNothing takes PostgreSQL, then Redis, then both away for ten seconds each under traffic of clicks
// and postbacks. Every request is answered as if nothing was wrong, and everything is stored afterwards under its own
// time.
func TestServersAwayLoseNothing(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	const away = 10 * time.Second
	s := startService(t, fleet.Options{}, "web", "worker", "clock")
	var clicks tally[uuid.UUID]
	var conversions tally[string]
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var number atomic.Int64
	transport := &http.Transport{MaxIdleConnsPerHost: 8, ResponseHeaderTimeout: await.Timeout}
	for range 8 {
		wg.Go(func() {
			for tick := time.NewTicker(80 * time.Millisecond); ctx.Err() == nil; <-tick.C {
				s.visit(&clicks, &conversions, transport, number.Add(1))
			}
		})
	}
	err := func() error {
		for _, outage := range []func(context.Context, time.Duration) error{s.postgresAway, s.redisAway, s.bothAway} {
			if err := clicks.waitFor(ctx, clicks.len()+100); err != nil {
				return err
			}
			if err := outage(ctx, away); err != nil {
				return err
			}
		}
		return clicks.waitFor(ctx, clicks.len()+100)
	}()
	stop()
	wg.Wait()
	if err := errors.Join(append(append(clicks.errs, conversions.errs...), err)...); err != nil {
		t.Fatal(err)
	}
	got, err := s.waitStored(t.Context(), &clicks, &conversions)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clicks and %d conversions", len(got.clicks), len(got.conversions))
	if len(got.clicks) != len(clicks.at) || len(got.conversions) != len(conversions.at) {
		t.Errorf("stored %d clicks and %d conversions instead of %d and %d",
			len(got.clicks), len(got.conversions), len(clicks.at), len(conversions.at))
	}
	ownTimes(t, clicks.at, got.clicks)
	ownTimes(t, conversions.at, got.conversions)
	if err := s.waitLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

// visit is one click and, for every fourth, a postback. It is not cut short when the test ends.
func (s *service) visit(clicks *tally[uuid.UUID], conversions *tally[string], via http.RoundTripper, n int64) {
	ctx, asked := context.Background(), time.Now()
	id, err := s.click(ctx, via)
	if err != nil {
		clicks.fail(err)
		return
	}
	clicks.add(id, asked)
	if n%4 != 0 {
		return
	}
	key := "order-" + strconv.FormatInt(n, 10)
	path := "/postback?payout=2&conversion_id=" + key + "&clickid=" + models.FormatClickID(id)
	asked = time.Now()
	got, err := s.ask(ctx, via, http.MethodGet, path)
	if err != nil || got.status != http.StatusOK {
		conversions.fail(fmt.Errorf("postback %s: %d %.200s %w", key, got.status, got.body, err))
		return
	}
	conversions.add(key, asked)
}

func (s *service) postgresAway(ctx context.Context, d time.Duration) error {
	server, err := s.Postgres()
	if err != nil {
		return err
	}
	if err := server.Kill(ctx); err != nil {
		return err
	}
	pause(ctx, d)
	return s.StartServers(ctx)
}

func (s *service) redisAway(ctx context.Context, d time.Duration) error {
	server, err := s.Redis(ctx)
	if err != nil {
		return err
	}
	if err := server.Kill(ctx); err != nil {
		return err
	}
	pause(ctx, d)
	return s.StartServers(ctx)
}

// bothAway freezes both: nothing refuses a connection, nothing answers.
func (s *service) bothAway(ctx context.Context, d time.Duration) error {
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
		pause(ctx, d)
	}
	return errors.Join(err, postgres.Thaw(), redis.Thaw())
}

// TestKilledWorkerDeliversAll kills the worker three times in the middle of its deliveries: every event is delivered,
// and repeated only where the worker died between the answer and its own note of it.
func TestKilledWorkerDeliversAll(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	const events, kills = 120, 3
	receiver, err := fleet.NewReceiver(func(ctx context.Context, _ fleet.Attempt) int {
		pause(ctx, 150*time.Millisecond) // long enough to be killed in
		return http.StatusNoContent
	})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	s := startService(t, fleet.Options{Receiver: receiver, Env: []string{"WEBHOOK_SCHEDULE=1s,1s,1s,1s,1s,1s"}}, "web", "clock")
	var hook struct{ Secret string }
	body := map[string]any{"url": receiver.URL("/hook"), "events": []string{models.EventConversionCreated}}
	if err := s.api.Create(t.Context(), "/webhooks", body, &hook); err != nil {
		t.Fatal(err)
	}
	receiver.SetSecret("/hook", hook.Secret)
	var clicks tally[uuid.UUID]
	var conversions tally[string]
	for n := range int64(events) {
		s.visit(&clicks, &conversions, http.DefaultTransport, 4*n)
	}
	if err := errors.Join(append(clicks.errs, conversions.errs...)...); err != nil {
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
			t.Fatalf("%d of %d delivered: %v", len(byOrder(receiver.Attempts())), events, err)
		}
		s.Find("worker").Kill()
	}
	if _, err := s.Spawn("worker"); err != nil {
		t.Fatal(err)
	}
	if err := client.Poll(ctx, 50*time.Millisecond, delivered(events)); err != nil {
		t.Fatalf("%d of %d delivered: %v", len(byOrder(receiver.Attempts())), events, err)
	}
	err = client.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		var pending struct{ Rows []any }
		err := s.api.Get(ctx, "/webhooks/deliveries?status=pending&limit=1", &pending)
		return len(pending.Rows) == 0, err
	})
	if err != nil {
		t.Errorf("deliveries stay pending: %v", err)
	}
	doubled := 0
	for order, ids := range byOrder(receiver.Attempts()) {
		if len(ids) != 1 {
			t.Errorf("%s was announced by %d events", order, len(ids))
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

// byOrder counts the attempts of each event of each conversion.
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
