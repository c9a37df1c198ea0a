package dashboard

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	dbpeople "switchyard/db/people"
	"switchyard/models"
)

// maxAgentLength is the maximum number of characters of a browser's user agent that a session keeps.
const maxAgentLength = 300

// signIn returns the rows for signing in and out, and for the links that let people in.
func (d Deps) signIn() []route.Route {
	entry := route.Codes("400 bad_body invalid_input required too_long weak_password", "404 not_found link_gone", "413 body_too_large",
		"503 unavailable")
	row := func(method, path, summary string, h route.Handler, codes ...string) route.Route {
		r := route.New(method, "/app/api"+path, "Dashboard", summary, h, route.Codes(codes...), entry)
		r.Callers = route.Anybody
		return r
	}
	return []route.Route{
		row("POST", "/session", "sign in", route.HandleBody(d.startSession), "401 wrong_sign_in code_required"),
		row("DELETE", "/session", "sign out", route.Handle(d.signOut)),
		row("POST", "/links/look", "what a link is for", route.HandleBody(d.describeLink)),
		row("POST", "/links/use", "use a link; it works once", route.HandleBody(d.useLink), "401 wrong_sign_in code_required", "409 last_owner"),
	}
}

// signInBody is the sign-in form.
type signInBody struct {
	Email    string `json:"email" required:"true" maxLength:"254"`
	Password string `json:"password" required:"true" maxLength:"800"`
	Code     string `json:"code" maxLength:"40"`
}

// SignedIn is the answer to a successful sign-in.
type SignedIn struct {
	AccountID uuid.UUID `json:"account_id"`
}

func (d Deps) startSession(c *route.Call, b signInBody) (out SignedIn, err error) {
	email, _ := models.CleanEmail(b.Email)
	err = d.limited(c, email, b.Code, func() error {
		person, _, err := dbpeople.New(c.Store).FindByEmail(c.Context(), email)
		if err != nil {
			return err
		}
		if err := checkProof(c, person, b.Password, b.Code); err != nil {
			return err
		}
		accounts, err := dbpeople.New(c.Store).Accounts(c.Context(), person.ID)
		if err != nil {
			return err
		}
		if len(accounts) == 0 {
			return errWrongSignIn
		}
		out, err = d.open(c, person, accounts[0].ID)
		return err
	})
	return out, err
}

// open starts a new session and ends the browser's old one.
func (d Deps) open(c *route.Call, person models.Person, account uuid.UUID) (SignedIn, error) {
	people := dbpeople.New(c.Store)
	if old := d.Site.Token(c.Request); old != "" {
		if err := people.EndToken(c.Context(), old); err != nil {
			return SignedIn{}, err
		}
	}
	token, err := people.OpenSession(c.Context(), person.ID, account, c.Client.String(), agentOf(c.Request))
	if err != nil {
		return SignedIn{}, err
	}
	device, err := d.newDevice(c, person.Email)
	if err != nil {
		return SignedIn{}, err
	}
	c.Person, c.Account.ID = person, account
	c.After(func(context.Context) {
		d.Site.SetToken(c.Header(), token)
		c.Header().Add("Set-Cookie", device.String())
		d.setLookCookies(c, person)
	})
	return SignedIn{account}, nil
}

func agentOf(r *http.Request) string {
	return models.Cut(r.UserAgent(), maxAgentLength)
}

func (d Deps) signOut(c *route.Call) (answer.DeletedAnswer, error) {
	if token := d.Site.Token(c.Request); token != "" {
		if err := dbpeople.New(c.Store).EndToken(c.Context(), token); err != nil {
			return answer.DeletedAnswer{}, err
		}
	}
	d.Site.SetToken(c.Header(), "")
	return answer.DeletedAnswer{Deleted: true}, nil
}
