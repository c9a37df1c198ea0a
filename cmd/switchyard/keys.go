package main

import (
	"context"
	"strings"

	"switchyard/db/store"
	"switchyard/ops/admin"
)

// keysCmd makes, lists, replaces and ends API keys.
type keysCmd struct {
	Create keysCreate `cmd:"" help:"Make a key and show it, once."`
	List   keysList   `cmd:"" help:"List the keys of an account."`
	Rotate keysRotate `cmd:"" help:"Replace a key; the old one stays valid for one day."`
	Revoke keysRevoke `cmd:"" help:"End a key at once."`
}

type keysCreate struct {
	Account string `help:"Id of the account." required:""`
	Scope   string `help:"full or read_only." default:"full"`
	Days    int    `name:"expires-days" help:"30, 90 or 365; 0: without end." default:"0"`
	Name    string `help:"What the key is for." default:""`
	JSON    bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *keysCreate) Run(ctx context.Context, e *env) error {
	n := admin.NewKey{Account: c.Account, Name: c.Name, Scope: c.Scope, Days: c.Days}
	return oneKey(ctx, e, c.JSON, func(a admin.Admin) (admin.Key, error) { return a.CreateKey(ctx, n) })
}

type keysList struct {
	Account string `help:"Id of the account." required:""`
	JSON    bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *keysList) Run(ctx context.Context, e *env) error {
	return withStore(ctx, e, func(s *store.Store) error {
		list, err := admin.Admin{Store: s}.Keys(ctx, c.Account)
		if err != nil {
			return err
		}
		if c.JSON {
			return e.printJSON(list)
		}
		return e.printTable(keyRows(list...))
	})
}

type keysRotate struct {
	ID   string `arg:"" help:"Id of the key."`
	JSON bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *keysRotate) Run(ctx context.Context, e *env) error {
	return oneKey(ctx, e, c.JSON, func(a admin.Admin) (admin.Key, error) { return a.RotateKey(ctx, c.ID) })
}

type keysRevoke struct {
	ID   string `arg:"" help:"Id of the key."`
	JSON bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *keysRevoke) Run(ctx context.Context, e *env) error {
	return oneKey(ctx, e, c.JSON, func(a admin.Admin) (admin.Key, error) { return a.RevokeKey(ctx, c.ID) })
}

// oneKey runs a command whose answer is one key.
func oneKey(ctx context.Context, e *env, asJSON bool, do func(admin.Admin) (admin.Key, error)) error {
	return withStore(ctx, e, func(s *store.Store) error {
		k, err := do(admin.Admin{Store: s})
		if err != nil {
			return err
		}
		if asJSON {
			return e.printJSON(k)
		}
		return e.printTable(keyRows(k))
	})
}

func keyRows(list ...admin.Key) []string {
	rows := []string{"ID\tSCOPE\tSTATE\tEXPIRES\tKEY\tNAME"}
	for _, k := range list {
		expires, shown := "never", k.Hint
		if k.ExpiresAt != nil {
			expires = *k.ExpiresAt
		}
		if k.Secret != "" {
			shown = k.Secret
		}
		rows = append(rows, strings.Join([]string{k.ID.String(), k.Scope, k.State, expires, shown, k.Name}, "\t"))
	}
	return rows
}
