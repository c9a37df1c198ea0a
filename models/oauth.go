package models

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// SignInProvider is a platform at which a person signs in so that the service may use the person's ad accounts.
type SignInProvider struct {
	Name  string // the value of OAuthConnection.Provider, and the name of the platform's SourceProvider
	Label string
	// Refused is the code of the error if the platform refuses a request.
	Refused string
	// Settings is the beginning of the names of the two settings that describe the install's app at the platform, such as
	// SNAPCHAT for SNAPCHAT_CLIENT_ID and SNAPCHAT_CLIENT_SECRET. If it is empty, the settings have other names.
	Settings string
}

// refusedCodes holds the error codes of the platforms that have a code of their own. All other platforms have the code platform_refused.
var refusedCodes = map[string]string{GoogleAds: "platform_a_refused", MicrosoftAds: "platform_b_refused", Meta: "platform_c_refused"}

// SignInProviders lists the platforms to which an account can be connected by signing in.
var SignInProviders = signInProviders()

func signInProviders() []SignInProvider {
	var out []SignInProvider
	for _, p := range SourceProviders {
		if !p.SignIn {
			continue
		}
		s := SignInProvider{Name: p.Name, Label: p.Label, Refused: refusedCodes[p.Name]}
		if s.Refused == "" {
			s.Refused, s.Settings = "platform_refused", strings.ToUpper(p.Name)
		}
		out = append(out, s)
	}
	return out
}

// SignInProviderNamed finds a provider by its name.
func SignInProviderNamed(name string) (SignInProvider, bool) {
	return find(SignInProviders, func(p SignInProvider) bool { return p.Name == name })
}

// OAuthUse is a purpose of a sign-in. Some platforms let a person allow only some purposes.
type OAuthUse string

// The purposes of a sign-in.
const (
	OAuthAds     OAuthUse = "ads" // to list ad accounts and conversion actions, and to read spend
	OAuthUploads OAuthUse = "uploads"
)

// OAuthUses lists the purposes of a sign-in.
var OAuthUses = []OAuthUse{OAuthAds, OAuthUploads}

// Google's scopes, one for each purpose.
const (
	GoogleAdsScope     = "https://www.googleapis.com/auth/adwords"
	GoogleUploadsScope = "https://www.googleapis.com/auth/datamanager"
)

var oauthScopes = map[string]map[OAuthUse]string{
	GoogleAds: {OAuthAds: GoogleAdsScope, OAuthUploads: GoogleUploadsScope},
}

// MissingUses returns the purposes of a platform's sign-in that the person did not allow. granted are the scopes that the person
// granted, separated by spaces. If the platform did not name the granted scopes, no purpose is missing.
func MissingUses(provider, granted string) []OAuthUse {
	missing := []OAuthUse{}
	for _, use := range OAuthUses {
		scope, optional := oauthScopes[provider][use]
		if optional && granted != "" && !slices.Contains(strings.Fields(granted), scope) {
			missing = append(missing, use)
		}
	}
	return missing
}

// CheckUse returns an error with the code "credentials" if the person who signed in did not allow a purpose of the connection.
func (c OAuthConnection) CheckUse(use OAuthUse) error {
	if !slices.Contains(MissingUses(c.Provider, c.Scopes), use) {
		return nil
	}
	purpose := map[OAuthUse]string{OAuthAds: "reading ad accounts and spend", OAuthUploads: "uploads of conversions"}[use]
	return Invalid("credentials", "%s: the sign-in does not allow %s: sign in again and allow %s", c.Name(), purpose, oauthScopes[c.Provider][use])
}

// MaxOAuthConnections is the maximum number of connections by sign-in in an account.
const MaxOAuthConnections = 50

// The states of a connection by sign-in.
const (
	OAuthActive  = "active"
	OAuthRevoked = "revoked" // the platform no longer accepts the connection: a person must sign in again
)

// OAuthConnection is a connection by sign-in, without its tokens.
type OAuthConnection struct {
	ID          uuid.UUID  `db:"id"`
	AccountID   uuid.UUID  `db:"account_id"`
	Provider    string     `db:"provider"`
	UserID      string     `db:"user_id"`
	UserName    string     `db:"user_name"`
	Scopes      string     `db:"scopes"` // the granted scopes, separated by spaces
	Status      string     `db:"status"`
	Failure     string     `db:"failure"` // why the last refresh failed; for people; contains no secrets
	Since       *time.Time `db:"failing_since"`
	ConnectedAt time.Time  `db:"connected_at"`
	RefreshedAt *time.Time `db:"refreshed_at"` // nil: never
	ExpiresAt   *time.Time `db:"expires_at"`   // end of the access token; nil: it does not expire
	Version     int64      `db:"version"`      // increases with each change of the tokens
}

// Name returns the name of the connection for people: the provider's label, followed by the user's name if it is known.
func (c OAuthConnection) Name() string {
	p, _ := SignInProviderNamed(c.Provider)
	if c.UserName == "" {
		return p.Label
	}
	return p.Label + " " + c.UserName
}

// OAuthTokens are secrets that a platform accepts instead of a password.
type OAuthTokens struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"` // empty: the access token itself is exchanged for the next one
}

// OAuthGrant is what a platform returns after a sign-in: the user, the granted scopes and the tokens.
type OAuthGrant struct {
	UserID, UserName string
	Scopes           string
	Tokens           OAuthTokens
	ExpiresAt        *time.Time // end of the access token; nil: it does not expire
}

// OAuthAttempt is a sign-in that was begun and has not ended.
type OAuthAttempt struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	Account   string    `db:"account"`
	Provider  string    `db:"provider"`
	Redirect  string    `db:"redirect"`
	ExpiresAt time.Time `db:"expires_at"`
	Verifier  string    `db:"-"` // the code verifier of PKCE; a secret
}

// OAuthSessionState is the prefix of the OAuth state if a sign-in was begun in a session of the dashboard.
const OAuthSessionState = "app-"

// OAuthAttemptTime is the time within which a sign-in must be completed.
const OAuthAttemptTime = 15 * time.Minute

// OAuthRefreshAhead returns how long before its end an access token is renewed.
func OAuthRefreshAhead(life time.Duration) time.Duration {
	return min(max(life/10, 5*time.Minute), life/2)
}
