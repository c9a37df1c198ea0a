package bench

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"switchyard/ops/client"
	"switchyard/ops/devstack"
	"switchyard/ops/lab/fleet"
	"switchyard/ops/visitors"
)

// Options of a run.
type Options struct {
	Rounds      int // number of rounds of a comparison, such as a bare HTTP server against the service
	Duration    time.Duration
	Connections int           // number of connections of loads at full rate
	Sustained   time.Duration // length of the load at twice the promised rate
	Clicks      int           // number of clicks in the week on which reports are measured; default 2,000,005
	Flood       int           // number of clicks in each flood; 0: no floods
	Parts       []string      // names that the function Parts returns; empty: all parts
	Out         io.Writer
	Binary      string
	Detector    Detector
}

const (
	goalRatio     = 0.5
	goalP99       = 15 * time.Millisecond
	goalIngest    = 2500 // clicks a second
	goalSustained = 5000
	goalBacklog   = 50_000 // clicks: ten seconds at the sustained rate
	goalLag       = 3 * time.Second
	goalPick      = 2 * time.Microsecond
	goalStart     = 50 * time.Millisecond
	ingestSeconds = 15
)

type run struct {
	Options
	began    time.Time
	visitors visitors.Set
	fleet    *fleet.Fleet
	receiver *fleet.Receiver
	api      *client.API
	bare     string
	real     string
	link     *url.URL
	campaign string
	issuer   *issuer // issues certificates; nil except in the TLS part
	sent     int
	rows     []row
	missed   int
}

// A row without a goal has no verdict.
type row struct {
	what, value, goal string
	met               bool
}

// ErrMissed means that a goal was not reached on this machine.
var ErrMissed = errors.New("bench: a goal was missed")

// Each part runs on its own instance of the service.
type part struct {
	name  string
	steps []func(*run, context.Context) error
}

var parts = []part{
	{name: "redirect", steps: []func(*run, context.Context) error{(*run).setUp, (*run).redirects, (*run).ingest, (*run).choice}},
	{name: "sustain", steps: []func(*run, context.Context) error{(*run).setUp, (*run).sustain}},
	{name: "flood", steps: []func(*run, context.Context) error{(*run).setUp, (*run).flood}},
	{name: "many", steps: []func(*run, context.Context) error{(*run).setUp, (*run).snapshot}},
	{name: "foreign", steps: []func(*run, context.Context) error{(*run).setUp, (*run).foreign}},
	{name: "placements", steps: []func(*run, context.Context) error{(*run).setUp, (*run).placements}},
	{name: "jobs", steps: []func(*run, context.Context) error{(*run).setUp, (*run).start, (*run).events}},
	{name: "bots", steps: []func(*run, context.Context) error{(*run).setUp, (*run).detectors, (*run).lists}},
	{name: "figures", steps: []func(*run, context.Context) error{(*run).figures}},
	{name: "scale", steps: []func(*run, context.Context) error{(*run).scaling}},
	{name: "tls", steps: []func(*run, context.Context) error{(*run).secureSetUp, (*run).secure, (*run).certificates}},
}

// Parts returns the names of the parts.
func Parts() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// Run runs the measurements and prints a table with goals and verdicts. It returns ErrMissed if a goal was missed.
func Run(ctx context.Context, o Options) (err error) {
	r := &run{Options: o, began: time.Now()}
	if r.visitors, err = visitors.Load(); err != nil {
		return err
	}
	for _, p := range parts {
		if len(o.Parts) > 0 && !slices.Contains(o.Parts, p.name) {
			continue
		}
		if err := r.part(ctx, p); err != nil {
			return err
		}
	}
	return r.table()
}

func (r *run) part(ctx context.Context, p part) (err error) {
	r.sent, r.link, r.campaign = 0, nil, ""
	if r.receiver, err = fleet.NewReceiver(nil); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.receiver.Close()) }()
	r.logf("%s: starting private servers and the service", p.name)
	r.fleet, err = fleet.Start(ctx, fleet.Options{
		Binary: r.Binary, Receiver: r.receiver, Env: []string{"LOG_LEVEL=warn", "ENCRYPTION_KEY=" + hex.EncodeToString(encryptionKey)},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.fleet.Close()) }()
	if err := r.steps(ctx, p); err != nil {
		return fmt.Errorf("%w\n%s", err, r.fleet.Tails())
	}
	return nil
}

