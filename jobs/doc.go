// Package jobs is the one way to ask for work that is done elsewhere: typed descriptors with their policy, submitting
// and awaiting, and the table of what the clock starts.
//
// There are two sorts. An ephemeral job lives in Redis only: somebody waits for its answer, or the next tick repeats
// it; it may vanish with Redis. A row job must happen: its row in PostgreSQL is the truth, written in the transaction
// of its cause, and the task in Redis only names the row. Dispatch tells the workers about new rows and may fail
// without harm, because the reconciler finds rows that are due.
package jobs
