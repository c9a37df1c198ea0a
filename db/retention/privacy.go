package retention

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
)

const (
	ownerOfClick = `
SELECT account_id, visitor_id, id AS click_id FROM clicks WHERE id = $1
UNION ALL SELECT account_id, visitor_id, id FROM smartlink_clicks WHERE id = $1`

	accountsOfVisitor = `
SELECT account_id, $1::uuid AS visitor_id, '00000000-0000-0000-0000-000000000000'::uuid AS click_id
FROM (SELECT account_id FROM clicks WHERE visitor_id = $1 UNION SELECT account_id FROM smartlink_clicks WHERE visitor_id = $1) a`
)

// FindVisitors finds the visitor of the click with the given id. If the parameter id is zero, it returns the given visitor
// once for each account that has clicks of the visitor. Only operators may call it, because they are responsible for all accounts.
func FindVisitors(ctx context.Context, l click.Log, id, visitor uuid.UUID) ([]click.Visitor, error) {
	if id != uuid.Nil {
		if _, err := l.Store().Thaw(ctx, l.Conn, uuid.Nil, []uuid.UUID{id}); err != nil {
			return nil, err
		}
		return db.Select[click.Visitor](ctx, l.Conn, "visitor of a click", ownerOfClick, id)
	}
	if err := l.ThawVisitorEverywhere(ctx, visitor); err != nil {
		return nil, err
	}
	return db.Select[click.Visitor](ctx, l.Conn, "accounts of a visitor", accountsOfVisitor, visitor)
}

// ofVisitor selects the clicks of a visitor in a window. A visitor without an id has a single click.
const ofVisitor = `account_id = $1 AND id > $2 AND id < $3
	AND (id = $5 OR visitor_id = $4 AND $4 <> '00000000-0000-0000-0000-000000000000'::uuid)`

var selectOfVisitor = `SELECT ` + click.VisitorColumns.SQL() + ` FROM clicks WHERE ` + ofVisitor + ` ORDER BY id LIMIT $6`

const (
	// describesVisitor is true for a row that still describes its visitor.
	describesVisitor = `(visitor_id <> '00000000-0000-0000-0000-000000000000' OR ip IS NOT NULL OR user_agent <> '' OR referrer <> ''
	OR params <> '' OR external_id <> '' OR subs <> '{}' OR keyword <> '' OR destination <> '' OR language <> '' OR region <> ''
	OR city <> '')`

	// eraseClicks clears the columns that describe the visitor, but not those from which figures are calculated or to which other
	// rows refer. It counts the clicks that still described their visitor.
	eraseClicks = `
WITH described AS (
	SELECT count(*) AS n FROM clicks WHERE account_id = $1 AND id = ANY ($2::uuid[]) AND id BETWEEN $3 AND $4
		AND (` + describesVisitor + ` OR address_key <> 0)
), erased AS (
UPDATE clicks SET visitor_id = '00000000-0000-0000-0000-000000000000', unique_key = gen_random_uuid(), ip = NULL, address_key = 0,
	user_agent = '', referrer = '', params = '', external_id = '', subs = '{}', keyword = '', destination = '', language = '',
	region = '', city = ''
WHERE account_id = $1 AND id = ANY ($2::uuid[]) AND id BETWEEN $3 AND $4
) SELECT n FROM described`

	eraseSmartlinkClicks = `
UPDATE smartlink_clicks SET visitor_id = '00000000-0000-0000-0000-000000000000', ip = NULL, user_agent = '', referrer = '',
	params = '', external_id = '', subs = '{}', keyword = '', destination = '', language = '', region = '', city = ''
WHERE ` + describesVisitor + ` AND ` + ofVisitor

	eraseHops = `UPDATE click_hops SET destination = '' WHERE account_id = $1 AND click_id = ANY ($2::uuid[])`

	eraseEvents = `
UPDATE site_events SET click_id = '00000000-0000-0000-0000-000000000000', applied = true, ad_id = '', referrer = '', order_id = '',
	time_zone = '', screen = ''
WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) AND click_id <> '00000000-0000-0000-0000-000000000000'`

	eraseRepeats = `DELETE FROM bot_repeats WHERE account_id = $1 AND click_id = ANY ($2::uuid[])`

	eraseAds = `DELETE FROM ad_clicks WHERE account_id = $1 AND click_id = ANY ($2::uuid[])`

	eraseClaims = `DELETE FROM crawler_claims WHERE account_id = $1 AND click_id = ANY ($2::uuid[])`

	// Only decided postbacks are deleted. A pending postback stays, and eraseWaiting removes its IP address.
	selectDecidedOf = `
SELECT id FROM postbacks WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) AND outcome <> 'pending' ORDER BY id`

	eraseWaiting = `
WITH locked AS MATERIALIZED (
	SELECT id FROM postbacks WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE
)
UPDATE postbacks SET ip = NULL FROM locked WHERE postbacks.id = locked.id`
)

