// Package adspend reads spend from ad platforms and writes it as the cost of clicks, on request and on a schedule. It also tests
// the connections of traffic sources.
package adspend

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/integration"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/platformjob"
	"switchyard/workers/providers/ads"
)

// Options of Register.
type Options struct {
	Client *ads.Client
	Clicks click.Log
	// Tokens returns the tokens of a sign-in connection. It is nil if no account can sign in at a platform.
	Tokens func(account, connection uuid.UUID) ads.Tokens
	Now    func() time.Time // default time.Now
}

type run = workers.Run[jobs.SpendArgs, jobs.SpendSynced]

type syncer struct {
	o       Options
	store   *store.Store
	imports *platformjob.Imports[jobs.SpendArgs, jobs.SpendSynced]
}

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	p := &syncer{o: o, store: s, imports: &platformjob.Imports[jobs.SpendArgs, jobs.SpendSynced]{
		Job: jobs.SyncSpend, Run: models.RunCostSync, Code: "platform_error", Rows: "rows",
		Every: models.SpendEvery, Next: models.NextSpend, Days: models.SpendDays, WideDays: models.SpendWideDays,
		Range:  func(a *jobs.SpendArgs) *jobs.PlatformRange { return &a.PlatformRange },
		Tests:  func(a jobs.SpendArgs) bool { return a.Test },
		Target: func(a jobs.SpendArgs) uuid.UUID { return a.SourceID },
		Args: func(source uuid.UUID, days jobs.PlatformRange) jobs.SpendArgs {
			return jobs.SpendArgs{SourceID: source, PlatformRange: days}
		},
		Connections: func(s *store.Store) integration.Connections { return integration.NewSources(s).Connections },
		Store:       s, Now: o.Now,
	}}
	p.imports.Register(r, p.sync)
	workers.RegisterTick(r, jobs.SweepSpend, p.imports.StartDue)
}

func errNotConfigured(format string, args ...any) error {
	return models.Invalid("not_configured", format, args...)
}

// open opens the connection of a traffic source. Errors that concern the account are *models.Error.
func (p *syncer) open(ctx context.Context, account, source uuid.UUID) (i models.SourceIntegration, c *ads.Connection, err error) {
	k := integration.NewSources(p.store)
	i, err = k.Find(ctx, account, source)
	if errors.Is(err, integration.ErrNotConnected) {
		return i, nil, models.SourceNotConnected()
	}
	if err != nil {
		return i, nil, err
	}
	credentials, failure, err := platformjob.Credentials(ctx, k.Connections, i.Integration, "traffic source")
	if failure != nil {
		return i, nil, errNotConfigured("%s", failure)
	}
	if err != nil {
		return i, nil, err
	}
	session, err := k.Session(ctx, i.Integration)
	if err != nil {
		return i, nil, err
	}
	opened := ads.Account{
		Provider: i.Provider, Key: source.String(), Credentials: credentials, Endpoint: i.Endpoint, Session: session,
		Remember: func(ctx context.Context, session string) error {
			return k.SaveSession(context.WithoutCancel(ctx), i.Integration, session)
		},
	}
	if p.o.Tokens != nil && i.ConnectionID.Valid {
		opened.Tokens = p.o.Tokens(account, i.ConnectionID.UUID)
	}
	c, err = p.o.Client.Open(opened)
	return i, c, err
}

// openForCost opens the connection of a traffic source to read its spend. It returns an error if the connection lacks a setting
// for that.
func (p *syncer) openForCost(ctx context.Context, account, source uuid.UUID) (i models.SourceIntegration, c *ads.Connection, err error) {
	if i, c, err = p.open(ctx, account, source); err != nil {
		return i, c, err
	}
	provider, _ := models.SourceProviderNamed(i.Provider)
	have := map[string]string{}
	maps.Copy(have, i.Settings)
	for _, name := range i.SecretNames {
		have[name] = models.MaskedSecret
	}
	if missing := provider.MissingForCost(have); len(missing) > 0 {
		return i, nil, errNotConfigured("%s needs %s to report spend", provider.Label, strings.Join(missing, ", "))
	}
	if i.Provider == models.CustomCost && i.Endpoint.URL == "" {
		return i, nil, models.Invalid("no_url", "the custom endpoint has no cost_endpoint.url")
	}
	return i, c, nil
}

// test tests a connection. The job's answer says whether the platform accepted it, or why not.
func (p *syncer) test(ctx context.Context, u *run) error {
	out := jobs.SpendSynced{Test: true, Provider: u.Args.Provider, From: u.Args.From, To: u.Args.To}
	i, c, err := p.openForCost(ctx, u.Job.AccountID.UUID, u.Args.SourceID)
	if _, ours := models.AsError(err); err != nil && (!ours || i.Provider == "") {
		return err
	}
	result := integration.Result{}
	if err == nil {
		err = platformjob.Test(ctx, c.Test)
		result.Currency, result.Zone = c.Currency(), c.Zone()
	}
	if err != nil {
		out.Failure = messageOf(err)
	}
	result.Failure, out.Currency, out.Zone = out.Failure, result.Currency, result.Zone
	return u.Commit(ctx, out, func(conn db.Conn) error {
		return integration.NewSources(p.store.On(conn)).Record(ctx, i.Integration, result, p.o.Now())
	})
}

// messageOf returns the text of an error for a person.
func messageOf(err error) string {
	if e, ok := models.AsError(err); ok {
		return e.Message
	}
	return err.Error()
}
