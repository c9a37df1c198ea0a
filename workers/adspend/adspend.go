// Package adspend reads spend from ad platforms and writes it as the cost of clicks, on request and by the clock. It also tests
// the connections of traffic sources.
package adspend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/workers"
	"switchyard/workers/providers/ads"
)

// Clicks reads clicks and sets their cost. clicklog.Log implements it.
type Clicks interface {
	SentClicks(ctx context.Context, c db.Conn, account, source uuid.UUID, from, to time.Time, param string) ([]clicklog.SentClicks, error)
	SpendOf(ctx context.Context, c db.Conn, account, source uuid.UUID, day time.Time) ([]clicklog.Spend, error)
	SetSpend(ctx context.Context, c db.Conn, account uuid.UUID, list ...clicklog.Spend) ([]int64, error)
	KeptFrom(ctx context.Context, c db.Conn, account uuid.UUID) (time.Time, error)
}

// Options of New.
type Options struct {
	Client *ads.Client
	Clicks Clicks
	// Tokens returns the tokens of a sign-in connection. Nil: no account can sign in at a platform.
	Tokens func(account, connection uuid.UUID) ads.Tokens
	Now    func() time.Time // default time.Now
}

// Platforms opens connections to ad platforms and runs their spend jobs. It is safe for concurrent use.
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
	workers.RegisterRow(r, jobs.SyncSpend, p.sync, workers.WithGate(p.gate), workers.WithFailed(p.failed))
	workers.RegisterTick(r, jobs.SweepSpend, p.sweep)
	return p
}

// errNotConfigured returns the error for a source without a connection, or with an incomplete connection.
func errNotConfigured(format string, args ...any) error {
	return models.Invalid("not_configured", format, args...)
}

// Open opens the connection of a traffic source. Errors that concern the account are *models.Error.
func (p *Platforms) Open(ctx context.Context, account, source uuid.UUID) (i models.SourceIntegration, c *ads.Connection, err error) {
	k := p.store.SourceIntegrations()
	i, err = k.Find(ctx, account, source)
	if errors.Is(err, store.ErrNoIntegration) {
		return i, nil, errNotConfigured("the traffic source is not connected: connect it by PUT /traffic-sources/{id}/integration")
	}
	if err != nil {
		return i, nil, err
	}
	credentials, err := k.Credentials(ctx, i)
	if errors.Is(err, seal.ErrOpen) {
		return i, nil, errNotConfigured("the stored credentials cannot be read any more: connect the traffic source again")
	}
	if err != nil {
		return i, nil, err
	}
	session, err := k.Session(ctx, i)
	if err != nil {
		return i, nil, err
	}
	of := ads.Account{
		Provider: i.Provider, Key: source.String(), Credentials: credentials, Endpoint: i.Endpoint, Session: session,
		Remember: func(ctx context.Context, session string) error {
			return k.SaveSession(context.WithoutCancel(ctx), i, session)
		},
	}
	if p.o.Tokens != nil && i.ConnectionID.Valid {
		of.Tokens = p.o.Tokens(account, i.ConnectionID.UUID)
	}
	c, err = p.o.Client.Open(of)
	return i, c, err
}

// forCost opens the connection of a traffic source to read its spend. It returns an error if the connection lacks a setting for
// that.
func (p *Platforms) forCost(ctx context.Context, account, source uuid.UUID) (i models.SourceIntegration, c *ads.Connection, err error) {
	if i, c, err = p.Open(ctx, account, source); err != nil {
		return i, c, err
	}
	about, _ := models.SourceProviderNamed(i.Provider)
	have := map[string]string{}
	for name, value := range i.Settings {
		have[name] = value
	}
	for _, name := range i.SecretNames {
		have[name] = models.MaskedSecret
	}
	if missing := about.MissingForCost(have); len(missing) > 0 {
		return i, nil, errNotConfigured("%s needs the credentials %v to tell what was spent", about.Label, missing)
	}
	if i.Provider == models.CustomCost && i.Endpoint.URL == "" {
		return i, nil, models.Invalid("no_url", "the custom endpoint has no cost_endpoint.url")
	}
	return i, c, nil
}

// testTime limits a test of a connection, while its caller waits.
const testTime = 20 * time.Second