// stillDescribed returns whether a row of the click $2 still describes its visitor. It is for clicks without a visitor id, whose
// visitor has no other click.
const stillDescribed = `
SELECT EXISTS (SELECT FROM clicks WHERE account_id = $1 AND id = $2 AND (` + describesVisitor + ` OR address_key <> 0))
	OR EXISTS (SELECT FROM smartlink_clicks WHERE account_id = $1 AND id = $2 AND ` + describesVisitor + `)
	OR EXISTS (SELECT FROM click_hops WHERE account_id = $1 AND click_id = $2 AND destination <> '')
	OR EXISTS (SELECT FROM site_events WHERE account_id = $1 AND click_id = $2)
	OR EXISTS (SELECT FROM postbacks WHERE account_id = $1 AND click_id = $2 AND (outcome <> 'pending' OR ip IS NOT NULL))
	OR EXISTS (SELECT FROM source_postbacks WHERE account_id = $1 AND click_id = $2)
	OR EXISTS (SELECT FROM conversion_uploads WHERE account_id = $1 AND click_id = $2)
	OR EXISTS (SELECT FROM conversion_match_keys WHERE account_id = $1 AND click_id = $2)
	OR EXISTS (SELECT FROM bot_repeats WHERE account_id = $1 AND click_id = $2)
	OR EXISTS (SELECT FROM ad_clicks WHERE account_id = $1 AND click_id = $2)
	OR EXISTS (SELECT FROM crawler_claims WHERE account_id = $1 AND click_id = $2)`

// IsErased reports whether no row of a click describes its visitor any longer. It always returns false for a visitor with an id.
func IsErased(ctx context.Context, l click.Log, v click.Visitor) (bool, error) {
	if v.ID != uuid.Nil {
		return false, nil
	}
	if _, err := l.Store().Thaw(ctx, l.Conn, v.AccountID, []uuid.UUID{v.ClickID}); err != nil {
		return false, err
	}
	described, err := db.Get[bool](ctx, l.Conn, "what is left to erase", stillDescribed, v.AccountID, v.ClickID)
	return !described, err
}

// Erased is the result of Erase. Its numbers of clicks include only clicks that still had something to erase. The next call must
// continue after the click After.
type Erased struct {
	Clicks          int64
	SmartlinkClicks int64
	Postbacks       int64
	Events          int64
	After           uuid.UUID
	Done            bool
}

// Erase removes the data that describes a visitor from the visitor's clicks, in the transaction of c: clicks that are later than
// the click `after` and earlier than the time `until`. One call handles at most `limit` clicks of a single day. Smartlink clicks
// do not count towards the limit. Decided postbacks, postbacks to traffic sources and uploads are deleted. Site events stay, but no
// longer refer to their click. No figure changes. Repeat the call, each time in a new transaction, until it is Done.
func Erase(ctx context.Context, l click.Log, c db.Conn, v click.Visitor, after uuid.UUID, until time.Time, limit int) (Erased, error) {
	begin := models.ClickTime(after).UTC().Truncate(click.Day)
	end := begin.Add(click.Day)
	if end.After(until) {
		end = until
	}
	last := models.FloorClickID(end)
	out := Erased{After: last, Done: !end.Before(until)}
	if err := l.Store().ThawVisitor(ctx, c, v, begin, begin.Add(click.Day)); err != nil {
		return out, err
	}
	found, err := click.VisitorColumns.ReadPointers(ctx, c, "clicks of a visitor", selectOfVisitor, v.AccountID, after, last, v.ID, v.ClickID,
		limit)
	if err != nil {
		return out, err
	}
	if len(found) == limit {
		out.After, out.Done = found[limit-1].ID, false
	}
	if out.SmartlinkClicks, err = db.Exec(ctx, c, "erase smartlink clicks", eraseSmartlinkClicks, v.AccountID, after,
		click.NextID(out.After), v.ID, v.ClickID); err != nil || len(found) == 0 {
		return out, err
	}
	return out, out.erase(ctx, c, v.AccountID, click.IDs(found), click.UniqueVisitors(found))
}

// erase erases clicks of an account. It locks postbacks, then visitors, then clicks. Clear uses the same order.
func (e *Erased) erase(ctx context.Context, c db.Conn, account uuid.UUID, ids []uuid.UUID, visits []click.VisitorKey) error {
	list := db.UUIDs(ids)
	decided, err := db.Select[uuid.UUID](ctx, c, "postbacks of a visitor", selectDecidedOf, account, list)
	if err != nil {
		return err
	}
	e.Postbacks = int64(len(decided))
	if err := deletePostbacks(ctx, c, decided); err != nil {
		return err
	}
	if err := db.Run(ctx, c, "erase postbacks", eraseWaiting, account, list); err != nil {
		return err
	}
	if err := click.DeleteVisitors(ctx, c, visits); err != nil {
		return err
	}
	if e.Clicks, err = db.Get[int64](ctx, c, "erase clicks", eraseClicks, account, list, ids[0], ids[len(ids)-1]); err != nil {
		return err
	}
	if err := deleteSent(ctx, c, ids); err != nil {
		return err
	}
	for _, query := range []string{eraseHops, eraseRepeats, eraseClaims, eraseAds} {
		if err := db.Run(ctx, c, "erase", query, account, list); err != nil {
			return err
		}
	}
	e.Events, err = db.Exec(ctx, c, "erase events", eraseEvents, account, list)
	return err
}
