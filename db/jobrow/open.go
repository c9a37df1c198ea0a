package jobrow

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// submitted is the SQL that is true for jobs that an account asked for. Deliveries and postbacks come by themselves, and
// there are thousands of them.
const submitted = `kind NOT IN ('` + models.KindDeliverWebhook + `', '` + models.KindRecordConversion + `')`

const countOpen = `
SELECT count(*) FROM jobs WHERE account_id = $1 AND state IN ('pending', 'running') AND ($2 = '' OR kind = $2) AND ` + submitted

// CountOpen counts the jobs that an account asked for and that have not finished, of a kind or of all ("").
func CountOpen(ctx context.Context, c db.Conn, account uuid.UUID, kind string) (int, error) {
	return db.Get[int](ctx, c, "open jobs", countOpen, account, kind)
}
