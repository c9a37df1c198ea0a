package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"switchyard/db/store"
	"switchyard/ops/admin"
	"switchyard/ops/client"
	"switchyard/ops/config"
	"switchyard/ops/demo"
)

// demoCmd sends visitors to the demo account's campaign.
type demoCmd struct {
	Clicks int    `help:"How many visitors to send." default:"1000"`
	URL    string `help:"Address of the running service; empty: the address of the last \"up\", or else BASE_URL." placeholder:"URL"`
}

// Run implements the command.
func (c *demoCmd) Run(ctx context.Context, e *env) error {
	if c.Clicks < 1 {
		return usageError{errors.New("--clicks must be 1 or more")}
	}
	return withStore(ctx, e, func(cfg config.Config, s *store.Store) error {
		account, err := demo.Open(ctx, admin.Admin{Store: s}, cfg.DataDir)
		if err != nil {
			return err
		}
		address := cmp.Or(c.URL, account.URL, cfg.BaseURL)
		api := client.New(address, account.Key)
		if err := api.Get(ctx, "/campaigns?limit=1", nil); err != nil {
			return fmt.Errorf("no service answers at %s (%w); start it with `make run` in another terminal, or name it with --url",
				address, err)
		}
		campaign, err := demo.SetUp(ctx, api)
		if err != nil {
			return err
		}
		e.logf("sending %d visitors to %s", c.Clicks, campaign.Link)
		if err := demo.Traffic(ctx, api, campaign, c.Clicks, e.stdout); err != nil {
			return err
		}
		report := address + "/api/v1/reports/performance?dimension=country"
		return e.printTable([]string{"", `the same figures: curl -H "Authorization: Bearer $KEY" '` + report + `'`})
	})
}
