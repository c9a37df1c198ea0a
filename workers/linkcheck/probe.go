package linkcheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"switchyard/models"
	"switchyard/models/netguard"
	"switchyard/workers/egress"
)

// userAgent says who asks.
const userAgent = "Switchyard-LinkCheck/1.0"

// fewHosts is how many hosts must have failed to answer, all there were, before we doubt our own connection.
const fewHosts = 5

// probeAll tries each URL, one after the other on each host and some hosts at once.
func (c *checker) probeAll(ctx context.Context, urls []string) (map[string]models.LinkResult, error) {
	hosts := map[string][]string{}
	for _, u := range urls {
		hosts[hostOf(u)] = append(hosts[hostOf(u)], u)
	}
	var (
		mu       sync.Mutex
		all      sync.WaitGroup
		results  = make(map[string]models.LinkResult, len(urls))
		answered = false
		places   = make(chan struct{}, c.o.Hosts)
	)
	for _, list := range hosts {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			for i, u := range list {
				if i > 0 && !pause(ctx, c.o.Pause) || ctx.Err() != nil {
					return
				}
				r := c.probe(ctx, u)
				mu.Lock()
				results[u], answered = r, answered || r.Status != nil || r.Error == ""
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("linkcheck: %w", context.Cause(ctx)) // cut short: nothing of this batch counts
	}
	if !answered && len(hosts) >= fewHosts {
		return nil, errOffline
	}
	return results, nil
}

// pause waits between two requests; false when the run ends meanwhile.
func pause(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func hostOf(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

// probe asks for the head of a page, and for the page where that is not enough: many servers know no HEAD.
func (c *checker) probe(ctx context.Context, u string) models.LinkResult {
	if len(u) > netguard.MaxURL {
		return models.LinkResult{At: c.o.Now()} // longer than we can ask for, which is not the page's fault
	}
	status, err := c.ask(ctx, http.MethodHead, u)
	if err != nil || status >= http.StatusBadRequest {
		status, err = c.ask(ctx, http.MethodGet, u)
	}
	r := models.LinkResult{At: c.o.Now()}
	switch {
	case err != nil:
		r.Error = err.Error()
	case status == http.StatusNotFound, status == http.StatusGone, status >= http.StatusInternalServerError:
		r.Status, r.Error = &status, fmt.Sprintf("the page answered %d", status)
	default:
		r.Status = &status
	}
	return r
}

// ask sends one request. A body or a head too large to be read is an answer too.
func (c *checker) ask(ctx context.Context, method, u string) (int, error) {
	req, cancel, err := egress.Request(ctx, c.o.Limit, method, u, nil)
	if err != nil {
		return 0, errors.New("the address cannot be read")
	}
	defer cancel()
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/html,*/*;q=0.8")
	answer, err := c.o.Egress.Do(req)
	if failure, ok := errors.AsType[*egress.Error](err); ok && failure.Class == egress.TooLarge {
		return failure.Status, nil
	}
	return answer.Status, err
}
