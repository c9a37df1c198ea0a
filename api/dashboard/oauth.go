package dashboard

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/oauth"
	"switchyard/api/route"
	dboauth "switchyard/db/oauth"
	"switchyard/models"
)

// oauth returns the routes for connecting an ad platform by sign-in. The platform sends the browser to a page of the dashboard.
// That page posts the platform's parameters from the dashboard's own origin, so that the browser sends the session's cookie.
func (d Deps) oauth() []route.Route {
	begin := personRoute("POST", "/oauth/{provider}", "begin a sign-in at an ad platform", route.Handle(d.beginOAuth),
		"404 unsupported", "400 not_configured too_many no_encryption_key")
	end := personRoute("POST", "/oauth", "end the sign-in that this session has begun", route.HandleBody(d.endOAuth),
		"400 required too_long signin_expired signin_refused not_configured too_many no_encryption_key")
	begin.Role, end.Role, begin.Confirm = models.RoleMember, models.RoleMember, true
	return []route.Route{begin, end}
}

// OAuthBegun is the address at which the page continues a sign-in.
type OAuthBegun struct {
	URL       string `json:"url" doc:"the platform's page for the sign-in; the address is a secret"`
	ExpiresAt string `json:"expires_at"`
}

func (d Deps) beginOAuth(c *route.Call) (OAuthBegun, error) {
	p, ok := models.SignInProviderNamed(c.Path["provider"])
	if !ok {
		return OAuthBegun{}, models.Errorf(models.KindNotFound, "unsupported", "there is no sign-in at %.60q", c.Path["provider"])
	}
	if d.Platforms == nil || !d.Platforms.Configured(p.Name) {
		return OAuthBegun{}, models.Invalid("not_configured", "this install is not set up for sign-ins at %s: ask its operator", p.Label)
	}
	redirect := oauth.Callback(d.BaseURL)
	a, state, err := dboauth.NewAttempts(c.Store).ForSession(c.Account.ID, c.Session.ID).Begin(c.Context(), c.Account.ID, p.Name, redirect, time.Now())
	if err != nil {
		return OAuthBegun{}, err
	}
	address, err := d.Platforms.Address(p.Name, state, a.Verifier, redirect)
	return OAuthBegun{URL: address, ExpiresAt: answer.Stamp(a.ExpiresAt)}, err
}

// oauthBody holds the parameters that the platform gave to the browser: the state, and a code or an error.
type oauthBody struct {
	State string `json:"state" required:"true" maxLength:"100"`
	Code  string `json:"code" maxLength:"8000"`
	Error string `json:"error" maxLength:"8000"`
}

// OAuthEnded is the connection that a sign-in has made or renewed.
type OAuthEnded struct {
	ID       uuid.UUID `json:"id"`
	Provider string    `json:"provider"`
	Label    string    `json:"label"`
	UserName string    `json:"user_name" doc:"an e-mail address or a name; may be empty"`
}

// endOAuth starts a job that exchanges the code for tokens, and waits for it. It runs outside of any transaction, because the job
// reads rows that this call commits.
func (d Deps) endOAuth(c *route.Call, b oauthBody) (OAuthEnded, error) {
	attempts := dboauth.NewAttempts(d.Store).ForSession(c.Account.ID, c.Session.ID)
	if oauth.Refused(b.Code, b.Error) {
		if err := attempts.Cancel(c.Context(), b.State, time.Now()); err != nil {
			return OAuthEnded{}, err
		}
		return OAuthEnded{}, oauth.ErrRefused()
	}
	done, err := oauth.Complete(c.Context(), attempts, d.Jobs, b.State, b.Code)
	provider, _ := models.SignInProviderNamed(done.Provider)
	return OAuthEnded{done.ID, done.Provider, provider.Label, done.UserName}, err
}
