package webhook

import (
	"context"

	"switchyard/db/delivery"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/workers"
)

func (s *sender) redeliverFailed(ctx context.Context, a jobs.RedeliverFailedArgs) (jobs.RedeliverFailedAnswer, error) {
	n, err := s.runtime.RequeueAll(ctx, jobrow.RequeueQuery{
		Account: workers.Account(ctx), Owner: a.Webhook, From: a.From, To: a.To,
	}, delivery.RequeueFailed)
	return jobs.RedeliverFailedAnswer{From: a.From, To: a.To, Requeued: n}, err
}
