package bench

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/db"
	"switchyard/ops/client"
	"switchyard/ops/devstack"
	"switchyard/ops/lab/fleet"
)

const (
	few        = 10
	many       = 10_000
	pathsEach  = 20
	toggles    = 20
	goalMany   = 0.9
	goalChange = time.Second
)

// snapshot compares few with many campaigns: the redirect rate, and the start and the memory of a web process. It also measures
// how soon a change is live.
func (r *run) snapshot(ctx context.Context) error {
	d, err := db.Open(ctx, r.fleet.DatabaseURL, db.Options{Name: "bench"})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := r.pattern(ctx); err != nil {
		return err
	}
	if _, err := r.fill(ctx, d, 0, few); err != nil {
		return err
	}
	light, err := r.another(ctx, few, "/many-0")
	if err != nil {
		return err
	}
	if err := light.process.Terminate(ctx); err != nil {
		return err
	}
	small, err := r.spread(ctx, few)
	if err != nil {
		return err
	}
	live, err := r.fill(ctx, d, few, many)
	if err != nil {
		return err
	}
	r.logf("%d more campaigns with %d paths each are live %s after they were stored", many-few, pathsEach, short(live))
	large, err := r.spread(ctx, many)
	if err != nil {
		return err
	}
	ratio := large / small
	r.add(fmt.Sprintf("rate with %d campaigns of %d paths / rate with %d", many, pathsEach, few),
		fmt.Sprintf("%.2f", ratio), fmt.Sprintf(">= %.2f", goalMany), ratio >= goalMany)
	heavy, err := r.another(ctx, many, "/many-0")
	if err != nil {
		return err
	}
	r.add(fmt.Sprintf("start of a web process with %d campaigns of %d paths; of one with %d campaigns", many, pathsEach, few),
		short(heavy.started)+", "+short(light.started), "", true)
	r.add("memory of a process that has just started, per campaign",
		fmt.Sprintf("%.1f kB", float64(heavy.memory-light.memory)/(many-few)), "", true)
	return r.changes(ctx, heavy.url)
}

const patternAlias = "bench-pattern"

func (r *run) pattern(ctx context.Context) error {
	var streams []object
	for i := range pathsEach {
		streams = append(streams, object{
			"name": fmt.Sprintf("p%d", i), "action": "redirect",
			"destinations": []object{{"url": "https://offer.example/landing?cid={clickid}&p=" + strconv.Itoa(i)}},
			"filters": []object{
				{"attribute": "country", "operator": "in", "value": []string{"US", "DE", "FR", "BR", "IN", "JP"}[i%6:]},
				{"attribute": "browser_version", "operator": "gte", "value": strconv.Itoa(50 + i)},
				{"attribute": "user_agent", "operator": "not_contains", "value": "pixel " + strconv.Itoa(i)},
			},
		})
	}
	streams[pathsEach-1]["stream_type"] = "default" // takes visitors that match no other path
	delete(streams[pathsEach-1], "filters")
	var made struct{ ID string }
	return r.api.Create(ctx, "/campaigns", object{"name": "pattern", "alias": patternAlias, "streams": streams}, &made)
}

// fill adds copies of the campaign "pattern" and waits until the last one is live. The values of the user agent conditions differ
// from copy to copy.
func (r *run) fill(ctx context.Context, d *db.DB, from, to int) (time.Duration, error) {
	const q = `INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams)
		SELECT gen_random_uuid(), account_id, 'many-' || n, 'many-' || n, domain_id,
			replace(streams::text, 'pixel ', 'pixel ' || n || ' ')::jsonb
		FROM campaigns, generate_series($1::int, $2::int - 1) n WHERE name = 'pattern'`
	if _, err := d.ExecContext(ctx, q, from, to); err != nil {
		return 0, fmt.Errorf("bench: campaigns: %w", err)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := client.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		status, err := r.head(ctx, r.fleet.URL, "/many-"+strconv.Itoa(to-1))
		return status == http.StatusFound, err
	})
	return time.Since(began), err
}

