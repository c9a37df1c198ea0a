package botscan

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/bot"
)

// RescoreQuery selects the clicks of an account in [From, To) that are later than After.
type RescoreQuery struct {
	AccountID uuid.UUID
	models.TimeRange
	After uuid.UUID
	bot.Settings
}

// Rescored is the result of Rescore. Its numbers include only clicks with a signal.
type Rescored struct {
	After           uuid.UUID   // the last click
	Clicks, Changed int64       // numbers of scored clicks, and of clicks that are judged differently now
	Before, Now     int64       // numbers of bots' clicks before and after
	Days            []time.Time // days on which the split between bots and visitors has changed
	Done            bool
}

var rescoreColumns = click.AllColumns.Named(
	"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "source_id", "country", "device_type", "os",
	"browser", "is_bot", "bot_score", "bot_signals", "bot_reason", "cost", "rate", "unique_cost", "is_unique", "unique_key",
	"unique_hours", "lp_views", "lp_clicks",
)

// Rescore scores at most limit clicks again in the transaction of c, and moves their figures in the ledger. Call it until
// Done is true, then call spend.Respread for the Days.
//
// A click that is no longer a bot's becomes unique if no unique click of the visitor covers its time. A click that becomes a
// bot's is no longer unique. Later clicks of the same visitor do not change.
func Rescore(ctx context.Context, l click.Log, c db.Conn, q RescoreQuery, limit int) (out Rescored, err error) {
	list, err := l.Store().Scan(ctx, c, rescoreColumns, click.Range{
		Account: q.AccountID, Low: click.LaterID(click.NextID(q.After), models.FloorClickID(q.From)), High: models.FloorClickID(q.To),
		Signalled: true, Limit: limit, Lock: true,
	})
	if err != nil {
		return out, err
	}
	out = Rescored{After: q.After, Clicks: int64(len(list)), Done: len(list) < limit}
	r := newRevision()
	for _, click := range list {
		was := *click
		click.BotScore, click.IsBot, click.BotReason = bot.Score(bot.Signals(click.BotSignals), q.Settings)
		out.add(was, click)
		r.move(was, click)
	}
	out.Days = r.days
	return out, r.end(ctx, c, l.Store())
}

func (r *Rescored) add(was click.StoredClick, is *click.StoredClick) {
	r.After = is.ID
	if was.IsBot {
		r.Before++
	}
	if is.IsBot {
		r.Now++
	}
	if was.IsBot != is.IsBot {
		r.Changed++
	}
}
