package models

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// SignInProvider is a platform at which a person signs in, so that the service may use their ad accounts.
type SignInProvider struct {
	Name  string // as OAuthConnection.Provider, and as the SourceProvider of the platform
	Label string
	// Refused is the code of the error that the platform refused a request.
	Refused string
}

// SignInProviders are the platforms that can be connected by sign-in.
var SignInProviders = []SignInProvider{
	{GoogleAds, "Google Ads", "platform_a_refused"},
	{MicrosoftAds, "Microsoft Advertising", "platform_b_refused"},
	{Meta, "Meta (Facebook, Instagram)", "platform_c_refused"},
}

// SignInProviderNamed finds a provider.
func SignInProviderNamed(name string) (SignInProvider, bool) {
	i := slices.IndexFunc(SignInProviders, func(p SignInProvider) bool { return p.Name == name })
	if i < 0 {
		return SignInProvider{}, false
	}
	return SignInProviders[i], true
}

// MaxOAuthConnections is how many connections by sign-in an account may have.
const MaxOAuthConnections = 50

// The states of a connection by sign-in.
const (
	OAuthActive  = "active"
	OAuthRevoked = "revoked" // the platform no longer accepts it: a person has to sign in again
)

// OAuthConnection is a connection by sign-in. Its tokens stay in the store.
type OAuthConnection struct {
	ID          uuid.UUID  `db:"id"`
	AccountID   uuid.UUID  `db:"account_id"`
	Provider    string     `db:"provider"`
	UserID      string     `db:"user_id"`   // the platform's, of who has signed in
	UserName    string     `db:"user_name"` // what a person calls them, such as an e-mail address
	Scopes      string     `db:"scopes"`    // what was granted, separated by spaces
	Status      string     `db:"status"`
	Failure     string     `db:"failure"` // why the last refresh failed; for a person, without secrets
	Since       *time.Time `db:"failing_since"`
	ConnectedAt time.Time  `db:"connected_at"`
	RefreshedAt *time.Time `db:"refreshed_at"` // nil: never
	ExpiresAt   *time.Time `db:"expires_at"`   // of the access token; nil: it does not expire
	Version     int64      `db:"version"`      // it grows with each change of the tokens
}

// Name is what a person calls the connection.
func (c OAuthConnection) Name() string {
	p, _ := SignInProviderNamed(c.Provider)
	if c.UserName == "" {
		return p.Label
	}
	return p.Label + " " + c.UserName
}

// OAuthTokens are what a platform takes in place of a password. They are secrets.
type OAuthTokens struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"` // empty: the access token itself is exchanged for the next one
}

// OAuthGrant is what a platform has granted to who has signed in.
type OAuthGrant struct {
	UserID, UserName string
	Scopes           string
	Tokens           OAuthTokens
	ExpiresAt        *time.Time // of the access token; nil: it does not expire
}

// OAuthAttempt is a sign-in under way.
type OAuthAttempt struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	Account   string    `db:"account"` // its name
	Provider  string    `db:"provider"`
	Redirect  string    `db:"redirect"` // where the platform sends the browser
	ExpiresAt time.Time `db:"expires_at"`
	Verifier  string    `db:"-"` // of PKCE; a secret
}

// OAuthSessionState begins the state of a sign-in that a session of the dashboard has begun.
const OAuthSessionState = "app-"

// OAuthAttemptTime is how long a sign-in may take.
const OAuthAttemptTime = 15 * time.Minute

// OAuthRefreshAhead is how long before its end an access token is renewed, by the length of its life: a tenth of it, five minutes
// at least, and half of it at most.
func OAuthRefreshAhead(life time.Duration) time.Duration {
	return min(max(life/10, 5*time.Minute), life/2)
}
