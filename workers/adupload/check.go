package adupload

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/db/upload"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers/providers/ads"
)

// checkedAtOnce limits the earlier requests whose outcome one job checks. A request is checked for at most queryFor, and its row
// is kept for at most requestRetention.
const (
	checkedAtOnce    = 50
	queryFor         = 3 * 24 * time.Hour
	requestRetention = 30 * 24 * time.Hour
)

// check asks the platform for the outcome of requests that it has accepted. After queryFor it stops asking, and the uploads of
// the request stay accepted.
func (s *sending) check(ctx context.Context) error {
	due, err := upload.ListDueRequests(ctx, s.store.Conn(), s.account.ID, s.TargetID, s.o.Now(), checkedAtOnce)
	if err != nil {
		return err
	}
	for _, r := range due {
		found, failure := s.up.Outcome(ctx, r.Request)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if failure != nil {
			found = ads.Outcome{} // no outcome yet; new uploads do not wait for it
		}
		if err := s.Step(ctx, func(c db.Conn) (jobs.UploadArgs, error) { return s.checked(ctx, c, r, found) }); err != nil {
			return err
		}
	}
	return nil
}

// checked stores the outcome of a request, or the time of the next check.
func (s *sending) checked(ctx context.Context, c db.Conn, r upload.Request, found ads.Outcome) (jobs.UploadArgs, error) {
	next, now := s.Args, s.o.Now()
	next.Requests = s.requested + s.up.Requests()
	switch {
	case found.Done: // stored below
	case now.Sub(r.MadeAt) < queryFor:
		return next, upload.CheckLater(ctx, c, s.account.ID, r, now.Add(upload.CheckEvery))
	default:
		found = ads.Outcome{Result: models.UploadAccepted, Reason: fmt.Sprintf("request %s: accepted; the platform has not reported a result", r.Request)}
	}
	o := upload.RequestOutcome{Result: found.Result, Reason: found.Reason, Known: found.Known}
	if found.Again > 0 {
		o.Again = now.Add(found.Again)
	}
	became, err := upload.EndRequest(ctx, c, s.account.ID, r, o)
	for _, result := range []string{models.UploadPending, models.UploadRejected} {
		s.decided.WithLabelValues(s.Provider, result).Add(float64(became[result]))
	}
	if err == nil && became[models.UploadRejected] > 0 {
		err = s.stopIfRejected(ctx, c)
	}
	return next, err
}
