package botscan

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/country"
)

// judgement finds signals in the behaviour of visitors after their clicks, and revises the clicks.
type judgement struct {
	click.Log
	account  uuid.UUID
	settings bot.Settings
	fired    map[uuid.UUID]bot.Signals // signals that were found in other ways
	waited   bool                      // the page tag has had the time bot.TagWait to send its first event
	tagged   map[uuid.UUID]bool        // landing pages that carry the page tag
}

// visit is a click together with the later actions of its visitor.
type visit struct {
	*click.StoredClick
	actions
}

// actions holds the actions of a visitor after a click.
type actions struct {
	ID       uuid.UUID `db:"id"`
	Out      uuid.UUID `db:"first_out"` // the first click-out; zero: no click-out
	Events   int       `db:"events"`    // number of events of the page tag
	Pages    []string  `db:"pages"`     // pages that sent the events: host and path
	Driven   bool      `db:"driven"`    // an event reports that a program controls the browser
	TimeZone string    `db:"time_zone"` // time zone of the browser
	ZoneAt   time.Time `db:"zone_at"`   // when TimeZone was reported; zero: no time zone is known
}

// scanColumns are the columns of a click that a scan needs.
var scanColumns = click.AllColumns.Named(
	"id", "at", "campaign_id", "lander_id", "ip", "address_key", "user_agent", "country", "proxy_kind", "bot_signals", "bot_score",
	"is_bot", "is_unique", "account_id",
)

// A click has few events. LIMIT 200 protects against attackers. The aggregates keep PostgreSQL's planner from walking another index
// in its order, and the comparison of accounts as texts keeps the planner from reading all events of an account. For most clicks,
// two index probes are enough.
const selectActions = `
SELECT k.id, coalesce(h.first_out, '00000000-0000-0000-0000-000000000000') AS first_out,
	e.events, coalesce(e.pages, '{}') AS pages, coalesce(e.driven, false) AS driven, coalesce(e.time_zone, '') AS time_zone,
	coalesce(e.zone_at, '0001-01-01') AS zone_at
FROM (
	SELECT k.id FROM unnest($2::uuid[]) AS k (id)
	CROSS JOIN LATERAL (SELECT FROM click_hops h WHERE h.click_id = k.id LIMIT 1) h
	UNION SELECT k.id FROM unnest($2::uuid[]) AS k (id)
	CROSS JOIN LATERAL (
		SELECT FROM site_events e WHERE e.click_id = k.id AND e.click_id <> '00000000-0000-0000-0000-000000000000' LIMIT 1
	) e
) k
CROSS JOIN LATERAL (
	SELECT min(h.id::text)::uuid AS first_out FROM click_hops h WHERE h.click_id = k.id AND h.account_id::text = $1::text
) h
CROSS JOIN LATERAL (
	SELECT count(*) AS events, array_agg(DISTINCT host || path) AS pages, bool_or(web_driver) AS driven,
		(array_agg(time_zone ORDER BY received_at, id) FILTER (WHERE time_zone <> ''))[1] AS time_zone,
		(array_agg(at ORDER BY received_at, id) FILTER (WHERE time_zone <> ''))[1] AS zone_at
	FROM (
		SELECT id, received_at, at, host, path, time_zone, web_driver FROM site_events e
		WHERE e.click_id = k.id AND e.click_id <> '00000000-0000-0000-0000-000000000000'
			AND e.account_id::text = $1::text AND e.source = 'tag' LIMIT 200
	) e
) e
WHERE h.first_out IS NOT NULL OR e.events > 0`

func (j *judgement) visits(ctx context.Context, c db.Conn, clicks []*click.StoredClick) ([]visit, error) {
	list, err := db.Select[actions](ctx, c, "visits", selectActions, j.account, db.UUIDs(click.IDs(clicks)))
	found := db.ByKey(list, func(a actions) uuid.UUID { return a.ID })
	return db.Map(clicks, func(k *click.StoredClick) visit { return visit{k, found[k.ID]} }), err
}

// lock reads and locks clicks. Ingesters can apply no events to locked clicks.
func (j *judgement) lock(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]*click.StoredClick, error) {
	return j.Store().Read(ctx, c, scanColumns, click.Set{Account: j.account, IDs: ids, Lock: true})
}

// judge finds signals of clicks and revises the clicks. The clicks must be sorted by id. judge returns the days on which the
// split between bots and visitors has changed.
func (j *judgement) judge(ctx context.Context, c db.Conn, clicks []*click.StoredClick) ([]time.Time, error) {
	if len(clicks) == 0 {
		return nil, nil
	}
	visits, err := j.visits(ctx, c, clicks)
	if err != nil {
		return nil, err
	}
	if j.waited {
		if err := j.findTagged(ctx, c, visits); err != nil {
			return nil, err
		}
	}
	findings := j.findings(visits)
	if len(findings) == 0 {
		return nil, nil
	}
	// An event that is stored at the same time is seen by the query below, or its ingester sees the revised click and requests a
	// recheck.
	if clicks, err = j.lock(ctx, c, db.Map(findings, func(f Finding) uuid.UUID { return f.ClickID })); err != nil || len(clicks) == 0 {
		return nil, err
	}
	if visits, err = j.visits(ctx, c, clicks); err != nil {
		return nil, err
	}
	return Revise(ctx, j.Log, c, j.account, j.settings, j.findings(visits))
}

