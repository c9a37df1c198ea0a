package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// BotScore counts the clicks that were scored alike.
type BotScore struct {
	Score   int    `db:"bot_score"`
	Signals int64  `db:"bot_signals"` // bit per signal, see package bot
	Reason  string `db:"bot_reason"`
	IsBot   bool   `db:"is_bot"`
	Clicks  int64  `db:"clicks"`
}

const botScores = `
SELECT bot_score, bot_signals, bot_reason, is_bot, count(*) AS clicks FROM clicks
WHERE account_id = $1 AND id >= $2 AND id < $3
GROUP BY bot_score, bot_signals, bot_reason, is_bot`

// BotScores counts the clicks of an account in [from, to) by how they were scored.
func (r Reader) BotScores(ctx context.Context, account uuid.UUID, from, to time.Time) ([]BotScore, error) {
	return db.Select[BotScore](ctx, r.Conn, "bot scores", botScores, account, models.FloorClickID(from), models.FloorClickID(to))
}
