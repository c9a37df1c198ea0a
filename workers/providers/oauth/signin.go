// Package oauth signs in at ad platforms by OAuth 2: it makes the address at which a person allows the service to use their ad
// accounts, exchanges the code that comes back for tokens, renews them, and lists the ad accounts. Each platform is a row of the table
// and a file.
//
// Codes, tokens and the install's secrets leave this package only as results. No error contains one.
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

// App is how a platform knows this install.
type App struct {
	ID, Secret string
	// DeveloperToken is needed for Microsoft's ad accounts, in addition to the sign-in.
	DeveloperToken string
}

// Apps make the addresses of platforms' sign-in pages. They need no network.
type Apps struct {
	ByProvider map[string]App
	// MetaVersion is the version of Meta's Graph API; default v25.0.
	MetaVersion string
	// URL takes the place of every platform's address, for tests; empty: their own.
	URL string
}

// errNotConfigured says that the install lacks settings for a platform.
func errNotConfigured(settings string) error {
	return models.Invalid("not_configured", "this install is not set up for it: its operator has to set %s", settings)
}

// app gives the install's app at a provider. Error: not_configured.
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

// Address returns the address at which a person allows the service to use their ad accounts. The platform then sends the
// browser to redirect, with the state. verifier is the secret of PKCE; the address contains only its hash. Error:
// not_configured.
func (a Apps) Address(provider, state, verifier, redirect string) (string, error) {
	p, ok := platforms[provider]
	if !ok {
		return "", fmt.Errorf("signin: there is no platform %q", provider)
	}
	app, err := a.app(p)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	for name, value := range p.ask {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return a.config(p, app, redirect).AuthCodeURL(state, options...), nil
}

func (a Apps) config(p platform, app App, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: app.ID, ClientSecret: app.Secret, RedirectURL: redirect, Scopes: p.scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL: a.address(p, p.authorize, "/authorize"), TokenURL: a.address(p, p.token, "/token"), AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// address is a platform's own address, or the one in its place.
func (a Apps) address(p platform, own, path string) string {
	if a.URL != "" {
		return a.URL + "/" + p.name + path
	}
	return strings.ReplaceAll(own, "{version}", cmp.Or(a.MetaVersion, models.MetaVersion))
}

// platform is how a provider of models.SignInProviders is asked.
type platform struct {
	name     string
	settings string // that the operator has to set
	// authorize and token are the addresses of OAuth, base the one of the API. {version} stands for the version of the API.
	authorize, token, base string
	scopes                 []string
	ask                    map[string]string // further parameters of the sign-in page
	// exchange and refresh get tokens; nil: as OAuth 2 says.
	exchange func(ctx context.Context, s *session, code, verifier, redirect string) (models.OAuthGrant, error)
	refresh  func(ctx context.Context, s *session, t models.OAuthTokens) (models.OAuthGrant, error)
	// accounts lists the ad accounts that an access token reaches, at most MaxAccounts.
	accounts func(ctx context.Context, s *session) ([]Account, error)
	// denies reports whether the API's answer to a failed request says that the access token is not good.
	denies func(status int, body []byte) bool
}

// platforms are the providers, by name.
var platforms = byName(google, microsoft, meta)

func byName(list ...platform) map[string]platform {
	out := map[string]platform{}
	for _, p := range list {
		out[p.name] = p
	}
	return out
}

// ErrRevoked says that the platform no longer takes the tokens: the user has to sign in again.
var ErrRevoked = errors.New("the platform takes the sign-in no longer")

// Options of a Client. Apps.URL, GoogleVersion, Now and Wait are optional.
type Options struct {
	Apps
	Egress *egress.Client
	// GoogleVersion is the version of the Google Ads API; default v25.
	GoogleVersion string
	Now           func() time.Time
	Wait          func(ctx context.Context, d time.Duration) error
}

// Client asks the platforms. Safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.GoogleVersion = cmp.Or(o.GoogleVersion, models.GoogleAdsVersion)
	return &Client{o}
}

// retryTime is how long one request waits for a platform that is busy or fails, while a person waits too.
const retryTime = 8 * time.Second

// session is a platform while it is asked.
type session struct {
	rest.API
	platform
	client *Client
	app    App
	hidden *rest.Secrets
}

// open makes a session that shows none of the secrets. Error: not_configured.
func (c *Client) open(provider string, secrets ...string) (*session, error) {
	p, ok := platforms[provider]
	if !ok {
		return nil, fmt.Errorf("signin: there is no platform %q", provider)
	}
	app, err := c.o.app(p)
	if err != nil {
		return nil, err
	}
	s := &session{platform: p, client: c, app: app, hidden: &rest.Secrets{}}
	s.hidden.Add(app.Secret, app.DeveloperToken)
	s.hidden.Add(secrets...)
	base := c.o.address(p, p.base, "")
	if provider == models.GoogleAds {
		base += "/" + c.o.GoogleVersion
	}
	s.API = rest.API{Out: c.o.Egress, Base: base, Now: c.o.Now, RetryTime: retryTime, Wait: c.o.Wait}.
		Keep(append(secrets, app.Secret, app.DeveloperToken)...)
	return s, nil
}

// Exchange returns the tokens for the code that a browser brought back to redirect, and who has signed in. Errors are
// not_configured, or for a person.
func (c *Client) Exchange(ctx context.Context, provider, code, verifier, redirect string) (models.OAuthGrant, error) {
	s, err := c.open(provider, code, verifier)
	if err != nil {
		return models.OAuthGrant{}, err
	}
	how := s.exchange
	if how == nil {
		how = exchange
	}
	g, err := how(ctx, s, code, verifier, redirect)
	if err == nil && g.Tokens.Access == "" {
		err = rest.ErrForm
	}
	if g.UserID == "" { // the platform does not say: each sign-in counts as another person
		g.UserID = uuid.NewString()
	}
	return g, s.shown(err)
}

// Refresh renews tokens. The result replaces all previous tokens. ErrRevoked means that the platform no longer takes them.
// Other errors are not_configured, or for a person.
func (c *Client) Refresh(ctx context.Context, provider string, t models.OAuthTokens) (models.OAuthGrant, error) {
	s, err := c.open(provider, t.Access, t.Refresh)
	if err != nil {
		return models.OAuthGrant{}, err
	}
	how := s.refresh
	if how == nil {
		how = refresh
	}
	g, err := how(ctx, s, t)
	if err == nil && g.Tokens.Access == "" {
		err = rest.ErrForm
	}
	return g, s.shown(err)
}

// shown is an error for a person, without secrets. ErrRevoked and errors of models stay what they are.
func (s *session) shown(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := models.AsError(err); ok {
		return err
	}
	return &shownError{s.hidden.Text(err.Error()), errors.Is(err, ErrRevoked)}
}

type shownError struct {
	text    string
	revoked bool
}

func (e *shownError) Error() string { return e.text }

// Is tells ErrRevoked. Nothing else of the cause is reachable: it may contain secrets.
func (e *shownError) Is(target error) bool { return target == ErrRevoked && e.revoked }

// Account is an ad account. Ids are what the credentials of a traffic source's integration take.
type Account struct {
	ID       string // customer_id of Google, account_id of Microsoft, ad_account_id of Meta
	ParentID string // login_customer_id of Google, customer_id of Microsoft; empty: none
	Name     string
	Currency string
	TimeZone string
	Status   string // the platform's own word, in lower case
	Manager  bool   // it holds other accounts and has no ads itself
}

// MaxAccounts is how many ad accounts are listed.
const MaxAccounts = 1000

// Accounts lists the ad accounts that an access token reaches. ErrRevoked: the platform does not take the token. Other errors are
// not_configured, or for a person.
func (c *Client) Accounts(ctx context.Context, provider, token string) ([]Account, error) {
	s, err := c.open(provider, token)
	if err != nil {
		return nil, err
	}
	s.Sign = rest.Bearer(token)
	list, err := s.accounts(ctx, s)
	if err != nil {
		return nil, s.shown(err)
	}
	slices.SortStableFunc(list, func(a, b Account) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list[:min(len(list), MaxAccounts)], nil
}

// call sends a request to the platform's API with the access token and reads the answer's JSON.
func (s *session) call(ctx context.Context, r rest.Request, into any) error {
	answer, err := s.Send(ctx, r)
	if f, ok := errors.AsType[*rest.FailureError](err); ok {
		text := &rest.FailureError{Status: f.Status, Text: f.Text, Busy: f.Busy} // what a platform refuses is not always the token
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

// form makes the query of a GET.
func form(pairs ...string) url.Values {
	out := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}
