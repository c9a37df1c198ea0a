package middleware

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"switchyard/api/bind"
	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
)

const (
	maxIdempotencyKey = 255
	leaseTime         = 15 * time.Second // a slow call that died blocks its key no longer
	leaseRenew        = 5 * time.Second
)

// idempotent gives a POST with an Idempotency-Key its promise: whatever is repeated, killed or run at once, the effect
// happens once and every repetition within 24 hours gets the first answer. It needs PostgreSQL only.
func (p *Pipeline) idempotent(next step) step {
	return func(c *route.Call) envelope.Reply {
		keys := c.Request.Header.Values("Idempotency-Key")
		if c.Request.Method != http.MethodPost || len(keys) == 0 {
			return next(c)
		}
		key := keys[0]
		if len(keys) > 1 || key == "" || len(key) > maxIdempotencyKey || !bind.Text(key) {
			return envelope.Of(c, nil, models.Invalid("invalid_input", "Idempotency-Key must have 1 to 255 characters"))
		}
		c.IdempotencyKey = key
		if err := p.Store.Box().Ready(c.Context()); err != nil {
			return envelope.Of(c, nil, err)
		}
		a := store.Attempt{Account: c.Account.ID, Key: key, Fingerprint: fingerprint(c)}
		if c.Route.Slow != nil {
			return p.leased(c, a, next)
		}
		return p.atomic(c, a, next)
	}
}

// fingerprint is of the request as it came: method, path, query and body.
func fingerprint(c *route.Call) []byte {
	h := sha256.New()
	for _, part := range []string{c.Request.Method, c.Request.URL.Path, c.Query.Encode(), string(c.Body)} {
		fmt.Fprintf(h, "%d|%s|", len(part), part)
	}
	return h.Sum(nil)
}

// errUndo rolls a transaction back whose answer is not kept.
var errUndo = errors.New("middleware: answer not kept")

// atomic commits the key, the effect and the answer in one transaction. The handler runs under a savepoint: an error
// answer undoes its writes and is kept all the same.
func (p *Pipeline) atomic(c *route.Call, a store.Attempt, next step) envelope.Reply {
	var reply envelope.Reply
	err := p.Store.Tx(c.Context(), func(tx *store.Store) error {
		before, err := tx.BeginAttempt(c.Context(), a)
		if err != nil {
			return err
		}
		if before != nil {
			reply, err = replay(c, before)
			return err
		}
		err = tx.Tx(c.Context(), func(s *store.Store) error {
			c.Store = s
			defer func() { c.Store = p.Store }()
			if reply = next(c); reply.Status >= http.StatusBadRequest {
				return errUndo
			}
			return nil
		})
		if err != nil && !errors.Is(err, errUndo) {
			return err
		}
		if !kept(reply) {
			return errUndo
		}
		return save(c.Context(), tx, a, reply)
	})
	switch {
	case errors.Is(err, errUndo):
		return reply
	case err != nil:
		c.DropAfter()
		return envelope.Of(c, nil, err)
	}
	c.RunAfter()
	return reply
}

// leased is for a call that awaits a job: the key is held by a lease that is renewed while the call runs.
func (p *Pipeline) leased(c *route.Call, a store.Attempt, next step) envelope.Reply {
	var reply envelope.Reply
	var replayed bool
	err := p.Store.Tx(c.Context(), func(tx *store.Store) error {
		before, err := tx.BeginAttempt(c.Context(), a)
		if err != nil {
			return err
		}
		if before != nil {
			replayed = true
			reply, err = replay(c, before)
			return err
		}
		c.AttemptID, err = tx.LeaseAttempt(c.Context(), a, leaseTime)
		return err
	})
	if err != nil {
		return envelope.Of(c, nil, err)
	}
	if replayed {
		return reply
	}
	// The outcome is kept even if the caller has gone away meanwhile.
	ctx := context.WithoutCancel(c.Context())
	done := false
	defer func() {
		if !done { // a panic on its way up
			p.settle(ctx, a, envelope.Reply{Status: http.StatusInternalServerError})
		}
	}()
	stop := p.renew(ctx, a)
	defer stop()
	reply = next(c)
	stop()
	p.settle(ctx, a, reply)
	done = true
	return reply
}

// renew keeps the lease until the returned function is called.
func (p *Pipeline) renew(ctx context.Context, a store.Attempt) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(leaseRenew)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if _, err := p.Store.LeaseAttempt(ctx, a, leaseTime); err != nil && ctx.Err() == nil {
					slog.WarnContext(ctx, "idempotency lease not renewed", "error", err)
				}
			}
		}
	}()
	return func() { cancel(); <-ended }
}

func (p *Pipeline) settle(ctx context.Context, a store.Attempt, reply envelope.Reply) {
	var err error
	if kept(reply) {
		err = save(ctx, p.Store, a, reply)
	} else {
		err = p.Store.DropAttempt(ctx, a)
	}
	if err != nil {
		slog.ErrorContext(ctx, "idempotent answer not kept", "account_id", a.Account, "error", err)
	}
}

// kept tells whether an answer is the last word on a request. Failures of ours, and refusals that the caller can lift
// without changing the request, are not.
func kept(r envelope.Reply) bool {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusTooManyRequests:
		return false
	case http.StatusForbidden:
		return r.Code != "read_only_key"
	case http.StatusConflict:
		return r.Code != store.ErrInProgress.Code
	}
	return r.Status < http.StatusInternalServerError
}

func save(ctx context.Context, s *store.Store, a store.Attempt, reply envelope.Reply) error {
	raw, err := json.Marshal(reply)
	if err != nil {
		return fmt.Errorf("middleware: keep answer: %w", err)
	}
	return s.SaveAttempt(ctx, a, store.Stored{Status: reply.Status, Answer: raw})
}

func replay(c *route.Call, s *store.Stored) (envelope.Reply, error) {
	var reply envelope.Reply
	if err := json.Unmarshal(s.Answer, &reply); err != nil {
		return reply, fmt.Errorf("middleware: replay: %w", err)
	}
	c.Header().Set("Idempotent-Replayed", "true")
	return reply, nil
}
