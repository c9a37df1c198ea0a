package cli

import (
	"context"
	"errors"

	"switchyard/ops/admin"
)

// accountsCmd creates, changes, deletes and lists accounts.
type accountsCmd struct {
	Create accountsCreate `cmd:"" help:"Make an account."`
	Update accountsUpdate `cmd:"" help:"Change an account's name or plan."`
	Delete accountsDelete `cmd:"" help:"Delete an account with everything in it."`
	List   accountsList   `cmd:"" help:"List all accounts."`
}

type accountsCreate struct {
	Name  string `help:"Name of the account." required:""`
	Plan  string `help:"starter (no API), growth, pro or scale." required:""`
	Email string `help:"E-mail of the owner. The command prints a link with which the owner signs in to the dashboard." default:""`
	JSON  bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *accountsCreate) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		created, err := a.CreateOwned(ctx, c.Name, c.Plan, c.Email)
		rows := accountRows(created.Account)
		if created.OwnerURL != "" {
			rows = append(rows, "", "the owner's link, which works once within a day: "+created.OwnerURL)
		}
		return created, rows, err
	})
}

type accountsUpdate struct {
	ID   string `arg:"" help:"Id of the account."`
	Name string `help:"The new name; left out: unchanged." default:""`
	Plan string `help:"starter, growth, pro or scale; left out: unchanged." default:""`
	JSON bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *accountsUpdate) Run(ctx context.Context, e *env) error {
	if c.Name == "" && c.Plan == "" {
		return usageError{errors.New("give --name, --plan or both")}
	}
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		changed, err := a.UpdateAccount(ctx, c.ID, c.Name, c.Plan)
		return changed, accountRows(changed), err
	})
}

type accountsDelete struct {
	ID   string `arg:"" help:"Id of the account."`
	Yes  string `help:"The account's name, to confirm." placeholder:"NAME"`
	JSON bool   `help:"Print one JSON value."`
}

// Help implements kong.HelpProvider.
func (c *accountsDelete) Help() string {
	return `Deletes all records, clicks, conversions, figures, files and keys of the account for ever. The account's links and keys
stop working at once. The rows are deleted in batches while the service runs. If the command is interrupted, run it
again, and it continues. Clicks that wait in the spool of a stopped web process are stored when that process runs again,
but no account shows them.`
}

// Run implements the command.
func (c *accountsDelete) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		progress := func(table string, rows int64) { e.printProgress(table, rows, true) }
		deleted, err := a.DeleteAccount(ctx, c.ID, c.Yes, progress)
		return deleted, []string{"deleted " + deleted.ID.String() + " (" + deleted.Name + ")"}, err
	})
}

type accountsList struct{ jsonFlag }

// Run implements the command.
func (c *accountsList) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		list, err := a.Accounts(ctx)
		return list, accountRows(list...), err
	})
}

func accountRows(list ...admin.Account) []string {
	return tableOf("ID\tPLAN\tCREATED\tNAME", list, func(a admin.Account) []string {
		return []string{a.ID.String(), a.Plan, a.CreatedAt, a.Name}
	})
}
