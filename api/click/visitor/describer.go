package visitor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/botdata"
	"switchyard/models/interval"
)

// Options configures a Describer. With the zero value, no proxy is trusted, and only the country of an address is known.
type Options struct {
	// TrustedProxies are the peers whose X-Forwarded-For or Forwarded header is trusted.
	TrustedProxies []netip.Prefix
	// CityDB, ASNDB and AnonymousDB are paths of MaxMind-format files, or empty. Every known field of each file is used, so a
	// file with ISPs or connection types may take any of the three places.
	CityDB, ASNDB, AnonymousDB string
	// UACacheSize is the number of user agents that are remembered; 0 means 50,000 (about 40 MB when full).
	UACacheSize int
}

const defaultUACacheSize = 50_000

// Describer describes requests. Safe for concurrent use; make one per process.
type Describer struct {
	trusted   []netip.Prefix
	untrusted untrusted
	geo       geo
	agents    *agentCache
}

// New opens the databases, compiles the user-agent parser (some 0.2 s, once per process) and starts the one background goroutine
// that Close ends.
func New(o Options) (*Describer, error) {
	parser, err := slowParser()
	if err != nil {
		return nil, fmt.Errorf("visitor: compile user agent rules: %w", err)
	}
	size := o.UACacheSize
	if size <= 0 {
		size = defaultUACacheSize
	}
	d := &Describer{}
	for _, p := range o.TrustedProxies {
		d.trusted = append(d.trusted, unmapPrefix(p))
	}
	if err := d.geo.open(o.CityDB, o.ASNDB, o.AnonymousDB); err != nil {
		return nil, errors.Join(err, d.geo.close())
	}
	d.agents = newAgentCache(size, parser.complete)
	return d, nil
}

// Close stops the background parser and unmaps the files. No Describe may run during or after it.
func (d *Describer) Close() error {
	d.agents.close()
	return d.geo.close()
}

// reloadEvery is how often Run looks for new files.
const reloadEvery = 30 * time.Second

// Run reopens geo databases when their files are replaced, until the context ends. A file must be replaced by renaming another
// file to its name; a file that is overwritten would be read half-written.
func (d *Describer) Run(ctx context.Context) {
	interval.Every(ctx, reloadEvery, func() { d.Reload(ctx) })
}

// Reload opens geo databases whose files were replaced. If a file cannot be opened, Reload logs the error and keeps the previous
// file.
func (d *Describer) Reload(ctx context.Context) {
	for _, f := range d.geo.files {
		changed, err := f.reload()
		switch {
		case err != nil:
			slog.ErrorContext(ctx, "geo database not reloaded, the previous one stays in use", "error", err)
		case changed:
			slog.InfoContext(ctx, "geo database reloaded", "file", f.path, "built", f.now.Load().reader.Metadata.BuildTime())
		}
	}
}

// Warm runs the slow parsers for a user agent before it returns, so that the next Describe has the complete description. It is
// for benchmarks.
func (d *Describer) Warm(userAgent string) {
	if userAgent = clean(userAgent, MaxUserAgent); userAgent != "" {
		d.agents.storeComplete(userAgent)
	}
}

// Describe describes the request and writes the description to *into. It uses the operator's lists in data; nil means no lists.
// It blocks at most for one parse of a user agent that is not in the cache (some 4 ms) and one search of the operator's list of
// crawlers.
func (d *Describer) Describe(r *http.Request, data *botdata.Set, into *Description) {
	*into = Description{Visitor: models.Visitor{ProxyKind: ProxyNone, DeviceType: Unknown}}
	h := r.Header
	into.IP = d.ClientIP(r)
	d.geo.describe(into)
	applyLists(data, into)

	into.UserAgent = clean(header(h, "User-Agent"), MaxUserAgent)
	a := d.agents.find(into.UserAgent)
	if d.agents.isListed(a, into.UserAgent, data.Crawlers()) {
		a = listedAgent
	}
	into.DeviceType, into.DeviceBrand, into.DeviceModel = a.device, a.brand, a.model
	into.OS, into.OSVersion = a.os, a.osVersion
	into.Browser, into.BrowserVersion = a.browser, a.browserVersion
	into.Signals = kindSignals[a.kind]
	contradictions := applyHints(h, a, into)
	if a.impossible {
		contradictions++
	}

	into.Language = language(header(h, "Accept-Language"))
	into.Referrer = clean(header(h, "Referer"), MaxReferrer)
	into.ReferrerDomain = domainOf(into.Referrer)
	into.SearchEngine, into.Keyword = searchOf(into.ReferrerDomain, into.Referrer)
	into.Signals |= d.headerSignals(r, a, contradictions) | bot.FromProxyKind(into.ProxyKind) | data.Signals(into.IP, into.ReferrerDomain)
}

// applyLists takes the proxy kind from the operator's lists, if the geo data has no proxy kind or knows only that the address is
// in a data centre.
func applyLists(data *botdata.Set, into *Description) {
	if into.ProxyKind != ProxyNone && into.ProxyKind != ProxyDatacenter {
		return
	}
	if kind := data.ProxyKind(into.IP); kind != "" {
		into.ProxyKind = kind
	}
}
