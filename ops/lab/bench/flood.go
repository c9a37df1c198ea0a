package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models/bot"
	"switchyard/ops/client"
)

const (
	goalFloodClick = 60 * time.Microsecond // processor time of PostgreSQL
	goalPerson     = 300 * time.Microsecond
	goalFresh      = 5 * time.Second
	goalQuiet      = 2 * time.Minute
	goalSlowed     = 1.5
	peopleRate     = 300 // clicks a second
	floodAddresses = 100
	referenceTime  = 20 * time.Second
)

// flooding is an account under a flood. A second account has people's clicks. A third account has single clicks, and the delay
// of its reports is measured.
type flooding struct {
	*run
	d             *db.DB
	m             *meter
	account       uuid.UUID
	people, fresh *run
	quiet         aside
	quietCost     cost          // cost of one second with people's clicks, without a flood
	saturated     time.Duration // p99 of people's clicks at full rate
}

type aside struct {
	p99   time.Duration
	stale time.Duration // longest time from a click of the third account until its reports counted the click
}

// flood measures the cost of people's clicks, then a flood from one address, and then a flood from a hundred addresses.
func (r *run) flood(ctx context.Context) (err error) {
	f := &flooding{run: r}
	if f.d, err = db.Open(ctx, r.fleet.DatabaseURL, db.Options{Name: "bench"}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.d.Close()) }()
	if f.account, err = db.Get[uuid.UUID](ctx, f.d, "account", `SELECT id FROM accounts WHERE name = 'Bench'`); err != nil {
		return err
	}
	if err := store.New(f.d, nil).SetBotSettings(ctx, f.account, store.BotSettings{Threshold: bot.DefaultThreshold, Disabled: []string{}}); err != nil {
		return err
	}
	for name, target := range map[string]**run{"People": &f.people, "Fresh": &f.fresh} {
		other := &run{Options: r.Options, began: r.began, visitors: r.visitors, fleet: r.fleet, real: r.real}
		if _, other.api, err = r.fleet.Account(ctx, name, "scale"); err != nil {
			return err
		}
		if err := other.create(ctx, strings.ToLower(name)+"-campaign"); err != nil {
			return err
		}
		*target = other
	}
	if f.m, err = r.newMeter(ctx); err != nil {
		return err
	}
	if err := f.persons(ctx); err != nil || f.Flood == 0 {
		return err
	}
	if err := f.measureFlood(ctx, "one address", f.requests([]string{"81.2.69.142"})); err != nil {
		return err
	}
	addresses := make([]string, floodAddresses)
	for i := range addresses {
		addresses[i] = fmt.Sprintf("81.2.%d.%d", 70+i%10, 1+i)
	}
	return f.measureFlood(ctx, fmt.Sprintf("%d addresses", floodAddresses), f.requests(addresses))
}

// All requests come from the same browser.
func (f *flooding) requests(addresses []string) []Request {
	list := make([]Request, len(addresses))
	for i, ip := range addresses {
		list[i] = request(f.link.Host, f.link.RequestURI()+"?sub1=zone-1", f.visitors.People[0], ip, languages[0])
	}
	return list
}

// persons measures the cost of people's clicks at a rate that the machine sustains easily. Before that, it sends such clicks for
// a while, so that the scans for bots among earlier clicks run as well.
func (f *flooding) persons(ctx context.Context) error {
	if _, err := f.people.sustainRate(ctx, peopleRate, f.Sustained/2); err != nil {
		return err
	}
	if err := f.references(ctx); err != nil {
		return err
	}
	f.m.begin()
	held, err := f.people.sustainRate(ctx, peopleRate, f.Sustained)
	if err != nil {
		return err
	}
	c := f.m.used(held.Count)
	sum := c.Web + c.Worker + c.Postgres
	f.costs(fmt.Sprintf("a person's click at %d/s", peopleRate), c)
	f.add("its processor time in web, worker and PostgreSQL together ("+loadAverage()+")", sum.String(), "<= "+goalPerson.String(), sum <= goalPerson)

	f.m.begin()
	stop := f.others(ctx)
	if err := wait(ctx, f.Sustained/2); err != nil {
		return err
	}
	if f.quiet, err = stop(); err != nil {
		return err
	}
	f.quietCost = f.m.used(int((f.Sustained / 2).Seconds()))
	f.add(fmt.Sprintf("without a flood: p99 of people's redirects at %d/s; longest time until reports count a click", peopleRate),
		short(f.quiet.p99)+"; "+short(f.quiet.stale), "", true)

	var full turns
	l := f.full(visits(f.visitors, f.people.link.Host, f.people.link.RequestURI()))
	for range 3 {
		if _, err := f.people.visit(ctx, &full, l); err != nil {
			return err
		}
	}
	f.saturated = median(full.p99)
	f.add(fmt.Sprintf("people's redirects at full rate, %d connections", f.Connections), full.String(), "", true)
	return nil
}

