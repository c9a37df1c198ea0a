// Package adupload sends conversions to the ad platforms that sold their clicks. The clock starts the jobs, at most one at a time
// for each traffic source. Three rules limit what a wrong setting can do: a connection begins in shadow mode, daily caps limit
// its uploads, and its uploads are stopped when the platform accepts too few of them.
package adupload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/integration"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/db/upload"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/workers"
	"switchyard/workers/platformjob"
	"switchyard/workers/providers/ads"
)

// Options of Register. Uploader and Clicks are required.
type Options struct {
	Uploader *ads.Uploader
	Clicks   click.Log
	// Tokens returns the tokens of a sign-in connection. It is nil if no account can sign in at a platform.
	Tokens func(account, connection uuid.UUID) ads.Tokens
	Off    bool             // CONVERSION_UPLOADS is off: nothing is uploaded, and all uploads wait
	Now    func() time.Time // default time.Now
	// Schedule has the waits between the attempts of a job. The default is the job's policy.
	Schedule []time.Duration
}

type run = workers.Run[jobs.UploadArgs, jobs.UploadArgs]

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, st *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	u := &uploader{o: o, store: st, jobs: r.Client()}
	u.decided = r.NewCounter("switchyard_conversion_uploads_total", "Uploads of conversions to ad platforms, by result.",
		"provider", "result")
	gate := platformjob.Gate(r, st, func(a jobs.UploadArgs) string { return platformjob.Name(a.Provider, a.SourceID) })
	workers.RegisterRow(r, jobs.UploadConversions, u.send, workers.WithRetries(o.Schedule), workers.WithGate(gate), workers.WithFailed(u.recordFailure))
	workers.RegisterTick(r, jobs.SweepUploads, u.sweep)
}

type uploader struct {
	o       Options
	store   *store.Store
	jobs    *jobs.Client
	decided *prometheus.CounterVec
}

// claimedAtOnce is how many traffic sources a sweep claims in one batch. A sweep skips at most ten times as many unwanted uploads.
const claimedAtOnce = 500

func (u *uploader) sweep(ctx context.Context) error {
	if u.o.Off {
		return nil
	}
	now := u.o.Now()
	if err := upload.SkipUnwanted(ctx, u.store.Conn(), now, 10*claimedAtOnce); err != nil {
		return err
	}
	if err := upload.DeleteExpiredRequests(ctx, u.store.Conn(), now.Add(-requestRetention)); err != nil {
		return err
	}
	return workers.StartDue(ctx, u.store, u.jobs, claimedAtOnce, func(s *store.Store) ([]models.Job, error) {
		due, err := upload.ClaimDue(ctx, s.Conn(), now, claimedAtOnce)
		if err != nil {
			return nil, err
		}
		rows := make([]models.Job, len(due))
		for i, d := range due {
			if rows[i], err = jobs.UploadConversions.NewRow(d.AccountID, jobs.UploadArgs{SourceID: d.SourceID, Provider: d.Provider}); err != nil {
				return nil, err
			}
			if err := upload.RecordJob(ctx, s.Conn(), d, rows[i].ID); err != nil {
				return nil, err
			}
		}
		return rows, nil
	})
}

// recordFailure stores the failure of a job that ended before it could store the failure itself.
func (u *uploader) recordFailure(ctx context.Context, c db.Conn, row models.Job, cause error) error {
	var args jobs.UploadArgs
	if err := json.Unmarshal(row.Args, &args); err != nil {
		return nil //nolint:nilerr // the source is not known
	}
	s := &sending{uploader: u, run: &run{Job: row, Args: args}}
	var err error
	s.SourceIntegration, err = integration.NewSources(u.store.On(c)).Find(ctx, row.AccountID.UUID, args.SourceID)
	if errors.Is(err, integration.ErrNotConnected) {
		s.TargetID, err = args.SourceID, nil // it was disconnected before the job ended
	}
	if err != nil {
		return err
	}
	s.account.ID = row.AccountID.UUID
	return s.recordResult(ctx, c, integration.RunEnd{Failure: jobrow.CauseOf(cause).Message}, u.o.Now().Add(models.NextSync(s.UploadFailures+1)))
}

type sending struct {
	*uploader
	*run

	models.SourceIntegration
	account   models.Account
	up        *ads.Upload
	requested int  // number of requests of earlier attempts
	keysLost  bool // hashed personal data could not be opened, which is logged once
}

