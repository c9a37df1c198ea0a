package conversion_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
)

// expected is the state of a conversion if its postbacks are handled one after the other.
type expected struct {
	status string
	payout int
}

// apply is a second implementation of the rules of statuses. A negative amount and a chargeback are reversals.
func (v *expected) apply(word string, amount int) {
	next, reversal := word, amount < 0 || word == models.StatusChargeback
	switch first := v.status == ""; {
	case reversal && word == models.StatusRejected && (first || models.CanMove(v.status, word)):
	case reversal && (first || v.status == models.StatusApproved):
		next = models.StatusChargeback
	case reversal && v.status == models.StatusPending:
		next = models.StatusRejected
	case reversal:
		next = v.status
	case word == "" && first:
		next = models.StatusApproved
	case word == "":
		next = v.status
	}
	if v.status != "" && !models.CanMove(v.status, next) {
		return
	}
	if amount > 0 && !reversal || v.status == "" && amount != 0 {
		v.payout = max(amount, -amount)
	}
	v.status = next
}

// orderEnv is an env with the spools of two web processes and with several workers. The test kills the oldest worker repeatedly.
type orderEnv struct {
	*env
	spools  [2]*spool.Spool
	drains  [2]func()
	workers []*workers.Runtime
	stops   []func()
}

func newOrderEnv(t *testing.T) *orderEnv {
	t.Helper()
	o := &orderEnv{env: newEnv(t)}
	for i := range o.spools {
		s := must(spool.Open(t.TempDir(), spool.Options{}))(t)
		t.Cleanup(func() { _ = s.Close() })
		ingester := ingest.NewIngester(s, o.db, ingest.Options{
			OnPostbacks: func(ctx context.Context, rows []models.JobRef) { o.client.Dispatch(ctx, rows...) },
		})
		o.spools[i], o.drains[i] = s, func() {
			if err := ingester.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 {
		o.start()
	}
	return o
}

func (o *orderEnv) start() {
	rt, stop := o.worker(time.Millisecond)
	o.workers, o.stops = append(o.workers, rt), append(o.stops, stop)
}

func (o *orderEnv) arrive(list *[]*models.Postback) {
	o.Helper()
	var wait sync.WaitGroup
	for _, p := range *list {
		web := o.spools[rand.IntN(2)]
		wait.Go(func() {
			if err := web.Append(o.Context(), spool.Record{Postback: p}); err != nil {
				o.Error(err)
			}
		})
	}
	wait.Wait()
	*list = nil
}

// kill ends the oldest worker in the middle of its jobs, and starts another worker.
func (o *orderEnv) kill() {
	o.stops[0]()
	o.workers, o.stops = o.workers[1:], o.stops[1:]
	o.start()
}

// TestPostbacksCountInTheOrderOfArrival: postbacks of one conversion count in the order of arrival, even if they arrive within
// milliseconds.
func TestPostbacksCountInTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	o := newOrderEnv(t)
	clicks := make([]string, 20)
	for i := range clicks {
		clicks[i] = o.storeClick()
	}
	o.drain()
	words := []string{"approved", "rejected", "pending", "chargeback", "approved", "rejected", ""}
	want := make([]expected, 120)
	// The postbacks arrive in groups of about ten. After every 40 postbacks, a worker is killed.
	step, arrived := len(want)/12, []*models.Postback{}
	rounds := [3][]int{rand.Perm(len(want)), rand.Perm(len(want)), rand.Perm(len(want))[:len(want)/2]}
	for round, list := range rounds {
		for n, i := range list {
			word, amount := words[rand.IntN(len(words))], max(rand.IntN(30)-4, -3) // -3 to 25
			p := params{"clickid": clicks[i%len(clicks)], "txid": strconv.Itoa(i), "status": word}
			if amount != 0 {
				p["payout"] = strconv.Itoa(amount)
			} else if round == 0 {
				want[i].payout = 9 // of the offer
			}
			want[i].apply(word, amount)
			m := &models.Postback{ID: models.NewClickID(), Source: models.FromPostback, Params: p}
			m.ClickID, _ = models.ParseClickID(p["clickid"])
			arrived = append(arrived, m)
			if n%step == 0 {
				o.arrive(&arrived)
				o.drains[rand.IntN(2)]()
			}
			if n%(4*step) == 0 {
				o.kill()
			}
		}
		o.arrive(&arrived)
	}
	o.drains[1]()
	o.drains[0]()
	o.record()
	o.verify(want)
}

// record waits until all postbacks are recorded.
func (o *orderEnv) record() {
	o.Helper()
	left := func() int {
		return dbtest.Get[int](o, o.db, `SELECT count(*) FROM postbacks WHERE outcome = 'pending'`)
	}
	for n := left(); n > 0; {
		looks := 0
		await.Until(o, "more are recorded", func() bool {
			if looks++; looks%100 == 0 { // no clock runs in the test
				if err := o.workers[0].Reconcile(o.Context()); err != nil {
					o.Log(err)
				}
			}
			before := n
			n = left()
			return n < before
		})
	}
}

func (o *orderEnv) verify(want []expected) {
	o.Helper()
	var rows []struct {
		ID     uuid.UUID
		Number int `db:"conversion_id"`
		Status string
		Payout decimal.Decimal
		Told   string
	}
	err := o.db.SelectContext(o.Context(), &rows, `SELECT v.id, v.conversion_id, v.status, v.payout, e.told FROM conversions v
		JOIN (SELECT DISTINCT ON (id) id, told FROM (SELECT created_at, convert_from(body, 'UTF8')::jsonb->'data'->>'status' AS told,
			convert_from(body, 'UTF8')::jsonb->'data'->>'conversion_id' AS id FROM events) e ORDER BY id, created_at DESC
		) e ON e.id = v.conversion_id`)
	if err != nil || len(rows) != len(want) {
		o.Fatalf("%d conversions, want %d: %v", len(rows), len(want), err)
	}
	var revenue decimal.Decimal
	for _, v := range rows {
		w := want[v.Number]
		payout := decimal.NewFromInt(int64(w.payout))
		if v.Status != w.status || !v.Payout.Equal(payout) || v.Told != w.status {
			o.Errorf("conversion %d is %s with payout %s, its last event has %s; want %+v", v.Number, v.Status, v.Payout, v.Told, w)
		}
		if w.status == models.StatusApproved {
			revenue = revenue.Add(payout)
		}
	}
	var sum decimal.Decimal
	if err := o.db.GetContext(o.Context(), &sum, `SELECT sum(revenue) FROM ledger`); err != nil || !sum.Equal(revenue) {
		o.Errorf("the ledger has %s, want %s (%v)", sum, revenue, err)
	}
}