// references measures the cost of a second without clicks, and the cost of a request to the bare gin handler at peopleRate.
// The second figure shows the cost of waking up: a processor that wakes for each request spends most of its time on that.
func (f *flooding) references(ctx context.Context) error {
	f.m.begin()
	if err := wait(ctx, referenceTime); err != nil {
		return err
	}
	f.costs("a second without clicks", f.m.used(int(referenceTime.Seconds())))
	l := f.full(visits(f.visitors, f.people.link.Host, f.people.link.RequestURI()))
	l.Addr, l.Rate, l.Duration = f.bare, peopleRate, referenceTime
	bare := f.fleet.Find("bare")
	before := bare.CPU()
	got, err := l.Run(ctx)
	if err != nil {
		return err
	}
	f.add(fmt.Sprintf("processor time of a bare gin request at %d/s", peopleRate), ((bare.CPU() - before) / time.Duration(got.Count)).String(), "", true)
	return nil
}

func (f *flooding) full(requests []Request) Load {
	return Load{Addr: f.real, Connections: f.Connections, Requests: requests, Duration: f.Duration, Status: "302"}
}

// The measurement lasts until all clicks are stored and scanned, and for at least two minutes after the last click.
func (f *flooding) measureFlood(ctx context.Context, from string, requests []Request) error {
	before, err := f.updates(ctx)
	if err != nil {
		return err
	}
	f.logf("a flood of %d clicks from %s; %s", f.Flood, from, loadAverage())
	began, sent := time.Now(), f.sent
	f.m.begin()
	stop := f.others(ctx)
	var t turns
	for f.sent-sent < f.Flood {
		result, err := t.run(ctx, f.full(requests), f.fleet.Find("web"))
		if err != nil {
			return errors.Join(err, errorOf(stop))
		}
		f.sent += result.Count
	}
	n, ended, load := f.sent-sent, time.Now(), loadAverage()
	during, err := stop()
	if err != nil {
		return err
	}
	stop = f.others(ctx)
	settled, err := f.waitQuiet(ctx, ended)
	after, problem := stop()
	if err := errors.Join(err, problem); err != nil {
		return err
	}
	elapsed := time.Since(began).Seconds()
	used := f.m.used(1)
	share := func(used, quiet time.Duration) time.Duration {
		return (used - time.Duration(elapsed*float64(quiet))) / time.Duration(n)
	}
	each := cost{
		Web: share(used.Web, f.quietCost.Web), Worker: share(used.Worker, f.quietCost.Worker),
		Postgres: share(used.Postgres, f.quietCost.Postgres), Redis: share(used.Redis, f.quietCost.Redis),
	}
	what := fmt.Sprintf("flood of %d from %s", n, from)
	f.add(what+" ("+load+")", t.String(), "", true)
	f.costs("each of its clicks, less the cost of people's clicks at the same time", each)
	f.add("PostgreSQL for each of its clicks", each.Postgres.String(), "<= "+goalFloodClick.String(), each.Postgres <= goalFloodClick)
	f.add("until all are stored and scanned, after the last click ("+loadAverage()+")", short(settled), "<= "+goalQuiet.String(), settled <= goalQuiet)
	f.addOthers("during", during, t.p99)
	f.addOthers("after", after, nil)
	return f.traces(ctx, n, before)
}

