package jobs

import (
	"time"

	"github.com/google/uuid"
)

// OAuthAttemptArgs name a sign-in, whose code is in the store.
type OAuthAttemptArgs struct {
	ID uuid.UUID `json:"id"`
}

// OAuthConnected is a connection that was made by signing in at the platform.
type OAuthConnected struct {
	ID       uuid.UUID `json:"id"`
	Provider string    `json:"provider"`
	UserName string    `json:"user_name"`
}

// ExchangeOAuth exchanges the code of a sign-in for tokens and saves the connection. It is not retried, because the code can be
// used only once. Errors: signin_expired, signin_refused, not_configured, too_many.
var ExchangeOAuth = Define[OAuthAttemptArgs, OAuthConnected]("oauth:exchange", interactive(40*time.Second))

// OAuthAccountsArgs name a connection.
type OAuthAccountsArgs struct {
	Connection uuid.UUID `json:"connection"`
}

// AdAccount is an ad account to which a connection has access.
type AdAccount struct {
	ID       string `json:"id"`
	ParentID string `json:"parent_id"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
	TimeZone string `json:"time_zone"`
	Status   string `json:"status"`
	Manager  bool   `json:"manager"`
}

// ListAdAccounts lists the ad accounts to which a connection has access. Errors: not_connected, credentials, not_configured,
// platform_a_refused, platform_b_refused, platform_c_refused, platform_refused. In these codes, platform_a is Google Ads,
// platform_b is Microsoft Ads and platform_c is Meta.
var ListAdAccounts = Define[OAuthAccountsArgs, []AdAccount]("oauth:accounts", interactive(40*time.Second))

// SweepOAuth renews the tokens of connections before they expire, and deletes sign-ins that were not completed in time.
var SweepOAuth = tickWithin("oauth:sweep", 10*time.Minute)
