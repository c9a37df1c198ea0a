// Package launchcheck reads the facts that are checked before a campaign is launched. It sends no requests to other services.
package launchcheck

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/alerts"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/exchangerate"
	"switchyard/db/integration"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/flow"
	"switchyard/models/launchcheck"
)

// Figures reads the figures that the checks need. report.Reader implements it.
type Figures interface {
	alerts.Figures
	ClicksSince(ctx context.Context, account uuid.UUID, since time.Time) (map[uuid.UUID]int, error)
	Performance(ctx context.Context, q report.Query) ([]report.Row, error)
}

// Reader reads facts.
type Reader struct {
	Store   *store.Store
	Figures Figures
}

// reading is the argument of a step of Facts.
type reading struct {
	Reader
	*launchcheck.Facts
}

// steps fill the facts, in this order.
var steps = []func(context.Context, reading) error{
	readDomain, readRecords, readNetworks, readTargets, readSource, readTag, readBots, readRates, readUsed, readLanders,
}

// Facts reads the facts about a campaign of an account.
func (r Reader) Facts(ctx context.Context, account models.Account, campaign models.Campaign, now time.Time) (*launchcheck.Facts, error) {
	saved, err := r.Store.Campaigns().Flow(ctx, account.ID, campaign.ID)
	if err != nil {
		return nil, err
	}
	f := &launchcheck.Facts{Now: now, Account: account, Campaign: campaign, Paths: saved.Paths}
	for _, step := range steps {
		if err := step(ctx, reading{r, f}); err != nil {
			return nil, err
		}
	}
	return f, nil
}

const selectDomain = `
SELECT d.id, d.host, d.account_id IS NULL AS shared, d.is_verified, k.checked_at, k.points, k.https, coalesce(k.detail, '') AS detail,
	k.wrong_since, k.registered_until, c.expires_at, coalesce(c.failure, '') AS failure, s.unsafe_at
FROM domains d
LEFT JOIN domain_checks k ON k.domain_id = d.id AND k.account_id = $1
LEFT JOIN certificates c ON c.domain_id = d.id AND c.account_id = $1 AND c.wanted
LEFT JOIN link_screens s ON s.kind = 'domain' AND s.record_id = d.id AND s.account_id = $1
WHERE d.id = $2 AND (d.account_id = $1 OR d.account_id IS NULL)`

func readDomain(ctx context.Context, f reading) (err error) {
	f.Domain, err = db.Get[launchcheck.Domain](ctx, f.Store.Conn(), "domain", selectDomain, f.Account.ID, f.Campaign.DomainID)
	return err
}

const selectRecords = `
SELECT r.*, c.checked_at, coalesce(c.error, '') AS error, c.broken_at, s.unsafe_at FROM (
	SELECT 'offer' AS kind, id, name, url, is_active AND deactivated_at IS NULL AS is_active, network_id, payout, payout_from_param,
		currency, daily_cap, 0 AS click_slots
	FROM offers WHERE account_id = $1 AND id = ANY ($2)
	UNION ALL
	SELECT 'lander', id, name, url, is_active AND deactivated_at IS NULL, NULL, 0, false, '', NULL, click_slots
	FROM landers WHERE account_id = $1 AND id = ANY ($2)
) r
LEFT JOIN link_checks c ON c.kind = r.kind AND c.record_id = r.id AND c.url = r.url AND c.account_id = $1
LEFT JOIN link_screens s ON s.kind = r.kind AND s.record_id = r.id AND s.url = r.url AND s.account_id = $1`

func readRecords(ctx context.Context, f reading) error {
	ids, _, _ := flow.References(f.Paths)
	rows, err := db.Select[launchcheck.Record](ctx, f.Store.Conn(), "records of a campaign", selectRecords, f.Account.ID, ids)
	f.Records = db.ByKey(rows, func(r launchcheck.Record) uuid.UUID { return r.ID })
	return err
}

