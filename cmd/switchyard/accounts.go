package main

import (
	"context"
	"strings"

	"switchyard/db/store"
	"switchyard/ops/admin"
)

// accountsCmd makes and lists accounts.
type accountsCmd struct {
	Create accountsCreate `cmd:"" help:"Make an account."`
	List   accountsList   `cmd:"" help:"List all accounts."`
}

type accountsCreate struct {
	Name string `help:"Name of the account." required:""`
	Plan string `help:"starter (no API), growth, pro or scale." required:""`
	JSON bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *accountsCreate) Run(ctx context.Context, e *env) error {
	return withStore(ctx, e, func(s *store.Store) error {
		a, err := admin.Admin{Store: s}.CreateAccount(ctx, c.Name, c.Plan)
		if err != nil {
			return err
		}
		if c.JSON {
			return e.printJSON(a)
		}
		return e.printTable(accountRows(a))
	})
}

type accountsList struct {
	JSON bool `help:"Print one JSON value."`
}

// Run implements the command.
func (c *accountsList) Run(ctx context.Context, e *env) error {
	return withStore(ctx, e, func(s *store.Store) error {
		list, err := admin.Admin{Store: s}.Accounts(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return e.printJSON(list)
		}
		return e.printTable(accountRows(list...))
	})
}

func accountRows(list ...admin.Account) []string {
	rows := []string{"ID\tPLAN\tCREATED\tNAME"}
	for _, a := range list {
		rows = append(rows, strings.Join([]string{a.ID.String(), a.Plan, a.CreatedAt, a.Name}, "\t"))
	}
	return rows
}
