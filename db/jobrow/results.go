package jobrow

import (
	"context"
	"encoding/json"

	"switchyard/db"
	"switchyard/models"
)

// countedResult is the minimum size in bytes of a result that counts towards the plan's limit.
const countedResult = 2 << 10

// removedResult replaces a result that is no longer kept. It has the spaces that PostgreSQL writes into jsonb, because results from
// the database are compared with it.
const removedResult = `{"result_dropped": true}`

// ErrResultRemoved is the error that is shown instead of a dropped result.
var ErrResultRemoved = models.Errorf(models.KindTooLarge, "result_dropped",
	"the job is done, but its result is not kept any more: it was too large, or newer results took its place")

const addResult = `
INSERT INTO job_results (job_id, account_id, bytes) VALUES ($1, $2, $3)
ON CONFLICT (job_id) DO UPDATE SET bytes = excluded.bytes, finished_at = excluded.finished_at`

const planOf = `SELECT plan FROM accounts WHERE id = $1`

// Rows whose results another transaction is dropping are skipped.
const removeResults = `
WITH ranked AS (
    SELECT job_id, sum(bytes) OVER (ORDER BY finished_at DESC, job_id) AS total FROM job_results WHERE account_id = $1
), chosen AS (
    SELECT r.job_id FROM job_results r JOIN ranked USING (job_id)
    WHERE r.account_id = $1 AND (total > $2 OR r.bytes > $3) FOR UPDATE OF r SKIP LOCKED
), removed AS (
    DELETE FROM job_results r USING chosen WHERE r.job_id = chosen.job_id
)
UPDATE jobs SET result = $4 FROM chosen WHERE jobs.id = chosen.job_id AND jobs.account_id = $1 AND jobs.state = 'done'`

// LimitResults counts the result of a job that was completed in the transaction of c. It drops results above models.MaxJobResult,
// and the oldest ones beyond the size that the plan keeps. The jobs stay done.
func LimitResults(ctx context.Context, c db.Conn, j models.Job, result json.RawMessage) error {
	if len(result) < countedResult || !j.AccountID.Valid {
		return nil
	}
	account := j.AccountID.UUID
	if err := db.Run(ctx, c, "count result", addResult, j.ID, account, len(result)); err != nil {
		return err
	}
	name, err := db.Get[string](ctx, c, "account", planOf, account)
	if err != nil {
		return err
	}
	plan, _ := models.PlanNamed(name)
	return db.Run(ctx, c, "drop results", removeResults, account, plan.AnswerBytes, models.MaxJobResult, []byte(removedResult))
}
