package report

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// BotScore is the number of clicks with the same score, signals, reason and verdict.
type BotScore struct {
	Score   int    `db:"bot_score"`
	Signals int64  `db:"bot_signals"` // one bit for each signal, see package bot
	Reason  string `db:"bot_reason"`
	IsBot   bool   `db:"is_bot"` // the verdict
	Clicks  int64  `db:"clicks"`
}

const botScores = `
SELECT bot_score, bot_signals, bot_reason, is_bot, count(*) AS clicks FROM clicks
WHERE account_id = $1 AND id >= $2 AND id < $3
GROUP BY bot_score, bot_signals, bot_reason, is_bot`

// BotScores counts the clicks of an account in [from, to) by score, signals, reason and verdict.
func (r Reader) BotScores(ctx context.Context, account uuid.UUID, from, to time.Time) ([]BotScore, error) {
	w := window{account: account, from: from, to: to}
	return onClicks(ctx, r, w, func(r Reader) ([]BotScore, error) {
		return db.Select[BotScore](ctx, r.Conn, "bot scores", botScores, account, models.FloorClickID(from), models.FloorClickID(to))
	}, func() ([]BotScore, error) {
		return schema.Rows(ctx, r.Copy, "bot scores", func(s *BotScore) []any {
			return []any{(*wholeNumber)(&s.Score), &s.Signals, &s.Reason, &s.IsBot, &s.Clicks}
		}, `SELECT toInt64(bot_score), reinterpretAsInt64(bot_signals), toString(bot_reason), is_bot, toInt64(count())
FROM clicks AS f FINAL WHERE `+w.clickHouse("f", "at")+` GROUP BY bot_score, bot_signals, bot_reason, is_bot`, account)
	})
}

type wholeNumber int

// Scan implements sql.Scanner.
func (n *wholeNumber) Scan(src any) error {
	number, ok := src.(int64)
	if !ok {
		return fmt.Errorf("report: a number in the copy has the type %T", src)
	}
	*n = wholeNumber(number)
	return nil
}
