package db

import (
	"errors"

	"github.com/lib/pq/pqerror"
)

// ErrConflict means that another transaction changed the same rows at the same time. The transaction must be repeated.
var ErrConflict = errors.New("db: conflict with another transaction")

// IsConflict reports whether a transaction failed because of a conflict with another transaction.
func IsConflict(err error) bool {
	return errors.Is(err, ErrConflict) || UniqueViolation(err) != "" || hasClass(err, pqerror.ClassTransactionRollback)
}

const maxConflicts = 10

// RetryConflicts runs a transaction, and repeats it while it conflicts with others, at most ten times in all.
func RetryConflicts(tx func() error) (err error) {
	for range maxConflicts {
		if err = tx(); !IsConflict(err) {
			break
		}
	}
	return err
}
