// Package jobrow keeps the rows of jobs that must happen. Every statement on the table jobs stands here.
//
// A row is pending, running, done or failed. A worker claims a pending row: it becomes running, under a lease that the
// worker renews and a fence that grows with every claim. The worker ends its attempt in one transaction that checks the
// fence and holds the job's effect too. A worker that lost its lease finds the fence moved and commits nothing, so an
// effect in our database happens once.
//
// The row counts attempts. The maximum is not in the row but in the policy of the job's kind. This package does not know the
// policies, so callers pass the maximum. AttemptLimit of a row is set only where an operator granted attempts by hand.
//
// All times are by the clock of PostgreSQL. Functions take a db.Conn and run in the caller's transaction, if there is
// one.
package jobrow
