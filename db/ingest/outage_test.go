package ingest_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/ledger"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/parttest"
)

// wire is a proxy between the ingester and PostgreSQL. The test can cut its connections.
type wire struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func (w *wire) setCut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	if cut {
		for _, c := range w.conns {
			_ = c.Close()
		}
		w.conns = nil
	}
}

func (w *wire) add(list ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		for _, c := range list {
			_ = c.Close()
		}
		return false
	}
	w.conns = append(w.conns, list...)
	return true
}

// newWire starts a wire and returns the URL of the database through it.
func newWire(t *testing.T, target string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	w := &wire{}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", server)
			if err != nil {
				_ = in.Close()
				continue
			}
			if !w.add(in, out) {
				continue
			}
			for _, way := range []struct{ to, from net.Conn }{{in, out}, {out, in}} {
				go func() {
					_, _ = io.Copy(way.to, way.from)
					_ = way.to.Close()
				}()
			}
		}
	}()
	u.Host = l.Addr().String()
	return w, u.String()
}

// TestBrokenConnections breaks connections to PostgreSQL at random moments. Every acknowledged click is stored once, and the
// ledger counts it once.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	d, target := dbtest.NewURL(t)
	w, through := newWire(t, target)
	broken, err := db.OpenLazy(through, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	acc := clicktest.Account(t, d)
	s := clicktest.OpenSpool(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	o := ingest.Options{BatchSize: 50, Interval: time.Millisecond}
	go func() { ended <- ingest.NewIngester(s, broken, o).Run(ctx) }()
	campaigns := []uuid.UUID{uuid.New(), uuid.New()}
	const rounds, each = 15, 60
	for round := range rounds {
		for range each {
			clicktest.Put(t, s, spool.Record{Click: clicktest.Realistic(acc, campaigns)})
			if rand.IntN(20) == 0 {
				w.setCut(true)
				w.setCut(round%5 == 1) // in some rounds, PostgreSQL stays unreachable until the end of the round
			}
		}
		w.setCut(false)
	}
	clicktest.AwaitRow(t, d, fmt.Sprintf(`SELECT count(*) = %d FROM clicks`, rounds*each))
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := dbtest.Get[int](t, d, `SELECT sum(clicks) FROM ledger`); n != rounds*each {
		t.Errorf("the ledger counts %d clicks, want %d", n, rounds*each)
	}
	if st := s.Stats(); st.Rejected != 0 || st.Skipped != 0 {
		t.Errorf("want no rejected and no skipped records: %+v", st)
	}
}

// TestManyIngesters runs several ingesters that store clicks of the same visitors and click-outs of each other's clicks.
// Conversions are recorded and the ledger is compacted at the same time.
func TestManyIngesters(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d, dir := dbtest.New(t), t.TempDir()
	acc, campaign, offers := clicktest.Account(t, d), uuid.New(), []uuid.UUID{uuid.New(), uuid.New()}
	const processes, each, visitors = 3, 120, 40
	spools := make([]*spool.Spool, processes)
	ctx, cancel := context.WithCancel(t.Context())
	var running, work sync.WaitGroup
	for i := range spools {
		spools[i] = clicktest.OpenSpool(t, dir)
		running.Go(func() {
			o := ingest.Options{BatchSize: 16, Interval: time.Millisecond}
			if err := ingest.NewIngester(spools[i], d, o).Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	running.Go(func() {
		for ctx.Err() == nil {
			if _, err := ledger.Compact(ctx, d, time.Now().Add(time.Hour), 10); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	for i := range spools {
		work.Go(func() {
			for n := range each {
				c := clicktest.Click(acc, campaign, byte(n%visitors))
				c.LanderID = campaign
				clicktest.Put(t, spools[i], spool.Record{Click: c})
				out := &models.ClickOut{ID: models.NewClickID(), ClickID: c.ID, AccountID: acc, OfferID: offers[n%2], Slot: 1}
				clicktest.Put(t, spools[(i+n)%processes], spool.Record{Out: out})
				if n%4 == 0 {
					clicktest.AwaitRow(t, d, `SELECT EXISTS (SELECT FROM clicks WHERE id = $1)`, c.ID)
					if _, err := clicktest.Record(t, d, conversion.Input{ClickID: c.ID, Payout: clicktest.Amount("1")}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	work.Wait()
	clicktest.AwaitRow(t, d, fmt.Sprintf(`SELECT count(*) = %d FROM clicks`, processes*each))
	clicktest.AwaitRow(t, d, fmt.Sprintf(`SELECT count(*) = %d FROM click_hops`, processes*each))
	cancel()
	running.Wait()
	if _, err := conversion.ApplyWaitingHops(t.Context(), click.Log{Conn: d}, 1000); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM clicks WHERE is_unique`:       visitors,
		`SELECT sum(unique_clicks) FROM ledger`:             visitors,
		`SELECT count(*) FROM click_hops WHERE NOT applied`: 0,
		`SELECT sum(lp_clicks) FROM ledger`:                 processes * each,
		`SELECT sum(approved) FROM ledger`:                  processes * each / 4,
		`SELECT sum(revenue)::int FROM ledger`:              processes * each / 4,
		`SELECT coalesce(sum(abs(n)), 0) FROM (SELECT sum(clicks) n FROM ledger
			WHERE offer_id = '00000000-0000-0000-0000-000000000000' GROUP BY hour, account_id) x`: 0,
	} {
		if n := dbtest.Get[int](t, d, query); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
	clicktest.CheckFigures(t, d)
}
