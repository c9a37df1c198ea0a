package botscan

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/bot"
)

// Crowd compares the clicks of an account with earlier clicks, which all web processes store in one table. It remembers the
// clicks of the last bot.FloodWindow, so that it reads each click only once.
type Crowd struct {
	account               uuid.UUID
	after                 uuid.UUID // the last click that was counted
	onAccount, onCampaign *frequency
	visitors              *frequency
}

// NewCrowd returns an empty Crowd.
func NewCrowd(account uuid.UUID) *Crowd { return &Crowd{account: account} }

// visitorsRemembered is the number of visitors that a Crowd remembers in each of two generations (see frequency).
const visitorsRemembered = 50_000

func (w *Crowd) reset() {
	w.onAccount = newFrequency(bot.FloodBound, bot.FloodWindow, 0)
	w.onCampaign = newFrequency(bot.FloodBound, bot.FloodWindow, 0)
	w.visitors = newFrequency(bot.RepeatBound, storeEvery, visitorsRemembered)
}

var crowdColumns = click.AllColumns.Named("id", "at", "campaign_id", "ip", "address_key")

const crowdAtOnce = 10_000

// count counts a click and returns the flood signals that the click fires.
func (w *Crowd) count(click *click.StoredClick) (fired bot.Signals) {
	s, ok := senderOf(&click.Click)
	if !ok {
		return 0
	}
	if w.onAccount.count(keyOfSource(w.account, noCampaign, s.source()), click.At) {
		fired |= bot.ClickFlood
	}
	if w.onCampaign.count(keyOfSource(w.account, click.CampaignID, s.source()), click.At) {
		fired |= bot.CampaignFlood
	}
	return fired
}

// countEarlier counts clicks up to and including the click whose id is in the parameter after. It begins bot.FloodWindow before
// the click whose id is in the parameter first.
func (w *Crowd) countEarlier(ctx context.Context, c db.Conn, in click.Store, after, first uuid.UUID) error {
	low, high := models.FloorClickID(models.ClickTime(first).Add(-bot.FloodWindow)), click.NextID(after)
	for {
		list, err := in.Scan(ctx, c, crowdColumns, click.Range{Account: w.account, Low: low, High: high, Limit: crowdAtOnce})
		if err != nil {
			return err
		}
		for _, click := range list {
			w.count(click)
		}
		if len(list) < crowdAtOnce {
			return nil
		}
		low = click.NextID(list[len(list)-1].ID)
	}
}

const selectByAddress = `
SELECT id FROM campaigns WHERE account_id = ANY ($1::uuid[]) AND id = ANY ($2::uuid[]) AND uniqueness_method IN ('ip', 'ip_ua')`

func byAddress(ctx context.Context, c db.Conn, accounts, campaigns map[uuid.UUID]bool) ([]uuid.UUID, error) {
	if len(campaigns) == 0 {
		return nil, nil
	}
	return db.Select[uuid.UUID](ctx, c, "campaigns by address", selectByAddress, db.UUIDs(db.SortedIDs(accounts)), db.UUIDs(db.SortedIDs(campaigns)))
}

// storeEvery is the time within which a Crowd stores at most bot.RepeatBound clicks of a visitor, so that a flood of one visitor
// needs only a few rows. A long time would hide repeats: the look-up finds a repeat only if bot.RepeatBound clicks of the
// previous day are stored.
const storeEvery = 10 * time.Minute

// If addresses are not stored in full, the address key of the day replaces the address.
const visitorOfClick = `md5(CASE WHEN c.address_key <> 0 THEN c.address_key::text ELSE host(c.ip) END || ' ' || c.user_agent)::uuid`

const ofIDs = ` FROM clicks c WHERE c.account_id = $1 AND c.id = ANY ($2::uuid[]) AND c.id BETWEEN $3 AND $4`

const insertRepeats = `
INSERT INTO bot_repeats (account_id, campaign_id, visitor, at, click_id)
SELECT c.account_id, c.campaign_id, ` + visitorOfClick + `, c.at, c.id` + ofIDs + `
ON CONFLICT DO NOTHING`

