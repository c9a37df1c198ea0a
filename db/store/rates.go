package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db/exchangerate"
)

// Unconverted lists the currencies in which an account has amounts that do not count as money, because there is no exchange rate.
func (s *Store) Unconverted(ctx context.Context, account uuid.UUID) ([]exchangerate.Unconverted, error) {
	return exchangerate.UnconvertedOf(ctx, s.Conn(), account)
}
