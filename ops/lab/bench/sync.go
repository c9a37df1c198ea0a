package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// Sizes of the sync measurements, and the platforms they use.
const (
	syncOrders  = 5_000
	syncDays    = 10
	syncSpend   = 10_000 // rows, of all days
	syncUploads = 5_000

	syncNetwork = "tune"
	syncCost    = "propellerads"
	syncUpload  = "meta"
)

// Platforms stands in for networks and ad platforms over HTTP. Each answers below a path with the name of its provider.
type Platforms interface {
	http.Handler
	// Have replaces the orders and the spend that they report.
	Have(orders []Order, spend []Spend)
	Credentials(provider string) map[string]string
	// Uploaded returns how many conversions were uploaded to Meta.
	Uploaded() int
}

// Order is an order that networks report.
type Order struct {
	ID, Click string
	At        time.Time
}

// Spend is what was spent for a campaign of the platform on a day.
type Spend struct {
	Day      time.Time
	Campaign string
}

// syncs measures a service that is connected to the platforms of the run.
type syncs struct {
	*run
	d     *db.DB
	jobs  *jobs.Client
	slow  *slowPlatforms
	env   []string
	today time.Time
}

// syncAccount is an account with clicks.
type syncAccount struct {
	*client.API
	id     uuid.UUID
	source string
	clicks []uuid.UUID
}

// syncing measures syncs with networks and ad platforms, and uploads.
func (r *run) syncing(ctx context.Context) (err error) {
	s := &syncs{run: r, slow: &slowPlatforms{Platforms: r.Platforms}, today: time.Now().UTC().Truncate(day)}
	sites, err := r.receiver.Sites(s.slow, "localhost")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sites.Close()) }()
	s.env = []string{"NETWORK_URL=" + sites.URL(), "AD_URL=" + sites.URL()}
	if s.d, err = db.Open(ctx, r.fleet.DatabaseURL, db.Options{Name: "bench"}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.d.Close()) }()
	redis, err := jobs.OpenRedis(r.fleet.RedisURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, redis.Close()) }()
	s.jobs = jobs.Connect(redis)
	for _, name := range []string{"web", "clock"} {
		if _, err := r.fleet.Spawn(name); err != nil {
			return err
		}
	}
	if err := r.fleet.WaitReady(ctx); err != nil {
		return err
	}
	for _, step := range []measured{s.orders, s.spend, s.uploads, s.beside} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// account creates an account with the given number of clicks of a traffic source, spread over the days.
func (s *syncs) account(ctx context.Context, name string, clicks int) (a *syncAccount, err error) {
	a = &syncAccount{}
	id, api, err := s.fleet.Account(ctx, name, "scale")
	if err != nil {
		return nil, err
	}
	a.API, a.id = api, uuid.MustParse(id)
	if a.source, err = a.create(ctx, "/traffic-sources"); err != nil {
		return nil, err
	}
	return a, s.strew(ctx, a, clicks)
}

