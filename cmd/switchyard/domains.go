package main

import (
	"context"
	"strconv"
	"strings"

	"switchyard/db/store"
	"switchyard/ops/admin"
)

// domainsCmd says which own tracking domains are verified.
type domainsCmd struct {
	List   domainsList   `cmd:"" help:"List the accounts that have added a hostname."`
	Verify domainsVerify `cmd:"" help:"Say that a hostname is its account's, so that links on it work."`
	Reject domainsReject `cmd:"" help:"Say that it is not, or not any more: links on it stop working."`
}

type domainsList struct {
	Host string `arg:"" help:"The hostname."`
	JSON bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *domainsList) Run(ctx context.Context, e *env) error {
	return withStore(ctx, e, func(s *store.Store) error {
		list, err := admin.Admin{Store: s}.Domains(ctx, c.Host)
		if err != nil {
			return err
		}
		if c.JSON {
			return e.printJSON(list)
		}
		return e.printTable(domainRows(list...))
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
	Account string `help:"Id of the account, where several have added the hostname." default:""`
	JSON    bool   `help:"Print one JSON value."`
}

func (c *domainsChoice) set(ctx context.Context, e *env, on bool) error {
	return withStore(ctx, e, func(s *store.Store) error {
		d, err := admin.Admin{Store: s}.VerifyDomain(ctx, c.Host, c.Account, on)
		if err != nil {
			return err
		}
		if c.JSON {
			return e.printJSON(d)
		}
		return e.printTable(domainRows(d))
	})
}

func domainRows(list ...admin.Domain) []string {
	rows := []string{"ID\tACCOUNT\tVERIFIED\tDEFAULT\tDOMAIN"}
	for _, d := range list {
		rows = append(rows, strings.Join([]string{
			d.ID.String(), d.AccountID.String(), strconv.FormatBool(d.IsVerified), strconv.FormatBool(d.IsDefault), d.Domain,
		}, "\t"))
	}
	return rows
}
