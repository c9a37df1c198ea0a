// Package oauth has the two pages of a sign-in at an ad platform. Start shows a person to which account of this install they are about
// to give access, and leads to the platform. Callback is where the platform sends the browser back to. The exchange of the code is a job.
//
// The state in the address of a sign-in is good once and for a quarter of an hour. Start leaves it in a cookie as well, and Callback
// takes no code without it: a browser completes only what it has begun. Neither page leads anywhere but to the platform, and each platform
// comes back to BASE_URL alone.
//
// A sign-in that the dashboard has begun ends in the session that began it. Callback hands its code to the page of the dashboard, in the
// fragment of the address: the cookie of the session does not arrive with the redirect of another site.
package oauth

import (
	"context"
	"crypto/subtle"
	_ "embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// The paths of the pages.
const (
	StartPath    = "/api/oauth/start"
	CallbackPath = "/api/oauth/callback"
	// DashboardPath is the page of the dashboard that ends a sign-in.
	DashboardPath = "/app/oauth"
)

// Start is the address of the page that leads to the platform.
func Start(baseURL, state string) string { return baseURL + StartPath + "?state=" + state }

// Callback is where platforms send the browser back to. It is registered at each of them.
func Callback(baseURL string) string { return baseURL + CallbackPath }

// Platforms makes the addresses of platforms' sign-in pages.
type Platforms interface {
	// Configured reports whether people can sign in at a provider.
	Configured(provider string) bool
	// Address is where a person allows the service to use their ad accounts. Error: not_configured.
	Address(provider, state, verifier, redirect string) (string, error)
}

// Deps are what the pages need. If Platforms is nil, people cannot sign in.
type Deps struct {
	Store     *store.Store
	Jobs      *jobs.Client
	Platforms Platforms
	BaseURL   string
}

// pages serves both pages.
type pages struct {
	Deps
	places chan struct{}
}

// Pages serves both pages.
func Pages(d Deps) http.Handler { return &pages{d, make(chan struct{}, atOnce)} }

// atOnce is how many requests may look up a state at the same time. It is limited because anyone can send made-up states.
const atOnce = 4

// lookUpTime is the time limit of one look-up, including the wait for a place.
const lookUpTime = 5 * time.Second

// stateForm is what states look like.
var stateForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

const cookieName = "switchyard_oauth"

// ServeHTTP implements http.Handler.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	if q := r.URL.Query(); r.URL.Path == CallbackPath && strings.HasPrefix(q.Get("state"), models.OAuthSessionState) {
		h.Set("Location", p.BaseURL+DashboardPath+"#"+handed(q))
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	view, err := p.view(w, r)
	status := http.StatusOK
	if err != nil {
		status, view = failed(r.Context(), err)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, view) // the browser may be gone
}

// handed is what the platform gave, for the dashboard.
func handed(q url.Values) string {
	out := url.Values{}
	for _, name := range []string{"state", "code", "error"} {
		if v := q.Get(name); v != "" && len(v) <= maxCode {
			out.Set(name, v)
		}
	}
	return out.Encode()
}

// view is what a page shows.
type view struct {
	Title, Text string
	Link, To    string // a link and its text
	Provider    string
	Account     string
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// failed returns the page for an error. Details that people must not see are logged.
func failed(ctx context.Context, err error) (int, view) {
	v := view{Title: "Not connected"}
	if e, ok := models.AsError(err); ok && e.Kind == models.KindInvalid {
		v.Text = e.Message
		return http.StatusBadRequest, v
	}
	if ctx.Err() == nil {
		slog.ErrorContext(ctx, "sign-in failed", "error", err)
	}
	v.Text = "The service could not do it now. Start the sign-in again."
	return http.StatusServiceUnavailable, v
}

func (p *pages) view(w http.ResponseWriter, r *http.Request) (view, error) {
	q := r.URL.Query()
	state := q.Get("state")
	if !stateForm.MatchString(state) {
		return view{}, errAddress()
	}
	if r.URL.Path == StartPath {
		return p.start(w, r, state)
	}
	c, err := r.Cookie(cookieName)
	if err != nil || subtle.ConstantTimeCompare([]byte(c.Value), []byte(state)) != 1 {
		return view{}, models.Invalid("signin_expired", "this browser has not begun this sign-in, or has begun another one since: start it again")
	}
	p.cookie(w, "", -1)
	return p.callback(r.Context(), state, q.Get("code"), q.Get("error"))
}

func errAddress() error {
	return models.Invalid("signin_expired", "the address is not complete: open it as it was given to you")
}

// cookie sets what binds a sign-in to a browser. The platform's redirect brings it back, because it is a navigation.
func (p *pages) cookie(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // BASE_URL may be http
		Name: cookieName, Value: value, Path: "/api/oauth/", MaxAge: maxAge, HttpOnly: true,
		Secure: strings.HasPrefix(p.BaseURL, "https://"), SameSite: http.SameSiteLaxMode,
	})
}

