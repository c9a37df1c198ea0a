package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"switchyard/api/certs"
	"switchyard/api/click"
	"switchyard/db/certstore"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/ops/config"
)

// edge is what visitors reach without a proxy, at TLS_ADDR and HTTP_ADDR. It is not Cloudflare's edge.
type edge struct {
	cfg   config.Config
	certs *certs.Certificates
	guard *certs.Guard
	hosts map[string]bool // the install's own hosts
	track *tracking       // nil: the process serves no tracking links
}

// ownHosts returns the install's own hosts that can have certificates.
func ownHosts(cfg config.Config) map[string]bool {
	all := map[string]bool{}
	names := append([]string{cfg.TrackingHost}, cfg.SharedDomains...)
	if u, err := url.Parse(cfg.BaseURL); err == nil {
		names = append(names, u.Hostname())
	}
	for _, name := range names {
		if host, ok := models.HostOf(name); ok && !models.PublicSuffix(host) {
			all[host] = true
		}
	}
	return all
}

// openEdge opens the edge, or returns nil without TLS_ADDR and HTTP_ADDR. t may be nil.
func (w web) openEdge(ctx context.Context, t *tracking) (*edge, error) {
	if w.cfg.TLSAddr == "" && w.cfg.HTTPAddr == "" {
		return nil, nil //nolint:nilnil // neither address is set
	}
	if len(w.cfg.EncryptionKey) == 0 {
		return nil, errors.New("TLS_ADDR and HTTP_ADDR need ENCRYPTION_KEY, which encrypts the keys of certificates")
	}
	d := w.pools.of(controlPool)
	box, err := seal.New(d, w.cfg.EncryptionKey)
	if err != nil {
		return nil, err
	}
	e := &edge{cfg: w.cfg, guard: certs.NewGuard(), hosts: ownHosts(w.cfg), track: t}
	e.certs = certs.New(certs.Options{
		Store: certstore.New(d, box), URL: w.cfg.SessionURL(), Dir: filepath.Join(w.cfg.DataDir, "certificates"), Serves: e.serves,
		OwnHosts: slices.Sorted(maps.Keys(e.hosts)),
		Missing: func(ctx context.Context, host string) error {
			return store.New(d, box).Certificates().MakeDue(ctx, host, time.Now())
		},
	})
	w.registry.MustRegister(e.certs.Collectors(e.guard)...)
	e.certs.Start(ctx)
	return e, nil
}

func (e *edge) serves(host string) bool {
	return e.hosts[host] || e.track != nil && e.track.handler.Domain(host) != nil
}

type endpoint struct {
	net.Listener
	server *http.Server
	secure bool
}

func (p endpoint) serve() error {
	if p.secure {
		return p.server.ServeTLS(p, "", "")
	}
	return p.server.Serve(p)
}

func (e *edge) endpoints(ctx context.Context, h *handlers) (all []endpoint, err error) {
	defer func() {
		if err != nil {
			closeAll(all)
		}
	}()
	if e.cfg.TLSAddr != "" {
		l, err := port{addr: e.cfg.TLSAddr, setting: "TLS_ADDR", limit: portTimeout}.open(ctx)
		if err != nil {
			return all, err
		}
		srv := newServer(e.strict(h), e.serves)
		srv.TLSConfig, srv.ConnState = e.certs.Config(), e.guard.ConnState
		srv.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug) // failed handshakes are counted, not logged
		all = append(all, endpoint{l, srv, true})
	}
	if e.cfg.HTTPAddr != "" {
		l, err := port{addr: e.cfg.HTTPAddr, setting: "HTTP_ADDR", limit: portTimeout}.open(ctx)
		if err != nil {
			return all, err
		}
		srv := newServer(e.plain(h), e.serves)
		srv.ConnState = e.guard.ConnState
		if e.cfg.TLSAddr != "" {
			srv.ConnContext = func(ctx context.Context, _ net.Conn) context.Context { return click.FirstHop(ctx, e.certs.Has) }
		}
		all = append(all, endpoint{l, srv, false})
	}
	return all, nil
}

