package cli

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
	dbrates "switchyard/db/exchangerate"
	"switchyard/models"
	"switchyard/models/money"
	"switchyard/ops/config"
	"switchyard/workers/exchangerate"
)

// ratesCmd groups the operator's commands for exchange rates.
type ratesCmd struct {
	Import ratesImport `cmd:"" help:"Import a table of exchange rates."`
	List   ratesList   `cmd:"" help:"List exchange rates, the latest first."`
}

type ratesImport struct {
	File    string `arg:"" type:"existingfile" help:"CSV file. Each row has a day, a currency, and the amount in that currency that one euro is worth, such as 2026-01-02,USD,1.0842."`
	Replace bool   `help:"Also replace existing rates. Amounts that were converted by a replaced rate are converted again."`
	JSON    bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *ratesImport) Run(ctx context.Context, e *env) error {
	list, err := exchangerate.ReadFile(c.File)
	if err != nil {
		return err
	}
	return withDatabase(ctx, e, func(_ config.Config, d *db.DB) error {
		var saved dbrates.Saved
		err := db.Tx(ctx, d, func(t db.Conn) (err error) {
			saved, err = dbrates.Save(ctx, t, list, c.Replace)
			return err
		})
		if err != nil {
			return err
		}
		if saved.Kept > 0 && !c.Replace {
			e.logf("%d rates exist already and are kept; --replace replaces those that differ", saved.Kept)
		}
		return e.print(c.JSON, saved, "ADDED\tCHANGED\tKEPT", fmt.Sprintf("%d\t%d\t%d", saved.Added, saved.Changed, saved.Kept))
	})
}

type ratesList struct {
	Currency string    `help:"Only rates of this currency."`
	From     time.Time `help:"First day." format:"2006-01-02"`
	To       time.Time `help:"Last day." format:"2006-01-02"`
	Limit    int       `help:"Maximum number of rates to list." default:"100"`
	JSON     bool      `help:"Print one JSON value."`
}

type rateRow struct {
	Day      string `json:"day"`
	Currency string `json:"currency"`
	Rate     string `json:"rate"` // units of the currency for one euro
	Source   string `json:"source"`
}

// Run implements the command.
func (c *ratesList) Run(ctx context.Context, e *env) error {
	if c.Limit < 1 || c.Limit > models.MaxRates {
		return usageError{fmt.Errorf("--limit must be from 1 to %d", models.MaxRates)}
	}
	currency, err := money.Currency(c.Currency, "")
	if err != nil && currency == money.Unknown {
		return usageError{fmt.Errorf("--currency: %q %w", c.Currency, err)}
	}
	return withDatabase(ctx, e, func(_ config.Config, d *db.DB) error {
		found, err := dbrates.List(ctx, d, dbrates.Query{Currency: currency, From: c.From, To: c.To, Limit: c.Limit})
		if err != nil {
			return err
		}
		list, lines := []rateRow{}, []string{"DAY\tCURRENCY\tPER EURO\tSOURCE"}
		for _, r := range found {
			row := rateRow{r.Day.Format(time.DateOnly), r.Currency, r.Rate.String(), r.Source}
			list, lines = append(list, row), append(lines, row.Day+"\t"+row.Currency+"\t"+row.Rate+"\t"+row.Source)
		}
		sources, err := dbrates.Sources(ctx, d)
		if err != nil {
			return err
		}
		for _, s := range sources {
			if s.Failure != "" {
				e.logf("%s failed %d times in a row; the next request is sent at %s: %s", s.Name, s.Failures, s.NextAt.UTC().Format(time.DateTime), s.Failure)
			}
		}
		return e.print(c.JSON, list, lines...)
	})
}
