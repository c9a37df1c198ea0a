package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/client"
	"switchyard/ops/lab/bench/capacity"
	"switchyard/ops/lab/fleet"
)

// What unit costs are measured with.
const (
	unitClicks    = 40_000
	unitRate      = 2000 // clicks a second
	unitPostbacks = 2000
	unitEvents    = 1000
	unitCampaigns = 2000
	monthOfClicks = 1e9
)

// meter reads what the processes of a service have used.
type meter struct {
	web, worker                          *fleet.Process
	postgres, redis                      fleet.Server
	atWeb, atWorker, atPostgres, atRedis time.Duration
}

func (r *run) newMeter(ctx context.Context) (m *meter, err error) {
	m = &meter{web: r.fleet.Find("web"), worker: r.fleet.Find("worker")}
	if m.postgres, err = r.fleet.Postgres(); err != nil {
		return nil, err
	}
	if m.redis, err = r.fleet.Redis(ctx); err != nil {
		return nil, err
	}
	m.begin()
	return m, nil
}

func (m *meter) begin() {
	m.atWeb, m.atWorker, m.atPostgres, m.atRedis = m.web.CPU(), m.worker.CPU(), m.postgres.CPU(), m.redis.CPU()
}

// used is what each has used since begin, by one of n things.
func (m *meter) used(n int) capacity.Cost {
	by := time.Duration(n)
	return capacity.Cost{
		Web: (m.web.CPU() - m.atWeb) / by, Worker: (m.worker.CPU() - m.atWorker) / by,
		Postgres: (m.postgres.CPU() - m.atPostgres) / by, Redis: (m.redis.CPU() - m.atRedis) / by,
	}
}

// costs adds a row of a cost.
func (r *run) costs(what string, c capacity.Cost) {
	list := db.Map([]time.Duration{c.Web, c.Worker, c.Postgres, c.Redis}, func(d time.Duration) string { return d.Round(100 * time.Nanosecond).String() })
	r.add("processor time of "+what+": web, worker, PostgreSQL, Redis", strings.Join(list, ", "), "", true)
}

// units measures what one click, conversion, delivery and campaign cost, and works out from it what machines take.
func (r *run) units(ctx context.Context) error {
	d, err := db.Open(ctx, r.fleet.DatabaseURL, db.Options{Name: "bench"})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	m, err := r.newMeter(ctx)
	if err != nil {
		return err
	}
	var u capacity.Units
	if err := r.clickUnits(ctx, d, m, &u); err != nil {
		return err
	}
	if err := r.conversionUnits(ctx, d, m, &u); err != nil {
		return err
	}
	if err := r.deliveryUnits(ctx, d, m, &u); err != nil {
		return err
	}
	if err := r.campaignUnits(ctx, d, &u); err != nil {
		return err
	}
	r.capacities(u)
	return nil
}

// stored is what PostgreSQL has on disk of clicks, and how far its log is.
const selectStored = `
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint AS log
FROM pg_class c WHERE c.relkind = 'r' AND (c.relname ~ '^clicks' OR c.relname ~ '^click_visitors' OR c.relname ~ '^ledger')`

type storedBytes struct {
	Bytes int64 `db:"bytes"`
	Log   int64 `db:"log"`
}

// clickUnits sends clicks at a rate that the machine holds easily, so that nothing waits.
func (r *run) clickUnits(ctx context.Context, d *db.DB, m *meter, u *capacity.Units) error {
	size := func() (storedBytes, error) { return db.Get[storedBytes](ctx, d, "size of clicks", selectStored) }
	if _, err := r.hold(ctx, unitRate, 3*time.Second); err != nil { // pages, caches, connections
		return err
	}
	before, err := size()
	if err != nil {
		return err
	}
	m.begin()
	held, err := r.hold(ctx, unitRate, unitClicks*time.Second/unitRate)
	if err != nil {
		return err
	}
	n := held.Count
	u.Click = m.used(n)
	after, err := size()
	if err != nil {
		return err
	}
	u.ClickBytes, u.WALBytes = float64(after.Bytes-before.Bytes)/float64(n), float64(after.Log-before.Log)/float64(n)
	r.costs(fmt.Sprintf("a click at %d/s", unitRate), u.Click)
	r.add("bytes of a click in PostgreSQL with indexes, uniqueness and ledger; in its log",
		fmt.Sprintf("%.0f; %.0f", u.ClickBytes, u.WALBytes), "", true)
	return nil
}

