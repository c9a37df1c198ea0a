// Package oldtracker forwards postbacks about an old tracker's clicks to that tracker, from which the account has moved. A
// postback is sent with the query as it was received.
package oldtracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db"
	"switchyard/db/oldtracker"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// Options of the sender.
type Options struct {
	Egress   *egress.Client
	Schedule []time.Duration // the waits between attempts; default jobs.WebhookSchedule
	Timeout  time.Duration   // of a request; default 10 seconds
}

type run = workers.Run[jobs.None, jobs.None]

type sender struct {
	o     Options
	db    *db.DB
	store *store.Store
	sent  *prometheus.CounterVec
}

// Register registers the handler at a runtime.
func Register(r *workers.Runtime, st *store.Store, o Options) {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	s := &sender{o: o, db: r.DB(), store: st}
	s.sent = r.NewCounter("switchyard_forwarded_postbacks_total", "Postbacks that were due to be forwarded to old trackers, by result.", "result")
	workers.RegisterRow(r, jobs.ForwardPostback, s.send, workers.WithRetries(o.Schedule))
}

// send makes one attempt to forward a postback.
func (s *sender) send(ctx context.Context, u *run) error {
	f, err := oldtracker.FindForwarded(ctx, s.db, u.Job.ID)
	if errors.Is(err, models.NotFound("postback")) || err == nil && f.Result != oldtracker.Pending {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	if err != nil {
		return err
	}
	address, why, err := s.address(ctx, f)
	switch {
	case err != nil:
		return err
	case why != "":
		return s.end(ctx, u, oldtracker.Attempt{Result: oldtracker.Skipped, Reason: why})
	}
	status, err := s.call(ctx, address)
	if ctx.Err() != nil {
		return context.Cause(ctx) // the worker is stopping or has lost the row, so the receiver did not fail
	}
	if err == nil {
		return s.end(ctx, u, oldtracker.Attempt{Result: oldtracker.Sent, Status: status})
	}
	return u.Retry(ctx, fmt.Errorf("old tracker: %w", err), func(c db.Conn, next workers.NextAttempt) error {
		a := oldtracker.Attempt{Result: oldtracker.Pending, Number: u.Attempt, Status: status, Reason: err.Error()}
		counted := "retried"
		if next.Final {
			a.Result, counted = oldtracker.Failed, oldtracker.Failed
		}
		s.sent.WithLabelValues(counted).Inc()
		return oldtracker.Record(context.WithoutCancel(ctx), c, f.ID, a)
	})
}

func (s *sender) end(ctx context.Context, u *run, a oldtracker.Attempt) error {
	a.Number = u.Attempt
	s.sent.WithLabelValues(a.Result).Inc()
	return u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
		return oldtracker.Record(context.WithoutCancel(ctx), c, u.Job.ID, a)
	})
}

// address returns the address to which a postback is sent, or the reason why it is not sent.
func (s *sender) address(ctx context.Context, f oldtracker.Forwarded) (address, why string, err error) {
	proof, err := s.store.OpenProof(ctx, f.PostbackID, f.Request)
	switch {
	case errors.Is(err, seal.ErrOpen) || err == nil && proof.Raw == nil:
		return "", "the stored request can no longer be decrypted", nil
	case err != nil:
		return "", "", err
	case f.URL == "":
		return "", "the account has no old tracker any more", nil
	}
	to, err := url.Parse(f.URL)
	if err != nil {
		return "", "the address of the old tracker cannot be read", nil //nolint:nilerr // the reason is recorded
	}
	ours, err := oldtracker.IsOurs(ctx, s.db, f.AccountID, to.Hostname())
	if err != nil {
		return "", "", err
	}
	if ours {
		return "", "the address of the old tracker is a domain of this service", nil
	}
	return Target(f.URL, proof.Raw.Query), "", nil
}

// Target returns the address of a request to the old tracker at base. received is the path and the query of the postback. The
// path is used only if base has neither a path nor a query.
func Target(base, received string) string {
	path, query, _ := strings.Cut(received, "?")
	_, rest, _ := strings.Cut(base, "://")
	if host, own, _ := strings.Cut(rest, "/"); own == "" && !strings.Contains(host, "?") {
		base = strings.TrimSuffix(base, "/") + path
	}
	sep := "?"
	if strings.Contains(base, "?") {
		sep = "&"
	}
	return base + sep + query
}

// call sends the request. Only a 2xx status is a success.
func (s *sender) call(ctx context.Context, address string) (status *int, err error) {
	req, cancel, err := egress.Request(ctx, s.o.Timeout, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the address cannot be read")
	}
	defer cancel()
	req.Header.Set("User-Agent", "Switchyard-Postbacks/1.0")
	req.Header.Set(models.ForwardedHeader, "1")
	answer, err := s.o.Egress.Deliver(req, "old tracker")
	return answer.StatusOrNil(), err
}