func (u *uploader) send(ctx context.Context, job *run) error {
	s := &sending{uploader: u, run: job, requested: job.Args.Requests}
	var err error
	if s.account, err = u.store.FindAccount(ctx, job.Job.AccountID.UUID); err != nil {
		return err
	}
	s.SourceIntegration, err = integration.NewSources(u.store).Find(ctx, s.account.ID, job.Args.SourceID)
	if errors.Is(err, integration.ErrNotConnected) {
		return job.Commit(ctx, job.Args, nil)
	}
	if err != nil || s.isBlocked() {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	if failure, err := s.open(ctx); err != nil || failure != nil {
		return s.fail(ctx, failure, err)
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	for !s.isBlocked() {
		failure, more, err := s.batch(ctx)
		switch {
		case err != nil || failure != nil:
			return s.fail(ctx, failure, err)
		case !more:
			return s.end(ctx)
		}
		fresh, err := integration.NewSources(u.store).Find(ctx, s.account.ID, s.TargetID)
		switch {
		case errors.Is(err, integration.ErrNotConnected):
			return s.end(ctx)
		case err != nil:
			return err
		case !fresh.SavedAt.Equal(s.SavedAt): // the settings have changed: the next job sends with the new settings
			return s.end(ctx)
		}
		s.SourceIntegration = fresh
	}
	return s.end(ctx)
}

func (s *sending) isBlocked() bool {
	return s.o.Off || !s.ConversionsEnabled || s.UploadsStopped != "" || s.UploadsReadyAt != nil && s.o.Now().Before(*s.UploadsReadyAt)
}

func (s *sending) isLive() bool { return s.UploadMode == models.UploadsLive }

func (s *sending) start(ctx context.Context) error {
	return integration.NewRuns(s.store).Start(ctx, models.IntegrationRun{
		ID: s.Job.ID, AccountID: s.account.ID, Kind: models.RunConversionUpload, TargetID: s.TargetID, Provider: s.Provider,
		Origin: models.RunByClock, Applied: s.isLive(), StartedAt: s.o.Now(),
	})
}

// open opens the connection. failure is an error that the account must fix, and that is shown to the account.
func (s *sending) open(ctx context.Context) (failure, err error) {
	credentials, failure, err := platformjob.Credentials(ctx, integration.NewSources(s.store).Connections, s.Integration, "traffic source")
	if err != nil || failure != nil {
		return failure, err
	}
	var tokens ads.Tokens
	if s.o.Tokens != nil && s.ConnectionID.Valid {
		tokens = s.o.Tokens(s.account.ID, s.ConnectionID.UUID)
	}
	s.up, err = s.o.Uploader.Open(s.Provider, s.TargetID.String(), credentials, tokens, s.ConversionAction, !s.isLive())
	return nil, err
}

// The breaker looks at the last breakerWindow uploads that the platform has decided. It stops the uploads if the platform
// accepted fewer than half of at least breakerLeast uploads.
const (
	breakerWindow = 200
	breakerLeast  = 20
)

// batch sends the next uploads. failure is an error of the platform or of the connection. more is false when no upload can be
// sent now.
func (s *sending) batch(ctx context.Context) (failure error, more bool, err error) {
	list, err := s.claim(ctx)
	if err != nil || len(list) == 0 {
		return nil, false, err
	}
	events, err := s.events(ctx, list)
	if err != nil {
		return nil, false, err
	}
	verdicts, failure := s.up.Send(ctx, events)
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx) // the worker is stopping or has lost the row, so the platform did not fail
	}
	return failure, true, s.decide(ctx, list, events, verdicts)
}

// claim claims the next uploads. In live mode it claims at most breakerLeast until the platform has decided one, because the
// platform may reject all of them.
func (s *sending) claim(ctx context.Context) (list []models.ConversionUpload, err error) {
	now := s.o.Now()
	err = s.Step(ctx, func(c db.Conn) (jobs.UploadArgs, error) {
		limit := s.up.MaxEvents()
		share, err := upload.RecentShare(ctx, c, s.TargetID, breakerWindow)
		if err != nil {
			return s.Args, err
		}
		if s.isLive() && share.Decided == 0 {
			limit = min(limit, breakerLeast)
		}
		list, err = upload.Claim(ctx, c, upload.Batch{
			AccountID: s.account.ID, SourceID: s.TargetID, Limit: limit, Now: now, Live: s.isLive(), Day: s.account.DayStart(now),
			CapCount: s.DailyCapCount, CapValue: s.DailyCapValue.Decimal,
		})
		return s.Args, err
	})
	return list, err
}

