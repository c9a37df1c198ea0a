package smoke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"text/tabwriter"
	"time"

	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
	"switchyard/ops/visitors"
)

// Options of a run.
type Options struct {
	// URL is the address of a running service, which trusts 127.0.0.1 as a proxy, and Key is a full key of an account without
	// traffic. Empty means that the run starts its own service. Webhooks and platforms are not checked on a running service.
	URL, Key string
	// Binary is the program that the run starts if URL is empty.
	Binary string
	// ClicksURL is the ClickHouse in which the run's own service keeps a copy of its clicks. Empty means no copy.
	ClicksURL string
	// Clicks is the number of visitors that are sent.
	Clicks int
	// AdFake makes the fake of the ad platform with the given name.
	AdFake func(platform string) AdFake
	// Out receives the progress and the result.
	Out io.Writer
}

// ErrDifferent means that the service's figures differ from what the run sent, or that the service broke a rule.
var ErrDifferent = errors.New("the figures differ")

type run struct {
	Options
	began     time.Time
	fleet     *fleet.Fleet
	receiver  *fleet.Receiver
	sites     *fleet.Sites // of the platforms
	platforms *platforms
	ads       *adServer
	rates     string // directory with the file of exchange rates
	traffic   *traffic
}

// Run sets up the service, sends all traffic and compares every figure.
func Run(ctx context.Context, o Options) (err error) {
	r := &run{Options: o, began: time.Now()}
	defer func() { err = errors.Join(err, r.close()) }()
	set, err := visitors.Load()
	if err != nil {
		return err
	}
	pages, err := newPages()
	if err != nil {
		return fmt.Errorf("smoke: %w", err)
	}
	defer func() { _ = pages.server.Close() }()
	r.traffic = &traffic{visitors: set, client: newClient()}
	api, err := r.service(ctx)
	if err != nil {
		return err
	}
	api.Checks = limits
	r.logf("creating networks, sources, offers, landers and campaigns through the API")
	if r.traffic.env, err = build(ctx, api, pages); err != nil {
		return err
	}
	if err := r.play(ctx); err != nil {
		return errors.Join(err, r.logs())
	}
	return r.verdict()
}

// service returns a client of a new service, or of the running service that the options name.
func (r *run) service(ctx context.Context) (*client.API, error) {
	r.traffic.base = r.URL
	if r.URL != "" {
		return client.New(r.URL, r.Key), nil
	}
	var err error
	if r.receiver, err = fleet.NewReceiver(failSometimes); err != nil {
		return nil, err
	}
	r.ads = newAdServer(r.AdFake)
	r.platforms = &platforms{others: r.ads}
	if r.sites, err = r.receiver.Sites(r.platforms, append(r.ads.hosts(), everflowHost, metaHost, metaSignIn)...); err != nil {
		return nil, err
	}
	if r.rates, err = os.MkdirTemp("", "smoke-rates-"); err != nil {
		return nil, fmt.Errorf("smoke: %w", err)
	}
	rates, err := ratesFile(r.rates)
	if err != nil {
		return nil, fmt.Errorf("smoke: %w", err)
	}
	r.logf("starting private servers and the service")
	r.fleet, err = fleet.Start(ctx, fleet.Options{
		Binary: r.Binary, Receiver: r.receiver, Out: r.Out,
		Env: append(r.ads.settings(), "WEBHOOK_SCHEDULE="+schedule, r.sites.Setting(), "META_APP_ID="+metaApp, "META_APP_SECRET="+metaSecret,
			"CLICKS_URL="+r.ClicksURL, rates),
	})
	if err != nil {
		return nil, err
	}
	if err := r.fleet.StartAll(ctx); err != nil {
		return nil, err
	}
	if err := r.startCopy(ctx); err != nil {
		return nil, err
	}
	r.traffic.base = r.fleet.URL
	r.logf("creating an account and a key on the command line")
	account, api, err := r.fleet.Account(ctx, "Smoke", "scale")
	r.traffic.account = account
	return api, err
}

