// Package networksync imports the orders of affiliate networks as conversions, on request and on a schedule. It also tests the
// connections of networks.
package networksync

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/integration"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers"
	"switchyard/workers/platformjob"
	"switchyard/workers/providers/networks"
	"switchyard/workers/rowimport"
)

// Options are the options of Register.
type Options struct {
	Client *networks.Client
	Clicks click.Log
	Now    func() time.Time // default time.Now
	Most   int              // maximum number of orders in one import that the clock started; default models.SyncMost
}

type (
	answer = jobs.CorrectionAnswer[correction.ConversionOutcome]
	run    = workers.Run[jobs.CorrectionArgs, answer]
)

// syncer imports the orders of networks.
type syncer struct {
	o           Options
	store       *store.Store
	imports     *platformjob.Imports[jobs.CorrectionArgs, answer]
	conversions rowimport.Importer[correction.Conversion, correction.ConversionOutcome]
}

// Register registers the handlers with a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	o.Most = cmp.Or(o.Most, models.SyncMost)
	y := &syncer{o: o, store: s, conversions: rowimport.Conversions(r, s, o.Clicks)}
	y.imports = &platformjob.Imports[jobs.CorrectionArgs, answer]{
		Job: jobs.SyncNetwork, Run: models.RunNetworkSync, Code: "network_error", Rows: "orders",
		Every: models.SyncEvery, Next: models.NextSync, Days: models.SyncDays, WideDays: models.SyncWideDays, Ahead: models.AheadOfUTC,
		Feeds: networks.Feeds(), ChangesRun: models.RunNetworkChanges, ChangesBegin: models.ChangesBegin, RecordChanges: recordChanges,
		RecordOlder: recordOlder,
		Range: func(a *jobs.CorrectionArgs) *jobs.PlatformRange {
			if a.Network == nil {
				return nil
			}
			network := *a.Network
			a.Network = &network
			return &network.PlatformRange
		},
		Target: func(a jobs.CorrectionArgs) uuid.UUID { return a.Network.NetworkID },
		Args: func(network uuid.UUID, days jobs.PlatformRange) jobs.CorrectionArgs {
			return jobs.CorrectionArgs{Apply: true, Network: &jobs.NetworkSync{NetworkID: network, PlatformRange: days}}
		},
		Connections: func(s *store.Store) integration.Connections { return integration.NewNetworks(s).Connections },
		Store:       s, Now: o.Now,
	}
	y.imports.Register(r, y.sync)
	workers.RegisterRow(r, jobs.SaveNetworkReport, y.report)
	workers.Register(r, jobs.TestNetwork, y.test)
	workers.RegisterTick(r, jobs.SweepNetworks, y.sweep)
}

// opened is a connection, or the reason why it cannot be used.
type opened struct {
	models.Integration
	*networks.Connection
	failure error
}

func (y *syncer) open(ctx context.Context, account, network uuid.UUID) (o opened, err error) {
	k := integration.NewNetworks(y.store)
	o.Integration, err = k.Find(ctx, account, network)
	if errors.Is(err, integration.ErrNotConnected) {
		return o, models.NetworkNotConnected()
	}
	if err != nil {
		return o, err
	}
	credentials, failure, err := platformjob.Credentials(ctx, k.Connections, o.Integration, "network")
	if o.failure = failure; err != nil || failure != nil {
		return o, err
	}
	o.Connection, err = y.o.Client.Open(o.Provider, network.String(), credentials)
	return o, err
}

func (y *syncer) test(ctx context.Context, a jobs.NetworkArgs) (out jobs.NetworkTested, err error) {
	o, err := y.open(ctx, workers.Account(ctx), a.ID)
	if err != nil {
		return out, err
	}
	if o.failure == nil {
		o.failure = platformjob.Test(ctx, o.Test)
	}
	out.Provider = o.Provider
	if o.failure != nil {
		out.Failure = o.failure.Error()
	}
	result := integration.Result{Failure: out.Failure}
	return out, integration.NewNetworks(y.store).Record(context.WithoutCancel(ctx), o.Integration, result, y.o.Now())
}

const (
	runRetention  = 90 * 24 * time.Hour
	deletedAtOnce = 5000 // of each kind, in one sweep
)

// sweep starts the imports that are due and deletes old records of runs and of listed orders.
func (y *syncer) sweep(ctx context.Context) error {
	if err := y.imports.StartDue(ctx); err != nil {
		return err
	}
	if err := integration.NewNetworks(y.store).DeleteListed(ctx, y.o.Now().Add(-listedRetention), deletedAtOnce); err != nil {
		return err
	}
	return integration.NewRuns(y.store).DeleteExpired(ctx, y.o.Now().Add(-runRetention), deletedAtOnce)
}
