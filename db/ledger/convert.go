package ledger

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/measure"
)

// convert adds to each amount the amount times (rate - 1), so that the sum is the amount times the rate.
var convert = `
INSERT INTO ledger (` + Keys + `, ` + Sums + `)
SELECT ` + Keys + `, ` + ListOf((*measure.Measure).IsAmount, "sum(%s * more)") + `
FROM (
	SELECT l.*, (SELECT k.rate FROM account_rates k WHERE k.account_id = $1 AND k.currency = $3
		AND k.day = (l.hour AT TIME ZONE 'UTC')::date) - 1 AS more
	FROM ledger l WHERE l.account_id = $1 AND l.hour < $2
) l WHERE more <> 0 GROUP BY ` + Keys + `
HAVING ` + measure.NotZero(measure.Each(measure.Amounts, "sum(%s)"))

// Convert converts an account's amounts in the hours before the given time from a currency to the account's new currency, by the
// rates in account_rates. A second call would convert them again, so call it only once.
func Convert(ctx context.Context, c db.Conn, account uuid.UUID, before time.Time, currency string) error {
	return db.Run(ctx, c, "convert ledger", convert, account, before, currency)
}
