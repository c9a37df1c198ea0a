package spend

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
)

// The spend of a source is sorted by the order in which it was set. Spend that was set before the column place existed has the
// place 0.
const spendOf = `SELECT ` + spendColumns + ` FROM spend
WHERE account_id = $1 AND day = $2::date ORDER BY source_id, place, campaign_id`

// Respread spreads the spend of a day again, in the transaction of c, over the clicks that do not count as bots now. The spend
// keeps its exchange rate.
func Respread(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, day time.Time) error {
	list, err := db.Select[pricedSpend](ctx, c, "spend of a day", spendOf, account, day.Format(time.DateOnly))
	if err != nil || len(list) == 0 {
		return err
	}
	if err := lockAccount(ctx, c, account); err != nil {
		return err
	}
	// The list is read again, because the spend may have been set again, or got a new rate, before the account was locked.
	if list, err = db.Select[pricedSpend](ctx, c, "spend of a day", spendOf, account, day.Format(time.DateOnly)); err != nil {
		return err
	}
	for i := range list {
		list[i].Place.Valid = false // insert gives each item the next place
	}
	_, err = setAll(ctx, c, l.Store(), account, list, nil)
	return err
}
