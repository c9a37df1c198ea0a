package workers

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/models/bot"
)

// ReviseClicks calls revise in a transaction with the account's bot settings, then spreads the spend of the returned days over
// their clicks again. It repeats this if another transaction conflicts.
func ReviseClicks(ctx context.Context, s *store.Store, clicks click.Log, account uuid.UUID,
	revise func(db.Conn, bot.Settings) (days []time.Time, err error),
) error {
	return db.RetryConflicts(func() error {
		return s.Tx(ctx, func(s *store.Store) error {
			settings, err := s.ShareBotSettings(ctx, account)
			if err != nil {
				return err
			}
			days, err := revise(s.Conn(), settings)
			for _, day := range days {
				err = errors.Join(err, spend.Respread(ctx, clicks, s.Conn(), account, day))
			}
			return err
		})
	})
}
