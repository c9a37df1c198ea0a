package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"switchyard/ops/client"
)

// The bot lists that are measured: so many entries of so many values, which match no visitor but the one who is listed.
const (
	listEntries = 10
	listValues  = 10_000
	listed      = "203.0.113.77"
)

// side is an account with a campaign like the others', and the clicks that it got.
type side struct {
	api  *client.API
	link *url.URL
	sent int
}

// lists compares the rate of tracking links of an account that scores by all signals and has 100,000 entries of bot lists
// with that of an account without lists, whose signals count for nothing. Both have the same process. They take turns,
// and the one that begins changes.
func (r *run) lists(ctx context.Context) error {
	without := &side{r.api, r.link, r.sent}
	if err := r.ignoreSignals(ctx); err != nil {
		return err
	}
	var err error
	if _, r.api, err = r.fleet.Account(ctx, "Bench lists", "scale"); err != nil {
		return err
	}
	if err := r.create(ctx, "bench-lists"); err != nil {
		return err
	}
	r.sent = 0
	if err := r.fillLists(ctx); err != nil {
		return err
	}
	with := &side{r.api, r.link, r.sent}
	warm := turns{}
	for _, s := range []*side{without, with} {
		if err := r.turn(ctx, s, &warm, 2*time.Second); err != nil {
			return err
		}
	}
	var plain, full turns
	ratios := make([]float64, 2*r.Rounds) // the two differ by less than a busy machine does from turn to turn
	for i := range ratios {
		order := []func() error{
			func() error { return r.turn(ctx, without, &plain, r.Duration) },
			func() error { return r.turn(ctx, with, &full, r.Duration) },
		}
		if err := errors.Join(order[i%2](), order[1-i%2]()); err != nil {
			return err
		}
		ratios[i] = full.rates[i] / plain.rates[i]
		r.say("round %d of %d: without lists and signals %.0f/s, with them %.0f/s", i+1, len(ratios), plain.rates[i], full.rates[i])
	}
	r.add("tracking link, no bot lists, signals count for nothing", plain.String(), "", true)
	r.add(fmt.Sprintf("tracking link, all signals and %d list entries", listEntries*listValues), full.String(), "", true)
	ratio := median(ratios)
	r.add("the one by the other, round by round", fmt.Sprintf("%.2f", ratio), fmt.Sprintf(">= %.2f", goalLists), ratio >= goalLists)
	return nil
}

// turn is one turn on the tracking link of a side.
func (r *run) turn(ctx context.Context, s *side, t *turns, d time.Duration) error {
	r.api, r.link, r.sent = s.api, s.link, s.sent
	_, err := r.visit(ctx, t, Load{
		Addr: r.real, Connections: r.Connections, Duration: d, Status: "302",
		Requests: visits(r.visitors, r.link.Host, r.link.RequestURI()),
	})
	s.sent = r.sent
	return err
}

// ignoreSignals switches off all signals that can be.
func (r *run) ignoreSignals(ctx context.Context) error {
	var now struct{ Signals []struct{ Reason string } }
	if err := r.api.Get(ctx, "/bot-detection", &now); err != nil {
		return err
	}
	var names []string
	for _, s := range now.Signals {
		names = append(names, s.Reason)
	}
	return r.api.Do(ctx, http.StatusOK, http.MethodPut, "/bot-detection", object{"disabled": names, "days": 0}, nil)
}

// fillLists denies addresses, networks, user agents, referrers and a sub-parameter's values, and waits until a click of the
// listed address counts as blocked.
func (r *run) fillLists(ctx context.Context) error {
	for i := range listEntries {
		attribute, operator, value := denied(i)
		lines := make([]string, listValues)
		for n := range lines {
			lines[n] = value(n)
		}
		if i == 0 {
			lines[0] = listed
		}
		body := object{"list_type": "deny", "attribute": attribute, "operator": operator, "text": strings.Join(lines, "\n")}
		var made struct {
			Count int `json:"value_count"`
		}
		if err := r.api.Create(ctx, "/bot-lists", body, &made); err != nil {
			return err
		}
		if made.Count != listValues {
			return fmt.Errorf("bench: a list of %d values has %d", listValues, made.Count)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return client.Poll(ctx, 500*time.Millisecond, func() (bool, error) {
		if err := r.visitFrom(ctx, listed); err != nil {
			return false, err
		}
		var lists struct{ Blocked int }
		err := r.api.Get(ctx, "/bot-lists", &lists)
		return lists.Blocked > 0, err
	})
}

// denied is what an entry denies: nobody who visits, for no address of 241.0.0.0/8 is anybody's.
func denied(entry int) (attribute, operator string, value func(n int) string) {
	address := func(n int) string {
		var a [4]byte
		binary.BigEndian.PutUint32(a[:], uint32(241<<24|entry<<20|n))
		return netip.AddrFrom4(a).String()
	}
	text := func(pattern string) func(int) string { return func(n int) string { return fmt.Sprintf(pattern, n) } }
	switch {
	case entry < 4:
		return "ip", "equals", address
	case entry < 7:
		return "ip_range", "in_cidr", func(n int) string { return address(n<<4) + "/28" }
	case entry == 7:
		return "user_agent", "equals", text("Scraper/%d")
	case entry == 8:
		return "referrer", "equals", text("https://spam-%d.example/")
	}
	return "sub1", "equals", text("bad-zone-%d")
}

// visitFrom follows the tracking link once.
func (r *run) visitFrom(ctx context.Context, ip string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.fleet.URL+r.link.RequestURI(), nil)
	if err != nil {
		return err
	}
	req.Host, req.Header = r.link.Host, r.visitors.People[0].Headers("en")
	req.Header.Set("X-Forwarded-For", ip)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return err
	}
	r.sent++
	return resp.Body.Close()
}
