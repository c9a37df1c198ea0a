package workers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db"
	"switchyard/jobs"
)

// Options of a Runtime. DB, Redis and Client are required.
type Options struct {
	DB      *db.DB
	Redis   jobs.Redis
	Client  *jobs.Client
	Queues  []jobs.Queue          // default all
	Slots   int                   // jobs at once per unit of queue weight; default 10
	Lease   time.Duration         // how long a row is held without renewal; default 15 seconds
	Grace   time.Duration         // how long a stop waits for running jobs; default 22 seconds
	Metrics prometheus.Registerer // default none
}

// Runtime carries out jobs. Register handlers with Register, RegisterRow and RegisterTick, then call Run.
type Runtime struct {
	o        Options
	handlers map[string]handler
	policies map[string]jobs.Policy // of row jobs, by kind
	failed   map[string]FailedFunc  // of row jobs, by kind
	metrics  *metrics
	// platforms limits jobs that call external platforms.
	platforms *Limiter[string]
	// admissions has the queues whose slots are shared among accounts.
	admissions map[string]*admission

	reconciling sync.Mutex // held by the reconciler's tick

	halt context.Context // done when handlers must give up
	stop context.CancelFunc
}

type task struct {
	jobs.Payload

	id      string
	attempt int // for ephemeral jobs; a row counts its own attempts
	result  func([]byte) error
}

type handler func(ctx context.Context, t task) error

var errStopping = errors.New("workers: the worker is stopping")

// New makes a runtime with its own housekeeping jobs.
func New(o Options) *Runtime {
	o.Slots = cmp.Or(o.Slots, 10)
	o.Lease = cmp.Or(o.Lease, 15*time.Second)
	o.Grace = cmp.Or(o.Grace, 22*time.Second)
	if len(o.Queues) == 0 {
		o.Queues = jobs.Queues
	}
	r := &Runtime{
		o: o, handlers: map[string]handler{}, policies: map[string]jobs.Policy{}, failed: map[string]FailedFunc{},
		metrics: newMetrics(o.Metrics),
	}
	r.platforms = NewLimiter[string](time.Now, r.Slots(jobs.Bulk))
	r.admissions = map[string]*admission{}
	for _, q := range o.Queues {
		if q.Fair {
			r.admissions[q.Name] = newAdmission(q.Weight*o.Slots, q.Slow, time.Now)
		}
	}
	r.halt, r.stop = context.WithCancel(context.Background())
	RegisterTick(r, jobs.Reconcile, r.reconcileTick)
	RegisterTick(r, jobs.Prune, r.prune)
	return r
}

// DB returns the runtime's database, for handlers.
func (r *Runtime) DB() *db.DB { return r.o.DB }

// Client returns the client with which handlers submit jobs.
func (r *Runtime) Client() *jobs.Client { return r.o.Client }

// Slots returns how many jobs of a queue run at once in this process.
func (r *Runtime) Slots(queue string) int {
	n := 0
	for _, q := range r.o.Queues {
		if q.Name == queue {
			n += q.Weight * r.o.Slots
		}
	}
	return n
}

// add panics if the kind has a handler already.
func (r *Runtime) add(kind string, h handler) {
	if _, twice := r.handlers[kind]; twice {
		panic("workers: " + kind + " has two handlers")
	}
	r.handlers[kind] = h
}

// Run processes jobs until the context ends, then waits up to Grace for running jobs. After three quarters of Grace, the contexts
// of these jobs end, and their rows are due again immediately. A Runtime can be run only once.
//
// Each queue has its own slots, so that hanging jobs of one queue do not hold up another queue.
func (r *Runtime) Run(ctx context.Context) error {
	if err := jobs.CheckRedis(ctx, r.o.Redis); errors.Is(err, jobs.ErrEvicts) {
		return err
	} else if err != nil {
		slog.WarnContext(ctx, "redis not reachable, the worker waits for it", "error", err)
	}
	servers := make([]*asynq.Server, 0, len(r.o.Queues))
	clients := map[string]*jobs.QueueClient{}
	for _, q := range r.o.Queues {
		clients[q.Name] = jobs.NewQueueClient(r.o.Redis, q.Name, jobs.Idle, ctx.Done())
		s := r.server(q, clients[q.Name])
		if err := s.Start(asynq.HandlerFunc(r.process)); err != nil {
			return fmt.Errorf("workers: start queue %s: %w", q.Name, err)
		}
		servers = append(servers, s)
	}
	go jobs.Listen(ctx, r.o.Redis, clients)
	slog.InfoContext(ctx, "worker started", "queues", len(servers))
	if err := r.Reconcile(ctx); err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "rows not checked at start", "error", err)
	}
	<-ctx.Done()
	giveUp := time.AfterFunc(r.o.Grace*3/4, r.stop)
	defer giveUp.Stop()
	var all sync.WaitGroup
	for _, s := range servers {
		all.Go(s.Shutdown)
	}
	all.Wait()
	r.stop()
	return nil
}

