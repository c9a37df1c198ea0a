// Package jobs describes the work that workers do, and submits it. Define describes a kind of job: its arguments, its
// answer and its policy. Cron is the table of the jobs that the clock starts.
//
// An ephemeral job lives only in Redis and may be lost with it. It is safe to lose because a caller waits for its answer, or
// because the next tick repeats it. Submit enqueues it, and Await waits for its answer.
//
// A row job must happen. Its row in PostgreSQL is written in the same transaction as the change that causes the job, and holds
// the job's state. The task in Redis only names the row. Dispatch enqueues new rows after the commit. Dispatch may fail without
// harm, because the reconciler finds rows that are due.
//
// To add a kind: define it here, register its handler with workers.Register or workers.RegisterRow in a package of its
// capability, and call that package's Register in cmd/switchyard/cli.
package jobs
