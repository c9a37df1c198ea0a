package dashboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/route"
	dbpeople "switchyard/db/people"
	"switchyard/db/store"
	"switchyard/models"
)

// linkBody holds the token of a link. The token is sent in a body, so that no log contains it.
type linkBody struct {
	Token string `json:"token" required:"true" maxLength:"100"`
}

// LinkShown describes a link. For an invitation it does not reveal whether the person is known here.
type LinkShown struct {
	Kind        string      `json:"kind" enum:"invite,reset,entry"`
	Account     string      `json:"account"`
	Email       string      `json:"email"`
	Role        models.Role `json:"role" enum:"viewer,contributor,member,owner"`
	Currency    string      `json:"currency" doc:"the currency of the account's figures"`
	NewPassword bool        `json:"new_password" doc:"true: the person must choose a new password; always false for an invitation, so that it does not reveal whether the person is known"`
}

// findLink returns the open link of a token. A token without a link counts as a wrong attempt of the caller's address.
func (d Deps) findLink(c *route.Call, token string) (models.EntryLink, error) {
	link, err := dbpeople.New(c.Store).FindLink(c.Context(), token)
	if errors.Is(err, dbpeople.ErrLink) {
		err = cmp.Or(d.countAttempt(c, addressAllowances(c)), err)
	}
	return link, err
}

func (d Deps) describeLink(c *route.Call, b linkBody) (LinkShown, error) {
	link, err := d.findLink(c, b.Token)
	if err != nil {
		return LinkShown{}, err
	}
	account, err := c.Store.FindAccount(c.Context(), link.AccountID)
	if err != nil {
		return LinkShown{}, err
	}
	shown := LinkShown{link.Kind, account.Name, link.Email, link.Role, account.Currency, link.Kind == models.LinkReset}
	if link.Kind == models.LinkEntry {
		person, _, err := dbpeople.New(c.Store).FindByEmail(c.Context(), link.Email)
		if err != nil {
			return shown, err
		}
		workplaces, err := dbpeople.New(c.Store).Accounts(c.Context(), person.ID)
		shown.NewPassword = choosesPassword(person, workplaces, link)
		return shown, err
	}
	return shown, nil
}

// useLinkBody is the input for using a link. Password is the person's present password, or a new one if the link asks for a new
// password.
type useLinkBody struct {
	linkBody
	Name     string `json:"name" maxLength:"120" trim:"true"`
	Password string `json:"password" maxLength:"800"`
	Code     string `json:"code" maxLength:"40"`
}

// useLink marks a link as used and carries out its purpose in one transaction, so that the link stays open if the purpose fails.
// A link ends after ten wrong proofs. For an invitation or a reset, a password that is too short is refused before the person is
// looked up, so that the refusal does not reveal whether the person is known.
func (d Deps) useLink(c *route.Call, b useLinkBody) (out SignedIn, err error) {
	link, err := d.findLink(c, b.Token)
	if err != nil {
		return out, err
	}
	if link.Kind != models.LinkEntry {
		if err := checkPassword(b.Password); err != nil {
			return out, err
		}
	}
	if err := c.Store.Box().Ready(c.Context()); err != nil {
		return out, err
	}
	use := func() error {
		outer := c.Store
		return outer.Tx(c.Context(), func(s *store.Store) error {
			c.Store = s
			defer func() { c.Store = outer }()
			person, err := carryOutLink(c, link, b)
			if err == nil {
				out, err = d.open(c, person, link.AccountID)
			}
			return err
		})
	}
	if link.Kind == models.LinkEntry { // an operator's entry asks for neither the present password nor a code
		err = use()
		return out, err
	}
	err = d.limited(c, link.Email, b.Code, use)
	if isWrong(err, b.Code) {
		err = cmp.Or(dbpeople.New(c.Store).CountWrongProof(c.Context(), b.Token), err)
	}
	return out, err
}

