// Package jobs describes the work that workers do, and submits it. Define describes a kind of job: its arguments, its answer and
// its policy. Cron is the table of the jobs that the scheduler starts.
//
// An ephemeral job exists only in Redis and is lost if Redis loses its data. That does no harm: a caller that waits for the
// answer sees the loss, or the next scheduled run repeats the work. Submit enqueues the job, and Await waits for its answer.
//
// A row job must be carried out. Its row in PostgreSQL is written in the transaction that causes the job, and holds the job's
// state. The task in Redis only refers to the row. Dispatch enqueues new rows after the commit. It may fail without harm, because
// the reconciler finds rows that are due.
//
// To add a kind of job: define it here, register its handler with workers.Register or workers.RegisterRow in the workers package
// of the capability, and call that package's Register in cmd/switchyard/cli.
package jobs
