package cli

import (
	"context"
	"strconv"

	"switchyard/ops/admin"
)

// domainsCmd lists, adds, verifies and rejects accounts' own tracking domains.
type domainsCmd struct {
	List   domainsList   `cmd:"" help:"List all hostnames that accounts have added, or only one."`
	Add    domainsAdd    `cmd:"" help:"Add a hostname to an account as verified. It may be a subdomain of the install's own names."`
	Verify domainsVerify `cmd:"" help:"Mark a hostname as owned by its account, so that links on it work."`
	Reject domainsReject `cmd:"" help:"Mark a hostname as not owned by its account: links on it stop working."`
}

type domainsList struct {
	Host string `arg:"" optional:"" help:"Only this hostname."`
	JSON bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *domainsList) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		list, err := a.Domains(ctx, c.Host)
		return list, domainRows(list...), err
	})
}

type domainsAdd struct {
	Host    string `arg:"" help:"The hostname."`
	Account string `required:"" help:"Id of the account."`
	JSON    bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *domainsAdd) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		d, err := a.AddDomain(ctx, c.Host, c.Account)
		return d, domainRows(d), err
	})
}

type domainsVerify struct{ domainsChoice }

// Run implements the command.
func (c *domainsVerify) Run(ctx context.Context, e *env) error { return c.set(ctx, e, true) }

type domainsReject struct{ domainsChoice }

// Run implements the command.
func (c *domainsReject) Run(ctx context.Context, e *env) error { return c.set(ctx, e, false) }

type domainsChoice struct {
	Host    string `arg:"" help:"The hostname."`
	Account string `help:"Id of the account, if several accounts have added the hostname." default:""`
	JSON    bool   `help:"Print one JSON value."`
}

func (c *domainsChoice) set(ctx context.Context, e *env, on bool) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		d, err := a.VerifyDomain(ctx, c.Host, c.Account, on)
		return d, domainRows(d), err
	})
}

func domainRows(list ...admin.Domain) []string {
	return tableOf("ID\tACCOUNT\tVERIFIED\tPROOF\tDEFAULT\tDOMAIN", list, func(d admin.Domain) []string {
		return []string{
			d.ID.String(), d.AccountID.String(), strconv.FormatBool(d.IsVerified), d.Proof, strconv.FormatBool(d.IsDefault), d.Domain,
		}
	})
}
