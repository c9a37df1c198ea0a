package cli

import (
	"cmp"
	"context"

	"switchyard/ops/admin"
)

// keysCmd creates, lists, rotates and revokes API keys.
type keysCmd struct {
	Create keysCreate `cmd:"" help:"Create a key and show it. It is shown only once."`
	List   keysList   `cmd:"" help:"List the keys of an account."`
	Rotate keysRotate `cmd:"" help:"Replace a key; the old one stays valid for one day."`
	Revoke keysRevoke `cmd:"" help:"Revoke a key at once."`
}

type keysCreate struct {
	Account string `help:"Id of the account." required:""`
	Scope   string `help:"full or read_only." default:"full"`
	Days    int    `name:"expires-days" help:"Days until the key expires: 30, 90 or 365; 0: never." default:"0"`
	Name    string `help:"What the key is for." default:""`
	JSON    bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *keysCreate) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		k, err := a.CreateKey(ctx, admin.NewKey{Account: c.Account, Name: c.Name, Scope: c.Scope, Days: c.Days})
		return k, keyRows(k), err
	})
}

type keysList struct{ accountFlags }

// Run implements the command.
func (c *keysList) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		list, err := a.Keys(ctx, c.Account)
		return list, keyRows(list...), err
	})
}

type keysChoice struct {
	ID   string `arg:"" help:"Id of the key."`
	JSON bool   `help:"Print one JSON value."`
}

func (c *keysChoice) change(ctx context.Context, e *env,
	do func(admin.Admin, context.Context, string) (admin.Key, error),
) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		k, err := do(a, ctx, c.ID)
		return k, keyRows(k), err
	})
}

type keysRotate struct{ keysChoice }

// Run implements the command.
func (c *keysRotate) Run(ctx context.Context, e *env) error {
	return c.change(ctx, e, admin.Admin.RotateKey)
}

type keysRevoke struct{ keysChoice }

// Run implements the command.
func (c *keysRevoke) Run(ctx context.Context, e *env) error {
	return c.change(ctx, e, admin.Admin.RevokeKey)
}

func keyRows(list ...admin.Key) []string {
	return tableOf("ID\tSCOPE\tSTATE\tEXPIRES\tKEY\tNAME", list, func(k admin.Key) []string {
		expires := "never"
		if k.ExpiresAt != nil {
			expires = *k.ExpiresAt
		}
		return []string{k.ID.String(), k.Scope, k.State, expires, cmp.Or(k.Secret, k.Hint), k.Name}
	})
}