func closeAll(all []endpoint) {
	for _, p := range all {
		_ = p.Close()
	}
}

// outside answers visitors from anywhere, with or without TLS. It does not serve the operators' pages.
func outside(h *handlers) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch firstWord(r) {
		case "ops", "metrics":
			h.click.ServeHTTP(rw, r)
		default:
			h.ServeHTTP(rw, r)
		}
	})
}

// withoutTLS answers visitors without TLS. It does not serve the API and the dashboard, so that keys, passwords and sessions are
// never sent in clear text. A GET or HEAD request for them at the host of an https BASE_URL is redirected there. Any other
// request for them gets 404.
func (e *edge) withoutTLS(h *handlers) http.Handler {
	visitors := outside(h)
	base, err := url.Parse(e.cfg.BaseURL)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !isPrivate(r, firstWord(r)) {
			visitors.ServeHTTP(rw, r)
			return
		}
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if err != nil || base.Scheme != "https" || !reads || models.BareHost(r.Host) != models.BareHost(base.Host) {
			http.NotFound(rw, r)
			return
		}
		http.Redirect(rw, r, e.cfg.BaseURL+r.URL.RequestURI(), http.StatusPermanentRedirect) //nolint:gosec // a path of BASE_URL
	})
}

// plain answers requests without TLS, from certificate authorities and from visitors.
func (e *edge) plain(h *handlers) http.Handler {
	visitors := e.withoutTLS(h)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, certs.ChallengePath) || !e.certs.AnswerHTTP(rw, r) {
			visitors.ServeHTTP(rw, r)
		}
	})
}

// sameName refuses a request for another host than the TLS handshake's. Otherwise a connection for one customer's name could hide
// requests for another customer's domain. Browsers never send such requests, because each of our certificates has one name.
func sameName(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && models.BareHost(r.TLS.ServerName) != models.BareHost(r.Host) {
			http.Error(rw, "this connection is for another host", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(rw, r)
	})
}

// strict answers requests over TLS. If HSTS is configured, browsers are told to use only https: on a tracking domain if it has
// https only, and on every other own host of the install.
func (e *edge) strict(h *handlers) http.Handler {
	visitors := sameName(outside(h))
	if e.cfg.HSTSMaxAge == 0 {
		return visitors
	}
	value := []string{"max-age=" + strconv.Itoa(int(e.cfg.HSTSMaxAge/time.Second))}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		host := models.BareHost(r.Host)
		only := e.hosts[host]
		if e.track != nil {
			if d := e.track.handler.Domain(host); d != nil {
				only = d.HTTPSOnly
			}
		}
		if only {
			rw.Header()["Strict-Transport-Security"] = value
		}
		visitors.ServeHTTP(rw, r)
	})
}

// start keeps the certificates in memory up to date until stop is called.
func (e *edge) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { e.certs.Run(ctx) })
	return func() {
		cancel()
		done.Wait()
	}
}

// shutdown stops all servers at the same time, and waits for running requests until ctx ends.
func shutdown(ctx context.Context, all []endpoint) error {
	errs := make([]error, len(all))
	var done sync.WaitGroup
	for i, p := range all {
		done.Go(func() {
			if err := p.server.Shutdown(ctx); err != nil {
				slog.WarnContext(ctx, "requests were cut off", "address", p.Addr().String(), "error", err)
				errs[i] = p.server.Close()
			}
		})
	}
	done.Wait()
	return errors.Join(errs...)
}

// serveAll serves at all endpoints. The channel receives their errors.
func serveAll(all []endpoint) <-chan error {
	ended := make(chan error, len(all))
	for _, p := range all {
		go func() {
			if err := p.serve(); err != nil {
				ended <- fmt.Errorf("web: %s: %w", p.Addr(), err)
			}
		}()
	}
	return ended
}