func (s *sending) events(ctx context.Context, list []models.ConversionUpload) ([]ads.Event, error) {
	clicks, err := s.o.Clicks.FindByIDs(ctx, s.account.ID, db.Map(list, func(u models.ConversionUpload) uuid.UUID { return u.ClickID }))
	if err != nil {
		return nil, err
	}
	keys, err := s.keys(ctx, list)
	if err != nil {
		return nil, err
	}
	row, _ := models.SourceProviderNamed(s.Provider)
	return db.Map(list, func(u models.ConversionUpload) ads.Event {
		click := clicks[u.ClickID]
		e := ads.Event{
			ID: u.ConversionID.String(), Action: u.Action, Time: u.HappenedAt, ChangedAt: u.ChangedAt, Value: u.Value, Currency: u.Currency,
			Click: models.FormatClickID(u.ClickID), Clicked: models.ClickTime(u.ClickID), Query: click.Params, UserAgent: click.UserAgent,
			Country: click.Country, Page: pageOf(click.Click), Referrer: matchkey.CleanURL(click.Referrer),
		}
		if u.Action != models.UploadRetract { // for a retraction the platform needs only the conversion's id
			e.Keys = keys[u.ClickID].In(row.Keys)
		}
		if click.IP.IsValid() && click.AddressKey == 0 {
			e.IP = click.IP.String()
		}
		return e
	}), nil
}

// sendAgain is the shortest wait before an undecided upload is sent again. The platform may ask for a longer one.
const sendAgain = 10 * time.Minute

// decide records the verdicts, and stops the uploads if the platform accepts too few.
func (s *sending) decide(ctx context.Context, list []models.ConversionUpload, events []ads.Event, verdicts []ads.Verdict) error {
	now := s.o.Now()
	next := s.Args
	next.Requests = s.requested + s.up.Requests()
	var decided []upload.Decision
	for i, v := range verdicts {
		if v.Result == "" {
			continue
		}
		d := upload.Decision{ID: list[i].ID, Result: v.Result, Reason: v.Reason, Next: now, Request: v.Request}
		if v.Result != models.UploadSkipped {
			d.Keys = events[i].Keys.Names()
		}
		switch v.Result {
		case models.UploadPending:
			d.Next = now.Add(max(v.After, sendAgain))
		case models.UploadAccepted:
			next.Accepted++
			next.Sent++
		default:
			next.Sent++
		}
		s.decided.WithLabelValues(s.Provider, v.Result).Inc()
		decided = append(decided, d)
	}
	return s.Step(ctx, func(c db.Conn) (jobs.UploadArgs, error) {
		if err := upload.Decide(ctx, c, s.account.ID, s.TargetID, now, decided); err != nil {
			return next, err
		}
		return next, s.stopIfRejected(ctx, c)
	})
}

func (s *sending) stopIfRejected(ctx context.Context, c db.Conn) error {
	if !s.isLive() {
		return nil
	}
	share, err := upload.RecentShare(ctx, c, s.TargetID, breakerWindow)
	if err != nil || share.Decided < breakerLeast || 2*share.Accepted >= share.Decided {
		return err
	}
	why := fmt.Sprintf("the platform accepted %d of the last %d conversions", share.Accepted, share.Decided)
	return upload.Stop(ctx, c, s.account.ID, s.TargetID, why, s.o.Now())
}

// end ends a job successfully: nothing more can be sent now, or the connection was changed or removed.
func (s *sending) end(ctx context.Context) error {
	return s.Commit(ctx, s.Args, func(c db.Conn) error { return s.recordResult(ctx, c, integration.RunEnd{}, s.o.Now()) })
}

// recordResult stores the result of the job and the time of the next job.
func (s *sending) recordResult(ctx context.Context, c db.Conn, end integration.RunEnd, next time.Time) error {
	ctx = context.WithoutCancel(ctx)
	runs := integration.NewRuns(s.store.On(c))
	if err := runs.RecordRead(ctx, s.account.ID, s.Job.ID, s.Args.Requests, 0, s.Args.Sent); err != nil {
		return err
	}
	end.Matched, end.Changed = s.Args.Sent, s.Args.Accepted
	if err := runs.End(ctx, s.account.ID, s.Job.ID, s.o.Now(), end); err != nil {
		return err
	}
	return upload.RecordResult(ctx, c, s.account.ID, s.TargetID, end.Failure, next, s.o.Now())
}

// fail ends a failed attempt. err is an error of our own, and the attempt is made again. failure concerns the account or the
// platform, and is stored after the last attempt. If the platform refuses every event because of a setting, uploads stop until a
// person starts them again.
func (s *sending) fail(ctx context.Context, failure, err error) error {
	if err != nil || failure == nil {
		return err
	}
	e, ok := errors.AsType[*ads.UploadError](failure)
	effect := func(c db.Conn, f workers.NextAttempt) error {
		if !f.Final {
			return nil
		}
		end := integration.RunEnd{Failure: failure.Error(), Request: models.RequestOf(failure)}
		if ok && e.Stop {
			if err := upload.Stop(ctx, c, s.account.ID, s.TargetID, failure.Error(), s.o.Now()); err != nil {
				return err
			}
		}
		return s.recordResult(ctx, c, end, s.o.Now().Add(models.NextSync(s.UploadFailures+1)))
	}
	if !ok || e.Refused || e.Stop {
		return s.Fail(ctx, failure, effect)
	}
	return s.RetryAfter(ctx, e.After, failure, effect)
}
