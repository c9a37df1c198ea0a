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

// Presence is the number of visitors and views in a group.
type Presence struct {
	Kind     string    `db:"kind"` // kind of Page: lander, offer or empty
	Campaign uuid.UUID `db:"campaign"`
	Minute   time.Time `db:"minute"` // start of the minute
	Page     uuid.UUID `db:"page"`
	Country  string    `db:"country"`
	Device   string    `db:"device_type"`
	Visitors int64     `db:"visitors"`
	Views    int64     `db:"views"`
}

// Live describes the recent visitors, without bots. The lists are sorted by visitors, most first.
type Live struct {
	Presence
	Pages, Countries, Devices, Campaigns, Minutes []Presence
}

const noID = `'00000000-0000-0000-0000-000000000000'::uuid`

const selectLive = `
WITH lately AS (
	SELECT ` + visitor + ` AS visitor, country, device_type,
		CASE WHEN lander_id <> ` + noID + ` THEN 'lander' WHEN offer_id <> ` + noID + ` THEN 'offer' ELSE '' END AS kind,
		coalesce(nullif(lander_id, ` + noID + `), offer_id) AS page, campaign_id AS campaign, date_trunc('minute', at) AS minute
	FROM clicks WHERE account_id = $1 AND id >= $2 AND id < $3 AND NOT is_bot
)
SELECT grouping(page, country, device_type, campaign, minute) AS by, coalesce(kind, '') AS kind, coalesce(page, ` + noID + `) AS page,
	coalesce(country, '') AS country, coalesce(device_type, '') AS device_type, coalesce(campaign, ` + noID + `) AS campaign,
	coalesce(minute, 'epoch') AS minute, count(DISTINCT visitor) AS visitors, count(*) AS views
FROM lately GROUP BY GROUPING SETS ((), (kind, page), (country), (device_type), (campaign), (minute))
ORDER BY visitors DESC, views DESC, page, country, device_type, campaign, minute`

// clickHouseLive is selectLive for ClickHouse.
const clickHouseLive = `
SELECT toInt64(grouping(t.page, t.country, t.device_type, t.campaign, t.minute)), t.kind, t.page, t.country, t.device_type,
	t.campaign, t.minute, toInt64(uniqExact(t.visitor)) AS visitors, toInt64(count()) AS views
FROM (
	SELECT ` + clickHouseVisitor + ` AS visitor, toString(f.country) AS country, toString(f.device_type) AS device_type,
		multiIf(f.lander_id <> ` + schema.NoID + `, 'lander', f.offer_id <> ` + schema.NoID + `, 'offer', '') AS kind,
		if(f.lander_id = ` + schema.NoID + `, f.offer_id, f.lander_id) AS page,
		f.campaign_id AS campaign, toStartOfMinute(f.at) AS minute
	FROM clicks AS f FINAL WHERE %s AND NOT f.is_bot
) AS t
GROUP BY GROUPING SETS ((), (t.kind, t.page), (t.country), (t.device_type), (t.campaign), (t.minute))
ORDER BY visitors DESC, views DESC, toString(t.page), t.country, t.device_type, toString(t.campaign), t.minute`

// These are the groups of selectLive, except the total. As in SQL's GROUPING, a bit is set for each column that a group does not
// have.
const (
	byPage     = 0b01111
	byCountry  = 0b10111
	byDevice   = 0b11011
	byCampaign = 0b11101
	byMinute   = 0b11110
)

// VisitorsSince counts the visitors who clicked in [from, to).
func (r Reader) VisitorsSince(ctx context.Context, account uuid.UUID, from, to time.Time) (Live, error) {
	var out Live
	type group struct {
		By int64 `db:"by"`
		Presence
	}
	w := window{account: account, from: from, to: to}
	rows, err := onClicks(ctx, r, w, func(r Reader) ([]group, error) {
		return db.Select[group](ctx, r.Conn, "live visitors", selectLive, account, models.FloorClickID(from), models.FloorClickID(to))
	}, func() ([]group, error) {
		return schema.Rows(ctx, r.Copy, "live visitors", func(g *group) []any {
			return []any{&g.By, &g.Kind, &g.Page, &g.Country, &g.Device, &g.Campaign, &g.Minute, &g.Visitors, &g.Views}
		}, fmt.Sprintf(clickHouseLive, w.clickHouse("f", "at")), account)
	})
	for _, row := range rows {
		switch row.By {
		case byPage:
			out.Pages = append(out.Pages, row.Presence)
		case byCountry:
			out.Countries = append(out.Countries, row.Presence)
		case byDevice:
			out.Devices = append(out.Devices, row.Presence)
		case byCampaign:
			out.Campaigns = append(out.Campaigns, row.Presence)
		case byMinute:
			row.Minute = row.Minute.UTC()
			out.Minutes = append(out.Minutes, row.Presence)
		default:
			out.Presence = row.Presence
		}
	}
	return out, err
}

// AddressQuery selects IP addresses with at least MinHits clicks in [From, To). A zero campaign or source means all.
type AddressQuery struct {
	AccountID          uuid.UUID
	From, To           time.Time
	MinHits, Limit     int
	Campaign, SourceID uuid.UUID
	// Smartlinks counts the clicks of the smartlink Link, or of all smartlinks if Link is zero, instead of the clicks of campaigns.
	Smartlinks bool
	Link       uuid.UUID
}

