package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

const (
	eventSeconds = 15
	flood        = 3000 // deliveries
	floodTo      = 10   // endpoints that receive the flood
	floodRate    = 200  // events a second
	awaited      = 200
	goalFirst    = 100 * time.Millisecond
	goalOverhead = 20 * time.Millisecond
)

var eventRates = []int{50, 200}

type announcer struct {
	r       *run
	db      *db.DB
	redis   jobs.Redis
	client  *jobs.Client
	account uuid.UUID
	api     *client.API
}

// events measures the time from the commit of an event to its delivery, the cost of waiting for a job, and how fast a worker
// sends many deliveries.
func (r *run) events(ctx context.Context) (err error) {
	a := &announcer{r: r}
	if a.db, err = db.Open(ctx, r.fleet.DatabaseURL, db.Options{Name: "bench"}); err != nil {
		return err
	}
	defer func() { _ = a.db.Close() }()
	if a.redis, err = jobs.OpenRedis(r.fleet.RedisURL); err != nil {
		return err
	}
	defer func() { _ = a.redis.Close() }()
	a.client = jobs.Connect(a.redis)
	var id string
	if id, a.api, err = r.fleet.Account(ctx, "Bench events", "scale"); err != nil {
		return err
	}
	if a.account, err = uuid.Parse(id); err != nil {
		return err
	}
	if err := a.overhead(ctx); err != nil {
		return err
	}
	if err := a.subscribe(ctx, 0); err != nil {
		return err
	}
	for _, rate := range eventRates {
		if err := a.firstAttempts(ctx, rate); err != nil {
			return err
		}
	}
	return a.flood(ctx)
}

func (a *announcer) subscribe(ctx context.Context, n int) error {
	path := fmt.Sprintf("/events%d", n)
	var hook struct{ Secret string }
	body := object{"url": a.r.receiver.URL(path), "events": []string{models.EventConversionCreated}}
	if err := a.api.Create(ctx, "/webhooks", body, &hook); err != nil {
		return err
	}
	a.r.receiver.SetSecret(path, hook.Secret)
	return nil
}

func (a *announcer) announce(ctx context.Context) (id uuid.UUID, at time.Time, err error) {
	e := models.NewEvent(a.account, models.EventConversionCreated, time.Now(), models.ConversionData{
		ClickID: models.FormatClickID(models.NewClickID()), ConversionID: "order", Status: models.StatusApproved,
		Payout: "12.5", Currency: "USD",
	})
	var ids []uuid.UUID
	err = db.Tx(ctx, a.db, func(c db.Conn) (err error) {
		ids, err = delivery.AddEvent(ctx, c, e)
		return err
	})
	at = time.Now()
	if err == nil {
		a.client.DispatchFor(ctx, a.account, models.KindDeliverWebhook, ids...)
	}
	return e.ID, at, err
}

// Each call starts when it is due, even if earlier ones are still running.
func paced(ctx context.Context, rate, count int, fn func() error) error {
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		errs error
	)
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i := range count {
		timer.Reset(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		all.Go(func() {
			if err := fn(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = errors.Join(errs, err)
			}
		})
	}
	all.Wait()
	return errs
}

// firstAttempts compares two times at a given rate: from the commit of an event to its arrival, and, in the bare queue, from
// enqueuing a task to the start of its handler.
func (a *announcer) firstAttempts(ctx context.Context, rate int) error {
	bare, err := a.bareQueue(ctx, rate)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	committed := map[string]time.Time{}
	before := len(a.r.receiver.Attempts())
	err = paced(ctx, rate, rate*eventSeconds, func() error {
		id, at, err := a.announce(ctx)
		mu.Lock()
		defer mu.Unlock()
		committed[id.String()] = at
		return err
	})
	if err != nil {
		return err
	}
	attempts, err := a.arrived(ctx, before, len(committed))
	if err != nil {
		return err
	}
	var result Result
	for _, at := range attempts {
		result.latencies = append(result.latencies, at.ReceivedAt.Sub(committed[at.EventID]))
	}
	slices.Sort(result.latencies)
	p95 := result.Percentile(0.95)
	a.r.logf("%d events a second: first attempt %s after the commit; the bare queue: %s", rate, result.spread(), bare.spread())
	a.r.add(fmt.Sprintf("bare asynq at %d tasks/s, enqueue to handler", rate), bare.spread(), "", true)
	a.r.add(fmt.Sprintf("events at %d/s, commit to first attempt", rate), result.spread(), "p95 <= "+goalFirst.String(), p95 <= goalFirst)
	return nil
}

func (r Result) spread() string {
	return fmt.Sprintf("p50 %s  p95 %s  p99 %s", short(r.Percentile(0.5)), short(r.Percentile(0.95)), short(r.Percentile(0.99)))
}

