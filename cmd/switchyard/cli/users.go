package cli

import (
	"context"

	"switchyard/ops/admin"
)

// usersCmd manages the people who may use the dashboard.
type usersCmd struct {
	Invite usersInvite `cmd:"" help:"Create a link with which a person joins an account. It works once, within a day."`
	Reset  usersReset  `cmd:"" help:"Create a link with which a person sets a new password. It works once, within a day."`
	List   usersList   `cmd:"" help:"List the people of an account."`
}

type usersInvite struct {
	Account string `help:"Id of the account." required:""`
	Email   string `help:"E-mail address of the person who gets the link." required:""`
	Role    string `help:"owner, member, contributor or viewer." default:"member"`
	JSON    bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *usersInvite) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		l, err := a.Invite(ctx, c.Account, c.Email, c.Role)
		return l, []string{l.URL}, err
	})
}

type usersReset struct {
	Account   string `help:"Id of an account that the person has access to; default: any such account."`
	Email     string `help:"E-mail address of the person who sets a new password." required:""`
	DropCodes bool   `help:"Also remove the person's authenticator app, so that signing in needs no code."`
	JSON      bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *usersReset) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		l, err := a.ResetUser(ctx, c.Account, c.Email, c.DropCodes)
		return l, []string{l.URL}, err
	})
}

type usersList struct{ accountFlags }

// Run implements the command.
func (c *usersList) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		list, err := a.Users(ctx, c.Account)
		return list, tableOf("ID\tROLE\tE-MAIL\tNAME", list, func(u admin.User) []string {
			return []string{u.ID.String(), string(u.Role), u.Email, u.Name}
		}), err
	})
}
