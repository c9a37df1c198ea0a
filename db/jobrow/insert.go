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

// Insert stores the row of a job, in the transaction of the change that requires the job. It uses only ID, AccountID, Kind, Args
// and NextAttemptAt of j. NextAttemptAt defaults to now. An existing row does not change.
func Insert(ctx context.Context, c db.Conn, j models.Job) error {
	if j.NextAttemptAt.IsZero() {
		j.NextAttemptAt = time.Now()
	}
	if len(j.Args) == 0 {
		j.Args = []byte(`{}`)
	}
	return db.Run(ctx, c, "insert job", insertRow, j.ID, j.AccountID, j.Kind, []byte(j.Args), j.NextAttemptAt)
}

// InsertFrom returns SQL, for use in a WITH, that inserts a job for each row (id, account_id) of a relation. The jobs are due now.
// The arguments kind and limit are SQL too. limit is the number of attempts. If it is NULL, the policy of the kind decides.
func InsertFrom(relation, kind, limit string) string {
	return `INSERT INTO jobs (id, account_id, kind, attempt_limit, next_attempt_at)
	SELECT id, account_id, ` + kind + `, ` + limit + `, clock_timestamp() FROM ` + relation
}

// InsertWithoutAccount returns SQL, for use after a WITH, that inserts a job without an account for each row (args, due) of a
// relation.
func InsertWithoutAccount(relation, kind string) string {
	return `INSERT INTO jobs (id, kind, args, next_attempt_at)
	SELECT gen_random_uuid(), '` + kind + `', args, due FROM ` + relation
}