func (r *Runtime) server(q jobs.Queue, client jobs.Redis) *asynq.Server {
	taken := q.Weight * r.o.Slots
	if a := r.admissions[q.Name]; a != nil {
		taken += a.room
	}
	return asynq.NewServerFromRedisClient(client, asynq.Config{
		Concurrency:              taken,
		Queues:                   map[string]int{q.Name: 1},
		TaskCheckInterval:        time.Millisecond, // short, because the queue client itself waits for tasks
		DelayedTaskCheckInterval: 200 * time.Millisecond,
		ShutdownTimeout:          r.o.Grace,
		RetryDelayFunc:           retryDelay,
		IsFailure:                isFailure,
		Logger:                   queueLog{},
		LogLevel:                 asynq.WarnLevel,
		HealthCheckInterval:      time.Minute,
	})
}

func (r *Runtime) process(ctx context.Context, at *asynq.Task) error {
	h, ok := r.handlers[at.Type()]
	if !ok {
		// Enqueued by a newer version, whose worker will run it.
		return &retryLaterError{wait: 5 * time.Second, cause: fmt.Errorf("workers: no handler for %q", at.Type())}
	}
	t := task{result: func(b []byte) error {
		_, err := at.ResultWriter().Write(b)
		return err
	}}
	if err := json.Unmarshal(at.Payload(), &t.Payload); err != nil {
		return fmt.Errorf("workers: payload of %s: %w: %w", at.Type(), err, asynq.SkipRetry)
	}
	t.id, _ = asynq.GetTaskID(ctx)
	retried, _ := asynq.GetRetryCount(ctx)
	t.attempt = retried + 1
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, accountKey{}, t.Account))
	defer cancel(nil)
	defer context.AfterFunc(r.halt, func() { cancel(errStopping) })()
	queue, _ := asynq.GetQueueName(ctx)
	release, err := r.admit(ctx, queue, t)
	if err != nil {
		r.metrics.attempts.WithLabelValues(t.Kind, "postponed").Observe(0)
		return err
	}
	defer release()
	return r.measure(ctx, t, h)
}

// guard turns a panic into a failed attempt and logs the stack.
func guard(ctx context.Context, kind string, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "job panicked", "job", kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("workers: panic in %s: %v", kind, p)
		}
	}()
	return fn()
}

// Clock returns its argument, or time.Now for nil.
func Clock(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}

type accountKey struct{}

// Account returns the account that the job was submitted for. The zero UUID is the service itself.
func Account(ctx context.Context) uuid.UUID {
	id, _ := ctx.Value(accountKey{}).(uuid.UUID)
	return id
}

// retryLaterError brings the task back after the wait.
type retryLaterError struct {
	wait    time.Duration
	at      time.Time // a full second; if set, wait is ignored
	cause   error
	failure bool // counted as a failed attempt
}

func (l *retryLaterError) Error() string { return l.cause.Error() }

func (l *retryLaterError) Unwrap() error { return l.cause }

// retryDelay lengthens waits to the next full second, because the queue counts in seconds and would bring the task back too
// early.
func retryDelay(_ int, err error, _ *asynq.Task) time.Duration {
	l, ok := errors.AsType[*retryLaterError](err)
	if !ok {
		return time.Second // the lease of the task ran out, or the worker was killed
	}
	now := time.Now()
	if !l.at.IsZero() {
		return max(l.at.Sub(now), 0)
	}
	if l.wait <= 0 {
		return 0
	}
	return nextSecond(now.Add(l.wait)).Sub(now)
}

func nextSecond(t time.Time) time.Time {
	return t.Add(time.Second - time.Nanosecond).Truncate(time.Second)
}

func isFailure(err error) bool {
	l, ok := errors.AsType[*retryLaterError](err)
	return !ok || l.failure
}

type queueLog struct{}

func (queueLog) Debug(args ...any) { slog.Debug("queue", "text", fmt.Sprint(args...)) }
func (queueLog) Info(args ...any)  { slog.Debug("queue", "text", fmt.Sprint(args...)) }
func (queueLog) Warn(args ...any)  { slog.Debug("queue", "text", fmt.Sprint(args...)) }
func (queueLog) Error(args ...any) { slog.Warn("queue", "text", fmt.Sprint(args...)) }
func (queueLog) Fatal(args ...any) { slog.Error("queue", "text", fmt.Sprint(args...)) }

// Platforms returns this process's limiter of jobs that call external platforms. The endpoints of the limiter are the platforms:
// see platformjob.Name. The limiter has as many places as there are slots for jobs.Bulk.
func (r *Runtime) Platforms() *Limiter[string] { return r.platforms }
