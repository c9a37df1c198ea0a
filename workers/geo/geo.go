// Package geo adds the visitor's place to clicks, from the geo databases that accounts have connected. It looks up unknown
// addresses at the provider and revises the clicks. The redirect never waits for it.
package geo

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/geodatabase"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/providers/geolookup"
)

// Options of Register.
type Options struct {
	Clicks  click.Log
	Lookups *geolookup.Client
	Now     func() time.Time // default time.Now
}

// Register registers the handlers.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	w := &worker{o: o, store: s, client: r.Client()}
	workers.Register(r, jobs.ConnectGeo, w.connect)
	workers.RegisterForAccount(r, jobs.LookUpGeo, w.lookUp)
	workers.RegisterTick(r, jobs.SweepGeo, w.sweep)
}

type worker struct {
	o      Options
	store  *store.Store
	client *jobs.Client
}

// connect tries a key at its provider, and saves it if the provider accepts it.
func (w *worker) connect(ctx context.Context, a jobs.ConnectGeoArgs) (out jobs.ConnectedGeo, err error) {
	account := workers.Account(ctx)
	key, err := geodatabase.New(w.store).Open(ctx, account, a.Key)
	if err != nil {
		return out, err
	}
	place, err := w.o.Lookups.Lookup(ctx, a.Provider, key, geolookup.Known)
	switch {
	case errors.Is(err, geolookup.ErrRefused):
		return out, models.Invalid("key_refused", "the key was tried and did not work: %s", err)
	case err != nil && ctx.Err() != nil: // the worker stops, or the time of the job is over
		return out, err
	case err != nil:
		return out, models.Errorf(models.KindBadGateway, "network_error", "the key could not be tried, and is not saved: %s", err)
	case place.Country == "":
		return out, models.Invalid("key_refused", "the key was tried, but with this key the provider returns no data about addresses")
	}
	return jobs.ConnectedGeo{Provider: a.Provider, Enabled: a.Enabled},
		geodatabase.New(w.store).Save(ctx, account, a.Provider, a.Key, a.Enabled)
}

const (
	// minAge is the minimum age of a click that is looked up. By then the ingesters have stored all earlier clicks.
	minAge = 10 * time.Second
	// maxAge is the age above which clicks stay unchanged.
	maxAge = time.Hour
	// answerRetention is how long a provider's answer is used.
	answerRetention = 30 * 24 * time.Hour
	// deletedAtOnce is how many old answers a sweep deletes at most.
	deletedAtOnce = 10_000
)

// sweep starts a look-up for each account with new clicks, and deletes answers that are too old to be used.
func (w *worker) sweep(ctx context.Context) error {
	now := w.o.Now()
	idle, err := geodatabase.New(w.store).Idle(ctx)
	if err != nil {
		return err
	}
	waiting, err := w.o.Clicks.Behind(ctx, idle, now.Add(-maxAge), now.Add(-minAge))
	if err != nil {
		return err
	}
	if err := workers.SubmitEach(ctx, w.client, jobs.LookUpGeo, waiting); err != nil {
		return err
	}
	return geodatabase.New(w.store).DeleteExpiredAnswers(ctx, now.Add(-answerRetention), deletedAtOnce)
}

// lease is for one run. If the worker is killed, the account's next run starts only after the lease has ended.
const lease = 3 * time.Minute

func (w *worker) lookUp(ctx context.Context, account uuid.UUID) error {
	all := geodatabase.New(w.store)
	d, err := all.Lease(ctx, account, lease)
	if errors.Is(err, models.NotFound("geo database")) {
		return nil
	}
	if err != nil {
		return err
	}
	u := &lookupRun{worker: w, database: d, after: d.LookedAfter, now: w.o.Now()}
	err = u.run(ctx)
	if u.failure != "" {
		slog.WarnContext(ctx, "geo look-ups fail", "account_id", account, "provider", d.Provider, "error", u.failure)
	}
	return errors.Join(err, all.Release(context.WithoutCancel(ctx), d, u.after, u.failure, u.worked))
}
