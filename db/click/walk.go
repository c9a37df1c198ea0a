package click

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// CampaignClicks selects the clicks on a campaign's link in [From, To): the campaign's own clicks, and the clicks that it passed
// on to other campaigns. Newest is the maximum number of clicks. If there are more, the newest are selected.
type CampaignClicks struct {
	AccountID, CampaignID uuid.UUID
	models.TimeRange
	Newest int
}

const ofCampaign = ` FROM clicks
WHERE account_id = $1 AND id >= $2 AND id < $3
	AND coalesce(nullif(parent_campaign_id, '00000000-0000-0000-0000-000000000000'), campaign_id) = $4`

const walkStep = 500

var (
	oldestOfNewest = `SELECT id` + ofCampaign + ` ORDER BY id DESC OFFSET $5 LIMIT 1`
	countWalk      = `SELECT count(*) FROM (SELECT` + ofCampaign + ` LIMIT $5) f`
	walkClicks     = `SELECT ` + AllColumns.SQL() + ofCampaign + ` ORDER BY id LIMIT $5`
)

// Walk calls fn for the clicks of a campaign, the oldest first. more reports whether there are more clicks than Newest. fn must
// not retain the click.
func (l Log) Walk(ctx context.Context, q CampaignClicks, fn func(*StoredClick)) (more bool, err error) {
	err = l.Copy.Snapshot(ctx, l.Conn, func(c db.Conn) error {
		snapshot := Log{Conn: c, Copy: l.Copy} // all parts of the answer show the same state
		s, err := l.Copy.State(ctx, c)
		if err != nil {
			return err
		}
		if !s.Cold(q.From) {
			more, err = snapshot.walk(ctx, q, fn)
			return err
		}
		cold := q
		if s.ColdBefore.Before(q.To) {
			cold.To, q.From = s.ColdBefore, s.ColdBefore
		} else {
			q.From = q.To // all clicks are cold
		}
		n, err := db.Get[int](ctx, c, "clicks of a walk", countWalk, q.AccountID, models.FloorClickID(q.From), models.FloorClickID(q.To), q.CampaignID,
			q.Newest+1)
		if err != nil {
			return err
		}
		cold.Newest -= n
		if cold.Newest >= 0 {
			if more, err = snapshot.walkCold(ctx, cold, fn); err != nil {
				return err
			}
		}
		moreWarm, err := snapshot.walk(ctx, q, fn)
		more = more || moreWarm
		return err
	})
	return more, err
}

// walkCold does the same as Walk for clicks in ClickHouse.
func (l Log) walkCold(ctx context.Context, q CampaignClicks, fn func(*StoredClick)) (more bool, err error) {
	list, err := l.coldRows(ctx, "walk clicks", "SELECT "+AllColumns.SQL()+" FROM clicks AS f FINAL WHERE f.account_id = $1 AND "+
		schema.Window("f.at", q.From, q.To)+" AND if(f.parent_campaign_id = "+schema.NoID+", f.campaign_id, f.parent_campaign_id) = toUUID($2)"+
		" ORDER BY f.at DESC, toString(f.id) DESC LIMIT $3", q.AccountID, q.CampaignID.String(), q.Newest+1)
	if more = len(list) > q.Newest; more {
		list = list[:q.Newest]
	}
	slices.Reverse(list)
	for i := range list {
		fn(&list[i])
	}
	return more, err
}

// walk does the same as Walk for clicks in PostgreSQL.
func (l Log) walk(ctx context.Context, q CampaignClicks, fn func(*StoredClick)) (more bool, err error) {
	from, to := models.FloorClickID(q.From), models.FloorClickID(q.To)
	first, err := db.Select[uuid.UUID](ctx, l.Conn, "start of a walk", oldestOfNewest, q.AccountID, from, to, q.CampaignID, q.Newest)
	if err != nil {
		return false, err
	}
	if more = len(first) > 0; more {
		from = NextID(first[0])
	}
	for {
		list, err := AllColumns.read(ctx, l.Conn, "walk clicks", walkClicks, q.AccountID, from, to, q.CampaignID, walkStep)
		if err != nil {
			return more, err
		}
		for i := range list {
			fn(&list[i])
		}
		if len(list) < walkStep {
			return more, nil
		}
		from = NextID(list[len(list)-1].ID)
	}
}

// LaterID returns the higher of two ids.
func LaterID(a, b uuid.UUID) uuid.UUID {
	if bytes.Compare(a[:], b[:]) < 0 {
		return b
	}
	return a
}

// NextID returns the id that follows id.
func NextID(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		id[i]++
		if id[i] != 0 {
			break
		}
	}
	return id
}
