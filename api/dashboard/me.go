package dashboard

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"switchyard/api/answer"
	"switchyard/api/route"
	dbpeople "switchyard/db/people"
	"switchyard/db/store"
	"switchyard/models"
)

func (d Deps) me() []route.Route {
	confirmed := func(r route.Route) route.Route { r.Confirm = true; return r }
	repeats := func(r route.Route) route.Route { r.Repeats = true; return r }
	return []route.Route{
		personRoute("GET", "/session", "who is signed in, and on which account", route.Handle(d.findMe)),
		repeats(personRoute("POST", "/session/confirm", "prove the person's identity again", route.HandleBody(d.confirm), "401 wrong_sign_in code_required")),
		repeats(personRoute("POST", "/session/account", "switch the session to another account", route.HandleBody(moveSession), "404 not_found")),
		personRoute("GET", "/sessions", "browsers that are signed in", route.Handle(listSessions)),
		personRoute("DELETE", "/sessions/{id}", "end a session", route.Handle(endSession), "404 not_found"),
		personRoute("DELETE", "/sessions", "end all other sessions", route.Handle(endOtherSessions)),
		personRoute("PATCH", "/me", "change name, theme, language and letter keys", route.HandleBody(d.changeMe), "400 required too_long"),
		confirmed(personRoute("POST", "/me/password", "set a new password; all other sessions end", route.HandleBody(changePassword), "400 weak_password")),
		confirmed(personRoute("POST", "/me/totp", "create the secret for codes; PUT /me/totp turns codes on", route.Handle(beginTOTP))),
		personRoute("PUT", "/me/totp", "turn on sign-in with codes", route.HandleBody(confirmTOTP), "400 wrong_code", "404 not_found"),
		confirmed(personRoute("DELETE", "/me/totp", "turn off sign-in with codes", route.Handle(removeTOTP))),
	}
}

// Me is the person who is signed in.
type Me struct {
	ID         uuid.UUID            `json:"id"`
	Email      string               `json:"email"`
	Name       string               `json:"name"`
	Theme      string               `json:"theme" enum:"system,light,dark"`
	Language   string               `json:"language" doc:"empty: the browser's language"`
	LetterKeys bool                 `json:"letter_keys" doc:"true: single letters are keyboard shortcuts"`
	HasCodes   bool                 `json:"has_codes" doc:"true: the person signs in with codes of an authenticator app"`
	Role       models.Role          `json:"role" enum:"viewer,contributor,member,owner"`
	SessionID  uuid.UUID            `json:"session_id"`
	Confirmed  bool                 `json:"confirmed" doc:"true: the person has recently proved their identity"`
	Account    MeAccount            `json:"account" doc:"the account that the session is on"`
	Accounts   []dbpeople.Workplace `json:"accounts"`
}

// MeAccount is the account of a session, with the settings for showing figures.
type MeAccount struct {
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	Plan       string    `json:"plan"`
	Currency   string    `json:"currency"`
	Timezone   string    `json:"timezone"`
	DateFormat string    `json:"dateFormat"`
	TimeFormat string    `json:"timeFormat"`
}

func (d Deps) findMe(c *route.Call) (Me, error) {
	workplaces, err := dbpeople.New(c.Store).Accounts(c.Context(), c.Person.ID)
	p, a := c.Person, c.Account
	return Me{
		ID: p.ID, Email: p.Email, Name: p.Name, Theme: p.Theme, Language: p.Language, LetterKeys: p.LetterKeys, HasCodes: p.HasTOTP, Role: c.Role,
		SessionID: c.Session.ID, Confirmed: c.Session.Proven(time.Now()), Accounts: workplaces,
		Account: MeAccount{a.ID, a.Name, a.Plan, a.Currency, a.Timezone, a.DateFormat, a.TimeFormat},
	}, err
}

// confirmBody is a person's proof of identity.
type confirmBody struct {
	Password string `json:"password" required:"true" maxLength:"800"`
	Code     string `json:"code" maxLength:"40"`
}

func (d Deps) confirm(c *route.Call, b confirmBody) (SignedIn, error) {
	// The session has an allowance of its own, so that strangers who guess at the sign-in page do not use it up.
	sessionAllowance := []allowance{{"confirm:" + c.Session.ID.String(), attemptsPerson}}
	err := d.limitedBy(c, sessionAllowance, c.Person.Email, b.Code, func() error { return checkProof(c, c.Person, b.Password, b.Code) })
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{c.Account.ID}, dbpeople.New(c.Store).ConfirmSession(c.Context(), c.Person.ID, c.Session.ID)
}

type moveBody struct {
	Account uuid.UUID `json:"account" required:"true"`
}

// moveSession switches the session to another account. The audit log of the new account records the call.
func moveSession(c *route.Call, b moveBody) (SignedIn, error) {
	err := dbpeople.New(c.Store).MoveSession(c.Context(), c.Person.ID, c.Session.ID, b.Account)
	if err == nil {
		c.Account.ID = b.Account
	}
	return SignedIn{b.Account}, err
}

