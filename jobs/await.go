package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"switchyard/models"
)

// AnswerWithin is how long an API call waits for a job before the answer is 202. Proxies in front of the API may end a request
// after 30 seconds.
const AnswerWithin = 25 * time.Second

// pollInterval is the time between two reads of the status, in case the notification of a finished job is lost.
const pollInterval = time.Second

// ErrPending means that the job has not finished in the given time. It continues to run.
var ErrPending = errors.New("jobs: not finished yet")

// Handle refers to a submitted job whose answer is an R. Await waits for it.
type Handle[R any] struct {
	ID   string
	Kind string

	client *Client
	status func(context.Context) (models.JobStatus, error)
}

// RowHandle makes the handle of a row job. status reads the status for the caller's account.
func RowHandle[A, R any](c *Client, j Job[A, R], id string, status func(context.Context) (models.JobStatus, error),
) Handle[R] {
	return Handle[R]{ID: id, Kind: j.kind, client: c, status: status}
}

// Await waits until the job has finished. It returns the job's answer, or the *models.Error with which the job ended. A job that
// failed without such an error gives one of models.KindInternal. If ctx ends first, its error is returned, and the job continues to
// run.
func Await[R any](ctx context.Context, h Handle[R]) (R, error) {
	var none R
	done, stop := h.client.backend.Watch(h.ID)
	defer stop()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		s, err := h.status(ctx)
		if _, known := models.AsError(err); known {
			return none, err
		}
		if err == nil && s.Finished() {
			return answer[R](s)
		}
		select {
		case <-ctx.Done():
			return none, ctx.Err()
		case <-done:
		case <-tick.C:
		}
	}
}

// AwaitTimeout does the same as Await, but returns ErrPending if the job has not finished after d.
func AwaitTimeout[R any](ctx context.Context, h Handle[R], d time.Duration) (R, error) {
	limited, cancel := context.WithTimeoutCause(ctx, d, ErrPending)
	defer cancel()
	r, err := Await(limited, h)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), ErrPending) {
		if _, final := models.AsError(err); !final {
			return r, ErrPending
		}
	}
	return r, err
}

func answer[R any](s models.JobStatus) (R, error) {
	var r R
	if s.Error != nil {
		return r, s.Error
	}
	if s.Status == models.JobFailed {
		return r, models.Errorf(models.KindInternal, "internal_error", "the job did not succeed")
	}
	if len(s.Result) > 0 {
		if err := json.Unmarshal(s.Result, &r); err != nil {
			return r, fmt.Errorf("jobs: answer of %s: %w", s.Kind, err)
		}
	}
	return r, nil
}