// findings returns the changes of clicks.
func (j *judgement) findings(visits []visit) (list []Finding) {
	for _, v := range visits {
		has, id := bot.Signals(v.BotSignals), v.StoredClick.ID
		f := Finding{ClickID: id, Signals: (j.fired[id] | v.signals(j.tagged[v.LanderID])) &^ has}
		if v.Events > 0 {
			f.Cleared = has & bot.NoJS
		}
		if f.Signals|f.Cleared != 0 || v.outdated(j.settings) {
			list = append(list, f)
		}
	}
	return list
}

// outdated reports whether the settings give a click with signals another result than the stored one.
func (v *visit) outdated(settings bot.Settings) bool {
	score, isBot, _ := bot.Score(bot.Signals(v.BotSignals), settings)
	return v.BotSignals != 0 && (v.BotScore != score || v.IsBot != isBot)
}

// signals returns the signals in the visitor's behaviour. If tagged is set, the page tag should have sent an event by now.
func (v *visit) signals(tagged bool) (fired bot.Signals) {
	// The time is measured from the redirect, so page load time counts.
	if v.Out != uuid.Nil && models.ClickTime(v.Out).Sub(v.At).Abs() <= bot.FastBound {
		fired |= bot.FastClick
	}
	// A visitor who leaves the page immediately gives the tag no time for an event. A flood's click that already counts as a
	// bot's does not get the signal, so that its row is not written again.
	if tagged && v.Events == 0 && fired&bot.FastClick == 0 && !v.isFlood() {
		fired |= bot.NoJS
	}
	if v.Driven {
		fired |= bot.Headless
	}
	// The address of a proxy says nothing about where its user is.
	direct := v.ProxyKind == "" || v.ProxyKind == "none"
	if direct && v.TimeZone != "" && !country.OffsetFits(v.Country, v.TimeZone, v.ZoneAt) {
		fired |= bot.GeoTZMismatch
	}
	return fired
}

func (v *visit) isFlood() bool {
	return v.IsBot && bot.Signals(v.BotSignals)&(bot.ClickFlood|bot.CampaignFlood) != 0
}

const insertTagged = `
INSERT INTO bot_tagged (account_id, lander_id, click_id)
SELECT $1, k.lander_id, k.click_id FROM unnest($2::uuid[], $3::uuid[]) AS k (lander_id, click_id)
WHERE (SELECT count(*) FROM bot_tagged t
	WHERE t.account_id = $1 AND t.lander_id = k.lander_id AND t.click_id >= $4) < $5
ON CONFLICT DO NOTHING`

const selectTagged = `
SELECT lander_id, true FROM bot_tagged WHERE account_id = $1 AND lander_id = ANY ($2::uuid[]) AND click_id >= $3
GROUP BY lander_id HAVING count(*) >= $4`

// evidenceEvery limits the rows of bot_tagged: a landing page with bot.TaggedBound rows of the last hour gets no more.
const evidenceEvery = time.Hour

// findTagged determines which landing pages carry the tag: those with at least bot.TaggedBound clicks within bot.TaggedWindow for
// which the page sent events.
func (j *judgement) findTagged(ctx context.Context, c db.Conn, visits []visit) error {
	pages, err := j.landers(ctx, c, visits)
	if err != nil || len(pages) == 0 {
		return err
	}
	seen := map[uuid.UUID]int{}
	var landers, clicks []uuid.UUID
	for _, v := range slices.Backward(visits) {
		page, ok := pages[v.LanderID]
		if ok && seen[v.LanderID] < bot.TaggedBound && slices.ContainsFunc(v.Pages, page.matches) {
			seen[v.LanderID]++
			landers, clicks = append(landers, v.LanderID), append(clicks, v.StoredClick.ID)
		}
	}
	last := visits[len(visits)-1].At
	if len(clicks) > 0 {
		if err := db.Run(ctx, c, "record tagged pages", insertTagged, j.account, db.UUIDs(landers), db.UUIDs(clicks),
			models.FloorClickID(last.Add(-evidenceEvery)), bot.TaggedBound); err != nil {
			return err
		}
	}
	j.tagged, err = db.Pairs[uuid.UUID, bool](ctx, c, "tagged pages", selectTagged, j.account, db.UUIDs(db.SortedIDs(pages)),
		models.FloorClickID(last.Add(-bot.TaggedWindow)), bot.TaggedBound)
	return err
}

// page is the address of a landing page in the form in which events report it: host and path without a scheme.
type page string

const selectLanderURLs = `SELECT id, url FROM landers WHERE account_id = $1 AND id = ANY ($2::uuid[])`

// landers returns the landing pages of visits, without pages with a token in host or path: their actual address is unknown.
func (j *judgement) landers(ctx context.Context, c db.Conn, visits []visit) (map[uuid.UUID]page, error) {
	named := map[uuid.UUID]bool{}
	for _, v := range visits {
		if v.LanderID != uuid.Nil {
			named[v.LanderID] = true
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	urls, err := db.Pairs[uuid.UUID, string](ctx, c, "landing pages", selectLanderURLs, j.account, db.UUIDs(db.SortedIDs(named)))
	pages := map[uuid.UUID]page{}
	for id, url := range urls {
		if _, rest, ok := strings.Cut(url, "://"); ok {
			if p := pageOf(rest); !strings.Contains(string(p), "{") {
				pages[id] = p
			}
		}
	}
	return pages, err
}

// pageOf returns the page of an address without a scheme.
func pageOf(address string) page {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	host, path, _ := strings.Cut(address, "/")
	return page(strings.TrimPrefix(models.BareHost(host), "www.") + "/" + strings.TrimSuffix(path, "/"))
}

func (p page) matches(address string) bool { return pageOf(address) == p }