func (r *run) steps(ctx context.Context, p part) error {
	for _, step := range p.steps {
		if err := step(r, ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) setUp(ctx context.Context) error {
	port, err := devstack.FreePort()
	if err != nil {
		return err
	}
	r.bare = "127.0.0.1:" + strconv.Itoa(port)
	if _, err := r.fleet.SpawnSelf("bare", "--addr", r.bare); err != nil {
		return err
	}
	if err := r.fleet.StartAll(ctx); err != nil {
		return err
	}
	r.real = strings.TrimPrefix(r.fleet.URL, "http://")
	if _, r.api, err = r.fleet.Account(ctx, "Bench", "scale"); err != nil {
		return err
	}
	return r.create(ctx, "bench-campaign")
}

type object = map[string]any

func (r *run) create(ctx context.Context, alias string) error {
	var source, campaign struct{ ID, URL string }
	err := r.api.Create(ctx, "/traffic-sources", object{
		"name": "s", "token_macros": object{"sub1": "{zone}", "sub2": "{creative}"}, "cost_param": "bid",
		"external_id_param": "xid",
	}, &source)
	if err != nil {
		return err
	}
	var to []object
	for i, weight := range []int{60, 30, 10} {
		var offer struct{ ID string }
		body := object{
			"name":   fmt.Sprintf("o%d", i),
			"url":    "https://offer.example/landing?cid={clickid}&c={country}&os={os}&s={sub1}&x={external_id}",
			"payout": 1 + i,
		}
		if err := r.api.Create(ctx, "/offers", body, &offer); err != nil {
			return err
		}
		to = append(to, object{"id": offer.ID, "weight": weight})
	}
	filter := func(attribute, operator string, value any) object {
		return object{"attribute": attribute, "operator": operator, "value": value}
	}
	path := func(name, kind string, filters ...object) object {
		return object{"name": name, "stream_type": kind, "action": "offer", "destinations": to, "filters": filters}
	}
	err = r.api.Create(ctx, "/campaigns", object{
		"name": "bench", "alias": alias, "source_id": source.ID,
		"streams": []object{
			path("forced", "forced", filter("country", "in", []string{"NZ", "KE"}), filter("device_type", "equals", "tv")),
			path("phones", "regular", filter("os", "in", []string{"Android", "iOS"}),
				filter("browser_version", "gte", "90"), filter("language", "in", []string{"en", "de", "es"})),
			path("desktops", "regular", filter("device_type", "equals", "desktop"),
				filter("country", "not_in", []string{"CN", "RU"}), filter("user_agent", "not_contains", "Electron")),
			path("rest", "default"),
		},
	}, &campaign)
	if err != nil {
		return err
	}
	r.campaign = campaign.ID
	if r.link, err = url.Parse(campaign.URL); err != nil {
		return err
	}
	return r.waitLive(ctx)
}

func (r *run) waitLive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return client.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, r.fleet.URL+r.link.Path, nil)
		if err != nil {
			return false, err
		}
		req.Host = r.link.Host
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return false, err
		}
		return resp.StatusCode == http.StatusFound, resp.Body.Close()
	})
}

func (r *run) counted(ctx context.Context) (int, error) {
	var got struct {
		Clicks int `json:"clicks"`
		Bots   int `json:"bot_clicks"`
	}
	err := r.api.Get(ctx, "/stats/overview", &got)
	return got.Clicks + got.Bots, err
}

// drain waits until the reports count every click that was sent, so that the next measurement begins on a quiet machine.
func (r *run) drain(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	n := 0
	err := client.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		var err error
		n, err = r.counted(ctx)
		return n >= r.sent, err
	})
	if err == nil && n != r.sent {
		err = errors.New("more than were answered")
	}
	if err != nil {
		return 0, fmt.Errorf("bench: %d of %d clicks are counted: %w", n, r.sent, err)
	}
	return time.Since(began), nil
}

func (r *run) add(what, value, goal string, met bool) {
	r.rows = append(r.rows, row{what, value, goal, met})
	if goal != "" && !met {
		r.missed++
	}
}

func (r *run) table() error {
	_, _ = fmt.Fprintf(r.Out, "\n%d processors, %s, %.0f s\n\n", runtime.NumCPU(), runtime.Version(), time.Since(r.began).Seconds())
	w := tabwriter.NewWriter(r.Out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "WHAT\tMEASURED\tGOAL\tVERDICT")
	for _, row := range r.rows {
		verdict := ""
		if row.goal != "" {
			verdict = map[bool]string{true: "met", false: "MISSED"}[row.met]
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row.what, row.value, row.goal, verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.missed > 0 {
		return ErrMissed
	}
	return nil
}

func (r *run) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Out, "[%5.1f s] %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}

// median returns the value in the middle. For an even number of values, it returns the larger of the two in the middle.
func median[T cmp.Ordered](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

func short(d time.Duration) string {
	if d >= time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
