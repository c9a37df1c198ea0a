package platformjob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/db/integration"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/workers"
	"switchyard/workers/providers/platform"
)

// Begin records that the run of a job has begun, and returns the days to read. A repeated attempt of the job begins its run again.
func (i *Imports[A, R]) Begin(ctx context.Context, u *workers.Run[A, R], provider string, applied bool) (from, to time.Time, err error) {
	days := i.Range(&u.Args)
	if from, to, err = days.Days(); err != nil {
		return from, to, err
	}
	return from, to, integration.NewRuns(i.Store).Start(ctx, models.IntegrationRun{
		ID: u.Job.ID, AccountID: u.Job.AccountID.UUID, Kind: i.kind(days), TargetID: i.Target(u.Args), Provider: provider, Origin: days.Origin,
		From: &from, To: &to, Applied: applied, StartedAt: i.Now(),
	})
}

func (i *Imports[A, R]) kind(days *jobs.PlatformRange) string {
	if days.Changed {
		return i.ChangesRun
	}
	return i.Run
}

// ReadError returns the error of the job for an error of a request to the platform. `most` is the limit of rows.
func (i *Imports[A, R]) ReadError(ctx context.Context, err error, most int) error {
	_, known := models.AsError(err)
	switch {
	case err == nil:
		return nil
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case errors.Is(err, platform.ErrTooMany):
		return models.Invalid(models.TooManyRows, "the range has more than %d %s: use a shorter one", most, i.Rows)
	case known:
		return err
	}
	return models.WithRequest(models.Errorf(models.KindBadGateway, i.Code, "%s", err), models.RequestOf(err))
}

// Fetched records how much a job has read from the platform.
func (i *Imports[A, R]) Fetched(ctx context.Context, u *workers.Run[A, R], used platform.Usage, rows int) error {
	runs, account := integration.NewRuns(i.Store), u.Job.AccountID.UUID
	if until := i.Range(&u.Args).Until; !until.IsZero() {
		if err := runs.RecordLastDay(ctx, account, u.Job.ID, until); err != nil {
			return err
		}
	}
	return runs.RecordRead(ctx, account, u.Job.ID, used.Requests, used.Pages, rows)
}

// Shorten stores an earlier last day for the run of a job, so that another attempt reads the shortened range.
func (i *Imports[A, R]) Shorten(ctx context.Context, u *workers.Run[A, R], to time.Time) error {
	return u.Step(ctx, func(c db.Conn) (A, error) {
		a := u.Args
		i.Range(&a).To = to.Format(time.DateOnly)
		return a, integration.NewRuns(i.Store.On(c)).RecordLastDay(ctx, u.Job.AccountID.UUID, u.Job.ID, to)
	})
}

// Once returns the data that a job has read from the platform. The data is stored, so that an attempt after a crash uses the same
// rows. Once fails the job if fetch returns a *models.Error of another kind than models.KindInternal.
func Once[T, A, R any](ctx context.Context, i *Imports[A, R], u *workers.Run[A, R], fetch func() (T, error)) (out T, err error) {
	account := u.Job.AccountID.UUID
	if i.Range(&u.Args).Read {
		text, err := i.Store.Corrections().Text(ctx, account, u.Job.ID)
		if err != nil {
			return out, err
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			return out, fmt.Errorf("platformjob: stored rows: %w", err)
		}
		return out, nil
	}
	out, err = fetch()
	if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal {
		return out, u.Fail(ctx, err, nil)
	}
	if err != nil {
		return out, err
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return out, fmt.Errorf("platformjob: rows: %w", err)
	}
	return out, u.Step(ctx, func(c db.Conn) (A, error) {
		a := u.Args
		i.Range(&a).Read = true
		return a, i.Store.On(c).Corrections().Add(ctx, account, u.Job.ID, string(raw))
	})
}

// End records that the run of a job has succeeded, and removes its stored rows.
func (i *Imports[A, R]) End(ctx context.Context, c db.Conn, u *workers.Run[A, R], end integration.RunEnd, r integration.Result) error {
	s := i.Store.On(c)
	if err := i.record(ctx, s, u.Job, u.Args, end, r, ""); err != nil {
		return err
	}
	return s.Corrections().Remove(ctx, u.Job.ID)
}

func (i *Imports[A, R]) failed(ctx context.Context, c db.Conn, row models.Job, cause error) error {
	var args A
	if err := json.Unmarshal(row.Args, &args); err != nil || i.Range(&args) == nil || i.Tests != nil && i.Tests(args) {
		return nil //nolint:nilerr // the arguments name no import
	}
	failure := jobrow.CauseOf(cause)
	end := integration.RunEnd{Failure: failure.Message, Request: models.RequestOf(cause)}
	return i.record(ctx, i.Store.On(c), row, args, end, integration.Result{Failure: failure.Message}, failure.Code)
}

// record stores the end of a run and, for the connection, the result. After a scheduled import it also stores the time of the next
// one. A failure for which models.PlatformFailed returns false changes nothing for the connection.
func (i *Imports[A, R]) record(ctx context.Context, s *store.Store, job models.Job, args A, end integration.RunEnd, r integration.Result,
	code string,
) error {
	now, days := i.Now(), i.Range(&args)
	result := "succeeded"
	if end.Failure != "" {
		result = "failed"
	}
	i.ended.WithLabelValues(i.kind(days), days.Provider, result).Inc()
	if err := integration.NewRuns(s).End(ctx, job.AccountID.UUID, job.ID, now, end); err != nil || !models.PlatformFailed(days.Origin, code) {
		return err
	}
	k := i.Connections(s)
	c, err := k.Find(ctx, job.AccountID.UUID, i.Target(args))
	if errors.Is(err, integration.ErrNotConnected) {
		return nil // the connection was removed before the run ended
	}
	if err != nil {
		return err
	}
	if (days.Changed || days.Older) && !c.SavedAt.Equal(days.Saved) {
		return nil // the connection was saved again during the run, possibly for another account at the platform
	}
	if days.Older {
		from, to, err := days.Days()
		if err != nil {
			return err
		}
		return i.RecordOlder(ctx, s, c, OlderEnd{From: from, To: to, Now: now, Failure: r.Failure, Code: code})
	}
	if days.Changed {
		return i.RecordChanges(ctx, s, c, ChangesEnd{To: days.Until, Failure: r.Failure, Now: now})
	}
	if err := k.Record(ctx, c, r, now); err != nil || days.Origin != models.RunByClock {
		return err
	}
	failures, wide := 0, time.Time{}
	if r.Failure != "" {
		failures = c.Failures + 1
	}
	if days.Wide {
		wide = models.NextWideSync(now, code)
	}
	return k.SetNext(ctx, c, now.Add(interval.Vary(i.Next(failures))), wide)
}
