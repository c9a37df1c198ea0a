package v1

import (
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/oauth"
	"switchyard/api/route"
	"switchyard/api/slow"
	dboauth "switchyard/db/oauth"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// oauthRoutes returns the routes of /oauth, the connections to ad platforms by OAuth sign-in.
func oauthRoutes(d Deps) []route.Route {
	const group = "Connections"
	return []route.Route{
		route.New("GET", "/oauth/connections", group, "ad platforms connected by sign-in", route.Handle(d.listOAuth)),
		route.New("DELETE", "/oauth/connections", group, "disconnect an ad platform and delete its tokens", route.Handle(deleteOAuth),
			answer.IDCodes).WithQuery(answer.QueryID...),
		route.New("POST", "/oauth/{provider}/connect", group, "begin a sign-in at an ad platform", route.Handle(d.connectOAuth),
			route.Codes("404 unsupported", "400 not_configured too_many no_encryption_key")),
		route.New("GET", "/oauth/{provider}/accounts", group, "ad accounts reachable through a connection", route.Handle(d.listAdAccounts),
			route.Codes("404 unsupported", "400 not_connected credentials not_configured",
				"400 platform_a_refused platform_b_refused platform_c_refused platform_refused")).
			WithShare(route.Sends).Awaits(adAccountsJob.Answer()).
			WithQuery(route.Param{Name: "connection", Type: "uuid", Doc: "the connection's id; default: the first connection to the provider"}),
	}
}

// OAuthList is the answer of GET /oauth/connections.
type OAuthList struct {
	Providers           []OAuthProvider `json:"providers"`
	EncryptionAvailable bool            `json:"encryptionAvailable" doc:"false: this install cannot store tokens"`
}

// OAuthProvider is an ad platform that offers OAuth sign-in.
type OAuthProvider struct {
	Provider    string            `json:"provider" doc:"the platform's name, as in provider of a traffic source's integration"`
	Label       string            `json:"label"`
	Configured  bool              `json:"configured" doc:"false: this install lacks the settings for sign-ins at this platform"`
	Connections []OAuthConnection `json:"connections" doc:"oldest first"`
}

// OAuthConnection is a connection that was made by OAuth sign-in.
type OAuthConnection struct {
	ID           uuid.UUID `json:"id"`
	UserID       string    `json:"userId" doc:"the platform's id of the person who signed in"`
	UserName     string    `json:"userName" doc:"an e-mail address or a name; may be empty"`
	Scopes       []string  `json:"scopes" doc:"the permissions that the person granted, in the platform's words"`
	Missing      []string  `json:"missing" enum:"ads,uploads" doc:"permissions that the person who signed in did not grant: ads (to read ad accounts and spend), uploads (to upload conversions); everything else works"`
	Status       string    `json:"status" enum:"active,revoked" doc:"revoked: the platform no longer accepts the connection, and a person has to sign in again"`
	ConnectedAt  string    `json:"connectedAt"`
	RefreshedAt  *string   `json:"refreshedAt" doc:"when the connection's tokens were last renewed; null: never"`
	ExpiresAt    *string   `json:"expiresAt" doc:"when the access token expires; the token is renewed earlier. Null: it does not expire"`
	FailingSince *string   `json:"failingSince" doc:"since when renewals of the tokens fail; null: they do not fail"`
	Error        *string   `json:"error" doc:"why the tokens could not be renewed; null: renewals do not fail"`
}

func (d Deps) listOAuth(c *route.Call) (OAuthList, error) {
	found, err := dboauth.NewConnections(c.Store).List(c.Context(), c.Account.ID)
	out := OAuthList{EncryptionAvailable: c.Store.Box().HasKey()}
	for _, p := range models.SignInProviders {
		shown := OAuthProvider{Provider: p.Name, Label: p.Label, Configured: d.SignIn != nil && d.SignIn.Configured(p.Name), Connections: []OAuthConnection{}}
		for _, connection := range found {
			if connection.Provider == p.Name {
				shown.Connections = append(shown.Connections, oauthAnswer(connection))
			}
		}
		out.Providers = append(out.Providers, shown)
	}
	return out, err
}

func oauthAnswer(c models.OAuthConnection) OAuthConnection {
	return OAuthConnection{
		ID: c.ID, UserID: c.UserID, UserName: c.UserName, Scopes: append([]string{}, strings.Fields(c.Scopes)...), Status: c.Status,
		Missing:     answer.Each(models.MissingUses(c.Provider, c.Scopes), func(u models.OAuthUse) string { return string(u) }),
		ConnectedAt: answer.Stamp(c.ConnectedAt), RefreshedAt: answer.StampOrNull(c.RefreshedAt), ExpiresAt: answer.StampOrNull(c.ExpiresAt),
		FailingSince: answer.StampOrNull(c.Since), Error: answer.OrNull(c.Failure),
	}
}

func deleteOAuth(c *route.Call) (Disconnected, error) {
	err := dboauth.NewConnections(c.Store).Remove(c.Context(), c.Account.ID, c.ID)
	return Disconnected{err == nil}, err
}

func signInProvider(c *route.Call) (models.SignInProvider, error) {
	p, ok := models.SignInProviderNamed(c.Path["provider"])
	if !ok {
		return p, models.Errorf(models.KindNotFound, "unsupported", "there is no sign-in at %.60q: see GET /oauth/connections", c.Path["provider"])
	}
	return p, nil
}

// OAuthStart is the answer of POST /oauth/{provider}/connect.
type OAuthStart struct {
	URL       string `json:"url" doc:"a secret address, to be opened in the browser of the person who has the ad accounts"`
	ExpiresAt string `json:"expiresAt" doc:"until when the sign-in has to be completed"`
}

func (d Deps) connectOAuth(c *route.Call) (OAuthStart, error) {
	p, err := signInProvider(c)
	if err != nil {
		return OAuthStart{}, err
	}
	if d.SignIn == nil || !d.SignIn.Configured(p.Name) {
		return OAuthStart{}, models.Invalid("not_configured", "this install is not set up for sign-ins at %s: ask its operator", p.Label)
	}
	a, state, err := dboauth.NewAttempts(c.Store).Begin(c.Context(), c.Account.ID, p.Name, oauth.Callback(d.BaseURL), time.Now())
	return OAuthStart{URL: oauth.Start(d.BaseURL, state), ExpiresAt: answer.Stamp(a.ExpiresAt)}, err
}

// AdAccounts is the answer of GET /oauth/{provider}/accounts.
type AdAccounts struct {
	Accounts []AdAccount `json:"accounts" doc:"in the order of their names; at most 1,000"`
}

// AdAccount is an ad account that is reachable through a connection.
type AdAccount struct {
	ID       string  `json:"id" doc:"the value for the credential customer_id of google_ads, account_id of microsoft_ads or ad_account_id of the other platforms"`
	ParentID *string `json:"parentId" doc:"the value for the credential login_customer_id of google_ads or customer_id of microsoft_ads; null: no such value is needed"`
	Name     string  `json:"name" doc:"empty: the platform does not report it"`
	Currency string  `json:"currency"`
	TimeZone string  `json:"timeZone" doc:"the platform's name of the time zone"`
	Status   string  `json:"status" doc:"the status in the platform's words"`
	Manager  bool    `json:"manager" doc:"true: the account only manages other accounts and has no ads of its own"`
}

var adAccountsJob = slow.New(jobs.ListAdAccounts, func(list []jobs.AdAccount) AdAccounts {
	return AdAccounts{answer.Each(list, func(a jobs.AdAccount) AdAccount {
		return AdAccount{
			ID: a.ID, ParentID: answer.OrNull(a.ParentID), Name: a.Name, Currency: a.Currency, TimeZone: a.TimeZone, Status: a.Status, Manager: a.Manager,
		}
	})}
})

func (d Deps) listAdAccounts(c *route.Call) (AdAccounts, error) {
	p, err := signInProvider(c)
	if err != nil {
		return AdAccounts{}, err
	}
	id, err := bind.QueryID(c.Query, "connection", "invalid_input")
	if err != nil {
		return AdAccounts{}, err
	}
	connections := dboauth.NewConnections(c.Store)
	var found models.OAuthConnection
	if id == uuid.Nil {
		found, err = connections.First(c.Context(), c.Account.ID, p.Name)
	} else {
		found, err = connections.Find(c.Context(), c.Account.ID, id)
	}
	if errors.Is(err, models.NotFound("connection")) || err == nil && found.Provider != p.Name {
		err = models.Invalid("not_connected", "%s is not connected, or not by the connection that the call names: see GET /oauth/connections", p.Label)
	}
	if err != nil {
		return AdAccounts{}, err
	}
	return adAccountsJob.Run(c, d.Jobs, jobs.OAuthAccountsArgs{Connection: found.ID})
}
