package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
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
	"switchyard/ops/devstack"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// Each row of statements has the statuses that a network sends for one conversion, in order. The service refuses no status of a
// row.
var statements = [][]string{
	{"approved", "rejected"},
	{"rejected", "approved"},
	{"pending", "approved"},
	{"pending", "rejected"},
	{"approved", "chargeback"},
	{"pending", "approved", "rejected"},
	{"approved", "rejected", "approved"},
	{"rejected", "approved", "chargeback"},
	{"pending", "rejected", "approved"},
}

type stated struct {
	words []string
	click uuid.UUID
}

func (c stated) status() string { return c.words[len(c.words)-1] }

// cents returns the payout that is sent with word i. It differs from word to word.
func (c stated) cents(i int) int { return (i+1)*100 + len(c.words[i]) }

// payout returns the payout that counts in the end. A chargeback does not change the payout that is stored.
func (c stated) payout() int {
	last := len(c.words) - 1
	if c.words[last] == models.StatusChargeback {
		last--
	}
	return c.cents(last)
}

// sides holds the web processes and the workers of a service. Any of them may be killed at any time.
type sides struct {
	*e2e.Service
	urls  []string
	webs  []*fleet.Process
	works []*fleet.Process
}

func startSides(t *testing.T) *sides {
	t.Helper()
	s := &sides{Service: e2e.StartService(t, fleet.Options{Binary: e2e.OwnBinary(t)}, "web", "clock")}
	port, err := devstack.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	s.urls = []string{s.URL, "http://127.0.0.1:" + strconv.Itoa(port)}
	s.webs, s.works = []*fleet.Process{s.Find("web"), nil}, make([]*fleet.Process, 4)
	err = s.startWeb(1)
	for i := range s.works {
		err = errors.Join(err, s.startWorker(i))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *sides) startWeb(i int) (err error) {
	s.webs[i], err = s.SpawnWeb(i, s.urls[i])
	return err
}

func (s *sides) startWorker(i int) (err error) {
	s.works[i], err = s.Spawn("worker")
	return err
}

// kill kills a process and starts it again: a web process on every third call, a worker on the other calls.
func (s *sides) kill(n int) error {
	if n%3 == 0 {
		i := n / 3 % len(s.webs)
		s.webs[i].Kill()
		return s.startWeb(i)
	}
	i := n % len(s.works)
	s.works[i].Kill()
	return s.startWorker(i)
}

// state sends the statements about a conversion in order, each to a random web process. A statement whose answer was lost is sent
// again, although it may have arrived.
func (s *sides) state(ctx context.Context, via http.RoundTripper, number int, c stated) error {
	for i, word := range c.words {
		cents := c.cents(i)
		path := fmt.Sprintf("/postback?conversion_id=%d&status=%s&payout=%d.%02d&clickid=%s", number, word, cents/100, cents%100,
			models.FormatClickID(c.click))
		for {
			got, err := s.RequestAt(ctx, s.urls[rand.IntN(len(s.urls))], via, http.MethodGet, path)
			if err == nil && got.Status == http.StatusOK {
				break
			}
			if err == nil || ctx.Err() != nil {
				return errors.Join(err, fmt.Errorf("%w: %s: %d %.200s", e2e.ErrWrong, path, got.Status, got.Body))
			}
			e2e.Pause(ctx, 20*time.Millisecond) // that process is down
		}
	}
	return nil
}

// TestPostbacksCountInOrder sends statements about conversions to two web processes, while processes are killed. The last
// statement by arrival counts: in the conversion, in the ledger and in the last event. Pages and servers send events throughout
// the test.
func TestPostbacksCountInOrder(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	conversions, kills := longtest.Size(90, 10_000), longtest.Size(3, 36)
	s := startSides(t)
	ctx := t.Context()
	transport := &http.Transport{MaxIdleConnsPerHost: 8, ResponseHeaderTimeout: await.Timeout}
	clicks := make([]uuid.UUID, 20)
	for i := range clicks {
		var err error
		if clicks[i], err = s.Click(ctx, transport); err != nil {
			t.Fatal(err)
		}
	}
	all := make([]stated, conversions)
	for i := range all {
		all[i] = stated{statements[rand.IntN(len(statements))], clicks[rand.IntN(len(clicks))]}
	}
	var sent e2e.Tally[int]
	var senders sync.WaitGroup
	numbers := make(chan int)
	for range 8 {
		senders.Go(func() {
			for n := range numbers {
				asked := time.Now()
				if err := s.state(ctx, transport, n, all[n]); err != nil {
					sent.Fail(err)
				}
				sent.Add(n, asked)
			}
		})
	}
	died := make(chan error, 1)
	go func() {
		var err error
		for k := range kills {
			err = errors.Join(err, sent.WaitFor(ctx, (k+1)*conversions/(kills+1)), s.kill(k))
		}
		died <- err
	}()
	pages := s.startPages(t, transport, clicks)
	for _, n := range rand.Perm(conversions) {
		numbers <- n
	}
	close(numbers)
	senders.Wait()
	if err := errors.Join(append(sent.Errs, <-died, pages.wait())...); err != nil {
		t.Fatal(err)
	}
	s.recorded(t, all)
	s.counted(t, all)
	pages.counted(t)
	t.Logf("%d conversions, %d processes killed", conversions, kills)
}

// recorded waits until every statement is recorded. The timeout starts again each time another statement is recorded.
func (s *sides) recorded(t *testing.T, all []stated) {
	t.Helper()
	d, want := s.open(t), 0
	for _, c := range all {
		want += len(c.words)
	}
	for decided, open, done := 0, 0, 0; decided < want || open > 0; {
		before := done - open
		await.Until(t, "more postbacks are recorded", func() bool {
			err := d.QueryRowxContext(t.Context(), `SELECT count(*) FILTER (WHERE outcome = 'pending'),
				count(*) FILTER (WHERE outcome <> 'pending'), count(DISTINCT (params->>'conversion_id', params->>'payout'))
				FILTER (WHERE outcome <> 'pending' AND source = 'postback') FROM postbacks`).Scan(&open, &done, &decided)
			if err != nil {
				t.Fatal(err)
			}
			return done-open > before || decided == want && open == 0
		})
	}
}

func (s *sides) open(t *testing.T) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), s.DatabaseURL, db.Options{Name: "order"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// counted compares each stored conversion, its last event and the revenue in the reports with the statements about it.
func (s *sides) counted(t *testing.T, all []stated) {
	t.Helper()
	var rows []struct {
		Number      int
		Status      string
		Cents       int
		EventStatus string `db:"event_status"`
	}
	err := s.open(t).SelectContext(t.Context(), &rows, `SELECT v.conversion_id::int AS number, v.status, (v.payout * 100)::int AS cents,
		e.event_status FROM conversions v JOIN (
			SELECT DISTINCT ON (id) id, event_status
			FROM (SELECT created_at, convert_from(body, 'UTF8')::jsonb->'data'->>'status' AS event_status,
				convert_from(body, 'UTF8')::jsonb->'data'->>'conversion_id' AS id FROM events) e ORDER BY id, created_at DESC
		) e ON e.id = v.conversion_id WHERE v.source = 'postback'`)
	if err != nil || len(rows) != len(all) {
		t.Fatalf("%d of %d conversions are recorded: %v", len(rows), len(all), err)
	}
	revenue := 0
	for _, row := range rows {
		want := all[row.Number]
		if row.Status != want.status() || row.EventStatus != want.status() || row.Cents != want.payout() {
			t.Errorf("conversion %d is %s with %d cents, event says %s; stated: %v, %d cents", row.Number, row.Status, row.Cents,
				row.EventStatus, want.words, want.payout())
		}
		if want.status() == models.StatusApproved {
			revenue += want.payout()
		}
	}
	var got struct{ Revenue float64 }
	err = client.Poll(t.Context(), 100*time.Millisecond, func() (bool, error) {
		err := s.API.Get(t.Context(), "/stats/overview", &got)
		return int(got.Revenue*100+0.5) == revenue, err
	})
	if err != nil {
		t.Errorf("the reports have %v, want %d cents: %v", got.Revenue, revenue, err)
	}
}