// ORDER BY makes the look-up read the visitor's rows by the primary key and end after $5 + 1 rows. $5 is bot.RepeatBound.
var selectRepeats = `
SELECT c.id` + ofIDs + ` AND EXISTS (SELECT FROM bot_repeats r
	WHERE r.account_id = c.account_id AND r.campaign_id = c.campaign_id AND r.visitor = ` + visitorOfClick + `
		AND r.at > c.at - ` + inSeconds(bot.RepeatWindow) + ` AND (r.at, r.click_id) <= (c.at, c.id)
	ORDER BY r.at, r.click_id OFFSET $5 LIMIT 1)`

// inSeconds returns a duration as an SQL interval.
func inSeconds(d time.Duration) string {
	return "interval '" + strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " seconds'"
}

// signals returns the flood and repeat signals of clicks. The parameter after is the id of the click right before them. In the
// first call, and after a failed transaction, the method first reads the earlier clicks.
func (w *Crowd) signals(ctx context.Context, c db.Conn, in click.Store, after uuid.UUID, clicks []*click.StoredClick) (
	map[uuid.UUID]bot.Signals, error,
) {
	if after != w.after {
		w.reset()
		if err := w.countEarlier(ctx, c, in, after, clicks[0].ID); err != nil {
			return nil, err
		}
	}
	w.after = uuid.Nil
	fired := map[uuid.UUID]bot.Signals{}
	for _, click := range clicks {
		if signals := w.count(click); signals != 0 {
			fired[click.ID] = signals
		}
	}
	err := w.findRepeats(ctx, c, clicks, fired)
	if err == nil {
		w.after = clicks[len(clicks)-1].ID
	}
	return fired, err
}

// findRepeats finds repeated clicks and stores clicks for later look-ups. If bot.RepeatBound clicks of a visitor were stored
// within storeEvery, a further click counts as a repeat and is not stored.
func (w *Crowd) findRepeats(ctx context.Context, c db.Conn, clicks []*click.StoredClick, fired map[uuid.UUID]bot.Signals) error {
	visits, err := w.visits(ctx, c, clicks)
	if err != nil {
		return err
	}
	var toStore, toLookUp []uuid.UUID
	for _, click := range visits {
		if s, _ := senderOf(&click.Click); w.visitors.countToBound(keyOfVisitor(&click.Click, s), click.At) {
			fired[click.ID] |= bot.RepeatClick
			continue
		}
		toStore = append(toStore, click.ID)
		if bot.Signals(click.BotSignals)&bot.RepeatClick == 0 {
			toLookUp = append(toLookUp, click.ID)
		}
	}
	if len(toStore) > 0 {
		first, last := click.Bounds(toStore)
		if err := db.Run(ctx, c, "store repeats", insertRepeats, w.account, db.UUIDs(toStore), first, last); err != nil {
			return err
		}
	}
	if len(toLookUp) == 0 {
		return nil
	}
	first, last := click.Bounds(toLookUp)
	repeats, err := db.Select[uuid.UUID](ctx, c, "repeats", selectRepeats, w.account, db.UUIDs(toLookUp), first, last, bot.RepeatBound)
	for _, id := range repeats {
		fired[id] |= bot.RepeatClick
	}
	return err
}

// visits returns the clicks that can be repeats. It leaves out clicks without an address, and unique clicks of campaigns that
// count visitors by the address.
func (w *Crowd) visits(ctx context.Context, c db.Conn, clicks []*click.StoredClick) ([]*click.StoredClick, error) {
	unique := map[uuid.UUID]bool{} // campaigns with a unique click
	for _, click := range clicks {
		if click.IsUnique {
			unique[click.CampaignID] = true
		}
	}
	campaigns, err := byAddress(ctx, c, map[uuid.UUID]bool{w.account: true}, unique)
	if err != nil {
		return nil, err
	}
	return db.Without(clicks, func(click *click.StoredClick) bool {
		_, ok := senderOf(&click.Click)
		return !ok || click.IsUnique && slices.Contains(campaigns, click.CampaignID)
	}), nil
}
