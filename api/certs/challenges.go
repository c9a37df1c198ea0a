package certs

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"switchyard/db/certstore"
	"switchyard/models"
	"switchyard/models/interval"
)

// ChallengePath begins the paths of HTTP-01 challenges.
const ChallengePath = "/.well-known/acme-challenge/"

// Limits on reading challenges. Requests for challenges that do not exist cannot cause more queries than these limits allow.
const (
	betweenReads  = 50 * time.Millisecond
	challengeTime = 3 * time.Second
	maxWaiting    = 256
)

// challenges holds the challenges that are under way at CAs.
type challenges struct {
	store Store

	mu      sync.Mutex
	known   []certstore.Challenge
	next    chan struct{} // closed when the planned read ends; nil: no read is planned
	waiting int

	reading sync.Mutex // held during a read
	last    time.Time  // when the last read began
}

// readAndMatch does the same as match, but reads the challenges from PostgreSQL first, because the notice of a new challenge may
// still be on its way.
func (c *challenges) readAndMatch(ctx context.Context, host string, fits func(certstore.Challenge) bool) (certstore.Challenge, bool) {
	c.mu.Lock()
	full := c.waiting >= maxWaiting
	if !full {
		c.waiting++
	}
	c.mu.Unlock()
	if full { // many of the waiting requests may be for challenges that do not exist, so answer from memory
		return c.match(host, fits)
	}
	defer func() {
		c.mu.Lock()
		c.waiting--
		c.mu.Unlock()
	}()
	c.reload(ctx)
	return c.match(host, fits)
}

// match looks in memory for a challenge of the host for which fits returns true.
func (c *challenges) match(host string, fits func(certstore.Challenge) bool) (certstore.Challenge, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, challenge := range c.known {
		if challenge.Host == host && fits(challenge) {
			return challenge, true
		}
	}
	return certstore.Challenge{}, false
}

// reload waits, for at most challengeTime, for a read that begins after the call. All waiting callers share the read.
func (c *challenges) reload(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, challengeTime)
	defer cancel()
	c.mu.Lock()
	if c.next == nil {
		c.next = make(chan struct{})
		go c.read(context.WithoutCancel(ctx), c.next)
	}
	done := c.next
	c.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (c *challenges) read(ctx context.Context, done chan struct{}) {
	defer close(done)
	c.reading.Lock()
	defer c.reading.Unlock()
	_ = interval.Sleep(ctx, betweenReads-time.Since(c.last)) // this context never ends
	c.last = time.Now()
	c.mu.Lock()
	c.next = nil
	c.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, challengeTime)
	defer cancel()
	list, err := c.store.Challenges(limited)
	if err != nil {
		slog.WarnContext(ctx, "challenges cannot be read", "error", err)
		return
	}
	c.mu.Lock()
	c.known = list
	c.mu.Unlock()
}

// AnswerHTTP answers an HTTP-01 request, by which a CA checks that this process serves the host. It returns false, without an
// answer, if the path does not begin with ChallengePath.
func (c *Certificates) AnswerHTTP(w http.ResponseWriter, r *http.Request) bool {
	token, ok := strings.CutPrefix(r.URL.Path, ChallengePath)
	if !ok {
		return false
	}
	host := models.BareHost(r.Host)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if c.options.Serves(host) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		fits := func(challenge certstore.Challenge) bool { return challenge.Token == token && challenge.PEM == nil }
		found, ok := c.challenges.match(host, fits)
		if !ok {
			found, ok = c.challenges.readAndMatch(r.Context(), host, fits)
		}
		if ok {
			c.metrics.challenges.Inc()
			_, _ = io.WriteString(w, found.Answer)
			return true
		}
	}
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, "no such challenge\n")
	return true
}

// forChallenge returns the certificate that proves to a CA that this process serves the host, or nil if there is no usable one.
func (c *Certificates) forChallenge(ctx context.Context, host string) *tls.Certificate {
	if !c.options.Serves(host) {
		c.metrics.unknown.Inc()
		return nil
	}
	// A handshake names the host but no token. A challenge of the host in memory may therefore belong to an earlier order, so the
	// challenges are read again.
	found, ok := c.challenges.readAndMatch(ctx, host, func(challenge certstore.Challenge) bool { return challenge.PEM != nil })
	if !ok {
		return nil
	}
	pair, err := tls.X509KeyPair(found.PEM, found.PEM)
	if err != nil {
		slog.ErrorContext(ctx, "challenge not usable", "host", host, "error", err)
		return nil
	}
	c.metrics.challenges.Inc()
	return &pair
}
