// Package network talks to the platforms of affiliate networks. It tests connections, reads the orders that correction jobs
// import, and starts such jobs by the clock.
package network

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/jobrow"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/interval"
	"switchyard/workers"
	"switchyard/workers/providers/networks"
)

// Clicks reads recorded conversions. clicklog.Log implements it.
type Clicks interface {
	ConversionsOf(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID) ([]clicklog.KnownConversion, error)
}

// Options of New.
type Options struct {
	Client *networks.Client
	Clicks Clicks
	Now    func() time.Time // default time.Now
}

// Platforms reads orders from the platforms of networks. It is safe for concurrent use.
type Platforms struct {
	o     Options
	store *store.Store
	jobs  *jobs.Client
	room  *workers.Limiter[string]
}

// New makes Platforms and registers the handlers at a runtime.
func New(r *workers.Runtime, s *store.Store, o Options) *Platforms {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Platforms{o: o, store: s, jobs: r.Client(), room: r.Platforms()}
	workers.Register(r, jobs.TestNetwork, p.test)
	workers.RegisterTick(r, jobs.SweepNetworks, p.sweep)
	return p
}

// errNotConnected returns the error for a network without a connection.
func errNotConnected() error {
	return models.Invalid("not_connected", "the network is not connected: connect it by PUT /networks/{id}/integration")
}

// opened is a connection, or the reason why it cannot be used (failure).
type opened struct {
	models.NetworkIntegration
	*networks.Connection
	failure error
}

