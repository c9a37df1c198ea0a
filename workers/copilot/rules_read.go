package copilot

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

const (
	// maxTargets is the maximum number of campaigns, paths, offers or values that a run of a rule considers. Those with the most
	// clicks come first.
	maxTargets = 5000
	// minPayouts is the minimum number of conversions for which the mean payout is used.
	minPayouts = 5
)

// errTooLarge means that a report would read more clicks than the account's job may still read.
var errTooLarge = errors.New("copilot: too many clicks to read")

func (w *worker) newReading(account models.Account, now time.Time) *reading {
	return &reading{
		worker: w, account: account, clicksLeft: maxRead, denied: map[deniedValue]bool{},
		query: report.Query{AccountID: account.ID, Zone: account.DayStart(now).Location()},
		in:    copilot.Input{Now: now, Currency: account.Currency, Offers: map[string]copilot.OfferInput{}, Landers: map[string]copilot.LanderInput{}},
	}
}

// readWithin reads the figures of a period. It fails with errTooLarge if that would read more clicks than r.clicksLeft.
func (r *reading) readWithin(ctx context.Context, from, to time.Time, limit int, filters []report.Filter, dimensions ...string) ([]report.Row, error) {
	q := r.query
	q.From, q.To, q.Dimensions, q.Filters, q.Limit = from.UTC(), to.UTC(), dimensions, filters, limit
	cost, err := r.reports.Cost(ctx, q)
	if err != nil {
		return nil, err
	}
	if cost > r.clicksLeft {
		return nil, errTooLarge
	}
	r.clicksLeft -= cost
	return r.reports.Performance(ctx, q)
}

func scope(s autorule.Settings) (list []report.Filter) {
	if len(s.CampaignIDs) > 0 {
		list = append(list, report.IDs("campaign_id", s.CampaignIDs...))
	}
	if len(s.SourceIDs) > 0 {
		list = append(list, report.IDs("source_id", s.SourceIDs...))
	}
	return list
}

// matched returns the targets that match the rule now and can still be acted upon. The highest cost comes first.
func (x *execution) matched(ctx context.Context) ([]autorule.Target, error) {
	s := x.rule.Settings
	rows, err := x.readWithin(ctx, x.run.From.Time, x.run.To.Time, maxTargets, scope(s), s.Dimensions()...)
	if err != nil {
		return nil, err
	}
	x.run.Cut = len(rows) == maxTargets
	var list []autorule.Target
	for _, row := range rows {
		if t, ok := s.NewTarget(row.Dims, row.Figures); ok {
			list = append(list, t)
		}
	}
	if list, err = x.addIdle(ctx, s, list); err != nil {
		return nil, err
	}
	x.run.Looked = len(list)
	if err := x.setPayouts(ctx, s, list, x.run.At.Time); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(t autorule.Target) bool { return !s.Matches(&t) })
	autorule.ByCost(list)
	if len(list) > autorule.MaxMatched {
		list, x.run.Cut = list[:autorule.MaxMatched], true
	}
	return x.actionable(ctx, list)
}

// addIdle adds the active campaigns without figures, if the rule looks at campaigns.
func (r *reading) addIdle(ctx context.Context, s autorule.Settings, list []autorule.Target) ([]autorule.Target, error) {
	if s.LooksAt != autorule.Campaign {
		return list, nil
	}
	seen := map[uuid.UUID]bool{}
	for _, t := range list {
		seen[t.Campaign] = true
	}
	err := each(ctx, r.store.Campaigns().List, r.account.ID, func(c models.Campaign) {
		if c.Status == models.CampaignActive && !seen[c.ID] && inScope(s, c) && len(list) < maxTargets {
			list = append(list, autorule.Target{Campaign: c.ID})
		}
	})
	return list, err
}

func inScope(s autorule.Settings, c models.Campaign) bool {
	return (len(s.CampaignIDs) == 0 || slices.Contains(s.CampaignIDs, c.ID)) &&
		(len(s.SourceIDs) == 0 || c.SourceID.Valid && slices.Contains(s.SourceIDs, c.SourceID.UUID))
}

// setPayouts sets the payout of a conversion for each target, if the rule needs it: the mean of the last 30 days. With fewer than
// minPayouts conversions it is the fixed payout of the offer, or the highest fixed payout of the campaign's offers.
func (r *reading) setPayouts(ctx context.Context, s autorule.Settings, list []autorule.Target, now time.Time) error {
	if !s.NeedsPayout() || len(list) == 0 {
		return nil
	}
	by := "campaign_id"
	if s.LooksAt == autorule.Offer || s.LooksAt == autorule.Destination {
		by = "offer_id"
	}
	start := r.account.DayStart(now)
	rows, err := r.readWithin(ctx, start.AddDate(0, 0, -copilot.WindowDays), now.Truncate(time.Hour), maxTargets, nil, by)
	if err != nil {
		return err
	}
	known := map[string]*decimal.Decimal{}
	for _, row := range rows {
		if n := row.Conversions(); n >= minPayouts {
			mean := row.Revenue.Add(row.PendingRevenue).DivRound(decimal.NewFromInt(n), 6) // decimal places
			known[row.Dims[0]] = &mean
		}
	}
	err = each(ctx, r.store.Offers().List, r.account.ID, func(o models.Offer) { r.in.Offers[o.ID.String()] = copilot.OfferInput{Offer: o} })
	if err != nil {
		return err
	}
	for i := range list {
		t := &list[i]
		id := t.Offer
		if by == "campaign_id" {
			id = t.Campaign.String()
		}
		p, ok := known[id]
		if !ok {
			if p, err = r.highestFixedPayout(ctx, by, id); err != nil {
				return err
			}
			known[id] = p
		}
		t.Payout = p
	}
	return nil
}

