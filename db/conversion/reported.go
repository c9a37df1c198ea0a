package conversion

import (
	"context"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
)

// Known is a recorded conversion. Source says how the last report that counts arrived, such as models.FromPostback.
type Known struct {
	Key
	Status   string          `db:"status"`
	Source   string          `db:"source"`
	Payout   decimal.Decimal `db:"payout"`
	Currency string          `db:"currency"`
}

// Key identifies a conversion of an account.
type Key struct {
	ClickID      uuid.UUID `db:"click_id"`
	Goal         string    `db:"goal"`
	ConversionID string    `db:"conversion_id"`
}

// FindKnown lists the conversions of an account's clicks.
func FindKnown(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID) ([]Known, error) {
	return db.Select[Known](ctx, c, "conversions of clicks", `SELECT click_id, goal, conversion_id, status, source, payout, currency FROM conversions
		WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`, account, db.UUIDs(clicks))
}
