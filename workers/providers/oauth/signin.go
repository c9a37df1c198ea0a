// Package oauth signs in at ad platforms by OAuth 2. It makes the address at which a person allows the service to use their ad
// accounts, exchanges the returned code for tokens, renews the tokens, and lists the ad accounts. Each platform has an entry
// in the table platforms and a file.
//
// No error contains an OAuth code, a token or a secret of the install.
package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// App identifies this install at a platform.
type App struct {
	ID, Secret string
	// DeveloperToken is needed for Microsoft's ad accounts, in addition to the sign-in.
	DeveloperToken string
}

// Apps makes the addresses of platforms' sign-in pages.
type Apps struct {
	ByProvider map[string]App
	// MetaVersion is the version of Meta's Graph API; default models.MetaVersion.
	MetaVersion string
	// URL replaces the addresses of all platforms, for tests; empty: each platform's own address.
	URL string
}

// errNotConfigured says that the install lacks settings for a platform.
func errNotConfigured(settings string) error {
	return models.Invalid("not_configured", "this install is not set up for this sign-in: its operator has to set %s", settings)
}

// app returns the install's app at a platform. Error: not_configured.
func (a Apps) app(p platform) (App, error) {
	app := a.ByProvider[p.name]
	if app.ID == "" || app.Secret == "" {
		return app, errNotConfigured(p.settings)
	}
	return app, nil
}

// Configured reports whether users can sign in at a provider.
func (a Apps) Configured(provider string) bool {
	_, err := a.app(platforms[provider])
	return err == nil
}

// Address returns the address at which a person allows the service to use their ad accounts. The platform then sends the browser
// to the address in redirect, with the state. The returned address contains the hash of verifier, which is the secret of PKCE.
// Error: not_configured.
func (a Apps) Address(provider, state, verifier, redirect string) (string, error) {
	p, ok := platforms[provider]
	if !ok {
		return "", fmt.Errorf("oauth: there is no platform %q", provider)
	}
	app, err := a.app(p)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	for name, value := range p.signInParams {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return a.config(p, app, redirect).AuthCodeURL(state, options...), nil
}

func (a Apps) config(p platform, app App, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: app.ID, ClientSecret: app.Secret, RedirectURL: redirect, Scopes: p.scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL: a.address(p, p.authorize, "/authorize"), TokenURL: a.address(p, p.token, "/token"), AuthStyle: p.style(),
		},
	}
}

// address returns a platform's own address, or the replacement if URL is set.
func (a Apps) address(p platform, own, path string) string {
	if a.URL != "" {
		return a.URL + "/" + p.name + path
	}
	return strings.ReplaceAll(own, "{version}", cmp.Or(a.MetaVersion, models.MetaVersion))
}

// platform describes how to call a provider of models.SignInProviders.
type platform struct {
	name     string
	settings string // names of the settings that the operator has to set; empty: byName makes them from the provider's row
	// authorize and token are the addresses for OAuth. base is the address of the API. {version} stands for the version of the
	// API.
	authorize, token, base string
	scopes                 []string
	signInParams           map[string]string // further parameters of the sign-in page
	exchangeParams         map[string]string // further parameters of the request that exchanges a code
	// basic says that the app's id and secret go by HTTP Basic authentication; otherwise they are parameters.
	basic bool
	agent string // the User-Agent of requests for tokens; empty: Go's own
	// exchange and refresh get tokens; nil: as OAuth 2 specifies.
	exchange func(ctx context.Context, s *session, code, verifier, redirect string) (models.OAuthGrant, error)
	refresh  func(ctx context.Context, s *session, t models.OAuthTokens) (models.OAuthGrant, error)
	// user asks for the id and the name of the user who signed in; nil: the id token names them, or exchange does.
	user func(ctx context.Context, s *session) (id, name string, err error)
	// accounts lists the ad accounts that an access token reaches. It may stop after MaxAccounts.
	accounts func(ctx context.Context, s *session) ([]Account, error)
	// denies reports whether the API's answer to a failed request says that the access token is not valid.
	denies func(status int, body []byte) bool
}

var platforms = byName(google, microsoft, meta, snapchat, pinterest, reddit)

func byName(list ...platform) map[string]platform {
	out := map[string]platform{}
	for _, p := range list {
		about, _ := models.SignInProviderNamed(p.name)
		if about.Settings != "" {
			p.settings = about.Settings + "_CLIENT_ID and " + about.Settings + "_CLIENT_SECRET"
		}
		out[p.name] = p
	}
	return out
}

func (p platform) style() oauth2.AuthStyle {
	if p.basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// ErrRevoked says that the platform no longer accepts the tokens. The user has to sign in again.
var ErrRevoked = errors.New("the platform no longer accepts the sign-in")

// Options are the options of a Client. Only Apps.ByProvider and Egress are needed.
type Options struct {
	Apps
	Egress *egress.Client
	// GoogleVersion is the version of the Google Ads API; default models.GoogleAdsVersion.
	GoogleVersion string
	Now           func() time.Time
	Wait          func(ctx context.Context, d time.Duration) error
}

// Client sends requests to the platforms. Safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.GoogleVersion = cmp.Or(o.GoogleVersion, models.GoogleAdsVersion)
	return &Client{o}
}

