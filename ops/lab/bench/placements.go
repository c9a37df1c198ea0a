package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"switchyard/ops/client"
)

const (
	placements        = 50_000
	clicksEach        = 3 // average number of clicks of a placement
	blockedPlacements = 5_000
	reports           = 9
	goalBlocked       = 0.95
	goalPlacements    = time.Second
)

// placements fills a campaign with clicks of 50,000 placements and measures its report. Then it blocks 5,000 placements in one
// call, measures the time until two web processes no longer route visitors of these placements, and compares the rate of the
// campaign with the rate of a campaign without blocked values.
func (r *run) placements(ctx context.Context) error {
	without := r.side(r.sent)
	var err error
	if _, r.api, err = r.fleet.Account(ctx, "Bench placements", "scale"); err != nil {
		return err
	}
	if err := r.create(ctx, "bench-placements"); err != nil {
		return err
	}
	r.sent = 0
	second, err := r.another(ctx, 2, r.link.Path)
	if err != nil {
		return err
	}
	if err := r.fillPlacements(ctx); err != nil {
		return err
	}
	if err := r.reportPlacements(ctx); err != nil {
		return err
	}
	if err := r.blockPlacements(ctx, second.url); err != nil {
		return err
	}
	if err := second.process.Terminate(ctx); err != nil {
		return err
	}
	with := r.side(r.sent)
	ratio, err := r.compare(ctx, without, with, "with blocked placements")
	if err != nil {
		return err
	}
	r.add("tracking link, no blocked values", without.String(), "", true)
	r.add(fmt.Sprintf("tracking link, %d blocked placements", blockedPlacements), with.String(), "", true)
	r.add("rate with blocked placements / rate without, median", fmt.Sprintf("%.3f", ratio), fmt.Sprintf(">= %.2f", goalBlocked), ratio >= goalBlocked)
	return nil
}

func placement(n int) string { return fmt.Sprintf("place-%05d", n) }

func (r *run) fillPlacements(ctx context.Context) error {
	load := Load{Addr: r.real, Connections: r.Connections, Duration: r.Duration, Status: "302"}
	for n := range placements {
		agent, from := r.visitors.People[n%len(r.visitors.People)], r.visitors.Addresses[n%len(r.visitors.Addresses)]
		req := request(r.link.Host, r.link.Path+"?bid=0.01&sub1="+placement(n), agent, neighbour(from.IP), languages[n%len(languages)])
		req.Digits = digitsOfNeighbour(req.Bytes)
		load.Requests = append(load.Requests, req)
	}
	for r.sent < clicksEach*placements {
		if _, err := r.visit(ctx, &turns{}, load); err != nil {
			return err
		}
		r.logf("%d clicks of %d placements are counted", r.sent, placements)
	}
	return nil
}

func (r *run) reportPlacements(ctx context.Context) error {
	ask := "/reports/performance?" + url.Values{"dimension": {"sub1"}, "sort": {"-clicks"}, "limit": {"1000"}}.Encode()
	var took []time.Duration
	for range reports {
		began := time.Now()
		var report struct{ Rows []struct{ Clicks int } }
		if err := r.api.Get(ctx, ask, &report); err != nil {
			return err
		}
		if len(report.Rows) != 1000 {
			return fmt.Errorf("bench: a report of %d placements has %d rows", placements, len(report.Rows))
		}
		took = append(took, time.Since(began))
	}
	p50 := median(took)
	r.add(fmt.Sprintf("report of %d placements: the first 1,000 rows", placements),
		fmt.Sprintf("p50 %s, worst of %d: %s", short(p50), reports, short(slices.Max(took))), "<= "+goalPlacements.String(), p50 <= goalPlacements)
	return nil
}

func (r *run) blockPlacements(ctx context.Context, second string) error {
	values := make([]string, blockedPlacements)
	for n := range values {
		values[n] = placement(n)
	}
	body := object{"scope": "campaign", "campaign_id": r.campaign, "dimension": "sub1", "values": values}
	sent := time.Now()
	var change struct{ Blocked int }
	if err := r.api.Do(ctx, http.StatusOK, http.MethodPost, "/blocks", body, &change); err != nil {
		return err
	}
	answered := time.Since(sent)
	if change.Blocked != blockedPlacements {
		return fmt.Errorf("bench: %d of %d placements were blocked", change.Blocked, blockedPlacements)
	}
	waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, base := range []string{r.fleet.URL, second} {
		for _, n := range []int{0, blockedPlacements - 1} {
			err := client.Poll(waiting, 2*time.Millisecond, func() (bool, error) {
				status, err := r.head(waiting, base, r.link.Path+"?sub1="+placement(n))
				return status != http.StatusFound, err
			})
			if err != nil {
				return fmt.Errorf("bench: blocked placements are still routed: %w", err)
			}
		}
	}
	live := time.Since(sent)
	status, err := r.head(ctx, second, r.link.Path+"?sub1="+placement(blockedPlacements))
	if err == nil && status != http.StatusFound {
		err = fmt.Errorf("bench: a placement that is not blocked is answered with %d", status)
	}
	r.add(fmt.Sprintf("%d placements blocked in one call: the call; until two web processes refuse them", blockedPlacements),
		short(answered)+"; "+short(live), "<= "+goalChange.String(), live <= goalChange)
	return err
}