func (p *Platforms) open(ctx context.Context, account, network uuid.UUID) (o opened, err error) {
	o.NetworkIntegration, err = p.store.NetworkIntegrations().Find(ctx, account, network)
	if errors.Is(err, models.NotFound("connection of the network")) {
		return o, errNotConnected()
	}
	if err != nil {
		return o, err
	}
	credentials, err := p.store.NetworkIntegrations().Credentials(ctx, o.NetworkIntegration)
	if errors.Is(err, seal.ErrOpen) {
		o.failure = errors.New("the stored credentials cannot be read any more: connect the network again")
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.Connection, err = p.o.Client.Open(o.Provider, network.String(), credentials)
	return o, err
}

// testTime limits a test of a connection, while its caller waits.
const testTime = 20 * time.Second

// test tests a connection.
func (p *Platforms) test(ctx context.Context, a jobs.NetworkArgs) (out jobs.NetworkTested, err error) {
	o, err := p.open(ctx, workers.Account(ctx), a.ID)
	if err != nil {
		return out, err
	}
	if o.failure == nil {
		limited, cancel := context.WithTimeout(ctx, testTime)
		o.failure = o.Test(limited)
		cancel()
	}
	out.Provider = o.Provider
	if o.failure != nil {
		out.Failure = o.failure.Error()
	}
	return out, p.store.NetworkIntegrations().Note(context.WithoutCancel(ctx), o.NetworkIntegration, out.Failure, false, p.o.Now())
}

// Read implements correction.Orders.
func (p *Platforms) Read(ctx context.Context, account, job uuid.UUID, of jobs.NetworkSync, apply bool) ([]correction.Conversion, error) {
	from, err := time.Parse(time.DateOnly, of.From)
	if err != nil {
		return nil, fmt.Errorf("network: first day: %w", err)
	}
	to, err := time.Parse(time.DateOnly, of.To)
	if err != nil {
		return nil, fmt.Errorf("network: last day: %w", err)
	}
	o, err := p.open(ctx, account, of.NetworkID)
	if err != nil {
		return nil, err
	}
	if err := p.store.IntegrationRuns().Start(ctx, models.IntegrationRun{
		ID: job, AccountID: account, Kind: models.RunNetworkSync, TargetID: of.NetworkID, Provider: o.Provider, Origin: of.Origin,
		From: &from, To: &to, Applied: apply, StartedAt: p.o.Now(),
	}); err != nil {
		return nil, err
	}
	if o.failure != nil {
		return nil, networkError(o.failure)
	}
	most := networks.MaxOrders
	if of.Origin == models.RunByClock { // no caller waits who could choose a shorter range
		most = models.SyncMost
	}
	orders, err := o.Orders(ctx, from, to, most)
	used := o.Used()
	switch {
	case errors.Is(err, networks.ErrTooMany):
		return nil, models.Invalid(models.TooManyRows, "the range has more than %d orders: use a shorter one", most)
	case err != nil && context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, networkError(err)
	}
	if err := p.store.IntegrationRuns().Read(ctx, account, job, used.Requests, used.Pages, len(orders)); err != nil {
		return nil, err
	}
	return p.rows(ctx, account, of.NetworkID, orders, apply)
}

func networkError(err error) error {
	return models.WithRequest(models.Errorf(models.KindBadGateway, "network_error", "%s", err), models.RequestOf(err))
}

// End implements correction.Orders.
func (p *Platforms) End(ctx context.Context, c db.Conn, account, job uuid.UUID, a jobs.CorrectionAnswer[correction.ConversionOutcome]) error {
	changed := 0
	for _, o := range a.Outcomes {
		if o.Accepted && o.Result != correction.Unchanged {
			changed++
		}
	}
	s := p.store.On(c)
	if err := s.IntegrationRuns().End(ctx, account, job, p.o.Now(), store.RunEnd{Matched: a.Accepted, Changed: changed}); err != nil {
		return err
	}
	return p.note(ctx, s, account, *a.Network, jobrow.Cause{}, !a.DryRun)
}

// Failed implements correction.Orders.
func (p *Platforms) Failed(ctx context.Context, c db.Conn, account, job uuid.UUID, of jobs.NetworkSync, cause error) error {
	s, failure := p.store.On(c), jobrow.CauseOf(cause)
	end := store.RunEnd{Failure: failure.Message, Request: models.RequestOf(cause)}
	if err := s.IntegrationRuns().End(ctx, account, job, p.o.Now(), end); err != nil {
		return err
	}
	if !models.PlatformFailed(of.Origin, failure.Code) {
		return nil
	}
	return p.note(ctx, s, account, of, failure, false)
}

// note stores the result of a run and the time of the next scheduled import. The zero failure means success.
func (p *Platforms) note(ctx context.Context, s *store.Store, account uuid.UUID, of jobs.NetworkSync, failure jobrow.Cause, synced bool) error {
	k := s.NetworkIntegrations()
	i, err := k.Find(ctx, account, of.NetworkID)
	if errors.Is(err, models.NotFound("connection of the network")) {
		return nil // it was disconnected before the run ended
	}
	if err != nil {
		return err
	}
	if err := k.Note(ctx, i, failure.Message, synced, p.o.Now()); err != nil || of.Origin != models.RunByClock {
		return err
	}
	failures, wide := 0, time.Time{}
	if failure.Message != "" {
		failures = i.Failures + 1
	}
	if of.Wide {
		wide = models.NextWide(p.o.Now(), failure.Code)
	}
	return k.SetNext(ctx, i, p.o.Now().Add(interval.Vary(models.NextSync(failures))), wide)
}

// Gate implements correction.Orders.
func (p *Platforms) Gate(ctx context.Context, job uuid.UUID) (release func(), wait time.Duration, err error) {
	return workers.GateByPlatform(ctx, p.store.Conn(), p.room, job, func(a jobs.CorrectionArgs) string {
		if a.Network == nil {
			return ""
		}
		return workers.PlatformOf(a.Network.Provider, a.Network.NetworkID)
	})
}

// takenAtOnce is how many due networks a sweep claims in one batch.
const takenAtOnce = 500

// keptRuns is how long the records of runs are kept.
const keptRuns = 90 * 24 * time.Hour

// sweep starts the imports that are due, and deletes old records of runs.
func (p *Platforms) sweep(ctx context.Context) error {
	now := p.o.Now()
	err := workers.StartDue(ctx, p.store, p.jobs, takenAtOnce, func(s *store.Store) ([]models.Job, error) {
		due, err := s.NetworkIntegrations().TakeDue(ctx, now, now.Add(2*models.SyncEvery), takenAtOnce)
		if err != nil {
			return nil, err
		}
		rows := make([]models.Job, len(due))
		for i, d := range due {
			if rows[i], err = p.row(d, now); err != nil {
				return nil, err
			}
		}
		return rows, nil
	})
	if err != nil {
		return err
	}
	return p.store.IntegrationRuns().Forget(ctx, now.Add(-keptRuns), 5000)
}

// row makes the job that imports the orders of a network. Its last day is the latest day of any time zone, because the platform's
// day may be ahead of ours.
func (p *Platforms) row(d store.DueNetwork, now time.Time) (models.Job, error) {
	days := models.SyncDays
	if d.Wide {
		days = models.SyncWideDays
	}
	last := now.UTC().Add(14 * time.Hour)
	return jobs.SyncNetwork.NewRow(d.AccountID, jobs.CorrectionArgs{Apply: true, Network: &jobs.NetworkSync{
		NetworkID: d.NetworkID, Provider: d.Provider, Origin: models.RunByClock, Wide: d.Wide,
		From: now.UTC().AddDate(0, 0, 1-days).Format(time.DateOnly), To: last.Format(time.DateOnly),
	}})
}
