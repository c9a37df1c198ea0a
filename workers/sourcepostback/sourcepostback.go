// Package sourcepostback sends conversions to traffic sources: when a conversion gets a wanted status, after failed attempts, on
// request, and as a test. Unless the source's settings change, every attempt sends the same request under the same id.
package sourcepostback

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/jobrow"
	"switchyard/db/sourcepostback"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/token"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// Options of the sender. Egress and Clicks are required.
type Options struct {
	Egress   *egress.Client
	Clicks   click.Log
	Schedule []time.Duration // waits between attempts; default jobs.WebhookSchedule
	Timeout  time.Duration   // of a request, including the look-up of the host; default 10 seconds
}

type run = workers.Run[jobs.None, jobs.None]

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, st *store.Store, o Options) {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	s := &sender{o: o, db: r.DB(), store: st, runtime: r}
	s.sent = r.NewCounter("switchyard_source_postbacks_total", "Postbacks to traffic sources, by result.", "result")
	s.limiter = workers.NewLimiter[endpoint](time.Now, r.Slots(jobs.Postbacks))
	workers.RegisterRow(r, jobs.SendPostback, s.send, workers.WithRetries(o.Schedule), workers.WithGate(s.admit))
	workers.Register(r, jobs.ResendPostback, s.resend)
	workers.Register(r, jobs.ResendFailed, s.resendFailed)
	workers.Register(r, jobs.TestPostback, s.test)
}

type sender struct {
	o       Options
	db      *db.DB
	store   *store.Store
	runtime *workers.Runtime
	limiter *workers.Limiter[endpoint]
	sent    *prometheus.CounterVec
}

// endpoint is a host as used by one traffic source, so that no source waits for another at the same host.
type endpoint struct {
	source uuid.UUID
	origin string // scheme, host and port
}

// longestWait limits the wait for an earlier postback of the conversion. A user can send the earlier one by hand in the meantime.
const longestWait = 10 * time.Minute

// admit is the gate of postback:send. A postback that will be skipped uses no place of the limiter.
func (s *sender) admit(ctx context.Context, row uuid.UUID) (func(), time.Duration, error) {
	t, err := sourcepostback.Find(ctx, s.db, row)
	if errors.Is(err, models.NotFound("postback")) {
		return func() {}, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if skipReason(t) != "" {
		return func() {}, 0, nil
	}
	if t.Earlier >= 0 {
		return nil, min(time.Duration(t.Earlier*float64(time.Second)), longestWait), nil
	}
	url, _ := t.URLFor(t.Goal, t.Status)
	origin := token.Origin(url)
	failures, err := sourcepostback.Failures(ctx, s.db, t.SourceID, origin)
	if err != nil {
		return nil, 0, err
	}
	release, wait := s.limiter.Admit(ctx, endpoint{t.SourceID, origin}, failures)
	return release, wait, nil
}

// skipReason returns why a postback is not sent, or "".
func skipReason(t sourcepostback.Target) string {
	_, wanted := t.URLFor(t.Goal, t.Status)
	switch {
	case t.Deactivated:
		return "the traffic source is deactivated"
	case !t.Active:
		return "the traffic source is paused"
	case !wanted:
		return "the traffic source no longer receives postbacks of this kind"
	}
	return ""
}

const clickGone = "its click is deleted"

func (s *sender) send(ctx context.Context, u *run) error {
	t, err := sourcepostback.Find(ctx, s.db, u.Job.ID)
	if errors.Is(err, models.NotFound("postback")) {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	if err != nil {
		return err
	}
	if why := skipReason(t); why != "" {
		return s.skip(ctx, u, t, why)
	}
	_, err = s.attempt(ctx, u, t)
	return err
}

func (s *sender) skip(ctx context.Context, u *run, t sourcepostback.Target, why string) error {
	s.sent.WithLabelValues(models.SentSkipped).Inc()
	return u.Commit(ctx, jobs.None{}, func(c db.Conn) error { return sourcepostback.Skip(ctx, c, t.ID, why) })
}

// attempt sends the postback and records the outcome in the transaction that ends the job's attempt. If ctx has ended, it records
// nothing and returns the cause.
func (s *sender) attempt(ctx context.Context, u *run, t sourcepostback.Target) (sourcepostback.Attempt, error) {
	click, ok, err := s.o.Clicks.FindByID(ctx, t.ClickID)
	if err != nil {
		return sourcepostback.Attempt{}, err
	}
	if !ok || click.AccountID != t.AccountID {
		return sourcepostback.Attempt{Error: clickGone}, s.skip(ctx, u, t, clickGone)
	}
	m, err := s.message(ctx, t, &click)
	if err != nil {
		return sourcepostback.Attempt{}, err
	}
	a, later, cause := s.call(ctx, m)
	if ctx.Err() != nil {
		return a, context.Cause(ctx) // this process stops or has lost the row: the receiver did not fail
	}
	a.Number = u.Attempt
	mark := func(c db.Conn) error { return sourcepostback.RecordAttempt(context.WithoutCancel(ctx), c, t, a) }
	switch {
	case a.Accepted:
		s.sent.WithLabelValues(models.SentAccepted).Inc()
		return a, u.Commit(ctx, jobs.None{}, mark)
	case a.Stopped: // the source wants no further attempts
		s.sent.WithLabelValues("stopped").Inc()
		a.Final = true
		return a, u.Commit(ctx, jobs.None{}, mark)
	}
	return a, u.RetryAfter(ctx, later, cause, func(c db.Conn, f workers.NextAttempt) error {
		a.Final = f.Final
		result := "retried"
		if f.Final {
			result = models.SentFailed
		}
		s.sent.WithLabelValues(result).Inc()
		return mark(c)
	})
}

// resend makes one more attempt of a postback now, even to a paused source. It refuses a postback that is being sent. If
// the attempt fails, a pending postback keeps its remaining attempts.
func (s *sender) resend(ctx context.Context, args jobs.PostbackArgs) (jobs.PostbackAnswer, error) {
	out := jobs.PostbackAnswer{ID: args.ID}
	t, err := sourcepostback.Find(ctx, s.db, args.ID)
	if err == nil && t.AccountID != workers.Account(ctx) {
		err = models.NotFound("postback")
	}
	if err != nil {
		return out, err
	}
	if url, _ := t.URLFor(t.Goal, t.Status); url == "" {
		return out, models.Invalid("no_url", "the traffic source has no postback_url for this postback")
	}
	err = workers.RunNow(ctx, s.runtime, jobs.SendPostback, t.AccountID, t.ID, true, func(ctx context.Context, u *run) error {
		attempt, err := s.attempt(ctx, u, t)
		out.Told, out.Status, out.Error = attempt.Accepted, attempt.Status, attempt.Error
		return err
	})
	if refused, ok := errors.AsType[*jobrow.RefusalError](err); ok {
		if refused.Reason == jobrow.Gone {
			return out, models.Conflict("too_old", "the postback is too old: it can be sent again only within 30 days")
		}
		return out, models.Conflict("in_progress", "the postback is being sent right now")
	}
	return out, err
}

func (s *sender) resendFailed(ctx context.Context, a jobs.ResendFailedArgs) (jobs.RedeliverFailedAnswer, error) {
	n, err := s.runtime.RequeueAll(ctx, jobrow.RequeueQuery{
		Account: workers.Account(ctx), Owner: a.Source, From: a.From, To: a.To,
	}, sourcepostback.RequeueFailed)
	return jobs.RedeliverFailedAnswer{From: a.From, To: a.To, Requeued: n}, err
}
