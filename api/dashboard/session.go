package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/netguard"
)

// signIn are the rows of signing in and out, and of the links that let people in.
func (d Deps) signIn() []route.Route {
	entry := route.Codes("400 bad_body invalid_input required too_long weak_password", "404 not_found link_gone", "413 body_too_large",
		"503 unavailable")
	return []route.Route{
		{
			Method: "POST", Path: "/app/api/session", Callers: route.Anybody, Summary: "sign in", Handle: route.Take(d.enter),
			Codes: append(route.Codes("401 wrong_sign_in code_required"), entry...),
		},
		{
			Method: "DELETE", Path: "/app/api/session", Callers: route.Anybody, Summary: "sign out", Handle: route.Do(d.leave),
			Codes: entry,
		},
		{
			Method: "POST", Path: "/app/api/links/look", Callers: route.Anybody, Summary: "what a link is for",
			Handle: route.Take(d.lookAtLink), Codes: entry,
		},
		{
			Method: "POST", Path: "/app/api/links/use", Callers: route.Anybody, Summary: "use a link; it works once",
			Handle: route.Take(d.useLink), Codes: append(route.Codes("401 wrong_sign_in code_required", "409 last_owner no_password"), entry...),
		},
	}
}

// Wrong proofs in attemptTime: passwords and codes.
const (
	attemptTime      = 15 * time.Minute
	attemptsNetwork  = 150 // of a network, see netguard.NetworkPrefix
	attemptsAddress  = 30
	attemptsEmail    = 5
	attemptsConfirm  = 5 // of a session that is signed in
	maxAgentKept     = 300
	wrongSignIn      = "wrong_sign_in"
	wrongSignInText  = "this e-mail and password, or this code, are not right"
	codeRequired     = "code_required"
	codeRequiredText = "give a code of your app, or a recovery code"
)

// allowance is a number of wrong proofs in attemptTime, counted by a name.
type allowance struct {
	name  string
	limit int
}

// ofAddress are the allowances of who asks: the address and its network.
func ofAddress(c *route.Call) []allowance {
	return []allowance{
		{"sign-in address:" + netguard.ClientPrefix(c.Client).String(), attemptsAddress},
		{"sign-in network:" + netguard.NetworkPrefix(c.Client).String(), attemptsNetwork},
	}
}

// ofEmail is the allowance of a person. The sign-in page and links share it.
func ofEmail(email string) allowance { return allowance{"sign-in e-mail:" + email, attemptsEmail} }

// attempt counts an attempt at a proof against each allowance, and refuses it when one is used up. Call succeeded when the proof was
// right: only failures stay counted.
func (d Deps) attempt(c *route.Call, of ...allowance) error {
	for _, b := range of {
		if w := d.Rates.AllowWithin(c.Context(), b.name, b.limit, attemptTime); w.Over {
			wait := int(w.Reset.Minutes()) + 1
			c.Header().Set("Retry-After", strconv.Itoa(wait*60))
			return models.Errorf(models.KindTooMany, "rate_limited", "too many attempts: wait %d minutes", wait)
		}
	}
	return nil
}

// succeeded takes an attempt back.
func (d Deps) succeeded(c *route.Call, of ...allowance) {
	for _, b := range of {
		d.Rates.Uncount(c.Context(), b.name)
	}
}

// isWrong reports whether an error says that a password or code was wrong. Being asked for a code that was not given is no failure:
// the password was right.
func isWrong(err error, code string) bool {
	e, ok := models.AsError(err)
	return ok && e.Kind == models.KindUnauthenticated && (e.Code != codeRequired || code != "")
}

// signInBody is who somebody says to be. Code is of an app or a recovery code, where one is asked for.
type signInBody struct {
	Email    string `json:"email" required:"true" maxLength:"254"`
	Password string `json:"password" required:"true" maxLength:"800"`
	Code     string `json:"code" maxLength:"40"`
}

// SignedIn is the answer to whoever is signed in now.
type SignedIn struct {
	AccountID uuid.UUID `json:"account_id"`
}