// selectNetworks searches only the newest 20,000 postbacks, as the alerts do. A postback with the conversion id "test" was sent
// from the dashboard, and does not show that the network knows the postback URL.
const selectNetworks = `
WITH newest AS (
	SELECT network_id, received_at, params FROM postbacks WHERE account_id = $1 AND received_at >= $3 ORDER BY received_at DESC LIMIT 20000
), recent AS (
	SELECT p.network_id, p.received_at,
		coalesce(p.params ->> coalesce(nullif(n.postback_params ->> 'conversion_id', ''), 'conversion_id'), '') = 'test' AS is_test
	FROM newest p JOIN networks n ON n.account_id = $1 AND n.id = p.network_id
)
SELECT n.id, n.name, n.currency, n.click_param, n.postback_scheme, n.postback_scheme <> '' OR n.macros ? 'payout' AS tells_payout, i.synced_at,
	(SELECT max(received_at) FROM recent p WHERE p.network_id = n.id AND NOT is_test) AS last_postback,
	(SELECT count(*) FROM recent p WHERE p.network_id = n.id AND is_test) AS tests
FROM networks n LEFT JOIN network_integrations i ON i.network_id = n.id AND i.account_id = $1 AND i.is_enabled
WHERE n.account_id = $1 AND n.id = ANY ($2)`

func readNetworks(ctx context.Context, f reading) error {
	known := map[uuid.UUID]bool{}
	for _, r := range f.Records {
		known[r.NetworkID.UUID] = r.NetworkID.Valid
	}
	delete(known, uuid.Nil)
	ids := slices.Collect(maps.Keys(known))
	f.Networks = map[uuid.UUID]launchcheck.Network{}
	if len(ids) == 0 {
		return nil
	}
	since := f.Now.AddDate(0, 0, -launchcheck.Days)
	rows, err := db.Select[launchcheck.Network](ctx, f.Store.Conn(), "networks of a campaign", selectNetworks, f.Account.ID, ids, since)
	if err != nil {
		return err
	}
	f.Networks = db.ByKey(rows, func(n launchcheck.Network) uuid.UUID { return n.ID })
	if err := readConversions(ctx, f, ids, since); err != nil {
		return err
	}
	failing, err := alerts.Reader{Store: f.Store, Figures: f.Figures}.BadPostbacks(ctx, f.Account, f.Now)
	for _, a := range failing {
		if n, ok := f.Networks[a.ID]; ok && n.Failing == "" {
			n.Failing, n.FailingSince = a.Message, a.Since
			f.Networks[a.ID] = n
		}
	}
	return err
}

// readConversions finds networks without a real postback among the newest postbacks, but with more conversions than test
// postbacks. Such a network has sent real postbacks at an unknown time, so its LastPostback is set to the time in the parameter
// since.
func readConversions(ctx context.Context, f reading, ids []uuid.UUID, since time.Time) error {
	rows, err := f.figuresBy(ctx, "network_id", ids)
	for id, figures := range rows {
		if n, ok := f.Networks[id]; ok && n.LastPostback == nil && figures.Conversions() > n.Tests {
			n.LastPostback = &since
			f.Networks[id] = n
		}
	}
	return err
}

// figuresBy returns the figures of the last launchcheck.Days days by the records of a dimension. It may include records other
// than the given ones.
func (f reading) figuresBy(ctx context.Context, dimension string, ids []uuid.UUID) (map[uuid.UUID]models.Figures, error) {
	today := f.Now.UTC().Truncate(24 * time.Hour)
	q := report.Query{
		AccountID: f.Account.ID, From: today.AddDate(0, 0, -launchcheck.Days), To: today.AddDate(0, 0, 1), Dimensions: []string{dimension},
	}
	if len(ids) <= report.MaxValues {
		q.Filters = []report.Filter{report.IDs(dimension, ids...)}
	}
	rows, err := f.Figures.Performance(ctx, q)
	out := map[uuid.UUID]models.Figures{}
	for _, row := range rows {
		if id, ok := models.ParseID(row.Dims[0]); ok {
			out[id] = row.Figures
		}
	}
	return out, err
}

const selectTargets = `SELECT id, name, status FROM campaigns WHERE account_id = $1 AND id = ANY ($2) AND deleted_at IS NULL`

func readTargets(ctx context.Context, f reading) error {
	_, ids, _ := flow.References(f.Paths)
	rows, err := db.Select[launchcheck.Target](ctx, f.Store.Conn(), "target campaigns", selectTargets, f.Account.ID, ids)
	f.Campaigns = db.ByKey(rows, func(t launchcheck.Target) uuid.UUID { return t.ID })
	return err
}