// retryTime is how long one request waits for a platform that is busy or fails. A person waits for the answer.
const retryTime = 8 * time.Second

type session struct {
	rest.API
	platform
	client *Client
	app    App
}

// open makes a session whose errors contain none of the secrets. Error: not_configured.
func (c *Client) open(provider string, secrets ...string) (*session, error) {
	p, ok := platforms[provider]
	if !ok {
		return nil, fmt.Errorf("oauth: there is no platform %q", provider)
	}
	app, err := c.o.app(p)
	if err != nil {
		return nil, err
	}
	s := &session{platform: p, client: c, app: app}
	base := c.o.address(p, p.base, "")
	if provider == models.GoogleAds {
		base += "/" + c.o.GoogleVersion
	}
	s.API = rest.API{Out: c.o.Egress, Base: base, Now: c.o.Now, RetryTime: retryTime, Wait: c.o.Wait}.
		WithSecrets(append(secrets, app.Secret, app.DeveloperToken)...)
	return s, nil
}

// openSigned makes a session whose requests have an access token. Error: not_configured.
func (c *Client) openSigned(provider, token string) (*session, error) {
	s, err := c.open(provider, token)
	if err != nil {
		return nil, err
	}
	s.Sign = rest.Bearer(token)
	return s, nil
}

// Exchange returns the tokens for the code that a browser brought back, and the user who signed in. Errors are
// not_configured, or texts for a person.
func (c *Client) Exchange(ctx context.Context, provider, code, verifier, redirect string) (models.OAuthGrant, error) {
	s, err := c.open(provider, code, verifier)
	if err != nil {
		return models.OAuthGrant{}, err
	}
	entry := s.exchange
	if entry == nil {
		entry = exchange
	}
	g, err := entry(ctx, s, code, verifier, redirect)
	if err == nil && g.Tokens.Access == "" {
		err = rest.ErrForm
	}
	if err == nil && s.user != nil {
		s.Hide(g.Tokens.Access)
		s.Sign = rest.Bearer(g.Tokens.Access)
		g.UserID, g.UserName, err = s.user(ctx, s)
	}
	if g.UserID == "" { // the platform does not name the user: each sign-in counts as a new person
		g.UserID = uuid.NewString()
	}
	return g, s.publicError(err)
}

// Refresh renews tokens. The result replaces all previous tokens. Errors are ErrRevoked, not_configured, or texts for a person.
func (c *Client) Refresh(ctx context.Context, provider string, t models.OAuthTokens) (models.OAuthGrant, error) {
	s, err := c.open(provider, t.Access, t.Refresh)
	if err != nil {
		return models.OAuthGrant{}, err
	}
	entry := s.refresh
	if entry == nil {
		entry = refresh
	}
	g, err := entry(ctx, s, t)
	if err == nil && g.Tokens.Access == "" {
		err = rest.ErrForm
	}
	return g, s.publicError(err)
}

// publicError converts an error to a text for a person, without secrets. It keeps ErrRevoked. Errors of package models stay
// unchanged.
func (s *session) publicError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := models.AsError(err); ok {
		return err
	}
	return &publicError{s.WithoutSecrets(err.Error()), errors.Is(err, ErrRevoked)}
}

type publicError struct {
	text    string
	revoked bool
}

func (e *publicError) Error() string { return e.text }

// Is reports whether target is ErrRevoked and the error was caused by it. Callers cannot reach the rest of the cause, because it
// may contain secrets.
func (e *publicError) Is(target error) bool { return target == ErrRevoked && e.revoked }

// Account is an ad account. The ids have the form that the credentials of a traffic source's integration need.
type Account struct {
	ID       string // customer_id of Google, account_id of Microsoft, ad_account_id of the others
	ParentID string // login_customer_id of Google, customer_id of Microsoft; empty: none
	Name     string
	Currency string
	TimeZone string
	Status   string // the platform's own word, in lower case
	Manager  bool   // it holds other accounts and has no ads itself
}

// MaxAccounts is the maximum number of ad accounts that are listed.
const MaxAccounts = 1000

// Accounts lists the ad accounts that an access token reaches. Errors are ErrRevoked, not_configured, or texts for a person.
func (c *Client) Accounts(ctx context.Context, provider, token string) ([]Account, error) {
	s, err := c.openSigned(provider, token)
	if err != nil {
		return nil, err
	}
	list, err := s.accounts(ctx, s)
	if err != nil {
		return nil, s.publicError(err)
	}
	slices.SortStableFunc(list, func(a, b Account) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list[:min(len(list), MaxAccounts)], nil
}

func (s *session) call(ctx context.Context, r rest.Request, into any) error {
	answer, err := s.Send(ctx, r)
	if f, ok := errors.AsType[*rest.FailureError](err); ok {
		// denies decides whether the token was refused, so Refused is not copied.
		text := &rest.FailureError{Status: f.Status, Text: f.Text, Busy: f.Busy}
		if s.denies(answer.Status, answer.Body) {
			return fmt.Errorf("%w: %w", ErrRevoked, text)
		}
		return text
	}
	if err != nil {
		return err
	}
	return rest.Decode(answer.Body, into)
}

func form(pairs ...string) url.Values {
	out := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}
