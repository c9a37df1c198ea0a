package correction

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers"
)

// Orders reads the orders of networks, for jobs.SyncNetwork.
type Orders interface {
	// Read returns the orders that a job imports, as rows. Each call begins the run again. It returns a *models.Error if another
	// attempt cannot help.
	Read(ctx context.Context, account, job uuid.UUID, of jobs.NetworkSync, apply bool) ([]correction.Conversion, error)
	// End records how the run of a job ended, in the transaction of c.
	End(ctx context.Context, c db.Conn, account, job uuid.UUID, a jobs.CorrectionAnswer[correction.ConversionOutcome]) error
	// Failed records why the run of a job failed, in the transaction of c.
	Failed(ctx context.Context, c db.Conn, account, job uuid.UUID, of jobs.NetworkSync, cause error) error
	// Gate admits the job of a network if its platform has a free place, so that the jobs of one platform do not take the places
	// of the others.
	Gate(ctx context.Context, job uuid.UUID) (release func(), wait time.Duration, err error)
}

// RegisterNetworks adds the handler of jobs.SyncNetwork to a runtime.
func RegisterNetworks(r *workers.Runtime, s *store.Store, clicks Clicks, orders Orders) {
	network := networkOrders{orders: orders, file: file[conversion, conversionOutcome]{
		runtime: r, store: s, batchSize: 500, read: storedOrders, process: corrector{clicks}.conversions, ended: orders.End,
		kept: keptOutcomes,
	}}
	workers.RegisterRow(r, jobs.SyncNetwork, network.run, workers.WithGate(orders.Gate), workers.WithFailed(network.failed))
}

// keptOutcomes drops refused and unchanged orders from the stored answer of a scheduled import. Scheduled imports read the same
// orders many times, and each answer is stored for the same time as any other.
func keptOutcomes(a jobs.CorrectionAnswer[conversionOutcome]) jobs.CorrectionAnswer[conversionOutcome] {
	if a.Network != nil && a.Network.Origin == models.RunByClock {
		a.Outcomes = slices.DeleteFunc(slices.Clone(a.Outcomes), func(o conversionOutcome) bool {
			return !o.Accepted || o.Result == correction.Unchanged
		})
	}
	return a
}

// networkOrders imports the orders of a network. It first reads them from the network, then processes them like the rows of a
// file.
type networkOrders struct {
	orders Orders
	file   file[conversion, conversionOutcome]
}

func (n networkOrders) run(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[conversionOutcome]]) error {
	if !u.Args.Network.Read {
		err := n.read(ctx, u)
		if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal {
			return u.Fail(ctx, err, func(c db.Conn, _ workers.NextAttempt) error {
				return n.orders.Failed(ctx, c, u.Job.AccountID.UUID, u.Job.ID, *u.Args.Network, err)
			})
		}
		if err != nil {
			return err
		}
	}
	return n.file.run(ctx, u)
}

// failed records the failure of a job that could not record the failure itself.
func (n networkOrders) failed(ctx context.Context, c db.Conn, row models.Job, cause error) error {
	var args jobs.CorrectionArgs
	if err := json.Unmarshal(row.Args, &args); err != nil || args.Network == nil {
		return nil //nolint:nilerr // nobody knows of which network it was
	}
	return n.orders.Failed(ctx, c, row.AccountID.UUID, row.ID, *args.Network, cause)
}

// read reads the orders and stores them under the id of the job, so that an attempt after a crash continues with the same orders.
func (n networkOrders) read(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[conversionOutcome]]) error {
	account := u.Job.AccountID.UUID
	rows, err := n.orders.Read(ctx, account, u.Job.ID, *u.Args.Network, u.Args.Apply)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("correction: orders: %w", err)
	}
	return u.Step(ctx, func(c db.Conn) (jobs.CorrectionArgs, error) {
		a, network := u.Args, *u.Args.Network
		network.Read = true
		a.Network = &network
		return a, n.file.store.On(c).Corrections().Add(ctx, account, u.Job.ID, string(raw))
	})
}

func storedOrders(_ context.Context, _ *store.Store, _ uuid.UUID, text string) (rows []conversion, err error) {
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, fmt.Errorf("correction: orders: %w", err)
	}
	return rows, nil
}