// test tests a connection. The job's answer says whether the platform accepted it, or why not.
func (p *Platforms) test(ctx context.Context, u *run) error {
	out := jobs.SpendSynced{Test: true, Provider: u.Args.Provider, From: u.Args.From, To: u.Args.To}
	i, c, err := p.forCost(ctx, u.Job.AccountID.UUID, u.Args.SourceID)
	if _, ours := models.AsError(err); err != nil && (!ours || i.Provider == "") {
		return err
	}
	note := store.SourceNote{}
	if err == nil {
		limited, cancel := context.WithTimeout(ctx, testTime)
		err = c.Test(limited)
		cancel()
		note.Currency, note.Zone = c.Currency(), c.Zone()
	}
	if err != nil {
		out.Failure = words(err)
	}
	note.Failure, out.Currency, out.Zone = out.Failure, note.Currency, note.Zone
	return u.Commit(ctx, out, func(conn db.Conn) error {
		return p.store.On(conn).SourceIntegrations().Note(ctx, i, note, p.o.Now())
	})
}

// words returns the text of an error for a person.
func words(err error) string {
	if e, ok := models.AsError(err); ok {
		return e.Message
	}
	return err.Error()
}

// gate admits a job if its platform has a free place, so that jobs of one platform do not take the places of the others.
func (p *Platforms) gate(ctx context.Context, job uuid.UUID) (release func(), wait time.Duration, err error) {
	return workers.GateByPlatform(ctx, p.store.Conn(), p.room, job, func(a jobs.SpendArgs) string {
		return workers.PlatformOf(a.Provider, a.SourceID)
	})
}

// takenAtOnce is how many due sources a sweep claims in one batch.
const takenAtOnce = 500

// sweep starts the syncs that are due.
func (p *Platforms) sweep(ctx context.Context) error {
	now := p.o.Now()
	return workers.StartDue(ctx, p.store, p.jobs, takenAtOnce, func(s *store.Store) ([]models.Job, error) {
		due, err := s.SourceIntegrations().TakeDue(ctx, now, now.Add(2*models.SpendEvery), takenAtOnce)
		if err != nil {
			return nil, err
		}
		rows := make([]models.Job, len(due))
		for i, d := range due {
			if rows[i], err = jobs.SyncSpend.NewRow(d.AccountID, window(d, now)); err != nil {
				return nil, err
			}
		}
		return rows, nil
	})
}

// window returns the days of a scheduled sync, in the time zone of the platform's account, or in UTC if that is unknown.
func window(d store.DueSource, now time.Time) jobs.SpendArgs {
	days := models.SpendDays
	if d.Wide {
		days = models.SpendWideDays
	}
	zone, err := time.LoadLocation(d.Zone) // empty: UTC
	if err != nil {
		zone = time.UTC
	}
	today := now.In(zone)
	return jobs.SpendArgs{
		SourceID: d.SourceID, Provider: d.Provider, Origin: models.RunByClock, Wide: d.Wide,
		From: today.AddDate(0, 0, 1-days).Format(time.DateOnly), To: today.Format(time.DateOnly),
	}
}

// note stores the result of a sync and the time of the next scheduled sync. code is the error code of a failed sync.
func (p *Platforms) note(ctx context.Context, s *store.Store, account uuid.UUID, of jobs.SpendArgs, code string, n store.SourceNote) error {
	k := s.SourceIntegrations()
	i, err := k.Find(ctx, account, of.SourceID)
	if errors.Is(err, store.ErrNoIntegration) {
		return nil // it was disconnected before the sync ended
	}
	if err != nil {
		return err
	}
	if err := k.Note(ctx, i, n, p.o.Now()); err != nil || of.Origin != models.RunByClock {
		return err
	}
	failures, wide := 0, time.Time{}
	if n.Failure != "" {
		failures = i.Failures + 1
	}
	if of.Wide {
		wide = models.NextWide(p.o.Now(), code)
	}
	return k.SetNext(ctx, i, p.o.Now().Add(interval.Vary(models.NextSpend(failures))), wide)
}

func parseDays(of jobs.SpendArgs) (from, to time.Time, err error) {
	if from, err = time.Parse(time.DateOnly, of.From); err != nil {
		return from, to, fmt.Errorf("spend: first day: %w", err)
	}
	if to, err = time.Parse(time.DateOnly, of.To); err != nil {
		return from, to, fmt.Errorf("spend: last day: %w", err)
	}
	return from, to, nil
}
