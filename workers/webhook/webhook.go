// Package webhook sends events to customers' endpoints. It sends an event again after a failed attempt or on request. Every attempt
// sends the same bytes under the same id, with a new signature.
package webhook

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// Options of the sender. Egress is required.
type Options struct {
	Egress   *egress.Client
	Schedule []time.Duration  // waits between attempts; default jobs.WebhookSchedule
	Timeout  time.Duration    // of a request, including the DNS look-up; default 10 seconds
	Now      func() time.Time // for signatures and the time of a ping; default time.Now
}

type run = workers.Run[jobs.None, jobs.None]

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, st *store.Store, o Options) {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Now = workers.Clock(o.Now)
	s := &sender{o: o, db: r.DB(), store: st, runtime: r}
	s.limiter = workers.NewLimiter[uuid.UUID](time.Now, r.Slots(jobs.Webhooks))
	workers.RegisterRow(r, jobs.DeliverWebhook, s.deliver, workers.WithRetries(o.Schedule), workers.WithGate(s.admit))
	workers.Register(r, jobs.TestWebhook, s.test)
	workers.Register(r, jobs.RedeliverWebhook, s.redeliver)
	workers.Register(r, jobs.RedeliverFailed, s.redeliverFailed)
}

type sender struct {
	o       Options
	db      *db.DB
	store   *store.Store
	runtime *workers.Runtime
	limiter *workers.Limiter[uuid.UUID]
}

// admit is the gate of webhook:deliver. It reserves a place at the endpoint, unless the endpoint is deleted.
func (s *sender) admit(ctx context.Context, row uuid.UUID) (func(), time.Duration, error) {
	endpoint, failures, err := delivery.EndpointOf(ctx, s.db, row)
	if err != nil || endpoint == uuid.Nil {
		return func() {}, 0, err
	}
	release, wait := s.limiter.Admit(ctx, endpoint, failures)
	return release, wait, nil
}

// deliver makes no attempt if the endpoint is deleted or switched off.
func (s *sender) deliver(ctx context.Context, u *run) error {
	t, err := delivery.Find(ctx, s.db, u.Job.ID)
	if errors.Is(err, models.NotFound("delivery")) {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	if err != nil {
		return err
	}
	if !t.Active {
		return u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
			return delivery.Discard(ctx, c, t.ID, "the endpoint is switched off")
		})
	}
	_, err = s.attempt(ctx, u, t)
	return err
}

// attempt sends the event and records the outcome in the transaction that ends the job's attempt. If ctx has ended, it records
// nothing and returns the cause.
func (s *sender) attempt(ctx context.Context, u *run, t delivery.Target) (delivery.Attempt, error) {
	a, cause := s.send(ctx, t)
	if ctx.Err() != nil {
		return a, context.Cause(ctx) // stopping, or the row is lost: the endpoint did not fail
	}
	a.Number = u.Attempt
	if a.Delivered {
		return a, u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
			return s.store.On(c).Webhooks().MarkAttempt(context.WithoutCancel(ctx), t.ID, a)
		})
	}
	return a, u.Retry(ctx, cause, func(c db.Conn, f workers.NextAttempt) error {
		a.Final = f.Final
		return s.store.On(c).Webhooks().MarkAttempt(context.WithoutCancel(ctx), t.ID, a)
	})
}

// redeliver makes one more attempt now, unless the delivery is being sent. A pending delivery keeps its schedule.
func (s *sender) redeliver(ctx context.Context, args jobs.WebhookArgs) (jobs.WebhookAnswer, error) {
	return s.deliverNow(ctx, args.ID, true)
}

// test sends a ping and waits for the result.
func (s *sender) test(ctx context.Context, args jobs.WebhookArgs) (jobs.WebhookAnswer, error) {
	ping := models.NewEvent(workers.Account(ctx), models.EventPing, s.o.Now(), models.PingData{
		WebhookID: args.ID.String(), Message: "This is a test. If you can read it, the endpoint works.",
	})
	id, err := delivery.AddPing(ctx, s.db, ping, args.ID)
	if err != nil {
		return jobs.WebhookAnswer{}, err
	}
	return s.deliverNow(ctx, id, false)
}

// deliverNow makes one attempt and returns its result. It refuses a delivery that is being sent. With manual, it also sends a
// delivered or failed one.
func (s *sender) deliverNow(ctx context.Context, id uuid.UUID, manual bool) (jobs.WebhookAnswer, error) {
	var attempt delivery.Attempt
	var notFound error
	err := workers.RunNow(ctx, s.runtime, jobs.DeliverWebhook, workers.Account(ctx), id, manual,
		func(ctx context.Context, u *run) error {
			t, err := delivery.Find(ctx, s.db, id)
			if err != nil {
				notFound = err // deleted since it was claimed
				return err
			}
			attempt, err = s.attempt(ctx, u, t)
			return err
		})
	if refused, ok := errors.AsType[*jobrow.RefusalError](err); ok {
		if refused.Reason == jobrow.Gone {
			return jobs.WebhookAnswer{}, models.NotFound("delivery")
		}
		return jobs.WebhookAnswer{}, models.Conflict("in_progress", "the delivery is being sent right now")
	}
	return jobs.WebhookAnswer{
		DeliveryID: id, Delivered: attempt.Delivered, Status: attempt.Status, Error: attempt.Error,
	}, errors.Join(notFound, err)
}