func (f *flooding) addOthers(when string, a aside, full []time.Duration) {
	if full != nil {
		p99 := median(full)
		f.add("p99 of the flood's own redirects / p99 of people's at full rate", fmt.Sprintf("%s: %.2f", short(p99), ratio(p99, f.saturated)),
			fmt.Sprintf("<= %.1f", goalSlowed), ratio(p99, f.saturated) <= goalSlowed)
		f.add("p99 of people's redirects "+when+" it", short(a.p99), "", true)
	} else {
		f.add("p99 of people's redirects "+when+" it / p99 without a flood", fmt.Sprintf("%s: %.2f", short(a.p99), ratio(a.p99, f.quiet.p99)),
			fmt.Sprintf("<= %.1f", goalSlowed), ratio(a.p99, f.quiet.p99) <= goalSlowed)
	}
	f.add("longest time until reports count a click of another account, "+when+" it", short(a.stale), "<= "+goalFresh.String(), a.stale <= goalFresh)
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// waitQuiet waits until the reports count the flood and the scan has examined it, and for at least two minutes after the time
// `ended`.
func (f *flooding) waitQuiet(ctx context.Context, ended time.Time) (settled time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	const q = `SELECT coalesce((SELECT scanned_after >= (SELECT id FROM clicks WHERE account_id = $1 ORDER BY id DESC LIMIT 1)
		AND leased_until IS NULL FROM bot_scans WHERE account_id = $1), false)`
	err = client.Poll(ctx, 2*time.Second, func() (bool, error) {
		n, err := f.counted(ctx)
		if err != nil || n < f.sent {
			return false, err
		}
		if settled == 0 {
			f.logf("the reports counted the whole flood %s after its end", short(time.Since(ended)))
			settled = 1
		}
		return db.Get[bool](ctx, f.d, "scan", q, f.account)
	})
	settled = time.Since(ended)
	if err == nil {
		f.logf("the scan had examined the whole flood %s after its end", short(settled))
		err = wait(ctx, goalQuiet-settled)
	}
	return settled, err
}

func (f *flooding) traces(ctx context.Context, n int, before int64) error {
	after, err := f.updates(ctx)
	if err != nil {
		return err
	}
	marked, err := db.Get[int](ctx, f.d, "marked clicks", `SELECT count(*) FROM clicks WHERE account_id = $1 AND bot_signals & $2 <> 0`,
		f.account, int64(bot.ClickFlood))
	if err != nil {
		return err
	}
	var failed []struct{ Kind string }
	if err := f.fleet.Command(ctx, &failed, "jobs", "list", "--state", "archived"); err != nil {
		return err
	}
	f.add("rows written again for each click of the flood; marked clicks so far", fmt.Sprintf("%.3f; %d", float64(after-before)/float64(n), marked), "", true)
	f.add("failed jobs", strconv.Itoa(len(failed)), "0", len(failed) == 0)
	return nil
}

func (f *flooding) updates(ctx context.Context) (int64, error) {
	return db.Get[int64](ctx, f.d, "updates", `SELECT coalesce(sum(n_tup_upd), 0)::bigint FROM pg_stat_user_tables WHERE relname ~ '^clicks'`)
}

// others sends people's clicks, and single clicks of the third account, until `stop` is called.
func (f *flooding) others(ctx context.Context) (stop func() (aside, error)) {
	ctx, cancel := context.WithCancel(ctx)
	type outcome struct {
		aside
		sent int
		err  error
	}
	people, fresh := make(chan outcome, 1), make(chan outcome, 1)
	go func() {
		var o outcome
		l := f.full(visits(f.visitors, f.people.link.Host, f.people.link.RequestURI()))
		l.Rate, l.Connections, l.Duration = peopleRate, 16, time.Second
		var all Result
		for ctx.Err() == nil && o.err == nil { // in runs of one second, so that stop returns soon
			var got Result
			got, o.err = l.Run(context.WithoutCancel(ctx))
			o.sent += got.Count
			all.latencies = append(all.latencies, got.latencies...)
		}
		o.p99 = all.sorted().Percentile(0.99)
		people <- o
	}()
	go func() {
		var o outcome
		for ctx.Err() == nil && o.err == nil {
			var delay time.Duration
			delay, o.err = f.fresh.click(context.WithoutCancel(ctx))
			o.stale = max(o.stale, delay)
			_ = wait(ctx, 2*time.Second)
		}
		fresh <- o
	}()
	return func() (aside, error) {
		cancel()
		a, b := <-people, <-fresh
		f.people.sent += a.sent
		return aside{a.p99, b.stale}, errors.Join(a.err, b.err)
	}
}

func (r *run) click(ctx context.Context) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.fleet.URL+r.link.Path, nil)
	if err != nil {
		return 0, err
	}
	req.Host = r.link.Host
	req.Header.Set("User-Agent", r.visitors.People[0].UserAgent)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	if err := resp.Body.Close(); err != nil {
		return 0, err
	}
	r.sent++
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	err = client.Poll(ctx, 250*time.Millisecond, func() (bool, error) {
		n, err := r.counted(ctx)
		return n >= r.sent, err
	})
	return time.Since(began), err
}

func errorOf(stop func() (aside, error)) error {
	_, err := stop()
	return err
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return "load unknown"
	}
	return "load " + fields[0]
}