// strew gives an account clicks of its source, spread over the days.
func (s *syncs) strew(ctx context.Context, a *syncAccount, clicks int) (err error) {
	for n := range syncDays {
		if err := (clicklog.Log{Conn: s.d}).EnsurePartition(ctx, s.today.AddDate(0, 0, -n)); err != nil {
			return err
		}
	}
	log, err := spool.Open(s.fleet.Dir+"/clicks-"+a.source, spool.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	a.clicks = make([]uuid.UUID, clicks)
	g, storing := errgroup.WithContext(ctx)
	g.SetLimit(64)
	for i := range a.clicks {
		a.clicks[i] = models.FloorClickID(s.today.AddDate(0, 0, -(i % syncDays)).Add(time.Duration(i) * time.Millisecond))
		fresh := uuid.New()
		copy(a.clicks[i][8:], fresh[8:])
		g.Go(func() error {
			return log.Append(storing, spool.Record{Click: &models.Click{
				ID: a.clicks[i], AccountID: a.id, CampaignID: a.id, SourceID: uuid.MustParse(a.source), UniqueHours: 24, Currency: "USD",
				Params: "c=" + strconv.Itoa(i%(syncSpend/syncDays)) + "&fbclid=" + strconv.Itoa(i),
			}})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return clicklog.NewIngester(log, s.d, clicklog.IngestOptions{}).Drain(ctx)
}

// create makes a network or a traffic source.
func (a *syncAccount) create(ctx context.Context, path string) (id string, err error) {
	var made struct{ ID string }
	err = a.Create(ctx, path, object{"name": "n-" + strconv.FormatInt(time.Now().UnixNano(), 36)}, &made)
	return made.ID, err
}

// network connects a new network to a provider and gives the path of its integration.
func (s *syncs) network(ctx context.Context, a *syncAccount, provider string) (path string, err error) {
	id, err := a.create(ctx, "/networks")
	path = "/networks/" + url.PathEscape(id) + "/integration"
	if err != nil {
		return "", err
	}
	return path, a.Do(ctx, http.StatusOK, http.MethodPut, path,
		object{"provider": provider, "credentials": s.Platforms.Credentials(provider), "is_enabled": false}, nil)
}

// source connects a traffic source to a provider, which is told of conversions if it takes them, and gives the path of its integration.
func (s *syncs) source(ctx context.Context, a *syncAccount, id, provider string) (path string, err error) {
	path = "/traffic-sources/" + url.PathEscape(id) + "/integration"
	return path, a.Do(ctx, http.StatusOK, http.MethodPut, path, object{
		"provider": provider, "credentials": s.Platforms.Credentials(provider), "is_enabled": false, "campaign_param": "c",
		"conversions_enabled": provider != syncCost, "mode": "live",
	}, nil)
}

// ordersOf are orders of clicks, one each, of the days of their clicks.
func ordersOf(a *syncAccount) []Order {
	out := make([]Order, len(a.clicks))
	for i, id := range a.clicks {
		out[i] = Order{fmt.Sprintf("%.8s-%d", a.id, i), models.FormatClickID(id), models.ClickTime(id).Add(time.Minute)}
	}
	return out
}

// span is the range of all days.
func (s *syncs) span() (from, to string) {
	return s.today.AddDate(0, 0, 1-syncDays).Format(time.DateOnly), s.today.Format(time.DateOnly)
}

// measure times what a fresh worker does, and takes its memory.
func (s *syncs) measure(ctx context.Context, what string, do func() error) error {
	worker, err := s.worker(ctx)
	if err != nil {
		return err
	}
	idle, err := worker.Memory("VmRSS")
	if err != nil {
		return err
	}
	if err := forget(worker); err != nil {
		return err
	}
	began := time.Now()
	if err := do(); err != nil {
		return fmt.Errorf("bench: %s: %w", what, err)
	}
	took := time.Since(began)
	peak, err := worker.Memory("VmHWM")
	if err != nil {
		return err
	}
	over := (peak - idle) >> 10
	s.say("%s: %s, worker %d MB at the peak, %d MB idle", what, short(took), peak>>10, idle>>10)
	s.add(what, fmt.Sprintf("%s, %d MB of memory, %d MB over idle", short(took), peak>>10, over), fmt.Sprintf("<= %d MB over idle", goalMemory), over <= goalMemory)
	return worker.Terminate(ctx)
}

// worker starts a worker and waits until it works.
func (s *syncs) worker(ctx context.Context) (*fleet.Process, error) {
	worker, err := s.fleet.SpawnWith(s.env, "worker")
	if err != nil {
		return nil, err
	}
	ticket, err := jobs.Submit(ctx, s.jobs, jobs.SweepNetworks, uuid.Nil, jobs.Tick{})
	if err != nil {
		return nil, err
	}
	_, err = jobs.AwaitTimeout(ctx, ticket, time.Minute)
	return worker, err
}

// orders imports orders of a network.
func (s *syncs) orders(ctx context.Context) error {
	a, err := s.account(ctx, "Orders", syncOrders)
	if err != nil {
		return err
	}
	s.Platforms.Have(ordersOf(a), nil)
	path, err := s.network(ctx, a, syncNetwork)
	if err != nil {
		return err
	}
	from, to := s.span()
	for _, apply := range []bool{false, true} {
		what := fmt.Sprintf("sync of %d orders, %s", syncOrders, map[bool]string{false: "dry run", true: "applied"}[apply])
		if err := s.measure(ctx, what, func() error {
			var got struct{ Total, Matched int }
			err := a.Do(ctx, http.StatusOK, http.MethodPost, path+"/sync", object{"from": from, "to": to, "apply": apply}, &got)
			if err == nil && got.Matched != syncOrders {
				err = fmt.Errorf("%d of %d orders are matched", got.Matched, got.Total)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// spend reads what was spent.
func (s *syncs) spend(ctx context.Context) error {
	a, err := s.account(ctx, "Spend", syncOrders)
	if err != nil {
		return err
	}
	rows := make([]Spend, syncSpend)
	for i := range rows {
		rows[i] = Spend{s.today.AddDate(0, 0, -(i % syncDays)), strconv.Itoa(i / syncDays)}
	}
	s.Platforms.Have(nil, rows)
	path, err := s.source(ctx, a, a.source, syncCost)
	if err != nil {
		return err
	}
	from, to := s.span()
	return s.measure(ctx, fmt.Sprintf("sync of %d rows of spend onto %d clicks", syncSpend, syncOrders), func() error {
		var got struct {
			OK      bool
			Rows    int
			Changed int
			Detail  any
		}
		err := a.Do(ctx, http.StatusOK, http.MethodPost, path, object{"action": "sync", "from": from, "to": to}, &got)
		if err == nil && (!got.OK || got.Rows != syncSpend || got.Changed != syncDays) {
			err = fmt.Errorf("%+v", got)
		}
		return err
	})
}

// convert records a conversion of each click.
func (s *syncs) convert(ctx context.Context, a *syncAccount) error {
	payout := decimal.New(125, -2)
	for part := range slices.Chunk(a.clicks, 500) {
		list := db.Map(part, func(id uuid.UUID) clicklog.ConversionInput {
			return clicklog.ConversionInput{ClickID: id, ConversionID: "o", Status: models.StatusApproved, Payout: &payout, Currency: "USD", Final: true}
		})
		if err := db.Tx(ctx, s.d, func(c db.Conn) error {
			_, _, err := clicklog.Log{Conn: s.d}.CorrectConversions(ctx, c, a.id, list, true)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// uploads tells Meta of conversions.
func (s *syncs) uploads(ctx context.Context) error {
	a, err := s.account(ctx, "Uploads", syncUploads)
	if err != nil {
		return err
	}
	if _, err := s.source(ctx, a, a.source, syncUpload); err != nil {
		return err
	}
	if err := s.convert(ctx, a); err != nil {
		return err
	}
	return s.measure(ctx, fmt.Sprintf("upload of %d conversions", syncUploads), func() error {
		if _, err := jobs.Submit(ctx, s.jobs, jobs.SweepUploads, uuid.Nil, jobs.Tick{}); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		return client.Poll(waiting, 20*time.Millisecond, func() (bool, error) {
			var n int
			err := s.d.GetContext(ctx, &n, `SELECT count(*) FROM conversion_uploads WHERE account_id = $1 AND result = 'accepted'`, a.id)
			return n == syncUploads && s.Platforms.Uploaded() == n, err
		})
	})
}
