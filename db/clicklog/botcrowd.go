package clicklog

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bot"
)

// crowd are the clicks [first, last] of an account, which are compared to those before them. All web processes store
// theirs in one table.
type crowd struct {
	account     uuid.UUID
	first, last uuid.UUID
}

var selectFloods = `
SELECT id, on_account, on_campaign FROM (
	SELECT id,
		count(*) OVER (PARTITION BY source ORDER BY at
			RANGE BETWEEN ` + inSeconds(bot.FloodWindow) + ` PRECEDING AND CURRENT ROW) > $5 AS on_account,
		count(*) OVER (PARTITION BY source, campaign_id ORDER BY at
			RANGE BETWEEN ` + inSeconds(bot.FloodWindow) + ` PRECEDING AND CURRENT ROW) > $5 AS on_campaign
	FROM (
		SELECT id, at, campaign_id, CASE WHEN address_key <> 0 THEN address_key::text
			WHEN family(ip) = 6 THEN host(network(set_masklen(ip, 64))) ELSE host(ip) END AS source
		FROM clicks WHERE account_id = $1 AND id >= $2 AND id <= $4 AND (ip IS NOT NULL OR address_key <> 0)
	) k
) w WHERE id >= $3 AND on_account`

// A visit that its campaign counts as unique by the address is no repeat. Where cookies or a parameter tell visitors
// apart, the address says nothing about that, and each click is noted.
const repeated = `
FROM clicks c LEFT JOIN campaigns m ON m.id = c.campaign_id AND m.account_id = c.account_id
WHERE c.account_id = $1 AND c.id >= $2 AND c.id <= $3 AND (c.ip IS NOT NULL OR c.address_key <> 0)
	AND NOT (c.is_unique AND coalesce(m.uniqueness_method IN ('ip', 'ip_ua'), false))`

// Where addresses are not stored whole, their key of the day stands for them.
const visitorOfClick = `md5(CASE WHEN c.address_key <> 0 THEN c.address_key::text ELSE host(c.ip) END || ' ' || c.user_agent)::uuid`

const insertRepeats = `
INSERT INTO bot_repeats (account_id, campaign_id, visitor, at, click_id)
SELECT c.account_id, c.campaign_id, ` + visitorOfClick + `, c.at, c.id ` + repeated + `
ON CONFLICT DO NOTHING`

var selectRepeats = `
SELECT c.id ` + repeated + ` AND EXISTS (SELECT FROM bot_repeats r
	WHERE r.account_id = c.account_id AND r.campaign_id = c.campaign_id AND r.visitor = ` + visitorOfClick + `
		AND r.at > c.at - ` + inSeconds(bot.RepeatWindow) + ` AND (r.at, r.click_id) <= (c.at, c.id)
	OFFSET $4 LIMIT 1)`

// inSeconds is a length of time as SQL.
func inSeconds[T interface{ Seconds() float64 }](d T) string {
	return "interval '" + strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " seconds'"
}

// signals finds floods and repeats in the transaction of c. It notes the repeats for later clicks.
func (w crowd) signals(ctx context.Context, c db.Conn) (map[uuid.UUID]bot.Signals, error) {
	before := models.FloorClickID(models.ClickTime(w.first).Add(-bot.FloodWindow))
	floods, err := db.Select[struct {
		ID         uuid.UUID `db:"id"`
		OnAccount  bool      `db:"on_account"`
		OnCampaign bool      `db:"on_campaign"`
	}](ctx, c, "floods", selectFloods, w.account, before, w.first, w.last, bot.FloodBound)
	if err != nil {
		return nil, err
	}
	fired := map[uuid.UUID]bot.Signals{}
	for _, f := range floods {
		fired[f.ID] = bot.ClickFlood
		if f.OnCampaign {
			fired[f.ID] |= bot.CampaignFlood
		}
	}
	if _, err := db.Exec(ctx, c, "note repeats", insertRepeats, w.account, w.first, w.last); err != nil {
		return nil, err
	}
	repeats, err := db.Select[uuid.UUID](ctx, c, "repeats", selectRepeats, w.account, w.first, w.last, bot.RepeatBound)
	for _, id := range repeats {
		fired[id] |= bot.RepeatClick
	}
	return fired, err
}