// SessionRow is a browser that is signed in.
type SessionRow struct {
	ID        uuid.UUID `json:"id"`
	Address   string    `json:"address"`
	Agent     string    `json:"agent"`
	CreatedAt string    `json:"created_at"`
	SeenAt    string    `json:"seen_at"`
	Current   bool      `json:"current"`
}

// SessionList are the sessions of a person.
type SessionList struct {
	Rows []SessionRow `json:"rows"`
}

func listSessions(c *route.Call) (SessionList, error) {
	list, err := dbpeople.New(c.Store).Sessions(c.Context(), c.Person.ID)
	return SessionList{answer.Each(list, func(s models.Session) SessionRow {
		return SessionRow{s.ID, s.Address, s.Agent, answer.Stamp(s.CreatedAt), answer.Stamp(s.SeenAt), s.ID == c.Session.ID}
	})}, err
}

func endSession(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.Deleted(c.ID), dbpeople.New(c.Store).EndSession(c.Context(), c.Person.ID, c.ID)
}

func endOtherSessions(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.DeletedAnswer{Deleted: true}, dbpeople.New(c.Store).EndSessions(c.Context(), c.Person.ID, c.Session.ID)
}

type meBody struct {
	Name       string `json:"name" required:"true" maxLength:"120" trim:"true"`
	Theme      string `json:"theme" enum:"system,light,dark" default:"system"`
	Language   string `json:"language" enum:",en,de" doc:"empty: the browser's language"`
	LetterKeys *bool  `json:"letter_keys" default:"true" doc:"true: single letters are keyboard shortcuts"`
}

func (d Deps) changeMe(c *route.Call, b meBody) (Me, error) {
	p := c.Person
	p.Name, p.Theme, p.Language, p.LetterKeys = b.Name, b.Theme, b.Language, b.LetterKeys == nil || *b.LetterKeys
	if err := dbpeople.New(c.Store).SetLook(c.Context(), p); err != nil {
		return Me{}, err
	}
	c.Person = p
	d.setLookCookies(c, p)
	return d.findMe(c)
}

type passwordBody struct {
	Password string `json:"password" required:"true" maxLength:"800"`
}

func changePassword(c *route.Call, b passwordBody) (SignedIn, error) {
	hash, err := hashOf(c.Context(), b.Password)
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{c.Account.ID}, c.Store.Tx(c.Context(), func(s *store.Store) error {
		if err := dbpeople.New(s).SetPassword(c.Context(), c.Person.ID, hash, ""); err != nil {
			return err
		}
		return dbpeople.New(s).EndSessions(c.Context(), c.Person.ID, c.Session.ID)
	})
}

// NewTOTP is the secret for an authenticator app, shown once.
type NewTOTP struct {
	Secret string `json:"secret"`
	URL    string `json:"url" doc:"opens an authenticator app on the same device"`
	QR     string `json:"qr" doc:"the URL as a QR code: a picture in a data URL"`
}

const qrSize = 200 // pixels

func beginTOTP(c *route.Call) (NewTOTP, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Switchyard", AccountName: c.Person.Email, Period: codeStep})
	if err != nil {
		return NewTOTP{}, err
	}
	picture, err := key.Image(qrSize, qrSize)
	if err != nil {
		return NewTOTP{}, err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return NewTOTP{}, err
	}
	shown := NewTOTP{key.Secret(), key.URL(), "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())}
	return shown, dbpeople.New(c.Store).BeginTOTP(c.Context(), c.Person.ID, key.Secret())
}

type codeBody struct {
	Code string `json:"code" required:"true" maxLength:"40"`
}

// RecoveryCodes let a person sign in without the app. Each code works once.
type RecoveryCodes struct {
	Codes []string `json:"codes"`
}

const recoveryCodes = 10

func confirmTOTP(c *route.Call, b codeBody) (out RecoveryCodes, err error) {
	people := dbpeople.New(c.Store)
	secret, err := people.TOTP(c.Context(), c.Person.ID, true) // the new secret, which is not in use until this code confirms it
	if err != nil {
		return out, err
	}
	step, ok := stepOf(secret, strings.ReplaceAll(b.Code, " ", ""), time.Now())
	if !ok || secret == "" {
		return out, models.Invalid("wrong_code", "this is not the code that the app shows now")
	}
	if _, err := people.UseStep(c.Context(), c.Person.ID, step); err != nil {
		return out, err
	}
	for range recoveryCodes {
		code := strings.ToLower(models.NewToken())
		// Letters and digits only: people type these codes.
		out.Codes = append(out.Codes, strings.NewReplacer("-", "x", "_", "y").Replace(code[:16]))
	}
	return out, people.ConfirmTOTP(c.Context(), c.Person.ID, out.Codes)
}

func removeTOTP(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.DeletedAnswer{Deleted: true}, dbpeople.New(c.Store).RemoveTOTP(c.Context(), c.Person.ID)
}
