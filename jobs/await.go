package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"switchyard/models"
)

// AnswerWithin is how long a request waits for a job before it answers 202: routers in front may cut at 30 seconds.
const AnswerWithin = 25 * time.Second

// lookEvery bounds how late a finish is seen whose notification was lost.
const lookEvery = time.Second

// ErrPending says that the job has not finished in the time given. It goes on.
var ErrPending = errors.New("jobs: not finished yet")

// Ticket stands for a submitted job whose answer is R.
type Ticket[R any] struct {
	ID   string
	Kind string

	client *Client
	look   func(context.Context) (models.JobStatus, error)
}

// RowTicket is the ticket of a row job; look reads its status (jobrow.Status under the caller's account).
func RowTicket[A, R any](c *Client, j Job[A, R], id string, look func(context.Context) (models.JobStatus, error),
) Ticket[R] {
	return Ticket[R]{ID: id, Kind: j.kind, client: c, look: look}
}

// Await waits until the job has finished and gives its answer, or the *models.Error it ended with. A failure of any
// other sort is models.KindInternal. It ends with the context's error when that is done; the job goes on.
func Await[R any](ctx context.Context, t Ticket[R]) (R, error) {
	var none R
	done, stop := t.client.backend.Watch(t.ID)
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		s, err := t.look(ctx)
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

// AwaitTimeout is Await for so long at most; then ErrPending.
func AwaitTimeout[R any](ctx context.Context, t Ticket[R], d time.Duration) (R, error) {
	limited, cancel := context.WithTimeoutCause(ctx, d, ErrPending)
	defer cancel()
	r, err := Await(limited, t)
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
