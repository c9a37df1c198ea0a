package clicklog

import (
	"context"
	"errors"

	"switchyard/db"
)

// LostCopy is a reader of a copy that nobody can ask: clicks of old days are in ClickHouse alone, and the process does not know
// where it is. So questions about them are refused, and not answered without them. It is nil where PostgreSQL has all clicks.
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
