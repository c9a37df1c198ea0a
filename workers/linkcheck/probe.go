package linkcheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"golang.org/x/sync/errgroup"

	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/models/netguard"
	"switchyard/workers/egress"
)

const userAgent = "Switchyard-LinkCheck/1.0"

// This install counts as offline if at least offlineHosts hosts are asked and none of them answers.
const offlineHosts = 5

// probeAll requests each URL: hosts in parallel, the URLs of one host one after the other.
func (c *checker) probeAll(ctx context.Context, urls []string) (map[string]models.LinkResult, error) {
	hosts := map[string][]string{}
	for _, u := range urls {
		hosts[hostOf(u)] = append(hosts[hostOf(u)], u)
	}
	var (
		mu       sync.Mutex
		g        errgroup.Group
		results  = make(map[string]models.LinkResult, len(urls))
		answered = false
	)
	g.SetLimit(c.o.Hosts)
	for _, list := range hosts {
		g.Go(func() error {
			for i, u := range list {
				if i > 0 && interval.Sleep(ctx, c.o.Pause) != nil || ctx.Err() != nil {
					return nil
				}
				r := c.probe(ctx, u)
				mu.Lock()
				results[u], answered = r, answered || hasAnswer(r)
				mu.Unlock()
			}
			return nil
		})
	}
	_ = g.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("linkcheck: %w", context.Cause(ctx)) // incomplete: record nothing of this batch
	}
	if !answered && len(hosts) >= offlineHosts {
		return nil, errOffline
	}
	return results, nil
}

func hasAnswer(r models.LinkResult) bool { return r.Status != nil || r.Error == "" }

// unanswered reports whether the URLs have several hosts and none of them has answered.
func unanswered(results map[string]models.LinkResult) bool {
	hosts := map[string]bool{}
	for u, r := range results {
		if hasAnswer(r) {
			return false
		}
		hosts[hostOf(u)] = true
	}
	return len(hosts) > 1
}

func hostOf(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

// probe sends a HEAD request, and a GET if that fails, because many servers do not support HEAD.
func (c *checker) probe(ctx context.Context, u string) models.LinkResult {
	if len(u) > netguard.MaxURL {
		return models.LinkResult{At: c.o.Now()} // too long for this client, but a browser may open it, so it is not broken
	}
	status, err := c.request(ctx, http.MethodHead, u)
	if err != nil || status >= http.StatusBadRequest {
		status, err = c.request(ctx, http.MethodGet, u)
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

// request sends one request and returns the status. An answer whose body or header is too large still counts as an answer.
func (c *checker) request(ctx context.Context, method, u string) (int, error) {
	req, cancel, err := egress.Request(ctx, c.o.Timeout, method, u, nil)
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
