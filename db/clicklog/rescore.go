package clicklog

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bot"
)

// RescoreQuery names the clicks of an account in [From, To) behind After, and how they are scored.
type RescoreQuery struct {
	AccountID uuid.UUID
	models.TimeRange
	After uuid.UUID
	bot.Settings
}

// Rescored counts the clicks with a signal.
type Rescored struct {
	After           uuid.UUID // the last one
	Clicks, Changed int64
	Before, Now     int64       // bots
	Days            []time.Time // on which bots and others have changed
	Done            bool
}

// rescoreColumns are what a score, its figures and the visitor are worked out from.
var rescoreColumns = slices.DeleteFunc(slices.Clone(clickColumns), func(c column[StoredClick]) bool {
	return !slices.Contains([]string{
		"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "source_id", "country", "device_type", "os",
		"browser", "is_bot", "bot_score", "bot_signals", "bot_reason", "cost", "rate", "unique_cost", "is_unique", "unique_key",
		"unique_hours", "lp_views", "lp_clicks",
	}, c.name)
})

// Rows are locked in the order of their ids, as everywhere.
var selectScored = `SELECT ` + rescoreColumns.sql() + ` FROM clicks
WHERE account_id = $1 AND id > $2 AND id >= $3 AND id < $4 AND bot_signals <> 0 ORDER BY id LIMIT $5 FOR NO KEY UPDATE`

const updateScored = `
UPDATE clicks c SET is_bot = k.is_bot, bot_score = k.bot_score, bot_reason = k.bot_reason, is_unique = k.is_unique, cost = k.cost
FROM unnest($1::uuid[], $2::boolean[], $3::int[], $4::text[], $5::boolean[], $6::numeric[])
	AS k (id, is_bot, bot_score, bot_reason, is_unique, cost)
WHERE c.id = k.id AND c.id = ANY ($1::uuid[]) AND c.id BETWEEN $7 AND $8`

// Rescore scores at most limit clicks anew in the transaction of c, and moves their figures. Repeat it until it is Done,
// then call RespreadSpend for the Days.
//
// A click that ceases to be a bot's counts as unique if no unique click of the visitor covers its time. One that becomes
// a bot's is not unique any more, and later clicks of the visitor stay as they are.
func (Log) Rescore(ctx context.Context, c db.Conn, q RescoreQuery, limit int) (out Rescored, err error) {
	list, err := rescoreColumns.read(ctx, c, "clicks to score", selectScored, q.AccountID, q.After,
		models.FloorClickID(q.From), models.FloorClickID(q.To), limit)
	if err != nil {
		return out, err
	}
	out = Rescored{After: q.After, Clicks: int64(len(list)), Done: len(list) < limit}
	r := newRevision()
	for i := range list {
		click, was := &list[i], list[i]
		click.BotScore, click.IsBot, click.BotReason = bot.Score(bot.Signals(click.BotSignals), q.Settings)
		out.add(was, click)
		r.move(was, click)
	}
	out.Days = r.days
	return out, r.end(ctx, c)
}

// add counts a click as it was and as it is.
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

func saveScores(ctx context.Context, c db.Conn, clicks []*StoredClick) error {
	if len(clicks) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, c, "save scores", updateScored,
		idsOf(clicks, func(k *StoredClick) uuid.UUID { return k.ID }),
		pq.BoolArray(db.Map(clicks, func(k *StoredClick) bool { return k.IsBot })),
		db.Map(clicks, func(k *StoredClick) int64 { return int64(k.BotScore) }),
		db.Map(clicks, func(k *StoredClick) string { return k.BotReason }),
		pq.BoolArray(db.Map(clicks, func(k *StoredClick) bool { return k.IsUnique })),
		db.Map(clicks, func(k *StoredClick) string { return k.Cost.String() }),
		clicks[0].ID, clicks[len(clicks)-1].ID)
	return err
}

const spendOf = `SELECT day, source_id, campaign_id, amount, currency, rate, clicks, impressions FROM spend
WHERE account_id = $1 AND day = $2::date ORDER BY source_id, campaign_id`

// RespreadSpend spreads what was paid on a day over the clicks that are no bots' now, in the transaction of c. It counts by
// the rate that it has.
func (l Log) RespreadSpend(ctx context.Context, c db.Conn, account uuid.UUID, day time.Time) error {
	list, err := db.Select[setSpend](ctx, c, "spend of a day", spendOf, account, day.Format(time.DateOnly))
	if err != nil || len(list) == 0 {
		return err
	}
	if err := holdSpend(ctx, c, account); err != nil {
		return err
	}
	// It may have been set anew or restated before it was held.
	if list, err = db.Select[setSpend](ctx, c, "spend of a day", spendOf, account, day.Format(time.DateOnly)); err != nil {
		return err
	}
	_, err = set(ctx, c, account, list)
	return err
}
