package integration

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// LockSpend locks the spend of a traffic source against other writers until the transaction ends. The error is ErrNotConnected
// if the source is not connected.
func (k Sources) LockSpend(ctx context.Context, account, source uuid.UUID) error {
	return db.ExecOne(ctx, k.s.Conn(), "connection of the traffic source",
		`SELECT source_id FROM source_integrations WHERE account_id = $1 AND source_id = $2 FOR NO KEY UPDATE`, account, source)
}

// SpendDay returns the number of clicks over which the spend of a day was spread. ok is false if that spend was never read.
func (k Sources) SpendDay(ctx context.Context, account, source uuid.UUID, day time.Time) (clicks int64, ok bool, err error) {
	return db.First[int64](ctx, k.s.Conn(), "day of spend", `SELECT clicks FROM source_spend_days
		WHERE account_id = $1 AND source_id = $2 AND day = $3::date`, account, source, day.Format(time.DateOnly))
}

const saveSpendDay = `
INSERT INTO source_spend_days (source_id, day, account_id, clicks, synced_at) VALUES ($2, $3::date, $1, $4, $5)
ON CONFLICT (source_id, day) DO UPDATE SET clicks = $4, synced_at = $5`

// SaveSpendDay records that the spend of a day was read, with the number of clicks over which it was spread.
func (k Sources) SaveSpendDay(ctx context.Context, account, source uuid.UUID, day time.Time, clicks int64, now time.Time) error {
	return db.Run(ctx, k.s.Conn(), "day of spend", saveSpendDay, account, source, day.Format(time.DateOnly), clicks, now)
}
