package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"switchyard/ops/client"
)

// The measured bot lists have listEntries entries with listValues values each. They match only visitors from one address, the
// constant `listed`.
const (
	listEntries = 10
	listValues  = 10_000
	listed      = "203.0.113.77"
)

// slice is the length of a turn. Turns are short, so that other load on the machine hardly changes between two of them.
const slice = 250 * time.Millisecond

// side is one of the two accounts that are compared, with its campaign. Both campaigns have the same settings.
type side struct {
	turns
	load Load
	api  *client.API
	link *url.URL
	sent int
}

func (r *run) side(requests int) *side {
	return &side{api: r.api, link: r.link, sent: requests, load: Load{
		Addr: r.real, Connections: r.Connections, Duration: slice, Status: "302",
		Requests: visits(r.visitors, r.link.Host, r.link.RequestURI()),
	}}
}

// lists compares the rate of tracking links of two accounts. One account scores by all signals and has bot lists of 100,000
// values. The other account has no lists, and its signals are switched off. The accounts take turns in short slices, and the
// order alternates.
func (r *run) lists(ctx context.Context) error {
	without := r.side(r.sent)
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
	with := r.side(r.sent)
	ratio, err := r.compare(ctx, without, with, "with lists and signals")
	if err != nil {
		return err
	}
	r.add("tracking link, no bot lists, all signals switched off", without.String(), "", true)
	r.add(fmt.Sprintf("tracking link, all signals and %d list entries", listEntries*listValues), with.String(), "", true)
	r.add("rate with lists / rate without, median", fmt.Sprintf("%.2f", ratio), fmt.Sprintf(">= %.2f", goalLists), ratio >= goalLists)
	return nil
}

// compare divides, in each round, the rate of `with` by the rate of `without`, and returns the median of these quotients.
func (r *run) compare(ctx context.Context, without, with *side, name string) (float64, error) {
	if _, err := r.round(ctx, without, with, 4); err != nil { // fills the cache of user agents, as traffic does
		return 0, err
	}
	without.turns, with.turns = turns{}, turns{}
	ratios := make([]float64, r.Rounds)
	for i := range ratios {
		var err error
		if ratios[i], err = r.round(ctx, without, with, max(2, int(r.Duration/slice))); err != nil {
			return 0, err
		}
		r.logf("round %d of %d: %s %.2f of the rate without", i+1, r.Rounds, name, ratios[i])
	}
	return median(ratios), nil
}

func (r *run) round(ctx context.Context, without, with *side, slices int) (float64, error) {
	began := [2]int{without.sent, with.sent}
	for i := range slices {
		order := []*side{without, with}
		if i%2 == 1 {
			order = []*side{with, without}
		}
		for _, s := range order {
			result, err := s.run(ctx, s.load, r.fleet.Find("web"))
			s.sent += result.Count
			if err != nil {
				return 0, err
			}
		}
	}
	for _, s := range []*side{without, with} {
		r.api, r.link, r.sent = s.api, s.link, s.sent
		if _, err := r.drain(ctx); err != nil {
			return 0, err
		}
	}
	return float64(with.sent-began[1]) / float64(max(1, without.sent-began[0])), nil
}

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
		var created struct {
			Count int `json:"value_count"`
		}
		if err := r.api.Create(ctx, "/bot-lists", body, &created); err != nil {
			return err
		}
		if created.Count != listValues {
			return fmt.Errorf("bench: a list of %d values has %d", listValues, created.Count)
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

// denied describes an entry of the bot lists. The values that it makes match no visitor: addresses of 241.0.0.0/8, for example, are
// not in use. fillLists replaces one of the values by `listed`.
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
