package middleware

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/idempotency"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/interval"
)

const (
	maxIdempotencyKey = 255
	leaseTime         = 15 * time.Second // the longest time that a key stays blocked after the process of a slow call has died
	leaseRenew        = 5 * time.Second
)

// idempotent makes a POST with an Idempotency-Key take effect only once. A repetition within 24 hours gets the first final
// answer. All state is in PostgreSQL, so it works without Redis.
func (p *Pipeline) idempotent(next step) step {
	return func(c *route.Call) envelope.Reply {
		keys := c.Request.Header.Values("Idempotency-Key")
		if c.Request.Method != http.MethodPost || len(keys) == 0 || c.Route.Repeats {
			return next(c)
		}
		key := keys[0]
		if len(keys) > 1 || key == "" || len(key) > maxIdempotencyKey || !bind.ValidText(key) {
			return envelope.New(c, nil, models.Invalid("invalid_input", "send one Idempotency-Key of 1 to 255 bytes"))
		}
		c.IdempotencyKey = key
		if err := p.store.Box().Ready(c.Context()); err != nil {
			return envelope.New(c, nil, err)
		}
		a := idempotency.Attempt{
			Account: c.Account.ID, Key: storedKey(c, key), Fingerprint: fingerprint(c), Allowance: c.Account.Allowances().AnswerBytes,
		}
		if c.Route.Waits(c.Body) {
			return p.serveLeased(c, a, next)
		}
		return p.atomic(c, a, next)
	}
}

// storedKey returns the key under which an answer is stored. All API keys of an account share their Idempotency-Keys. The
// Idempotency-Keys of a person are separate. On a route for people only, the Idempotency-Keys of each session are separate too,
// because the answer may hold a secret that no other session may see. The stored key of a person has a line break. A header cannot
// have one, so no caller with an API key can send it.
func storedKey(c *route.Call, key string) string {
	switch {
	case !c.IsPerson():
		return key
	case c.Route.Callers == route.People:
		return fmt.Sprintf("session %s of %s\n%s", c.Session.ID, c.Person.ID, key)
	}
	return fmt.Sprintf("person %s\n%s", c.Person.ID, key)
}

// fingerprint returns a hash of method, path, query and body. A repetition must have the same fingerprint.
func fingerprint(c *route.Call) []byte {
	h := sha256.New()
	for _, part := range []string{c.Request.Method, c.Request.URL.Path, c.Query.Encode(), string(c.Body)} {
		fmt.Fprintf(h, "%d|%s|", len(part), part)
	}
	return h.Sum(nil)
}

// errUndo rolls back the handler's writes if the call fails, and the whole transaction if the answer is not stored.
var errUndo = errors.New("middleware: answer not stored")

// atomic commits the key, the effect and the answer in one transaction. The handler runs under a savepoint: a refusal undoes only
// the handler's writes, and its answer is still stored. An answer that is not final undoes everything.
func (p *Pipeline) atomic(c *route.Call, a idempotency.Attempt, next step) envelope.Reply {
	var reply envelope.Reply
	err := p.store.Tx(c.Context(), func(tx *store.Store) error {
		var replayed bool
		var err error
		if reply, replayed, err = begin(c, tx, a); err != nil || replayed {
			return err
		}
		err = tx.Tx(c.Context(), func(s *store.Store) error {
			c.Store = s
			defer func() { c.Store = p.store }()
			if reply = next(c); reply.Status >= http.StatusBadRequest {
				return errUndo
			}
			return nil
		})
		if err != nil && !errors.Is(err, errUndo) {
			return err
		}
		if !isFinal(reply) {
			return errUndo
		}
		return save(c.Context(), tx, a, reply)
	})
	switch {
	case errors.Is(err, errUndo):
		return reply
	case err != nil:
		c.DiscardAfter()
		return envelope.New(c, nil, err)
	}
	c.RunAfter()
	return reply
}

