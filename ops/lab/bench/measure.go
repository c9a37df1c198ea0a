package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"switchyard/ops/lab/fleet"
)

type turns struct {
	rates    []float64
	p50, p99 []time.Duration
	cpu      []time.Duration // processor time of the server process per answer
}

func (t *turns) run(ctx context.Context, l Load, p *fleet.Process) (Result, error) {
	before := p.CPU()
	result, err := l.Run(ctx)
	if err != nil {
		return result, err
	}
	t.rates = append(t.rates, result.Rate())
	t.p50 = append(t.p50, result.Percentile(0.5))
	t.p99 = append(t.p99, result.Percentile(0.99))
	t.cpu = append(t.cpu, (p.CPU()-before)/time.Duration(max(result.Count, 1)))
	return result, nil
}

func (t *turns) String() string {
	return fmt.Sprintf("%6.0f/s  p50 %s  p99 %s  %s CPU each", median(t.rates), short(median(t.p50)), short(median(t.p99)),
		median(t.cpu).Round(100*time.Nanosecond))
}

func (r *run) redirects(ctx context.Context) error {
	link := r.link.RequestURI()
	load := Load{Connections: r.Connections, Duration: r.Duration, Status: "302", Requests: visits(r.visitors, r.link.Host, link)}
	bareLoad, realLoad, floodLoad := load, load, load
	bareLoad.Addr, realLoad.Addr, floodLoad.Addr = r.bare, r.real, r.real
	floodLoad.Requests = floodVisits(r.visitors, r.link.Host, link)
	var bare, tracked, flood turns
	warm := realLoad
	warm.Duration = 2 * time.Second // fills the cache of user agents, as traffic does
	if _, err := r.visit(ctx, &turns{}, warm); err != nil {
		return err
	}
	for i := range r.Rounds {
		if _, err := bare.run(ctx, bareLoad, r.fleet.Find("bare")); err != nil {
			return err
		}
		wait, err := r.visit(ctx, &tracked, realLoad)
		if err != nil {
			return err
		}
		r.logf("round %d of %d: bare %.0f/s, tracking link %.0f/s (all counted %s later)", i+1, r.Rounds, bare.rates[i],
			tracked.rates[i], short(wait))
	}
	for i := range max(1, r.Rounds/2) {
		if _, err := r.visit(ctx, &flood, floodLoad); err != nil {
			return err
		}
		r.logf("random user agents: %.0f/s", flood.rates[i])
	}
	ratio, p99 := median(tracked.rates)/median(bare.rates), median(tracked.p99)
	flooded := median(flood.rates) / median(tracked.rates)
	r.add(fmt.Sprintf("bare gin handler, %d connections", r.Connections), bare.String(), "", true)
	r.add(fmt.Sprintf("tracking link, %d connections", r.Connections), tracked.String(), "", true)
	r.add("rate of the tracking link / rate of the bare handler", fmt.Sprintf("%.2f", ratio), fmt.Sprintf(">= %.2f", goalRatio), ratio >= goalRatio)
	r.add("p99 of the tracking link", short(p99), "<= "+goalP99.String(), p99 <= goalP99)
	r.add("flood of random user agents", flood.String(), "", true)
	r.add("rate in the flood / usual rate", fmt.Sprintf("%.2f", flooded), fmt.Sprintf(">= %.2f", goalRatio), flooded >= goalRatio)
	return nil
}

func (r *run) visit(ctx context.Context, t *turns, l Load) (time.Duration, error) {
	result, err := t.run(ctx, l, r.fleet.Find("web"))
	r.sent += result.Count
	if err != nil {
		return 0, err
	}
	return r.drain(ctx)
}

func (r *run) ingest(ctx context.Context) error {
	held, err := r.sustainRate(ctx, goalIngest, ingestSeconds*time.Second)
	if err != nil {
		return err
	}
	keeps := held.wait <= goalLag && held.Rate() >= 0.98*goalIngest
	r.add(fmt.Sprintf("ingest at %d clicks/s for %d s", goalIngest, ingestSeconds), held.String(),
		"<= "+goalLag.String()+" behind", keeps)
	r.add(fmt.Sprintf("latency at %d clicks/s", goalIngest), held.latency(), "", true)
	return nil
}

