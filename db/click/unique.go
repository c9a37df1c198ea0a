package click

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
)

// VisitorKey identifies a visitor of a campaign for counting unique visitors.
type VisitorKey struct{ Campaign, Key uuid.UUID }

func (k VisitorKey) compare(o VisitorKey) int {
	return cmp.Or(bytes.Compare(k.Campaign[:], o.Campaign[:]), bytes.Compare(k.Key[:], o.Key[:]))
}

// seen is the time range [first, until) that the unique clicks of a visitor cover. A click in this range is not unique.
type seen struct {
	first, until time.Time
	stored       bool // the visitor has a row
	changed      bool // the visitor's row must be written
}

// cover reports whether a click at t is unique. If so, the click covers the time from t to t + ttl. A late click is also unique
// if the time that it covers ends before the range of s begins.
func (s *seen) cover(t time.Time, ttl time.Duration) bool {
	end := t.Add(ttl)
	switch {
	case s.first.IsZero():
		s.first, s.until = t, end
	case !t.Before(s.until):
		s.until = end
	case !end.After(s.first):
		s.first = t
	default:
		return false
	}
	s.changed = true
	return true
}

const selectSeen = `
SELECT v.campaign_id, v.unique_key, v.first_at, v.expires_at
FROM click_visitors v
JOIN unnest($1::uuid[], $2::uuid[]) AS k (campaign_id, unique_key)
	ON v.campaign_id = k.campaign_id AND v.unique_key = k.unique_key
ORDER BY v.campaign_id, v.unique_key
FOR UPDATE OF v`

const insertSeen = `
INSERT INTO click_visitors (campaign_id, unique_key, first_at, expires_at)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[])
ON CONFLICT DO NOTHING`

const updateSeen = `
UPDATE click_visitors v SET first_at = k.first_at, expires_at = k.expires_at
FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[])
	AS k (campaign_id, unique_key, first_at, expires_at)
WHERE v.campaign_id = k.campaign_id AND v.unique_key = k.unique_key`

// DecideUnique sets IsUnique of new clicks. A bot's click is never unique. Rows are locked in a fixed order, so that ingesters of
// several processes never deadlock.
func DecideUnique(ctx context.Context, c db.Conn, clicks []*StoredClick) error {
	visitors := map[VisitorKey]*seen{}
	for _, click := range clicks {
		if !click.IsBot {
			visitors[click.visitor()] = &seen{}
		}
	}
	if len(visitors) == 0 {
		return nil
	}
	if err := loadSeen(ctx, c, visitors); err != nil {
		return err
	}
	for _, click := range clicks {
		if !click.IsBot {
			ttl := time.Duration(max(click.UniqueHours, 1)) * time.Hour
			click.IsUnique = visitors[click.visitor()].cover(click.At, ttl)
		}
	}
	return saveSeen(ctx, c, visitors)
}

func (c *StoredClick) visitor() VisitorKey { return VisitorKey{c.CampaignID, uuid.UUID(c.UniqueKey)} }

func sortedVisitors(visitors map[VisitorKey]*seen, want func(*seen) bool) []VisitorKey {
	keys := slices.SortedFunc(maps.Keys(visitors), VisitorKey.compare)
	return slices.DeleteFunc(keys, func(k VisitorKey) bool { return !want(visitors[k]) })
}

func loadSeen(ctx context.Context, c db.Conn, visitors map[VisitorKey]*seen) error {
	campaigns, prints := splitKeys(sortedVisitors(visitors, func(*seen) bool { return true }))
	return db.EachRow(ctx, c, "load visitors", func(rows *sqlx.Rows) error {
		var k VisitorKey
		s := seen{stored: true}
		if err := rows.Scan(&k.Campaign, &k.Key, &s.first, &s.until); err != nil {
			return err
		}
		*visitors[k] = s
		return nil
	}, selectSeen, campaigns, prints)
}

// saveSeen writes the changed visitors. The error is db.ErrConflict if another transaction has written one of them after it was
// read.
func saveSeen(ctx context.Context, c db.Conn, visitors map[VisitorKey]*seen) error {
	for _, part := range []struct {
		sql    string
		stored bool
	}{{insertSeen, false}, {updateSeen, true}} {
		keys := sortedVisitors(visitors, func(s *seen) bool { return s.changed && s.stored == part.stored })
		if len(keys) == 0 {
			continue
		}
		campaigns, prints := splitKeys(keys)
		n, err := db.Exec(ctx, c, "save visitors", part.sql, campaigns, prints,
			timeArray(keys, func(k VisitorKey) time.Time { return visitors[k].first }),
			timeArray(keys, func(k VisitorKey) time.Time { return visitors[k].until }))
		if err != nil {
			return err
		}
		if n != int64(len(keys)) {
			return db.ErrConflict
		}
	}
	return nil
}

func splitKeys(keys []VisitorKey) (campaigns, prints string) {
	return db.UUIDsOf(keys, func(k VisitorKey) uuid.UUID { return k.Campaign }),
		db.UUIDsOf(keys, func(k VisitorKey) uuid.UUID { return k.Key })
}

func timeArray(keys []VisitorKey, of func(VisitorKey) time.Time) []string {
	return db.Map(keys, func(k VisitorKey) string { return of(k).UTC().Format("2006-01-02 15:04:05.999999Z07:00") })
}

// Visitors are locked in a fixed order, as in ingesters. Callers delete visitors before they lock clicks.
const deleteVisitors = `
DELETE FROM click_visitors v USING (
	SELECT s.campaign_id, s.unique_key FROM click_visitors s
	JOIN unnest($1::uuid[], $2::uuid[]) AS k (campaign_id, unique_key)
		ON s.campaign_id = k.campaign_id AND s.unique_key = k.unique_key
	ORDER BY s.campaign_id, s.unique_key FOR UPDATE OF s
) k WHERE v.campaign_id = k.campaign_id AND v.unique_key = k.unique_key`

// DeleteVisitors deletes the rows of visitors, so that they count as unique again.
func DeleteVisitors(ctx context.Context, c db.Conn, visitors []VisitorKey) error {
	campaigns, prints := splitKeys(visitors)
	return db.Run(ctx, c, "delete visitors", deleteVisitors, campaigns, prints)
}
