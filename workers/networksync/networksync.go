// Package networksync imports the orders of affiliate networks as conversions, on request and by the clock. It also tests the
// connections of networks.
package networksync

import (
	"context"
	"errors"
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
	"switchyard/workers/rowimport"
)

// Clicks reads and changes recorded conversions. clicklog.Log implements it.
type Clicks interface {
	rowimport.Clicks
	ConversionsOf(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID) ([]clicklog.KnownConversion, error)
}

// Options of Register.
type Options struct {
	Client *networks.Client
	Clicks Clicks
	Now    func() time.Time // default time.Now
}

// syncer imports the orders of networks.
type syncer struct {
	o       Options
	store   *store.Store
	jobs    *jobs.Client
	room    *workers.Limiter[string]
	imports rowimport.Importer[correction.Conversion, correction.ConversionOutcome]
}

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	if o.Now == nil {
		o.Now = time.Now
	}
	y := &syncer{o: o, store: s, jobs: r.Client(), room: r.Platforms(), imports: rowimport.Conversions(r, s, o.Clicks)}
	workers.RegisterRow(r, jobs.SyncNetwork, y.sync, workers.WithGate(y.gate), workers.WithFailed(y.failed))
	workers.Register(r, jobs.TestNetwork, y.test)
	workers.RegisterTick(r, jobs.SweepNetworks, y.sweep)
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

func (y *syncer) open(ctx context.Context, account, network uuid.UUID) (o opened, err error) {
	o.NetworkIntegration, err = y.store.NetworkIntegrations().Find(ctx, account, network)
	if errors.Is(err, models.NotFound("connection of the network")) {
		return o, errNotConnected()
	}
	if err != nil {
		return o, err
	}
	credentials, err := y.store.NetworkIntegrations().Credentials(ctx, o.NetworkIntegration)
	if errors.Is(err, seal.ErrOpen) {
		o.failure = errors.New("the stored credentials cannot be read any more: connect the network again")
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.Connection, err = y.o.Client.Open(o.Provider, network.String(), credentials)
	return o, err
}

// testTime limits a test of a connection, while its caller waits.
const testTime = 20 * time.Second

// test tests a connection.
func (y *syncer) test(ctx context.Context, a jobs.NetworkArgs) (out jobs.NetworkTested, err error) {
	o, err := y.open(ctx, workers.Account(ctx), a.ID)
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
	return out, y.store.NetworkIntegrations().Note(context.WithoutCancel(ctx), o.NetworkIntegration, out.Failure, false, y.o.Now())
}

// note stores the result of a run and the time of the next scheduled import. The zero failure means success.
func (y *syncer) note(ctx context.Context, s *store.Store, account uuid.UUID, of jobs.NetworkSync, failure jobrow.Cause, synced bool) error {
	k := s.NetworkIntegrations()
	i, err := k.Find(ctx, account, of.NetworkID)
	if errors.Is(err, models.NotFound("connection of the network")) {
		return nil // it was disconnected before the run ended
	}
	if err != nil {
		return err
	}
	if err := k.Note(ctx, i, failure.Message, synced, y.o.Now()); err != nil || of.Origin != models.RunByClock {
		return err
	}
	failures, wide := 0, time.Time{}
	if failure.Message != "" {
		failures = i.Failures + 1
	}
	if of.Wide {
		wide = models.NextWide(y.o.Now(), failure.Code)
	}
	return k.SetNext(ctx, i, y.o.Now().Add(interval.Vary(models.NextSync(failures))), wide)
}

// gate admits a job if its platform has a free place, so that jobs of one platform do not take the places of the others.
func (y *syncer) gate(ctx context.Context, job uuid.UUID) (release func(), wait time.Duration, err error) {
	return workers.GateByPlatform(ctx, y.store.Conn(), y.room, job, func(a jobs.CorrectionArgs) string {
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
func (y *syncer) sweep(ctx context.Context) error {
	now := y.o.Now()
	err := workers.StartDue(ctx, y.store, y.jobs, takenAtOnce, func(s *store.Store) ([]models.Job, error) {
		due, err := s.NetworkIntegrations().TakeDue(ctx, now, now.Add(2*models.SyncEvery), takenAtOnce)
		if err != nil {
			return nil, err
		}
		rows := make([]models.Job, len(due))
		for i, d := range due {
			if rows[i], err = y.row(d, now); err != nil {
				return nil, err
			}
		}
		return rows, nil
	})
	if err != nil {
		return err
	}
	return y.store.IntegrationRuns().Forget(ctx, now.Add(-keptRuns), 5000)
}

// row makes the job that imports the orders of a network. Its last day is the latest day of any time zone, because the platform's
// day may be ahead of ours.
func (y *syncer) row(d store.DueNetwork, now time.Time) (models.Job, error) {
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