// sustain sends clicks at twice the promised rate, so that redirects and ingest compete for the processors all the time.
func (r *run) sustain(ctx context.Context) error {
	m, err := r.newMeter(ctx)
	if err != nil {
		return err
	}
	held, err := r.sustainRate(ctx, goalSustained, r.Sustained)
	if err != nil {
		return err
	}
	r.costs(fmt.Sprintf("a click at %d/s", goalSustained), m.used(held.Count))
	r.add(fmt.Sprintf("ingest at %d clicks/s for %s", goalSustained, r.Sustained), held.String(),
		fmt.Sprintf("<= %d behind", goalBacklog), held.worst <= goalBacklog && held.Rate() >= 0.98*goalSustained)
	p99 := held.Percentile(0.99)
	r.add(fmt.Sprintf("latency at %d clicks/s", goalSustained), held.latency(), "p99 <= "+goalP99.String(), p99 <= goalP99)
	return nil
}

type sustained struct {
	Result
	worst int           // largest number of clicks that were sent but not in the reports yet
	wait  time.Duration // time from the last click until the reports counted all clicks
}

func (h sustained) String() string {
	return fmt.Sprintf("%.0f/s sent, at most %d behind, all counted %s after the last", h.Rate(), h.worst, short(h.wait))
}

func (h sustained) latency() string {
	return fmt.Sprintf("p50 %s  p99 %s", short(h.Percentile(0.5)), short(h.Percentile(0.99)))
}

func (r *run) sustainRate(ctx context.Context, rate int, d time.Duration) (h sustained, err error) {
	l := Load{
		Addr: r.real, Connections: r.Connections, Duration: d, Rate: float64(rate), Status: "302",
		Requests: visits(r.visitors, r.link.Host, r.link.RequestURI()),
	}
	done := make(chan error, 1)
	before, began := r.sent, time.Now()
	go func() {
		var err error
		h.Result, err = l.Run(ctx)
		done <- err
	}()
	if h.worst, err = r.watch(ctx, before, rate, began, done); err != nil {
		return h, err
	}
	r.sent += h.Count
	h.wait, err = r.drain(ctx)
	r.logf("%d clicks at %d/s: %s; %s", h.Count, rate, h, h.latency())
	return h, err
}

// watch compares the number of counted clicks with the number that must have been sent, until the load is done.
func (r *run) watch(ctx context.Context, before, rate int, began time.Time, done <-chan error) (worst int, err error) {
	tick := time.NewTicker(10 * time.Second) // rarely: a query reads all rows that are not compacted, and costs time
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return worst, err
		case <-tick.C:
			due := int(time.Since(began).Seconds() * float64(rate))
			n, err := r.counted(ctx)
			if err != nil {
				return worst, err
			}
			worst = max(worst, due-(n-before))
		}
	}
}

// start measures the time from an API call to the start of the job that the call awaits.
func (r *run) start(ctx context.Context) error {
	const calls = 100
	var hook struct{ ID, Secret string }
	body := object{"url": r.receiver.URL("/hook"), "events": []string{"campaign.paused"}}
	if err := r.api.Create(ctx, "/webhooks", body, &hook); err != nil {
		return err
	}
	r.receiver.SetSecret("/hook", hook.Secret)
	var result Result
	for range calls {
		sent := time.Now()
		if err := r.api.Do(ctx, http.StatusOK, http.MethodPost, "/webhooks/test", object{"id": hook.ID}, nil); err != nil {
			return err
		}
		attempts := r.receiver.Attempts()
		if len(attempts) == 0 || attempts[len(attempts)-1].Problem != "" {
			return errors.New("bench: the ping did not arrive, or it was not correct")
		}
		result.latencies = append(result.latencies, attempts[len(attempts)-1].ReceivedAt.Sub(sent))
	}
	slices.Sort(result.latencies)
	p95 := result.Percentile(0.95)
	r.logf("awaited jobs: p50 %s, p95 %s", short(result.Percentile(0.5)), short(p95))
	r.add("time from an API call until its awaited job runs (a webhook's ping arrives)", fmt.Sprintf("p50 %s  p95 %s",
		short(result.Percentile(0.5)), short(p95)), "p95 <= "+goalStart.String(), p95 <= goalStart)
	return nil
}

func (r *run) choice(context.Context) error {
	result, err := pick()
	if err != nil {
		return err
	}
	took := time.Duration(result.NsPerOp())
	r.add("flow.Pick, 20 paths of 3 conditions", fmt.Sprintf("%s, %d allocations", took, result.AllocsPerOp()),
		"< "+goalPick.String()+", 0 allocations", took < goalPick && result.AllocsPerOp() == 0)
	return nil
}