// carryOutLink carries out the purpose of a link. It checks and hashes passwords before it uses the link, because UseLink locks
// the account.
func carryOutLink(c *route.Call, link models.EntryLink, b useLinkBody) (person models.Person, err error) {
	people := dbpeople.New(c.Store)
	if person, err = people.Ensure(c.Context(), link.Email, nameOr(b.Name, link.Email)); err != nil {
		return person, err
	}
	workplaces, err := people.Accounts(c.Context(), person.ID)
	if err != nil {
		return person, err
	}
	hash, err := checkProofOfLink(c, link, person, workplaces, b)
	if err != nil {
		return person, err
	}
	if err := people.UseLink(c.Context(), link); err != nil {
		return person, err
	}
	if hash != "" {
		if err := people.EndSessions(c.Context(), person.ID, uuid.Nil); err != nil {
			return person, err
		}
		if err := people.SetPassword(c.Context(), person.ID, hash, b.Name); err != nil {
			return person, err
		}
		if link.Kind == models.LinkEntry {
			if err := people.RemoveTOTP(c.Context(), person.ID); err != nil {
				return person, err
			}
		}
	}
	c.ID = link.ID
	c.Changes = append(c.Changes, changeOf("kind", "", link.Kind))
	if link.Kind == models.LinkReset {
		return person, nil
	}
	c.Changes = append(c.Changes, changeOf("role", string(roleAt(workplaces, link.AccountID)), string(link.Role)))
	return person, people.Join(c.Context(), link.AccountID, person.ID, link.Role)
}

// checkProofOfLink checks the proof that a link asks for. It returns the hash of a new password, or "" for a person who keeps the present
// one.
//   - A reset asks for a new password, and for a code of a person who has codes.
//   - An invitation asks a person who has a password for that password, and for a code if the person has codes. Other people choose
//     a new password. But the invitation refuses a person without a password who works on another account. Otherwise the sender of
//     the invitation could choose that person's password and sign in to the other account.
//   - An operator's entry asks for a new password if choosesPassword says so.
func checkProofOfLink(c *route.Call, link models.EntryLink, person models.Person, workplaces []dbpeople.Workplace, b useLinkBody) (string, error) {
	elsewhere := slices.ContainsFunc(workplaces, func(w dbpeople.Workplace) bool { return w.ID != link.AccountID })
	switch {
	case link.Kind == models.LinkReset:
		if err := checkCode(c, person, b.Code); err != nil {
			return "", err
		}
	case link.Kind == models.LinkInvite && (person.PasswordHash != "" || elsewhere):
		return "", checkProof(c, person, b.Password, b.Code)
	case link.Kind == models.LinkEntry && !choosesPassword(person, workplaces, link):
		return "", nil
	}
	return hashOf(c.Context(), b.Password)
}

// choosesPassword reports whether an operator's entry asks for a new password. It does if the person has no password or is not on
// the account yet. In the second case another account may have invited the address and chosen the password.
func choosesPassword(person models.Person, workplaces []dbpeople.Workplace, link models.EntryLink) bool {
	return person.PasswordHash == "" || roleAt(workplaces, link.AccountID) == ""
}

func roleAt(workplaces []dbpeople.Workplace, account uuid.UUID) models.Role {
	for _, w := range workplaces {
		if w.ID == account {
			return w.Role
		}
	}
	return ""
}

func changeOf(field, before, after string) models.FieldChange {
	text := func(s string) json.RawMessage {
		if s == "" {
			return json.RawMessage("null")
		}
		raw, _ := json.Marshal(s) // a text can always be encoded
		return raw
	}
	return models.FieldChange{Field: field, Before: text(before), After: text(after)}
}

// nameOr returns the name, or the part of the e-mail before the @ if the name is empty.
func nameOr(name, email string) string {
	local, _, _ := strings.Cut(email, "@")
	return cmp.Or(name, local)
}