// highestFixedPayout returns the fixed payout of an offer, or the highest fixed payout of a campaign's offers if by is "campaign_id".
// The result is nil if no offer has a fixed payout in the account's currency.
func (r *reading) highestFixedPayout(ctx context.Context, by, id string) (*decimal.Decimal, error) {
	ids := []string{id}
	if by == "campaign_id" {
		f, err := r.store.Campaigns().Flow(ctx, r.account.ID, uuid.MustParse(id))
		if errors.Is(err, models.NotFound("campaign")) {
			return nil, nil //nolint:nilnil // a missing payout is no error
		}
		if err != nil {
			return nil, err
		}
		ids = nil
		for _, p := range f.Paths {
			for _, d := range p.Destinations {
				ids = append(ids, d.ID)
			}
		}
	}
	var most *decimal.Decimal
	for _, id := range ids {
		o, ok := r.in.Offers[id]
		if ok && o.PayoutType == "fixed" && o.Currency == r.in.Currency && o.Payout.IsPositive() && (most == nil || o.Payout.GreaterThan(*most)) {
			most = &o.Payout.Decimal
		}
	}
	return most, nil
}

// actionable returns the targets that can still be acted upon: active campaigns, paths and offers, and values that are neither
// denied nor excluded yet. It sets the names of these targets.
func (x *execution) actionable(ctx context.Context, list []autorule.Target) ([]autorule.Target, error) {
	s := x.rule.Settings
	if s.LooksAt == autorule.Value && len(list) > 0 {
		if err := x.denyEntries(ctx); err != nil {
			return nil, err
		}
	}
	x.records = map[uuid.UUID]copilot.Record{}
	campaigns := map[uuid.UUID]*models.Campaign{}
	var out []autorule.Target
	for _, t := range list {
		if t.Campaign == uuid.Nil {
			o, err := x.store.Offers().Find(ctx, x.account.ID, uuid.MustParse(t.Offer))
			if err != nil && !errors.Is(err, models.NotFound("offer")) {
				return nil, err
			}
			if err == nil && bool(o.IsActive) {
				t.Name = s.Describe(t, map[string]string{t.Offer: o.Name})
				out = append(out, t)
			}
			continue
		}
		c, known := campaigns[t.Campaign]
		if !known {
			var err error
			if c, err = x.campaignOf(ctx, t.Campaign); err != nil {
				return nil, err
			}
			campaigns[t.Campaign] = c
		}
		if c != nil && x.setName(ctx, &t, c) {
			out = append(out, t)
		}
	}
	return out, ctx.Err()
}

// campaignOf reads an active campaign with its flow, or returns nil.
func (x *execution) campaignOf(ctx context.Context, id uuid.UUID) (*models.Campaign, error) {
	c, err := x.store.Campaigns().Find(ctx, x.account.ID, id)
	if errors.Is(err, models.NotFound("campaign")) || err == nil && c.Status != models.CampaignActive {
		return nil, nil //nolint:nilnil // a missing campaign is no error
	}
	if err != nil {
		return nil, err
	}
	f, err := x.store.Campaigns().Flow(ctx, x.account.ID, id)
	if errors.Is(err, models.NotFound("campaign")) {
		return nil, nil //nolint:nilnil // deleted a moment ago
	}
	x.records[id] = copilot.Record{Paths: f.Paths}
	return &c, err
}

func (x *execution) paths(campaign uuid.UUID) []flow.Path { return x.records[campaign].Paths }

// setName sets the name of a target in a campaign. It reports whether the target can still be acted upon.
func (x *execution) setName(ctx context.Context, t *autorule.Target, c *models.Campaign) bool {
	s, paths, names := x.rule.Settings, x.paths(c.ID), map[string]string{c.ID.String(): c.Name}
	at := slices.IndexFunc(paths, func(p flow.Path) bool { return p.ID == t.Path && p.IsActive })
	switch s.LooksAt {
	case autorule.Value:
		if x.isDenied(c.ID, s.Attribute, t.Value) || copilot.Excludes(paths, s.Attribute, t.Value) {
			return false
		}
	case autorule.Path, autorule.Destination:
		if at < 0 {
			return false
		}
		names[t.Path] = paths[at].Name
	}
	if s.LooksAt == autorule.Destination {
		found, err := x.store.Labels(ctx, x.account.ID, "offer_id", []string{t.Offer})
		if err != nil || !slices.ContainsFunc(paths[at].Destinations, func(d flow.Destination) bool { return d.ID == t.Offer }) {
			return false
		}
		maps.Copy(names, found)
	}
	t.Name = s.Describe(*t, names)
	return true
}
