package clicklog

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
)

// KnownConversion is what a conversion is known by, and who said the last of it.
type KnownConversion struct {
	ClickID      uuid.UUID `db:"click_id"`
	Goal         string    `db:"goal"`
	ConversionID string    `db:"conversion_id"`
	Source       string    `db:"source"`
}

// ConversionsOf lists the conversions of an account's clicks.
func (l Log) ConversionsOf(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID) ([]KnownConversion, error) {
	return db.Select[KnownConversion](ctx, c, "conversions of clicks", `SELECT click_id, goal, conversion_id, source FROM conversions
		WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`, account, db.UUIDs(clicks))
}