func (r *run) head(ctx context.Context, base, path string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, base+path, nil)
	if err != nil {
		return 0, err
	}
	req.Host = r.link.Host
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// spread measures the redirect rate of visits to links of n campaigns, as a share of the bare server's rate.
func (r *run) spread(ctx context.Context, n int) (float64, error) {
	load := Load{Connections: r.Connections, Duration: r.Duration, Status: "302"}
	bareLoad, realLoad := load, load
	bareLoad.Addr, realLoad.Addr = r.bare, r.real
	realLoad.Requests = visits(r.visitors, r.link.Host, "/many-0")
	for i := range realLoad.Requests {
		text := strings.Replace(string(realLoad.Requests[i].Bytes), "/many-0", "/many-"+strconv.Itoa(i*7919%n), 1)
		realLoad.Requests[i].Bytes = []byte(text)
	}
	bareLoad.Requests = realLoad.Requests
	var shares []float64
	for range max(1, (r.Rounds+1)/2) {
		var bare, tracked turns
		if _, err := bare.run(ctx, bareLoad, r.fleet.Find("bare")); err != nil {
			return 0, err
		}
		if _, err := r.visit(ctx, &tracked, realLoad); err != nil {
			return 0, err
		}
		shares = append(shares, tracked.rates[0]/bare.rates[0])
		r.logf("links of %d campaigns: %.0f/s, bare %.0f/s", n, tracked.rates[0], bare.rates[0])
	}
	return median(shares), nil
}

func (r *run) another(ctx context.Context, campaigns int, link string) (web, error) {
	port, err := devstack.FreePort()
	if err != nil {
		return web{}, err
	}
	began := time.Now()
	w := web{url: fmt.Sprintf("http://127.0.0.1:%d", port)}
	if w.process, err = r.fleet.SpawnWith([]string{"PORT=" + strconv.Itoa(port), "OPS_ADDR="}, "web"); err != nil {
		return w, err
	}
	starting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = client.Poll(starting, 20*time.Millisecond, func() (bool, error) {
		status, err := r.head(starting, w.url, link)
		return err == nil && status == http.StatusFound, nil
	})
	if err != nil {
		return w, fmt.Errorf("bench: another web process: %w", err)
	}
	w.started = time.Since(began)
	w.memory, err = w.process.Memory("VmRSS")
	r.logf("a web process with %d campaigns answers %s after its start and uses %d MB", campaigns, short(w.started), w.memory>>10)
	return w, err
}

type web struct {
	process *fleet.Process
	url     string
	started time.Duration
	memory  int // kB, resident
}

// changes pauses and resumes a campaign in turn.
func (r *run) changes(ctx context.Context, second string) error {
	var took []time.Duration
	for i := range toggles {
		status, want := "paused", http.StatusNotFound
		if i%2 == 1 {
			status, want = "active", http.StatusFound
		}
		sent := time.Now()
		if err := r.api.Do(ctx, http.StatusOK, http.MethodPatch, "/campaigns/"+r.campaign, object{"status": status}, nil); err != nil {
			return err
		}
		for _, base := range []string{r.fleet.URL, second} {
			waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
			err := client.Poll(waiting, 2*time.Millisecond, func() (bool, error) {
				got, err := r.head(waiting, base, r.link.Path)
				return got == want, err
			})
			cancel()
			if err != nil {
				return fmt.Errorf("bench: a change is not live: %w", err)
			}
		}
		took = append(took, time.Since(sent))
	}
	slices.Sort(took)
	worst := took[len(took)-1]
	r.add(fmt.Sprintf("time from a PATCH until two web processes route by it, %d campaigns", many),
		fmt.Sprintf("p50 %s, worst of %d: %s", short(median(took)), toggles, short(worst)), "<= "+goalChange.String(), worst <= goalChange)
	return nil
}
