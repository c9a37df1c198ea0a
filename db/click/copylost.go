package click

import (
	"context"
	"errors"

	"switchyard/db"
)

// UnavailableCopy returns a reader whose queries all fail. It is for a process that does not know the address of ClickHouse while the
// clicks of old days are only there. Queries about these days then fail, instead of being answered without the clicks. It returns
// nil if PostgreSQL has all clicks.
func UnavailableCopy(ctx context.Context, c db.Conn) (*CopyReader, error) {
	s, err := ReadCopy(ctx, c)
	if err != nil || s.ColdBefore.IsZero() {
		return nil, err
	}
	return NewCopyReader(unavailable{}), nil
}

// unavailable implements schema.Reader.
type unavailable struct{}

// ErrCopyUnknown is the error of queries for clicks that are only in ClickHouse, in a process that does not know its address.
var ErrCopyUnknown = errors.New("click: clicks of old days are in ClickHouse, and CLICKS_URL is not set")

// Each implements schema.Reader.
func (unavailable) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return ErrCopyUnknown
}
