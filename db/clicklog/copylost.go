package clicklog

import (
	"context"
	"errors"

	"switchyard/db"
)

// LostCopy returns a reader whose queries all fail. It is for a process that does not know the address of ClickHouse while the
// clicks of old days are only there. Queries about these days then fail, instead of being answered without the clicks. It returns
// nil if PostgreSQL has all clicks.
func LostCopy(ctx context.Context, c db.Conn) (*CopyReader, error) {
	s, err := ReadCopy(ctx, c)
	if err != nil || s.ColdBefore.IsZero() {
		return nil, err
	}
	return NewCopyReader(lost{}), nil
}

// lost implements columnar.Reader.
type lost struct{}

var errLost = errors.New("clicklog: clicks of old days are in ClickHouse, and CLICKS_URL is not set")

// Each implements columnar.Reader.
func (lost) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return errLost
}