// Each attempt must have the documented form and be the first attempt of its delivery.
func (a *announcer) arrived(ctx context.Context, before, count int) ([]fleet.Attempt, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var attempts []fleet.Attempt
	err := client.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		attempts = a.r.receiver.Attempts()[before:]
		return len(attempts) >= count, nil
	})
	if err != nil {
		return nil, fmt.Errorf("bench: %d of %d deliveries arrived: %w", len(attempts), count, err)
	}
	for _, at := range attempts {
		if at.Problem != "" || at.Number != 1 {
			return nil, fmt.Errorf("bench: attempt %d of a delivery: %s", at.Number, at.Problem)
		}
	}
	return attempts, nil
}

const barePoll = 25 * time.Millisecond

// bareQueue measures asynq alone. Apart from the poll interval, asynq is set up as in its examples.
func (a *announcer) bareQueue(ctx context.Context, rate int) (Result, error) {
	const queue = "bench"
	count := rate * eventSeconds
	delays := make(chan time.Duration, count)
	server := asynq.NewServerFromRedisClient(a.redis, asynq.Config{
		Concurrency: 100, Queues: map[string]int{queue: 1}, TaskCheckInterval: barePoll, LogLevel: asynq.ErrorLevel,
	})
	err := server.Start(asynq.HandlerFunc(func(_ context.Context, t *asynq.Task) error {
		now := time.Now()
		var at time.Time
		err := at.UnmarshalText(t.Payload())
		delays <- now.Sub(at)
		return err
	}))
	if err != nil {
		return Result{}, fmt.Errorf("bench: bare queue: %w", err)
	}
	defer server.Shutdown()
	client := asynq.NewClientFromRedisClient(a.redis)
	err = paced(ctx, rate, count, func() error {
		text, err := time.Now().MarshalText()
		if err != nil {
			return err
		}
		_, err = client.EnqueueContext(ctx, asynq.NewTask("bench", text), asynq.Queue(queue))
		return err
	})
	if err != nil {
		return Result{}, fmt.Errorf("bench: bare queue: %w", err)
	}
	var result Result
	for range count {
		select {
		case d := <-delays:
			result.latencies = append(result.latencies, d)
		case <-ctx.Done():
			return result, ctx.Err()
		}
	}
	slices.Sort(result.latencies)
	return result, nil
}

// flood measures how fast a worker sends many deliveries to floodTo endpoints.
func (a *announcer) flood(ctx context.Context) error {
	for n := 1; n < floodTo; n++ {
		if err := a.subscribe(ctx, n); err != nil {
			return err
		}
	}
	worker := a.r.fleet.Find("worker")
	before, began, cpu := len(a.r.receiver.Attempts()), time.Now(), worker.CPU()
	err := paced(ctx, floodRate, flood/floodTo, func() error {
		_, _, err := a.announce(ctx)
		return err
	})
	if err != nil {
		return err
	}
	stored := time.Since(began)
	if _, err := a.arrived(ctx, before, flood); err != nil {
		return err
	}
	elapsed, each := time.Since(began), (worker.CPU()-cpu)/flood
	a.r.logf("%d deliveries to %d endpoints, stored within %s, arrived within %s", flood, floodTo, short(stored), short(elapsed))
	a.r.add(fmt.Sprintf("%d deliveries to %d https endpoints, one worker", flood, floodTo),
		fmt.Sprintf("%.0f deliveries/s, %s CPU of the worker each", flood/elapsed.Seconds(), short(each)), "", true)
	return nil
}

// overhead measures the time from submitting a job to its awaited answer, on a worker that has nothing else to do. The job tries
// to send a delivery that does not exist, so the job's handler makes a single query. The time of one query is subtracted.
func (a *announcer) overhead(ctx context.Context) error {
	var total, query Result
	id := uuid.Must(uuid.NewV7())
	for range awaited {
		select { // an idle worker polls for work: vary the moment of the call between two polls
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(10+time.Now().Nanosecond()%30) * time.Millisecond):
		}
		begin := time.Now()
		ticket, err := jobs.Submit(ctx, a.client, jobs.RedeliverWebhook, a.account, jobs.WebhookArgs{ID: id})
		if err != nil {
			return err
		}
		_, err = jobs.AwaitTimeout(ctx, ticket, 10*time.Second)
		if e, ok := models.AsError(err); !ok || e.Kind != models.KindNotFound {
			return fmt.Errorf("bench: awaited job: %w", err)
		}
		total.latencies = append(total.latencies, time.Since(begin))
		begin = time.Now()
		if _, err := jobrow.Find(ctx, a.db, a.account, id); !errors.Is(err, models.NotFound("job")) {
			return err
		}
		query.latencies = append(query.latencies, time.Since(begin))
	}
	slices.Sort(total.latencies)
	slices.Sort(query.latencies)
	p50 := total.Percentile(0.5) - query.Percentile(0.5)
	a.r.logf("awaited job on an idle worker: %s, of which its handler's query %s", total.spread(), short(query.Percentile(0.5)))
	a.r.add("awaited job on an idle worker, minus the time of its handler", fmt.Sprintf("p50 %s  p95 %s", short(p50),
		short(total.Percentile(0.95)-query.Percentile(0.5))), "p50 <= "+goalOverhead.String(), p50 <= goalOverhead)
	return nil
}