func (r *run) play(ctx context.Context) error {
	t := r.traffic
	link, err := url.Parse(t.campaigns["direct"].link)
	if err != nil {
		return err
	}
	t.host = link.Hostname()
	var platforms *money
	var ads *adRun
	if r.receiver != nil {
		if err := t.subscribe(ctx, r.receiver); err != nil {
			return err
		}
		r.logf("connecting Everflow and Meta under their own names; importing orders and spend")
		if platforms, err = t.startMoney(ctx, r.fleet, r.platforms, r.sites, r.receiver); err != nil {
			return err
		}
		r.logf("connecting %d ad platforms; importing spend, reporting conversions", len(adPlatforms))
		if ads, err = t.startAds(ctx, r.fleet, r.ads, r.sites); err != nil {
			return fmt.Errorf("ad platforms: %w", err)
		}
	}
	live, err := t.waitLive(ctx)
	if err != nil {
		return err
	}
	r.logf("tracking links are live %d ms after the last change; sending %d visitors", live.Milliseconds(), r.Clicks)
	if err := t.send(ctx, r.Clicks); err != nil {
		return err
	}
	t.unused()
	r.logf("%d visitors were routed, besides %d requests that must not count; reporting conversions", len(t.clicks), t.noise)
	if err := t.convert(ctx); err != nil {
		return err
	}
	r.logf("%d conversions; checking the rules of the API", len(t.expected()))
	t.rules(ctx)
	if err := t.pause(ctx); err != nil {
		return err
	}
	if r.receiver != nil {
		if err := t.ping(ctx); err != nil {
			return err
		}
		if err := t.strangers(ctx, r.fleet); err != nil {
			return err
		}
		r.logf("a buyer's day: source, network, lander, offer and postbacks, with the addresses that the API returns")
		if err := t.buyersDay(ctx, r.fleet); err != nil {
			return err
		}
		r.logf("Everflow and Meta revise their reports; conversions go out to Meta")
		if err := platforms.finish(ctx); err != nil {
			return fmt.Errorf("networks and ad platforms: %w", err)
		}
		r.logf("conversions go out to the other ad platforms; comparing why figures differ")
		if err := ads.finish(ctx); err != nil {
			return fmt.Errorf("ad platforms: %w", err)
		}
		if err := t.waitDelivered(ctx, r.receiver); err != nil {
			return err
		}
	}
	if err := t.waitCounted(ctx); err != nil {
		return err
	}
	if err := r.waitCopied(ctx); err != nil {
		return err
	}
	r.logf("comparing reports, statistics, lists, logs and webhooks")
	if err := r.compare(ctx); err != nil {
		return err
	}
	return r.checkCopy(ctx)
}

func (r *run) compare(ctx context.Context) error {
	t := r.traffic
	for _, part := range []func(context.Context) error{
		t.arrivals, t.reports, t.overview, t.lists, t.clickLog, t.singleClicks, t.conversionLog,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if r.receiver == nil {
		r.logf("webhooks: not checked on a running service")
		return nil
	}
	return t.webhooks(ctx, r.receiver)
}

const maxListed = 60

// verdict prints the sums, the problems and the differences. It returns ErrDifferent if there are problems or differences.
func (r *run) verdict() error {
	t := r.traffic
	w := tabwriter.NewWriter(r.Out, 0, 4, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "\ncampaign\tclicks\tunique\tbots\tlp views\tlp clicks\tapproved\tpending\trejected\tchargebacks\tcost\trevenue\t")
	by := t.sums([]string{"campaign_id"}, nil)
	line := func(name string, f *figures) {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n", name, f.clicks, f.unique, f.bots, f.lpViews,
			f.lpClicks, f.approved, f.pending, f.rejected, f.chargebacks, f.cost.StringFixed(3), f.revenue.StringFixed(3))
	}
	for _, spec := range campaigns {
		if f := by[t.campaigns[spec.name].id]; f != nil {
			line(spec.name, f)
		}
	}
	line("all", t.sums(nil, nil)[""])
	_ = w.Flush()
	_, _ = fmt.Fprintf(r.Out, "\n%d figures compared, %d webhooks delivered (%d attempts repeated), %.0f s\n",
		t.compared, t.delivered, t.retried, time.Since(r.began).Seconds())
	if len(t.problems)+len(t.differences) == 0 {
		_, _ = fmt.Fprintln(r.Out, "No difference, no doubled event.")
		return nil
	}
	r.list("problems", t.problems)
	r.list("differences", t.differences)
	return fmt.Errorf("smoke: %w: %d differences, %d problems", ErrDifferent, len(t.differences), len(t.problems))
}

func (r *run) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	_, _ = fmt.Fprintf(r.Out, "\n%d %s:\n", len(lines), title)
	for _, text := range lines[:min(len(lines), maxListed)] {
		_, _ = fmt.Fprintln(r.Out, "  -", text)
	}
	if hidden := len(lines) - maxListed; hidden > 0 {
		_, _ = fmt.Fprintf(r.Out, "  ... and %d more\n", hidden)
	}
}

// logs prints the problems. If the run started the service, it returns an error with the ends of the processes' logs.
func (r *run) logs() error {
	r.list("problems", r.traffic.problems)
	if r.fleet == nil {
		return nil
	}
	return fmt.Errorf("the last lines of the processes' logs:\n%s", r.fleet.Tails())
}

func (r *run) close() error {
	var err error
	if r.fleet != nil {
		err = r.fleet.Close()
	}
	if r.sites != nil {
		err = errors.Join(err, r.sites.Close())
	}
	if r.receiver != nil {
		err = errors.Join(err, r.receiver.Close())
	}
	if r.rates != "" {
		err = errors.Join(err, os.RemoveAll(r.rates))
	}
	return err
}

func (r *run) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Out, "[%5.1f s] %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}