// Address is an IP address with its clicks, including the clicks of bots.
type Address struct {
	IP         string    `db:"ip"`
	Hits       int64     `db:"hits"`
	BotClicks  int64     `db:"bot_clicks"`
	Visitors   int64     `db:"visitors"`
	UserAgents int64     `db:"user_agents"`
	Campaigns  int64     `db:"campaigns"` // number of campaigns, or of smartlinks
	Sources    int64     `db:"sources"`
	Country    string    `db:"country"`
	ISP        string    `db:"isp"`
	FirstSeen  time.Time `db:"first_seen"`
	LastSeen   time.Time `db:"last_seen"`
}

// addresses returns the query that counts the clicks of a table by IP address. record is the column with the id of the campaign
// or smartlink. If $4 is not zero, only the clicks with this id count.
func addresses(table, visitor, record string) string {
	return `
SELECT host(ip) AS ip, count(*) AS hits, count(*) FILTER (WHERE is_bot) AS bot_clicks,
	count(DISTINCT ` + visitor + `) AS visitors, count(DISTINCT user_agent) AS user_agents,
	count(DISTINCT ` + record + `) AS campaigns, count(DISTINCT nullif(source_id, ` + noID + `)) AS sources,
	max(country) AS country, max(isp) AS isp, min(at) AS first_seen, max(at) AS last_seen
FROM ` + table + ` f
WHERE account_id = $1 AND id >= $2 AND id < $3 AND ip IS NOT NULL
	AND ($4 = ` + noID + ` OR ` + record + ` = $4) AND ($5 = ` + noID + ` OR source_id = $5)
GROUP BY f.ip HAVING count(*) >= $6 ORDER BY hits DESC, f.ip LIMIT $7`
}

var (
	selectAddresses          = addresses("clicks", visitor, "campaign_id")
	selectSmartlinkAddresses = addresses("smartlink_clicks", "visitor_id", "smartlink_id")
)

// RepeatAddresses returns the addresses with at least MinHits clicks, most clicks first.
func (r Reader) RepeatAddresses(ctx context.Context, q AddressQuery) ([]Address, error) {
	query, record := selectAddresses, q.Campaign
	if q.Smartlinks {
		query, record = selectSmartlinkAddresses, q.Link
	}
	readPostgres := func(r Reader) ([]Address, error) {
		return db.Select[Address](ctx, r.Conn, "repeated addresses", query, q.AccountID, models.FloorClickID(q.From),
			models.FloorClickID(q.To), record, q.SourceID, q.MinHits, q.Limit)
	}
	if q.Smartlinks {
		return readPostgres(r)
	}
	w := window{account: q.AccountID, from: q.From, to: q.To}
	return onClicks(ctx, r, w, readPostgres, func() ([]Address, error) {
		return schema.Rows(ctx, r.Copy, "repeated addresses", func(a *Address) []any {
			return []any{
				&a.IP, &a.Hits, &a.BotClicks, &a.Visitors, &a.UserAgents, &a.Campaigns, &a.Sources, &a.Country, &a.ISP, &a.FirstSeen, &a.LastSeen,
			}
		}, fmt.Sprintf(clickHouseAddresses, w.clickHouse("f", "at")), q.AccountID, q.Campaign, q.SourceID, q.MinHits, q.Limit)
	})
}

// clickHouseAddresses does the same as selectAddresses in ClickHouse. It counts distinct values only for the addresses in the
// answer.
var clickHouseAddresses = `
SELECT ` + schema.Host("t.ip") + `, t.hits, t.bots, t.visitors, t.agents, t.campaigns, t.sources, t.country, t.isp, t.first, t.last
FROM (
	SELECT f.ip AS ip, toInt64(count()) AS hits, toInt64(countIf(f.is_bot)) AS bots, toInt64(uniqExact(` + clickHouseVisitor + `)) AS visitors,
		toInt64(uniqExact(f.user_agent)) AS agents, toInt64(uniqExact(f.campaign_id)) AS campaigns,
		toInt64(uniqExactIf(f.source_id, f.source_id <> ` + schema.NoID + `)) AS sources, toString(max(f.country)) AS country,
		toString(max(f.isp)) AS isp, min(f.at) AS first, max(f.at) AS last
	FROM clicks AS f FINAL
	WHERE %[1]s AND f.ip GLOBAL IN (SELECT n.ip FROM (
		SELECT f.ip AS ip, count() AS hits FROM clicks AS f FINAL WHERE %[1]s AND f.ip <> toIPv6('::') ` + clickHouseChosen + `
		GROUP BY f.ip HAVING count() >= $4 ORDER BY hits DESC, ` + clickHouse{}.sortable(dimension{kind: addr}, "ip") + ` LIMIT $5
	) AS n) ` + clickHouseChosen + `
	GROUP BY f.ip
) AS t
ORDER BY t.hits DESC, ` + clickHouse{}.sortable(dimension{kind: addr}, "t.ip") + ` LIMIT $5`

// clickHouseChosen keeps the clicks of a campaign and a source. A zero id means all.
const clickHouseChosen = `
		AND ($2 = '00000000-0000-0000-0000-000000000000' OR f.campaign_id = toUUID($2))
		AND ($3 = '00000000-0000-0000-0000-000000000000' OR f.source_id = toUUID($3))`