// serveLeased serves a call that awaits a job. It holds the key by a lease, which it renews while the call runs.
func (p *Pipeline) serveLeased(c *route.Call, a idempotency.Attempt, next step) envelope.Reply {
	var reply envelope.Reply
	var replayed bool
	err := p.store.Tx(c.Context(), func(tx *store.Store) (err error) {
		if reply, replayed, err = begin(c, tx, a); err != nil || replayed {
			return err
		}
		c.AttemptID, err = idempotency.New(tx).Lease(c.Context(), a, leaseTime)
		return err
	})
	if err != nil {
		return envelope.New(c, nil, err)
	}
	if replayed {
		return reply
	}
	// The answer is stored even if the caller has disconnected.
	ctx := context.WithoutCancel(c.Context())
	reply = envelope.Reply{Status: http.StatusInternalServerError} // if next panics, finish releases the key, because this reply is not final
	stop := p.renew(ctx, a)
	defer func() {
		stop()
		p.finish(ctx, a, reply)
	}()
	reply = next(c)
	return reply
}

func (p *Pipeline) renew(ctx context.Context, a idempotency.Attempt) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		interval.Every(ctx, leaseRenew, func() {
			if _, err := idempotency.New(p.store).Lease(ctx, a, leaseTime); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "idempotency lease not renewed", "error", err)
			}
		})
	})
	return func() { cancel(); done.Wait() }
}

// finish stores the answer of a leased call, or releases the key if the answer is not final.
func (p *Pipeline) finish(ctx context.Context, a idempotency.Attempt, reply envelope.Reply) {
	var err error
	if isFinal(reply) {
		err = save(ctx, p.store, a, reply)
	} else {
		err = idempotency.New(p.store).Delete(ctx, a)
	}
	if err != nil {
		slog.ErrorContext(ctx, "idempotent answer not stored", "account_id", a.Account, "error", err)
	}
}

// isFinal reports whether repetitions get this answer too. Failures of this service are not final. Refusals that do not depend on
// the request itself are not final either.
func isFinal(r envelope.Reply) bool {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusTooManyRequests:
		return false
	case http.StatusForbidden:
		return r.Code != "read_only_key"
	case http.StatusConflict:
		return r.Code != idempotency.ErrInProgress.Code
	}
	return r.Status < http.StatusInternalServerError
}

func save(ctx context.Context, s *store.Store, a idempotency.Attempt, reply envelope.Reply) error {
	raw, err := json.Marshal(reply)
	if err != nil {
		return fmt.Errorf("middleware: store answer: %w", err)
	}
	return idempotency.New(s).Save(ctx, a, idempotency.Stored{Status: reply.Status, Answer: raw})
}

// begin claims the key. If an earlier call has the key, begin returns the answer to the repetition.
func begin(c *route.Call, tx *store.Store, a idempotency.Attempt) (reply envelope.Reply, replayed bool, err error) {
	earlier, err := idempotency.New(tx).Begin(c.Context(), a)
	if err != nil || earlier == nil {
		return reply, false, err
	}
	if earlier.Answer == nil {
		reply, err = answerRepetition(c, tx, *earlier)
	} else if err = json.Unmarshal(earlier.Answer, &reply); err != nil {
		err = fmt.Errorf("middleware: replay: %w", err)
	}
	if err != nil {
		return reply, false, err
	}
	c.Header().Set("Idempotent-Replayed", "true")
	return reply, true, nil
}

// answerRepetition answers a repetition when the first answer was not stored. It returns the job that the first call awaited, if
// the job still has a row, and otherwise an error.
func answerRepetition(c *route.Call, tx *store.Store, earlier idempotency.Stored) (envelope.Reply, error) {
	job, err := jobrow.Status(c.Context(), tx.Conn(), c.Account.ID, earlier.ID)
	switch e, known := models.AsError(err); {
	case err == nil:
		err = &route.LaterError{Job: slow.State(job.ID, job.Kind, job.Status)}
	case known && e.Kind == models.KindNotFound:
		err = models.Conflict("idempotency_answer_dropped", "the first request with this Idempotency-Key was carried out and "+
			"answered with %d; that answer was too large to be stored, or the plan's storage for answers is full", earlier.Status)
	default:
		return envelope.Reply{}, err
	}
	return envelope.New(c, nil, err), nil
}
