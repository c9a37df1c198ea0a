package conversion_test

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	dbconversion "switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/seal"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/postback"
	"switchyard/workers"
	"switchyard/workers/conversion"
)

// env has everything that a postback passes after the web process: spool, ingester, queue and worker.
type env struct {
	*testing.T
	db       *db.DB
	queue    jobs.Redis
	client   *jobs.Client
	store    *store.Store
	box      *seal.Box
	spool    *spool.Spool
	ingester *ingest.Ingester
	account  uuid.UUID
	network  uuid.UUID
	offer    uuid.UUID
	waits    []time.Duration      // pauses between two attempts to find a postback's click, or the step of that click to the offer
	metrics  *prometheus.Registry // of the first worker
}

func newEnv(t *testing.T, waits ...time.Duration) *env {
	t.Helper()
	queue := jobstest.Redis(t)
	b := &env{T: t, queue: queue, db: dbtest.New(t), account: uuid.New(), network: uuid.New(), offer: uuid.New(), waits: waits}
	b.client, b.box = jobs.Connect(queue), must(seal.New(b.db))(t)
	b.store = store.New(b.db, b.box)
	dbtest.Exec(b, b.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', 'k')`, b.account)
	dbtest.Exec(b, b.db, `INSERT INTO networks (id, account_id, name, postback_params, status_map)
		VALUES ($1, $2, 'N', '{"click_id": "myclick"}', '{"pending": ["open"]}')`, b.network, b.account)
	dbtest.Exec(b, b.db, `INSERT INTO offers (id, account_id, name, url, network_id, payout) VALUES ($1, $2, 'O', 'https://o.test/', $3, 9)`,
		b.offer, b.account, b.network)
	b.spool = must(spool.Open(t.TempDir(), spool.Options{}))(t)
	t.Cleanup(func() { _ = b.spool.Close() })
	b.ingester = ingest.NewIngester(b.spool, b.db, ingest.Options{
		OnPostbacks: func(ctx context.Context, rows []models.JobRef) {
			b.client.Dispatch(ctx, rows...)
		},
	})

	b.worker(4 * time.Second)
	return b
}

// worker starts a worker. stop ends it. The argument grace is the longest time for which stop waits for running jobs.
func (b *env) worker(grace time.Duration) (rt *workers.Runtime, stop func()) {
	registry := prometheus.NewRegistry()
	if b.metrics == nil {
		b.metrics = registry
	}
	rt = workers.New(workers.Options{
		DB: b.db, Redis: b.queue, Client: b.client, Lease: time.Second, Grace: grace, Metrics: registry,
	})
	conversion.Register(rt, b.store, click.Log{Conn: b.db}, workers.WithRetries(b.waits))
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	var done sync.WaitGroup
	done.Go(func() {
		if err := rt.Run(ctx); err != nil {
			b.Errorf("run: %v", err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); done.Wait() })
	b.Cleanup(stop)
	return rt, stop
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

func (b *env) appendToSpool(r spool.Record) {
	b.Helper()
	if err := b.spool.Append(b.Context(), r); err != nil {
		b.Fatal(err)
	}
}

func (b *env) drain() {
	b.Helper()
	if err := b.ingester.Drain(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func (b *env) newClick() *models.Click {
	return &models.Click{
		ID: models.NewClickID(), AccountID: b.account, CampaignID: uuid.New(), OfferID: b.offer,
		NetworkID: b.network, Visitor: models.Visitor{IP: netip.MustParseAddr("8.8.8.8")}, Currency: "USD", UniqueHours: 24,
		Cost: decimal.RequireFromString("0.1"),
	}
}

func (b *env) storeClick() string {
	b.Helper()
	c := b.newClick()
	b.appendToSpool(spool.Record{Click: c})
	return models.FormatClickID(c.ID)
}

func (b *env) postback(p models.Postback) (outcome, detail string) {
	b.Helper()
	id := b.send(p)
	return b.decided(id)
}

func (b *env) send(p models.Postback) uuid.UUID {
	b.Helper()
	if p.ID == uuid.Nil {
		p.ID = models.NewClickID()
	}
	if p.Source == "" {
		p.Source = models.FromPostback
	}
	n, _, err := b.store.PostbackNetwork(b.Context(), p.NetworkID)
	if err != nil {
		b.Fatal(err)
	}
	p.ClickID, _ = postback.NamedClick(p.Params, n.Network, time.Now())
	if proof, ok := postback.Hide(&p, n.Network, func(string) bool { return false }); ok {
		p.Proof = must(b.store.SealProof(b.Context(), p.ID, proof))(b)
	}
	b.appendToSpool(spool.Record{Postback: &p})
	b.drain()
	return p.ID
}

func (b *env) decided(id uuid.UUID) (outcome, detail string) {
	b.Helper()
	await.Until(b, "the postback is decided", func() bool {
		b.match()
		row := b.db.QueryRowxContext(b.Context(), `SELECT outcome, detail FROM postbacks WHERE id = $1`, id)
		if err := row.Scan(&outcome, &detail); err != nil {
			b.Fatal(err)
		}
		return outcome != dbconversion.PostbackPending
	})
	return outcome, detail
}

// match looks for the clicks of waiting postbacks, as the job postbacks:match does, but with the waits of the env.
func (b *env) match() {
	b.Helper()
	m, err := dbconversion.MatchPostbacks(b.Context(), click.Log{Conn: b.db}, b.waits, 100)
	if err != nil {
		b.Fatal(err)
	}
	b.client.Dispatch(b.Context(), m.Jobs...)
}

// counted returns how many postbacks the first worker has decided, by result. It leaves out zeros.
func (b *env) counted() map[string]int {
	b.Helper()
	families, err := b.metrics.Gather()
	if err != nil {
		b.Fatal(err)
	}
	out := map[string]int{}
	for _, f := range families {
		if f.GetName() != "switchyard_postbacks_decided_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			if n := int(m.GetCounter().GetValue()); n > 0 {
				out[m.GetLabel()[0].GetValue()] = n
			}
		}
	}
	return out
}

func (b *env) matchOnce() {
	b.Helper()
	ticket, err := jobs.Submit(b.Context(), b.client, jobs.MatchPostbacks, uuid.Nil, jobs.Tick{})
	if err == nil {
		_, err = jobs.Await(b.Context(), ticket)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func (b *env) conversions() []models.Conversion {
	b.Helper()
	list, err := click.Log{Conn: b.db}.Conversions(b.Context(), click.LogQuery{
		AccountID: b.account,
		From:      time.Now().Add(-100 * 24 * time.Hour), To: time.Now().Add(time.Hour), Limit: 100,
	})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

type params = map[string]string

func TestPostbackBecomesAConversion(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	endpoint := uuid.New()
	dbtest.Exec(b, b.db, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret)
		VALUES ($1, $2, 'https://h.test/', '{conversion.created,conversion.updated}', 'x')`, endpoint, b.account)
	click := b.storeClick()
	send := func(extra params) string {
		p := params{"clickid": click, "txid": "T1", "goal": "sale"}
		for k, v := range extra {
			p[k] = v
		}
		outcome, detail := b.postback(models.Postback{Params: p})
		return outcome + " " + detail
	}
	steps := []struct {
		params params
		want   string
		status string
		payout string
	}{
		{params{"status": "open", "payout": "2,50"}, "recorded created", "pending", "2.5"}, // a word of the click's network
		{params{"status": "open", "payout": "2,50"}, "recorded duplicate", "pending", "2.5"},
		{params{"status": "approved", "payout": "€3.00", "cur": "EUR"}, "recorded updated", "approved", "3"},
		{params{"status": "pending"}, "ignored a conversion does not go from approved to pending", "approved", "3"},
		{params{"status": "trash"}, "recorded updated", "rejected", "3"},
		{params{}, "recorded duplicate", "rejected", "3"}, // without a status the conversion stays rejected
		{params{"status": "paid"}, "recorded updated", "approved", "3"},
		{params{"status": "refund"}, "recorded updated", "chargeback", "3"},
		{params{"status": "paid"}, "ignored a conversion does not go from chargeback to approved", "chargeback", "3"},
	}
	for i, s := range steps {
		if got := send(s.params); got != s.want {
			t.Errorf("step %d: %q, want %q", i+1, got, s.want)
		}
		list := b.conversions()
		if len(list) != 1 || list[0].Status != s.status || !list[0].Payout.Equal(decimal.RequireFromString(s.payout)) {
			t.Fatalf("step %d: %+v", i+1, list)
		}
	}
	v := b.conversions()[0]
	if v.Currency != "EUR" || v.ConversionID != "T1" || v.Goal != "sale" || v.Source != "postback" || v.OfferID != b.offer ||
		v.NetworkID != b.network {
		t.Errorf("%+v", v)
	}
	var events int
	if err := b.db.GetContext(t.Context(), &events, `SELECT count(*) FROM webhook_deliveries WHERE endpoint_id = $1`, endpoint); err != nil {
		t.Fatal(err)
	}
	if events != 5 {
		t.Errorf("%d deliveries, want one for each of 5 changes", events)
	}
	// If the message has no payout, the offer's payout is used. Another txid is another conversion.
	if got := send(params{"txid": "T2"}); got != "recorded created" {
		t.Error(got)
	}
	if list := b.conversions(); len(list) != 2 || !list[0].Payout.Equal(decimal.NewFromInt(9)) || list[0].Status != "approved" {
		t.Errorf("%+v", list)
	}
	// If the postback's payout is not an amount, the payout is 0, or the offer's if the offer does not take it from the postback.
	for i, fromParam := range []bool{true, false} {
		dbtest.Exec(b, b.db, `UPDATE offers SET payout_from_param = $1`, fromParam)
		id := fmt.Sprint("bad", i)
		if got := send(params{"txid": id, "payout": "{payout}"}); got != "recorded created" {
			t.Error(got)
		}
		want := decimal.Zero
		if !fromParam {
			want = decimal.NewFromInt(9)
		}
		if v := b.conversions()[0]; v.ConversionID != id || !v.Payout.Equal(want) {
			t.Errorf("%+v, want the payout %s", v, want)
		}
	}
	if n := dbtest.Get[int](b, b.db, `SELECT count(*) FROM postbacks WHERE invalid_payout = '{payout}'`); n != 2 {
		t.Errorf("%d postbacks show their invalid payout, want 2", n)
	}
	// The worker counts after its commit.
	want := map[string]int{"matched": 8, "duplicate": 2, "ignored": 2}
	await.Until(t, "each postback is counted by its result", func() bool { return maps.Equal(want, b.counted()) })
}

func TestPostbackWaitsForItsClick(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	c := b.newClick()
	id := b.send(models.Postback{Params: params{"clickid": models.FormatClickID(c.ID)}})
	forged := b.send(models.Postback{Params: params{"clickid": models.FormatClickID(models.NewClickID())}})
	type state struct {
		Outcome  string
		Attempts int
		Waits    bool
		Job      bool
	}
	states := func() (got [2]state) {
		for i, id := range []uuid.UUID{id, forged} {
			row := b.db.QueryRowxContext(t.Context(), `SELECT outcome, attempts, match_at IS NOT NULL,
				EXISTS (SELECT FROM jobs WHERE id = postbacks.id) FROM postbacks WHERE id = $1`, id)
			if err := row.Scan(&got[i].Outcome, &got[i].Attempts, &got[i].Waits, &got[i].Job); err != nil {
				t.Fatal(err)
			}
		}
		return got
	}
	b.matchOnce()
	waits := state{"pending", 1, true, false} // a waiting postback has no job, because thousands of postbacks may wait
	if got := states(); got != [2]state{waits, waits} {
		t.Errorf("without the click: %+v", got)
	}
	b.appendToSpool(spool.Record{Click: c})
	b.drain()
	dbtest.Exec(b, b.db, `UPDATE postbacks SET match_at = now()`)
	b.matchOnce()
	await.Until(t, "the postback is recorded", func() bool { return states()[0].Outcome == "recorded" })
	waits.Attempts = 2
	if got := states(); got != [2]state{{"recorded", 3, false, true}, waits} {
		t.Errorf("with the click: %+v", got)
	}
	if n := len(b.conversions()); n != 1 {
		t.Errorf("%d conversions, want 1", n)
	}
	dbtest.Exec(b, b.db, `UPDATE postbacks SET match_at = now(), attempts = 1000 WHERE id = $1`, forged)
	b.matchOnce() // after 1000 attempts the postback does not wait again
	want := map[string]int{"matched": 1, "unmatched": 1}
	await.Until(t, "both postbacks are counted", func() bool { return maps.Equal(want, b.counted()) })
}

func TestPostbackWaitsForTheStepToTheOffer(t *testing.T) {
	t.Parallel()
	waits := make([]time.Duration, len(jobs.ConversionSchedule))
	for i := range waits {
		waits[i] = 200 * time.Millisecond
	}
	b := newEnv(t, waits...)
	onLander := func() *models.Click {
		c := b.newClick()
		c.LanderID, c.OfferID, c.NetworkID = uuid.New(), uuid.Nil, uuid.Nil
		b.appendToSpool(spool.Record{Click: c})
		return c
	}
	c := onLander()
	id := b.send(models.Postback{Params: params{"clickid": models.FormatClickID(c.ID)}})
	await.Until(b, "the postback was tried", func() bool {
		var n int
		if err := b.db.GetContext(t.Context(), &n, `SELECT attempts FROM postbacks WHERE id = $1`, id); err != nil {
			t.Fatal(err)
		}
		return n > 0
	})
	b.appendToSpool(spool.Record{Out: &models.ClickOut{
		ID: models.NewClickID(), ClickID: c.ID, AccountID: b.account, Slot: 1, OfferID: b.offer, NetworkID: b.network,
	}})
	b.drain()
	if outcome, detail := b.decided(id); outcome != "recorded" {
		t.Fatalf("%s %s", outcome, detail)
	}
	if list := b.conversions(); len(list) != 1 || list[0].OfferID != b.offer || !list[0].Payout.Equal(decimal.NewFromInt(9)) {
		t.Errorf("%+v", list)
	}
	stays := models.FormatClickID(onLander().ID)
	outcome, detail := b.postback(models.Postback{Params: params{"clickid": stays, "payout": "1"}})
	if outcome != "recorded" {
		t.Errorf("a conversion of a click that stayed on the lander: %s %s, want recorded", outcome, detail)
	}
}

func TestPostbackThatNobodyMatches(t *testing.T) {
	t.Parallel()
	b := newEnv(t, 0)
	other := uuid.New()
	dbtest.Exec(b, b.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'B', 'pro', 'k2')`, other)
	foreign := uuid.New()
	dbtest.Exec(b, b.db, `INSERT INTO networks (id, account_id, name) VALUES ($1, $2, 'F')`, foreign, other)
	click := b.storeClick()
	for name, tt := range map[string]struct {
		p       models.Postback
		outcome string
	}{
		"unknown click":      {models.Postback{Params: params{"clickid": models.FormatClickID(models.NewClickID())}}, "unmatched"},
		"not our click id":   {models.Postback{Params: params{"clickid": "12345"}}, "unmatched"},
		"no click id":        {models.Postback{Params: params{"payout": "1"}}, "unmatched"},
		"unfilled macro":     {models.Postback{Params: params{"clickid": "{clickid}"}}, "unmatched"},
		"click id from 1970": {models.Postback{Params: params{"clickid": "0000000000000000000001"}}, "unmatched"},
		"click of another account, network named": {models.Postback{AccountID: other, NetworkID: foreign, Params: params{"clickid": click}}, "unmatched"},
		"click of another account, domain named":  {models.Postback{AccountID: other, Params: params{"clickid": click}}, "unmatched"},
		"unknown network":                         {models.Postback{NetworkID: uuid.New(), Params: params{"clickid": click}}, "refused"},
		"network of another account":              {models.Postback{AccountID: other, NetworkID: b.network, Params: params{"clickid": click}}, "refused"},
	} {
		if outcome, detail := b.postback(tt.p); outcome != tt.outcome || detail == "" {
			t.Errorf("%s: %s (%s), want %s with a detail", name, outcome, detail, tt.outcome)
		}
	}
	if list := b.conversions(); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

func TestPostbackTimes(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	began := time.Now().Truncate(time.Millisecond)
	click := b.storeClick()
	now := began.UTC().Truncate(time.Second).Add(time.Second)
	onReceipt := func(v models.Conversion) bool { return !v.RecordedAt.Before(began) && !v.RecordedAt.After(time.Now()) }
	clicked, err := models.ParseClickID(click)
	if err != nil {
		t.Fatal(err)
	}
	atClick := func(v models.Conversion) bool { return v.RecordedAt.Equal(models.ClickTime(clicked)) }
	for i, tt := range []struct {
		given   string
		want    func(v models.Conversion) bool
		invalid bool
	}{
		{now.Format(time.RFC3339), func(v models.Conversion) bool { return v.RecordedAt.Equal(now) }, false},
		{now.Format("2006-01-02 15:04:05 00"), func(v models.Conversion) bool { return v.RecordedAt.Equal(now) }, false},
		{"2001-01-01", atClick, true},
		{"03/04/2026", atClick, true},
		{"soon", atClick, true},
		{"2090-01-01", onReceipt, true},
	} {
		id := "T" + tt.given
		if outcome, detail := b.postback(models.Postback{Params: params{"clickid": click, "txid": id, "time": tt.given}}); outcome != "recorded" {
			t.Fatalf("%d: %s %s", i, outcome, detail)
		}
		for _, v := range b.conversions() {
			if v.ConversionID == id && (!tt.want(v) || (v.InvalidTime != "") != tt.invalid || tt.invalid && v.InvalidTime != tt.given) {
				t.Errorf("%s: recorded at %v, %q", tt.given, v.RecordedAt, v.InvalidTime)
			}
		}
	}
}

// TestAmountsOfPostbacks: the conversion has the amount and the currency that were read. If something about them was unclear, the
// conversion and the postback state the reason.
func TestAmountsOfPostbacks(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	dbtest.Exec(b, b.db, `UPDATE offers SET payout_from_param = true WHERE id = $1`, b.offer)
	for _, c := range []struct {
		payout, currency, offer string
		want                    string // payout and currency of the conversion
		reason                  string
		converted               bool
	}{
		{"12.50", "", "USD", "12.5 USD", "", true},
		{"$12.50", "", "USD", "12.5 USD", "", true},
		{"12.500", "", "USD", "12.5 USD", "", true},
		{"12.500", "", "EUR", "0 EUR", "in two ways", false},
		{"12.500", "", "VND", "12500 VND", "", false},
		{"$12.50", "", "CAD", "12.5 CAD", "", false},
		{"€12,50", "USD", "USD", "12.5 EUR", `says "USD"`, false},
		{"12.50", "gold", "USD", "12.5 XXX", "is no currency", false},
		{"kr.123.45", "", "USD", "123.45 XXX", "several currencies", false},
		{"kr.123.45", "", "SEK", "123.45 SEK", "", false},
		{"1.5K", "", "USD", "0 USD", "no currency", true},
		{"{payout}", "", "USD", "0 USD", "macro", true},
	} {
		dbtest.Exec(b, b.db, `UPDATE offers SET currency = $2 WHERE id = $1`, b.offer, c.offer)
		click := b.storeClick()
		b.postback(models.Postback{Params: map[string]string{"clickid": click, "payout": c.payout, "currency": c.currency}})
		id, err := models.ParseClickID(click)
		if err != nil {
			t.Fatal(err)
		}
		got := dbtest.Get[string](b, b.db, `SELECT trim_scale(payout) || ' ' || currency FROM conversions WHERE click_id = $1`, id)
		converted := dbtest.Get[bool](b, b.db, `SELECT rate IS NOT NULL FROM conversions WHERE click_id = $1`, id)
		if got != c.want || converted != c.converted {
			t.Errorf("%q %q: %s, converted %v", c.payout, c.currency, got, converted)
		}
		for _, table := range []string{"conversions", "postbacks"} {
			reason := dbtest.Get[string](b, b.db, `SELECT amount_reason FROM `+table+` WHERE click_id = $1`, id)
			if c.reason == "" && reason != "" || !strings.Contains(reason, c.reason) {
				t.Errorf("%q %q: the reason in %s is %q", c.payout, c.currency, table, reason)
			}
		}
	}
}
