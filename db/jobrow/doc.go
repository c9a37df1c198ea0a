// Package jobrow stores the rows of jobs that must not be lost. It contains every statement on the table jobs.
//
// A row is pending, running, done or failed. A worker claims a pending row. The row then becomes running. It has a lease, which
// the worker renews, and a fence, which is a number that grows with every claim. The worker ends its attempt in a transaction
// that checks the fence and also contains the job's effect. A worker that has lost its lease finds another fence and commits
// nothing. An effect in our database therefore happens once.
//
// The row counts attempts. The maximum is not in the row but in the policy of the job's kind. This package does not know the
// policies, so callers pass the maximum. The AttemptLimit of a row is set only if an operator has granted attempts by hand, or if
// the job is tried only once.
//
// All times are by the clock of PostgreSQL. Functions take a db.Conn and run in the caller's transaction, if there is one.
package jobrow
