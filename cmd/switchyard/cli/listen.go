package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"switchyard/models"
	"switchyard/models/interval"
)

// portTimeout is how long a starting process waits for its ports. A killed process holds its port until its memory is freed, which
// can take seconds.
const portTimeout = 15 * time.Second

// port is an address to listen on.
type port struct {
	addr    string
	setting string        // the setting or flag that chooses another address
	limit   time.Duration // how long to wait for the address; 0: no limit
	waiting func()        // called once, when the wait begins; may be nil
}

// open listens on the address. It waits for a port that is in use.
func (p port) open(ctx context.Context) (net.Listener, error) {
	l, err := p.listen(ctx)
	if errors.Is(err, syscall.EADDRINUSE) {
		return p.wait(ctx, err)
	}
	return l, err
}

func (p port) listen(ctx context.Context) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", p.addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s (%w); %s chooses another address", p.addr, err, p.setting)
	}
	return l, nil
}

// wait listens as soon as the port is free.
func (p port) wait(ctx context.Context, err error) (net.Listener, error) {
	slog.WarnContext(ctx, "the port is in use, waiting for it", "address", p.addr, "setting", p.setting)
	if p.waiting != nil {
		p.waiting()
	}
	limited := ctx
	if p.limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, p.limit)
		defer cancel()
	}
	for errors.Is(err, syscall.EADDRINUSE) && interval.Sleep(limited, 100*time.Millisecond) == nil {
		var l net.Listener
		if l, err = p.listen(ctx); err == nil {
			return l, nil
		}
	}
	return nil, err
}

// serveBeside serves an address while the process does its main work, until stop is called. While another process uses the address,
// serveBeside waits for it in the background.
func serveBeside(ctx context.Context, p port, h http.Handler) (stop func(), err error) {
	p.limit = 0
	l, busy := p.listen(ctx)
	if busy != nil && !errors.Is(busy, syscall.EADDRINUSE) {
		return nil, busy
	}
	srv := newServer(h, nil)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() {
		err := busy
		if busy != nil {
			l, err = p.wait(ctx, busy)
		}
		if err == nil {
			err = srv.Serve(l)
		}
		if ctx.Err() == nil && !errors.Is(err, http.ErrServerClosed) {
			slog.ErrorContext(ctx, "the address is not served any more", "address", p.addr, "error", err)
		}
	})
	return func() {
		cancel()
		_ = srv.Close()
		done.Wait()
	}, nil
}

// The limits of each HTTP server.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	writeTimeout  = 2 * time.Minute
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// newServer returns a server that answers requests with h. The function serves reports whether the server answers for a host. It is
// called for requests whose target is a whole address. If serves is nil, such requests are refused.
func newServer(h http.Handler, serves func(host string) bool) *http.Server {
	return &http.Server{
		Handler: closing(pathsOnly(h, serves)), DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
}

// pathsOnly passes to the handler only requests whose target is a path. A whole address of a host that is served here is replaced
// by its path, as RFC 9112 (3.2.2) requires. net/http has already set the request's host from the address. Any other target is
// refused: "*", an authority, or another host's address.
func pathsOnly(h http.Handler, serves func(host string) bool) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.RequestURI, "/") {
			h.ServeHTTP(rw, r)
			return
		}
		if u := r.URL; serves != nil && r.Method != http.MethodConnect && (u.Scheme == "http" || u.Scheme == "https") &&
			u.User == nil && u.Opaque == "" && serves(models.BareHost(u.Host)) {
			path := *u
			path.Scheme, path.Host, path.Path = "", "", cmp.Or(u.Path, "/")
			r.URL, r.RequestURI = &path, path.RequestURI()
			h.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("Cache-Control", "no-store")
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(rw, `{"data":null,"error":{"code":"invalid_input","message":"the target of a request is a path, or an address of a host that is served here"}}`+"\n")
	})
}

// closing ends the connection after a chunked or HTTP/1.0 request. After a request with both a length and chunks, a proxy may see
// the next request start at another byte, so RFC 9112 (6.1) requires the server to close. The handler cannot recognize such a
// request, because net/http has removed one of the two headers.
func closing(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
			rw.Header().Set("Connection", "close")
		}
		h.ServeHTTP(rw, r)
	})
}