func (d Deps) enter(c *route.Call, b signInBody) (SignedIn, error) {
	email, _ := models.CleanEmail(b.Email)
	proof := append(ofAddress(c), ofEmail(email))
	if err := d.attempt(c, proof...); err != nil {
		return SignedIn{}, err
	}
	person, _, err := c.Store.People().FindByEmail(c.Context(), email)
	if err != nil {
		return SignedIn{}, err
	}
	if err := prove(c, person, b.Password, b.Code); err != nil {
		if !isWrong(err, b.Code) {
			d.succeeded(c, proof...)
		}
		return SignedIn{}, err
	}
	places, err := c.Store.People().Accounts(c.Context(), person.ID)
	if err != nil {
		return SignedIn{}, err
	}
	if len(places) == 0 {
		return SignedIn{}, models.Errorf(models.KindUnauthenticated, wrongSignIn, wrongSignInText)
	}
	d.succeeded(c, proof...)
	return d.open(c, person, places[0].ID)
}

// prove checks password and code of a person. What is wrong is not told.
func prove(c *route.Call, person models.Person, password, code string) error {
	wrong := models.Errorf(models.KindUnauthenticated, wrongSignIn, wrongSignInText)
	ok, err := isPassword(c.Context(), person, password)
	switch {
	case err != nil:
		return err
	case !ok:
		return wrong
	case !person.HasTOTP:
		return nil
	case code == "":
		return models.Errorf(models.KindUnauthenticated, codeRequired, codeRequiredText)
	}
	if ok, err = isCode(c.Context(), c.Store, person, code); err == nil && !ok {
		err = wrong
	}
	return err
}

// open begins a new session, whatever one the browser had: that one ends.
func (d Deps) open(c *route.Call, person models.Person, account uuid.UUID) (SignedIn, error) {
	people := c.Store.People()
	if old := d.Site.Token(c.Request); old != "" {
		if err := people.EndToken(c.Context(), old); err != nil {
			return SignedIn{}, err
		}
	}
	token, err := people.OpenSession(c.Context(), person.ID, account, c.Client.String(), agentOf(c.Request))
	if err != nil {
		return SignedIn{}, err
	}
	c.After(func(context.Context) {
		d.Site.SetToken(c.Header(), token)
		d.remember(c, person)
	})
	return SignedIn{account}, nil
}

// agentOf is the user agent of a request, cut.
func agentOf(r *http.Request) string {
	agent := []rune(r.UserAgent())
	return string(agent[:min(len(agent), maxAgentKept)])
}

func (d Deps) leave(c *route.Call) (answer.DeletedAnswer, error) {
	if token := d.Site.Token(c.Request); token != "" {
		if err := c.Store.People().EndToken(c.Context(), token); err != nil {
			return answer.DeletedAnswer{}, err
		}
	}
	d.Site.SetToken(c.Header(), "")
	return answer.DeletedAnswer{Deleted: true}, nil
}

// linkBody is the token of a link. It comes in a body, so that it is in no log.
type linkBody struct {
	Token string `json:"token" required:"true" maxLength:"100"`
}

// LinkShown says what a link is for.
type LinkShown struct {
	Kind     string      `json:"kind" enum:"invite,reset,entry"`
	Account  string      `json:"account"`
	Email    string      `json:"email"`
	Role     models.Role `json:"role" enum:"viewer,contributor,member,owner"`
	Known    bool        `json:"known" doc:"the person has a password already"`
	HasCodes bool        `json:"has_codes" doc:"a code of an app is asked for"`
}

func (d Deps) lookAtLink(c *route.Call, b linkBody) (LinkShown, error) {
	if err := d.attempt(c, ofAddress(c)...); err != nil {
		return LinkShown{}, err
	}
	link, err := c.Store.People().FindLink(c.Context(), b.Token)
	if err != nil {
		return LinkShown{}, err
	}
	d.succeeded(c, ofAddress(c)...)
	account, err := c.Store.FindAccount(c.Context(), link.AccountID)
	if err != nil {
		return LinkShown{}, err
	}
	person, _, err := c.Store.People().FindByEmail(c.Context(), link.Email)
	return LinkShown{link.Kind, account.Name, link.Email, link.Role, person.PasswordHash != "", person.HasTOTP}, err
}

