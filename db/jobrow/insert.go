package jobrow

import (
	"context"
	"time"

	"switchyard/db"
	"switchyard/models"
)

const insertRow = `
INSERT INTO jobs (id, account_id, kind, args, next_attempt_at, created_at)
VALUES ($1, $2, $3, $4, $5, now())
ON CONFLICT (id) DO NOTHING`

// Insert writes the row of a job, in the transaction of its cause. Only ID, AccountID, Kind, Args and NextAttemptAt
// count. NextAttemptAt defaults to now. Inserting an id that exists does nothing.
func Insert(ctx context.Context, c db.Conn, j models.Job) error {
	if j.NextAttemptAt.IsZero() {
		j.NextAttemptAt = time.Now()
	}
	if len(j.Args) == 0 {
		j.Args = []byte(`{}`)
	}
	_, err := db.Exec(ctx, c, "insert job", insertRow, j.ID, j.AccountID, j.Kind, []byte(j.Args), j.NextAttemptAt)
	return err
}

// InsertFrom is the SQL that inserts one row, due now, for each id and account_id of a relation, for use in a WITH.
// Kind and limit are SQL too. Limit is the number of attempts; NULL leaves it to the policy.
func InsertFrom(relation, kind, limit string) string {
	return `INSERT INTO jobs (id, account_id, kind, attempt_limit, next_attempt_at)
	SELECT id, account_id, ` + kind + `, ` + limit + `, clock_timestamp() FROM ` + relation
}

// InsertOwn is the SQL that inserts one row of the service itself for each args and due time of a relation, for use after a
// WITH.
func InsertOwn(relation, kind string) string {
	return `INSERT INTO jobs (id, kind, args, next_attempt_at)
	SELECT gen_random_uuid(), '` + kind + `', args, due FROM ` + relation
}
