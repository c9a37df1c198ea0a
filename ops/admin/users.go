package admin

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/people"
	"switchyard/models"
)

// OwnedAccount is a new account. OwnerURL is the link for its owner; it is empty if no e-mail address was given.
type OwnedAccount struct {
	Account
	OwnerURL string `json:"owner_url,omitempty"`
}

// CreateOwned creates an account like CreateAccount. Unless email is empty, it also invites the owner and returns the link.
func (a Admin) CreateOwned(ctx context.Context, name, plan, email string) (out OwnedAccount, err error) {
	if email != "" {
		if _, ok := models.CleanEmail(email); !ok {
			return out, errEmail
		}
	}
	if out.Account, err = a.CreateAccount(ctx, name, plan); err != nil || email == "" {
		return out, err
	}
	link, err := a.Invite(ctx, out.ID.String(), email, string(models.RoleOwner))
	out.OwnerURL = link.URL
	return out, err
}

// User is a person of an account as operators see it.
type User struct {
	ID    uuid.UUID   `json:"id"`
	Email string      `json:"email"`
	Name  string      `json:"name"`
	Role  models.Role `json:"role"`
	Codes bool        `json:"codes"`
}

// Link is a link that lets a person in. Its address is shown only once.
type Link struct {
	Kind      string `json:"kind"`
	Email     string `json:"email"`
	URL       string `json:"url"`
	ExpiresAt string `json:"expires_at"`
}

var errEmail = models.Invalid("invalid_email", "this is no e-mail address")

// Users lists the people of an account.
func (a Admin) Users(ctx context.Context, account string) ([]User, error) {
	found, err := a.Account(ctx, account)
	if err != nil {
		return nil, err
	}
	list, err := people.New(a.Store).Members(ctx, found.ID)
	return db.Map(list, func(m models.Member) User { return User{m.ID, m.Email, m.Name, m.Role, m.HasTOTP} }), err
}

// Invite creates a link by which a person becomes a member of an account. Errors: invalid_id, not_found, invalid_email,
// invalid_role.
func (a Admin) Invite(ctx context.Context, account, email, role string) (Link, error) {
	return a.link(ctx, models.LinkInvite, account, email, role)
}

// ResetUser makes a link with which a person sets a new password. account is one of the person's accounts, or empty for any of
// them. dropCodes also removes the person's authenticator app, so that no code is asked for any more. Errors: invalid_id,
// not_found.
func (a Admin) ResetUser(ctx context.Context, account, email string, dropCodes bool) (Link, error) {
	clean, _ := models.CleanEmail(email)
	person, _, err := people.New(a.Store).FindByEmail(ctx, clean)
	if err != nil {
		return Link{}, err
	}
	places, err := people.New(a.Store).Accounts(ctx, person.ID)
	if err != nil {
		return Link{}, err
	}
	if account != "" {
		found, err := a.Account(ctx, account)
		if err != nil {
			return Link{}, err
		}
		places = slices.DeleteFunc(places, func(w people.Workplace) bool { return w.ID != found.ID })
	}
	if len(places) == 0 {
		return Link{}, hint(models.NotFound("user"), "`switchyard users list --account ID` lists the users of an account; "+
			"a person who is on no account needs `switchyard users invite`")
	}
	if dropCodes {
		if err := people.New(a.Store).RemoveTOTP(ctx, person.ID); err != nil {
			return Link{}, err
		}
	}
	return a.link(ctx, models.LinkReset, places[0].ID.String(), clean, string(places[0].Role))
}

// CreateEntryLink makes a link that signs a person in as an owner of an account, without a password.
func (a Admin) CreateEntryLink(ctx context.Context, account, email string) (Link, error) {
	return a.link(ctx, models.LinkEntry, account, email, string(models.RoleOwner))
}

func (a Admin) link(ctx context.Context, kind, account, email, role string) (Link, error) {
	found, err := a.Account(ctx, account)
	if err != nil {
		return Link{}, err
	}
	clean, ok := models.CleanEmail(email)
	if !ok {
		return Link{}, errEmail
	}
	r := models.Role(cmp.Or(role, string(models.RoleMember)))
	if !r.Includes(models.RoleViewer) {
		return Link{}, models.Invalid("invalid_role", "a role is viewer, contributor, member or owner")
	}
	created, token, err := people.New(a.Store).CreateLink(ctx, models.EntryLink{Kind: kind, AccountID: found.ID, Email: clean, Role: r})
	return Link{kind, clean, models.EntryURL(a.BaseURL, token), stamp(created.ExpiresAt)}, err
}
