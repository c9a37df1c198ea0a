package click

import (
	"context"
	"errors"

	"switchyard/db"
)

// UnavailableCopy returns a reader whose queries all fail. It is for a process that does not know the address of ClickHouse
// although some clicks of old days are only there. Queries about these days then fail instead of returning an answer without the
// clicks. UnavailableCopy returns nil if PostgreSQL has all clicks.
func UnavailableCopy(ctx context.Context, c db.Conn) (*CopyReader, error) {
	s, err := ReadCopy(ctx, c)
	if err != nil || s.ColdBefore.IsZero() {
		return nil, err
	}
	return NewCopyReader(unavailable{}), nil
}

// unavailable implements schema.Reader.
type unavailable struct{}

// ErrCopyUnknown is the error of a query for clicks that are only in ClickHouse, if the process does not know the address of
// ClickHouse.
var ErrCopyUnknown = errors.New("click: clicks of old days are in ClickHouse, and CLICKS_URL is not set")

// Each implements schema.Reader.
func (unavailable) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return ErrCopyUnknown
}
