package clicklog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bot"
)

// RescoreQuery selects the clicks of an account in [From, To) later than After. It has the settings for their new scores.
type RescoreQuery struct {
	AccountID uuid.UUID
	models.TimeRange
	After uuid.UUID
	bot.Settings
}

// Rescored is the result of a call of Rescore. It counts only clicks with a signal.
type Rescored struct {
	After           uuid.UUID // the last click
	Clicks, Changed int64
	Before, Now     int64       // numbers of bots before and after
	Days            []time.Time // days on which the split between bots and visitors has changed
	Done            bool
}

// rescoreColumns are the columns from which the score, the figures and the visitor of a click are calculated.
var rescoreColumns = clickColumns.named(
	"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "source_id", "country", "device_type", "os",
	"browser", "is_bot", "bot_score", "bot_signals", "bot_reason", "cost", "rate", "unique_cost", "is_unique", "unique_key",
	"unique_hours", "lp_views", "lp_clicks",
)

// Rescore scores at most limit clicks again in the transaction of c, and moves their figures. Repeat it until it is Done, then
// call RespreadSpend for the Days.
//
// A click that is no longer a bot's counts as unique if no unique click of the visitor covers its time. A click that becomes a
// bot's is no longer unique, and later clicks of the visitor do not change.
func (l Log) Rescore(ctx context.Context, c db.Conn, q RescoreQuery, limit int) (out Rescored, err error) {
	list, err := l.store().scan(ctx, c, rescoreColumns, clickRange{
		account: q.AccountID, low: later(next(q.After), models.FloorClickID(q.From)), high: models.FloorClickID(q.To),
		signalled: true, limit: limit, lock: true,
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
	return out, r.end(ctx, c, l.store())
}

// add counts a click that was scored again.
func (r *Rescored) add(was StoredClick, is *StoredClick) {
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

const spendOf = `SELECT day, source_id, campaign_id, amount, currency, rate, clicks, impressions FROM spend
WHERE account_id = $1 AND day = $2::date ORDER BY source_id, campaign_id`

// RespreadSpend spreads the spend of a day over the clicks that are not a bot's now, in the transaction of c. The spend keeps
// its rate.
func (l Log) RespreadSpend(ctx context.Context, c db.Conn, account uuid.UUID, day time.Time) error {
	list, err := db.Select[setSpend](ctx, c, "spend of a day", spendOf, account, day.Format(time.DateOnly))
	if err != nil || len(list) == 0 {
		return err
	}
	if err := holdSpend(ctx, c, account); err != nil {
		return err
	}
	// The spend may have been set again or restated before it was locked.
	if list, err = db.Select[setSpend](ctx, c, "spend of a day", spendOf, account, day.Format(time.DateOnly)); err != nil {
		return err
	}
	_, err = set(ctx, c, l.store(), account, list)
	return err
}
