package clicklog

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bot"
)

// Crowd compares the clicks of an account with those before them, which all web processes store in one table. It remembers
// the clicks of the last bot.FloodWindow, so that each is read once, however many they are. It belongs to one lease.
type Crowd struct {
	account    uuid.UUID
	after      uuid.UUID // the last click that it has seen
	recent     []arrival // in the order of their clicks
	onAccount  map[string]int
	onCampaign map[sourceOfCampaign]int
}

// NewCrowd knows no clicks yet.
func NewCrowd(account uuid.UUID) *Crowd { return &Crowd{account: account} }

// arrival is a click with the address it came from. A whole network of IPv6 counts as one source.
type arrival struct {
	ID         uuid.UUID `db:"id"`
	At         time.Time `db:"at"`
	CampaignID uuid.UUID `db:"campaign_id"`
	Source     string    `db:"source"`
}

type sourceOfCampaign struct {
	source   string
	campaign uuid.UUID
}

func (p *arrival) ofCampaign() sourceOfCampaign { return sourceOfCampaign{p.Source, p.CampaignID} }

// arrivalsAtOnce is how many of the clicks before are read at once.
const arrivalsAtOnce = 10_000

const selectCrowd = `
SELECT id, at, campaign_id, CASE WHEN address_key <> 0 THEN address_key::text
	WHEN family(ip) = 6 THEN host(network(set_masklen(ip, 64))) ELSE host(ip) END AS source
FROM clicks WHERE account_id = $1 AND id > $2 AND id <= $3 AND (ip IS NOT NULL OR address_key <> 0) ORDER BY id LIMIT $4`

// count adds a click to those of the last bot.FloodWindow.
func (w *Crowd) count(p arrival) (fired bot.Signals) {
	gone := 0
	for gone < len(w.recent) && w.recent[gone].At.Before(p.At.Add(-bot.FloodWindow)) {
		old := &w.recent[gone]
		uncount(w.onAccount, old.Source)
		uncount(w.onCampaign, old.ofCampaign())
		gone++
	}
	w.recent = append(w.recent[gone:], p)
	w.onAccount[p.Source]++
	w.onCampaign[p.ofCampaign()]++
	if w.onAccount[p.Source] > bot.FloodBound {
		fired |= bot.ClickFlood
	}
	if w.onCampaign[p.ofCampaign()] > bot.FloodBound {
		fired |= bot.CampaignFlood
	}
	return fired
}

func uncount[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

// arrivals gives the clicks after one, up to another, to fn.
func (w *Crowd) arrivals(ctx context.Context, c db.Conn, after, last uuid.UUID, fn func(arrival)) error {
	for {
		list, err := db.Select[arrival](ctx, c, "arrivals", selectCrowd, w.account, after, last, arrivalsAtOnce)
		if err != nil {
			return err
		}
		for _, p := range list {
			fn(p)
		}
		if len(list) < arrivalsAtOnce {
			return nil
		}
		after = list[len(list)-1].ID
	}
}

// floods finds the clicks after one, up to the last, before which too many came from the same source. It begins anew where
// the last call did not end: a transaction may be tried again.
func (w *Crowd) floods(ctx context.Context, c db.Conn, after, first, last uuid.UUID) (map[uuid.UUID]bot.Signals, error) {
	if after != w.after {
		w.recent, w.onAccount, w.onCampaign = nil, map[string]int{}, map[sourceOfCampaign]int{}
		before := models.FloorClickID(models.ClickTime(first).Add(-bot.FloodWindow))
		if err := w.arrivals(ctx, c, before, after, func(p arrival) { w.count(p) }); err != nil {
			return nil, err
		}
	}
	w.after = uuid.Nil
	fired := map[uuid.UUID]bot.Signals{}
	err := w.arrivals(ctx, c, after, last, func(p arrival) {
		if signals := w.count(p); signals != 0 {
			fired[p.ID] = signals
		}
	})
	if err == nil {
		w.after = last
	}
	return fired, err
}

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
func inSeconds(d time.Duration) string {
	return "interval '" + strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " seconds'"
}

// signals finds floods and repeats among the clicks after one, from the first to the last, in the transaction of c. It notes
// the repeats for later clicks.
func (w *Crowd) signals(ctx context.Context, c db.Conn, after, first, last uuid.UUID) (map[uuid.UUID]bot.Signals, error) {
	fired, err := w.floods(ctx, c, after, first, last)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, c, "note repeats", insertRepeats, w.account, first, last); err != nil {
		return nil, err
	}
	repeats, err := db.Select[uuid.UUID](ctx, c, "repeats", selectRepeats, w.account, first, last, bot.RepeatBound)
	for _, id := range repeats {
		fired[id] |= bot.RepeatClick
	}
	return fired, err
}