// useLinkBody is what a link needs: a name and a new password, or those that the person has.
type useLinkBody struct {
	linkBody
	Name     string `json:"name" maxLength:"120" trim:"true"`
	Password string `json:"password" maxLength:"800"`
	Code     string `json:"code" maxLength:"40"`
}

// useLink uses a link in one transaction with what it is for, so that it is left as it was when that fails. A wrong password or
// code counts for the person as at the sign-in page, and for the link, which ends after ten.
func (d Deps) useLink(c *route.Call, b useLinkBody) (out SignedIn, err error) {
	proof := ofAddress(c)
	if err := d.attempt(c, proof...); err != nil {
		return out, err
	}
	if err := c.Store.Box().Ready(c.Context()); err != nil {
		return out, err
	}
	found, err := c.Store.People().FindLink(c.Context(), b.Token)
	if err != nil {
		return out, err
	}
	if err := d.attempt(c, ofEmail(found.Email)); err != nil {
		return out, err
	}
	proof = append(proof, ofEmail(found.Email))
	was := c.Store
	err = was.Tx(c.Context(), func(s *store.Store) error {
		c.Store = s
		defer func() { c.Store = was }()
		link, err := s.People().UseLink(c.Context(), b.Token)
		if err != nil {
			return err
		}
		person, err := s.People().Ensure(c.Context(), link.Email, nameOr(b.Name, link.Email))
		if err != nil {
			return err
		}
		if err := admit(c, link, person, b); err != nil {
			return err
		}
		out, err = d.open(c, person, link.AccountID)
		return err
	})
	if !isWrong(err, b.Code) {
		d.succeeded(c, proof...)
		return out, err
	}
	return out, cmp.Or(c.Store.People().CountWrongProof(c.Context(), b.Token), err)
}

// admit does what a link is for.
func admit(c *route.Call, link models.EntryLink, person models.Person, b useLinkBody) error {
	people := c.Store.People()
	if link.Kind == models.LinkEntry { // of an operator
		return people.Join(c.Context(), link.AccountID, person.ID, link.Role)
	}
	if link.Kind == models.LinkInvite {
		if person.PasswordHash != "" {
			if err := prove(c, person, b.Password, b.Code); err != nil {
				return err
			}
			return people.Join(c.Context(), link.AccountID, person.ID, link.Role)
		}
		if err := joinNew(c, link, person); err != nil {
			return err
		}
	} else if person.HasTOTP {
		ok, err := isCode(c.Context(), c.Store, person, b.Code)
		if err == nil && !ok {
			err = models.Errorf(models.KindUnauthenticated, codeRequired, codeRequiredText)
		}
		if err != nil {
			return err
		}
	}
	hash, err := hashOf(c.Context(), b.Password)
	if err != nil {
		return err
	}
	if err := people.EndSessions(c.Context(), person.ID, uuid.Nil); err != nil {
		return err
	}
	return people.SetPassword(c.Context(), person.ID, hash, b.Name)
}

// joinNew makes somebody without a password a member. Whoever is one of another account already may not get a password by
// an invitation: who sent it could use it there.
func joinNew(c *route.Call, link models.EntryLink, person models.Person) error {
	people := c.Store.People()
	places, err := people.Accounts(c.Context(), person.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(places, func(w store.Workplace) bool { return w.ID != link.AccountID }) {
		return models.Conflict("no_password", "ask the operator of this service for a link to set a password first")
	}
	return people.Join(c.Context(), link.AccountID, person.ID, link.Role)
}

// nameOr is a name, else the part of an address that stands for one.
func nameOr(name, email string) string {
	if name != "" {
		return name
	}
	for i, r := range email {
		if r == '@' {
			return email[:i]
		}
	}
	return email
}
