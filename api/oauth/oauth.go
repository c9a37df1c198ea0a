// Package oauth serves the two pages of a sign-in at an ad platform. The page at StartPath shows a person which account of this
// install will get access, and links to the platform. The platform sends the browser back to CallbackPath with a code, which a job
// exchanges.
//
// The state in the address of a sign-in is valid for a quarter of an hour and completes one sign-in. The start page also stores the
// state in a cookie, so that a browser can complete only a sign-in that it began.
//
// A sign-in that began in the dashboard has no such cookie. The callback page passes its code to the dashboard's page in the
// fragment of the address, and the script of the dashboard's page completes the sign-in in the session. The session's cookie is
// SameSite=Strict, so the browser does not send it with a redirect from another site.
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

	"switchyard/db/oauth"
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

// Start returns the address of the page that leads to the platform.
func Start(baseURL, state string) string { return baseURL + StartPath + "?state=" + state }

// Callback returns the address to which platforms send the browser back. It is registered at each platform.
func Callback(baseURL string) string { return baseURL + CallbackPath }

// Platforms makes the addresses of platforms' sign-in pages.
type Platforms interface {
	// Configured reports whether people can sign in at a provider.
	Configured(provider string) bool
	// Address returns the address of the page where a person allows the service to use their ad accounts. Error: not_configured.
	Address(provider, state, verifier, redirect string) (string, error)
}

// Deps are the dependencies of the pages. If Platforms is nil, people cannot sign in.
type Deps struct {
	Store     *store.Store
	Jobs      *jobs.Client
	Platforms Platforms
	BaseURL   string
}

type pages struct {
	Deps
	places chan struct{}
}

// Pages returns the handler of both pages.
func Pages(d Deps) http.Handler { return &pages{d, make(chan struct{}, atOnce)} }

// atOnce is the number of requests that may look up a state at the same time. It is limited because anyone can send made-up states.
const atOnce = 4

// lookUpTime is the time limit of one look-up, including the wait for a place.
const lookUpTime = 5 * time.Second

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
		h.Set("Location", p.BaseURL+DashboardPath+"#"+encodeParams(q))
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	view, err := p.view(w, r)
	status := http.StatusOK
	if err != nil {
		status, view = errorPage(r.Context(), err)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, view) // the browser may have disconnected
}

func encodeParams(q url.Values) string {
	out := url.Values{}
	for _, name := range []string{"state", "code", "error"} {
		if v := q.Get(name); v != "" && len(v) <= maxCode {
			out.Set(name, v)
		}
	}
	return out.Encode()
}

type view struct {
	Title, Text string
	Link, To    string // a link and its text
	Provider    string
	Account     string
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// errorPage returns the page for an error. Details that people must not see are logged.
func errorPage(ctx context.Context, err error) (int, view) {
	v := view{Title: "Not connected"}
	if e, ok := models.AsError(err); ok && e.Kind == models.KindInvalid {
		v.Text = e.Message
		return http.StatusBadRequest, v
	}
	if ctx.Err() == nil {
		slog.ErrorContext(ctx, "sign-in failed", "error", err)
	}
	v.Text = "The service could not complete the sign-in now. Start the sign-in again."
	return http.StatusServiceUnavailable, v
}

func (p *pages) view(w http.ResponseWriter, r *http.Request) (view, error) {
	q := r.URL.Query()
	state := q.Get("state")
	if !stateForm.MatchString(state) {
		return view{}, models.Invalid("signin_expired", "the address is not complete: open it as it was given to you")
	}
	if r.URL.Path == StartPath {
		return p.start(w, r, state)
	}
	c, err := r.Cookie(cookieName)
	if err != nil || subtle.ConstantTimeCompare([]byte(c.Value), []byte(state)) != 1 {
		return view{}, models.Invalid("signin_expired", "this browser has not begun this sign-in, or has begun another one since: start it again")
	}
	p.cookie(w, "", -1) // deletes the cookie, because its state works only once
	return p.callback(r.Context(), state, q.Get("code"), q.Get("error"))
}

// cookie sets the cookie that binds a sign-in to a browser. The cookie is SameSite=Lax, so the browser sends it with the platform's
// redirect, which is a navigation.
func (p *pages) cookie(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // BASE_URL may be http
		Name: cookieName, Value: value, Path: "/api/oauth/", MaxAge: maxAge, HttpOnly: true,
		Secure: strings.HasPrefix(p.BaseURL, "https://"), SameSite: http.SameSiteLaxMode,
	})
}

// lookUp waits for one of the atOnce places and runs fn.
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

// start shows which account gets access, and links to the platform.
func (p *pages) start(w http.ResponseWriter, r *http.Request, state string) (view, error) {
	var a models.OAuthAttempt
	err := p.lookUp(r.Context(), func(ctx context.Context) (err error) {
		a, err = oauth.NewAttempts(p.Store).Find(ctx, state, time.Now())
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
	provider, _ := models.SignInProviderNamed(a.Provider)
	return view{
		Title: "Connect " + provider.Label, Provider: provider.Label, Account: a.Account,
		Link: address, To: "Sign in at " + provider.Label,
		Text: "If you did not ask for this yourself, close this page: whoever sent you here would get access.",
	}, nil
}

// exchangeTime is the time that Complete waits for the exchange.
const exchangeTime = 28 * time.Second

// callback completes the sign-in by exchanging the code.
func (p *pages) callback(ctx context.Context, state, code, refused string) (view, error) {
	if Refused(code, refused) {
		attempts := oauth.NewAttempts(p.Store)
		if err := p.lookUp(ctx, func(ctx context.Context) error { return attempts.Cancel(ctx, state, time.Now()) }); err != nil {
			return view{}, err
		}
		return view{}, ErrRefused()
	}
	done, err := Complete(ctx, oauth.NewAttempts(p.Store), p.Jobs, state, code)
	provider, _ := models.SignInProviderNamed(done.Provider)
	return view{
		Title: "Connected",
		Text:  strings.TrimSpace(provider.Label+" "+done.UserName) + " is connected. You can close this page.",
	}, err
}

// maxCode is the maximum length in bytes of a code that is accepted, and of each value that is passed to the dashboard.
const maxCode = 8000

// Refused reports whether the platform sent the browser back without a code that the service can exchange for tokens.
func Refused(code, refused string) bool { return code == "" || refused != "" || len(code) > maxCode }

// ErrRefused returns the error for a sign-in that the platform refused.
func ErrRefused() error {
	return models.Invalid("signin_refused", "the platform gave no access: it was refused there, or the sign-in failed")
}

// Complete completes a sign-in with the code that the platform sent. It starts a job that exchanges the code, and waits for the
// connection. Errors: signin_expired, signin_refused, not_configured, too_many.
func Complete(ctx context.Context, attempts oauth.Attempts, client *jobs.Client, state, code string) (jobs.OAuthConnected, error) {
	a, err := attempts.RecordCode(ctx, state, code, time.Now())
	if err != nil {
		return jobs.OAuthConnected{}, err
	}
	h, err := jobs.Submit(ctx, client, jobs.ExchangeOAuth, a.AccountID, jobs.OAuthAttemptArgs{ID: a.ID})
	if err != nil {
		return jobs.OAuthConnected{}, err
	}
	done, err := jobs.AwaitTimeout(ctx, h, exchangeTime)
	if errors.Is(err, jobs.ErrPending) {
		err = models.Invalid("signin_expired", "the sign-in takes longer than usual: look at the list of connections in a minute")
	}
	return done, err
}
