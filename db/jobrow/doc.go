// Package jobrow keeps the rows of jobs that must happen: who holds one, when it is due, what came of it.
//
// A worker claims a row under a lease and a fence that grows with every claim; it changes the row, together with the
// effect of the job, in one transaction that checks the fence. Whoever lost its lease finds the fence moved and
// commits nothing, so an effect in our database happens once. All times are the clock of PostgreSQL.
package jobrow
