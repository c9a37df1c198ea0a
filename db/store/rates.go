package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db/rates"
)

// Unconverted lists the currencies in which an account has amounts that count no money, for want of a rate.
func (s *Store) Unconverted(ctx context.Context, account uuid.UUID) ([]rates.Unconverted, error) {
	return rates.UnconvertedOf(ctx, s.Conn(), account)
}
