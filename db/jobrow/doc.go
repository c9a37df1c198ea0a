// Package jobrow stores the rows of jobs that must not be lost. It contains every statement on the table jobs.
//
// A row is pending, running, done or failed. A worker claims a pending row, which is then running. The row has a lease, which the
// worker renews, and a fence, a number that grows with every claim. The worker ends its attempt in a transaction that checks the
// fence and contains the job's effect. A worker that has lost its lease finds another fence and commits nothing, so an effect in
// our database happens once.
//
// The maximum number of attempts is in the policy of the job's kind, and callers pass it. The AttemptLimit of a row is set only
// if an operator has granted attempts by hand, or if the job is tried only once.
//
// All times are by the clock of PostgreSQL. Functions with a db.Conn run in the caller's transaction, if there is one.
package jobrow