func readSource(ctx context.Context, f reading) error {
	if !f.Campaign.SourceID.Valid {
		return nil
	}
	id := f.Campaign.SourceID.UUID
	source, err := f.Store.Sources().Find(ctx, f.Account.ID, id)
	if errors.Is(err, models.NotFound("source")) {
		return nil // it was deactivated
	}
	if err != nil {
		return err
	}
	f.Source = &launchcheck.Source{TrafficSource: source}
	connection, err := integration.NewSources(f.Store).Find(ctx, f.Account.ID, id)
	switch {
	case err == nil:
		f.Source.ReadsSpend, f.Source.SpendFailure = connection.IsEnabled, connection.Failure
	case !errors.Is(err, integration.ErrNotConnected):
		return err
	}
	found, err := dbcopilot.NewSuggestions(f.Store).OpenOf(ctx, f.Account.ID, copilot.KindToken, f.Now)
	for _, s := range found {
		if of, sub := copilot.TokenOf(s.Key); of == id {
			f.Source.Unfilled = append(f.Source.Unfilled, launchcheck.Unfilled{Sub: sub, At: s.JudgedAt.Time})
		}
	}
	return err
}

// The indexes site_events_site and site_events_account find the newest event.
const (
	lastEventOfSite    = `SELECT received_at FROM site_events WHERE account_id = $1 AND site_id = $2 AND received_at >= $3 ORDER BY received_at DESC LIMIT 1`
	lastEventOfAccount = `SELECT received_at FROM site_events WHERE account_id = $1 AND received_at >= $2 ORDER BY received_at DESC LIMIT 1`
)

func readTag(ctx context.Context, f reading) error {
	site := f.Campaign.MeasurementSiteID
	since := f.Now.AddDate(0, 0, -launchcheck.Days)
	query, args := lastEventOfAccount, []any{f.Account.ID, since}
	if site.Valid {
		found, ok, err := f.Store.Sites().Site(ctx, f.Account.ID, site.UUID)
		if err != nil {
			return err
		}
		if ok {
			f.Tag = launchcheck.Tag{Site: found.ID, Name: found.Name, IsActive: found.IsActive}
		}
		query, args = lastEventOfSite, []any{f.Account.ID, site.UUID, since}
	}
	at, ok, err := db.First[time.Time](ctx, f.Store.Conn(), "last event of a site", query, args...)
	if ok {
		f.Tag.LastEvent = &at
	}
	return err
}

func readBots(ctx context.Context, f reading) error {
	settings, err := f.Store.FindBotSettings(ctx, f.Account.ID)
	f.Bots = settings.Settings()
	return err
}

func readRates(ctx context.Context, f reading) error {
	f.Rated = map[string]bool{}
	used := f.Currencies()
	if len(used) == 0 {
		return nil
	}
	today := f.Now.UTC().Truncate(24 * time.Hour)
	days := []exchangerate.CurrencyDay{{Day: today, Currency: f.Account.Currency}}
	for _, p := range used {
		days = append(days, exchangerate.CurrencyDay{Day: today, Currency: p.Value})
	}
	euros, err := exchangerate.PerEuro(ctx, f.Store.Conn(), days)
	if _, own := euros[days[0]]; own {
		for k := range euros {
			f.Rated[k.Currency] = true
		}
	}
	return err
}

// readUsed counts the day's conversions if an offer has a daily cap, and the day's clicks if a path has one.
func readUsed(ctx context.Context, f reading) error {
	f.Used = map[uuid.UUID]int{}
	start := f.Account.DayStart(f.Now)
	count := func(used map[uuid.UUID]int, err error) error {
		for id, n := range used {
			f.Used[id] = n
		}
		return err
	}
	var err error
	for _, r := range f.Records {
		if r.DailyCap != nil {
			// The end is in the future, so that all conversions until now count.
			err = count(f.Figures.ConversionsIn(ctx, f.Account.ID, start, start.AddDate(0, 0, 2)))
			break
		}
	}
	for _, p := range f.Paths {
		if p.DailyCap != nil {
			return errors.Join(err, count(f.Figures.ClicksSince(ctx, f.Account.ID, start)))
		}
	}
	return err
}

func readLanders(ctx context.Context, f reading) error {
	f.Landers = map[uuid.UUID]launchcheck.Visits{}
	var ids []uuid.UUID
	for _, r := range f.Records {
		if r.Kind == launchcheck.AtLander {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := f.figuresBy(ctx, "lander_id", ids)
	for id, figures := range rows {
		f.Landers[id] = launchcheck.Visits{Clicks: figures.Clicks, Out: figures.LPClicks}
	}
	return err
}
