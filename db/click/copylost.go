package click

import (
	"context"
	"errors"

	"switchyard/db"
)

// UnavailableCopy returns a reader whose queries all fail, for a process that does not know the address of ClickHouse although
// some clicks are only there. It returns nil if PostgreSQL has all clicks.
func UnavailableCopy(ctx context.Context, c db.Conn) (*CopyReader, error) {
	s, err := ReadCopy(ctx, c)
	if err != nil || s.ColdBefore.IsZero() {
		return nil, err
	}
	return NewCopyReader(unavailable{}), nil
}

type unavailable struct{}

// ErrCopyUnknown is the error of queries for clicks that are only in ClickHouse, in a process without CLICKS_URL.
var ErrCopyUnknown = errors.New("click: clicks of old days are in ClickHouse, and CLICKS_URL is not set")

// Each implements schema.Reader.
func (unavailable) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return ErrCopyUnknown
}