// lookUp runs fn in a place, in time.
func (p *pages) lookUp(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	select {
	case p.places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.places }()
	return fn(ctx)
}

// start shows who gets access, and leads to the platform.
func (p *pages) start(w http.ResponseWriter, r *http.Request, state string) (view, error) {
	var a models.OAuthAttempt
	err := p.lookUp(r.Context(), func(ctx context.Context) (err error) {
		a, err = p.Store.OAuthAttempts().Find(ctx, state, time.Now())
		return err
	})
	if err != nil {
		return view{}, err
	}
	if p.Platforms == nil {
		return view{}, models.Invalid("not_configured", "this install is not set up for sign-ins")
	}
	address, err := p.Platforms.Address(a.Provider, state, a.Verifier, a.Redirect)
	if err != nil {
		return view{}, err
	}
	p.cookie(w, state, int(time.Until(a.ExpiresAt).Seconds())+1)
	of, _ := models.SignInProviderNamed(a.Provider)
	return view{
		Title: "Connect " + of.Label, Provider: of.Label, Account: a.Account, Link: address, To: "Sign in at " + of.Label,
		Text: "If you did not ask for this yourself, close this page: whoever sent you here would get access.",
	}, nil
}

// exchangeTime is how long the page waits for the exchange.
const exchangeTime = 28 * time.Second

// callback has the code exchanged.
func (p *pages) callback(ctx context.Context, state, code, refused string) (view, error) {
	if Refused(code, refused) {
		attempts := p.Store.OAuthAttempts()
		if err := p.lookUp(ctx, func(ctx context.Context) error { return attempts.Cancel(ctx, state, time.Now()) }); err != nil {
			return view{}, err
		}
		return view{}, ErrRefused()
	}
	done, err := Complete(ctx, p.Store.OAuthAttempts(), p.Jobs, state, code)
	if err != nil {
		return view{}, err
	}
	of, _ := models.SignInProviderNamed(done.Provider)
	return view{Title: "Connected", Text: strings.TrimSpace(of.Label+" "+done.UserName) + " is connected. You can close this page."}, nil
}

// maxCode is the longest code that is taken, in bytes.
const maxCode = 8000

// Refused reports whether the platform came back without a code that can be exchanged.
func Refused(code, refused string) bool { return code == "" || refused != "" || len(code) > maxCode }

// ErrRefused says so.
func ErrRefused() error {
	return models.Invalid("signin_refused", "the platform gave no access: it was refused there, or the sign-in failed")
}

// Complete completes a sign-in whose code has come back, and waits for the connection. Errors: signin_expired, signin_refused,
// not_configured, too_many.
func Complete(ctx context.Context, attempts store.OAuthAttempts, client *jobs.Client, state, code string) (jobs.OAuthConnected, error) {
	a, err := attempts.Return(ctx, state, code, time.Now())
	if err != nil {
		return jobs.OAuthConnected{}, err
	}
	h, err := jobs.Submit(ctx, client, jobs.ExchangeOAuth, a.AccountID, jobs.OAuthAttemptArgs{ID: a.ID})
	if err != nil {
		return jobs.OAuthConnected{}, err
	}
	done, err := jobs.AwaitTimeout(ctx, h, exchangeTime)
	if errors.Is(err, jobs.ErrPending) {
		err = models.Invalid("signin_expired", "it takes longer than usual: look at the list of connections in a minute")
	}
	return done, err
}