// conversionUnits tells of conversions of clicks by postbacks.
func (r *run) conversionUnits(ctx context.Context, d *db.DB, m *meter, u *capacity.Units) error {
	ids, err := db.Select[uuid.UUID](ctx, d, "clicks", `SELECT id FROM clicks WHERE NOT is_bot ORDER BY id LIMIT $1`, unitPostbacks)
	if err != nil {
		return err
	}
	count := func() (n int, err error) {
		return n, d.GetContext(ctx, &n, `SELECT count(*) FROM conversions`)
	}
	m.begin()
	next := make(chan uuid.UUID, len(ids))
	for _, id := range ids {
		next <- id
	}
	err = paced(ctx, 200, len(ids), func() error {
		target := r.fleet.URL + "/postback?payout=1&clickid=" + url.QueryEscape(models.FormatClickID(<-next))
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		if err != nil {
			return err
		}
		req.Host = r.link.Host
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	err = client.Poll(waiting, 200*time.Millisecond, func() (bool, error) {
		n, err := count()
		return n >= len(ids), err
	})
	if err != nil {
		return fmt.Errorf("bench: conversions: %w", err)
	}
	u.Conversion = m.used(len(ids))
	r.costs("a conversion by postback", u.Conversion)
	return nil
}

// deliveryUnits delivers events to an endpoint.
func (r *run) deliveryUnits(ctx context.Context, d *db.DB, m *meter, u *capacity.Units) (err error) {
	a := &announcer{r: r, db: d}
	if a.redis, err = jobs.OpenRedis(r.fleet.RedisURL); err != nil {
		return err
	}
	defer func() { _ = a.redis.Close() }()
	a.client = jobs.Connect(a.redis)
	var id string
	if id, a.api, err = r.fleet.Account(ctx, "Bench events", "scale"); err != nil {
		return err
	}
	if a.account, err = uuid.Parse(id); err != nil {
		return err
	}
	if err := a.subscribe(ctx, 0); err != nil {
		return err
	}
	before := len(r.receiver.Attempts())
	m.begin()
	err = paced(ctx, 100, unitEvents, func() error {
		_, _, err := a.announce(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := a.arrived(ctx, before, unitEvents); err != nil {
		return err
	}
	u.Delivery = m.used(unitEvents)
	r.costs("a webhook delivery", u.Delivery)
	return nil
}

// campaignUnits compares the memory of web processes with few campaigns and with many.
func (r *run) campaignUnits(ctx context.Context, d *db.DB, u *capacity.Units) error {
	if err := r.pattern(ctx); err != nil {
		return err
	}
	if _, err := r.fill(ctx, d, 0, few); err != nil {
		return err
	}
	light, err := r.another(ctx, few)
	if err != nil {
		return err
	}
	if err := light.process.Terminate(ctx); err != nil {
		return err
	}
	if _, err := r.fill(ctx, d, few, unitCampaigns); err != nil {
		return err
	}
	heavy, err := r.another(ctx, unitCampaigns)
	if err != nil {
		return err
	}
	u.ProcessBytes = float64(light.memory) * 1024
	u.CampaignBytes = float64(heavy.memory-light.memory) * 1024 / (unitCampaigns - few)
	r.add(fmt.Sprintf("memory of a web process; of a campaign of %d paths in it", pathsEach),
		fmt.Sprintf("%.0f MB; %.1f kB", u.ProcessBytes/1e6, u.CampaignBytes/1e3), "", true)
	return nil
}

// capacities prints what machines take at these costs.
func (r *run) capacities(u capacity.Units) {
	const month = 30 * 24 * time.Hour
	for _, cores := range []int{1, 2, 4, 16} {
		all := u.OneMachine(cores)
		r.add(fmt.Sprintf("everything on a machine, cores %d: clicks a second; millions a month, at its usual curve", cores),
			fmt.Sprintf("%.0f; %.0f", all, all/capacity.Usual.Peak()*month.Seconds()/1e6), "", true)
	}
	for _, n := range []int{1, 2, 4} {
		for _, cores := range []int{4, 16} {
			r.add(fmt.Sprintf("machines for web and worker %d, cores of each %d, one more for PostgreSQL and Redis", n, cores),
				fmt.Sprintf("%.0f clicks/s", u.Apart(n, cores)), "", true)
		}
	}
	for _, cores := range []int{2, 4, 8} {
		m, got, ok := u.Smallest(monthOfClicks, capacity.Usual, cores)
		what := fmt.Sprintf("a simulated month of %.0f million clicks, machines of %d cores", monthOfClicks/1e6, cores)
		if !ok {
			r.add(what, fmt.Sprintf("not enough: PostgreSQL is %.0f %% busy at the peak of %.0f/s", 100*got.BusiestDB, got.Peak), "", true)
			continue
		}
		r.add(what, fmt.Sprintf("%d and 1 for PostgreSQL: peak %.0f/s, %.0f %% and %.0f %% busy, %.0f clicks waiting",
			m.Fronts, got.Peak, 100*got.BusiestFront, 100*got.BusiestDB, got.Backlog), "", true)
	}
	r.add("disk of a month of 1000 million clicks; its log each day",
		fmt.Sprintf("%.0f GB; %.0f GB", monthOfClicks*u.ClickBytes/1e9, monthOfClicks*u.WALBytes/30/1e9), "", true)
}
