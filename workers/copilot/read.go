package copilot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/subslot"
)

// Limits of the figures that are read for one account.
const (
	maxCampaigns = 60        // campaigns with the most clicks, which are judged every day
	maxTurn      = 40        // other campaigns, which take turns; maxCampaigns + maxTurn = report.MaxValues
	maxRanked    = 5000      // campaigns with clicks that are considered
	maxRecords   = 5000      // records of a list that are read
	maxRows      = 100_000   // rows of a report by day, on all campaigns or on offers with a cap
	maxValues    = 50_000    // rows of a report on all campaigns by one dimension
	maxRead      = 5_000_000 // clicks that are read one by one, by all reports together
	maxSources   = 200       // rows of the report by source
)

// reading is the state while the figures of one account are read.
type reading struct {
	*worker
	account    models.Account
	in         copilot.Input
	query      report.Query         // a report on the window
	clicksLeft int64                // clicks that may still be read
	skipped    []uuid.UUID          // campaigns that are judged on another day
	denied     map[deniedValue]bool // in lower case
	unread     []string             // kinds of suggestions whose reports are too large
}

// deniedValue is a value of a deny entry. The zero campaign stands for all campaigns.
type deniedValue struct {
	campaign         uuid.UUID
	attribute, value string
}

// read reads the figures to judge. The window ends with yesterday in the account's time zone.
func (w *worker) read(ctx context.Context, account models.Account, now time.Time) (*reading, error) {
	to := account.DayStart(now)
	from := to.AddDate(0, 0, -copilot.WindowDays)
	r := w.newReading(account, now)
	r.query.From, r.query.To = from.UTC(), to.UTC()
	for day := from; day.Before(to); day = day.AddDate(0, 0, 1) {
		r.in.Days = append(r.in.Days, day.Format(time.DateOnly))
	}
	for _, step := range []func(context.Context) error{
		r.offers, r.landers, r.problems, r.denyEntries, r.campaigns, r.sources, r.networks, r.domains,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readRows reads a report over the window. If the report is too large, it returns no rows, and adds the kinds of suggestions that
// need it, which are copilot.KindsBy(what), to r.unread.
func (r *reading) readRows(ctx context.Context, what string, limit int, filters []report.Filter, dimensions ...string) ([]report.Row, error) {
	rows, err := r.readWithin(ctx, r.query.From, r.query.To, limit, filters, dimensions...)
	if errors.Is(err, errTooLarge) {
		r.unread = append(r.unread, copilot.KindsBy(what)...)
		return nil, nil
	}
	return rows, err
}

// each calls fn with every record of a list, up to maxRecords.
func each[R any](ctx context.Context, list func(context.Context, uuid.UUID, store.Page) ([]R, string, error), account uuid.UUID, fn func(R)) error {
	page := store.Page{Limit: 500}
	for seen := 0; seen < maxRecords; {
		rows, next, err := list(ctx, account, page)
		if err != nil {
			return err
		}
		for _, row := range rows {
			fn(row)
		}
		if seen += len(rows); next == "" || len(rows) == 0 {
			return nil
		}
		page.Cursor = next
	}
	return nil
}

func (r *reading) offers(ctx context.Context) error {
	var capped []uuid.UUID
	err := each(ctx, r.store.Offers().List, r.account.ID, func(o models.Offer) {
		r.in.Offers[o.ID.String()] = copilot.OfferInput{Offer: o}
		if o.DailyCap != nil && bool(o.IsActive) && len(capped) < report.MaxValues {
			capped = append(capped, o.ID)
		}
	})
	if err != nil || len(capped) == 0 {
		return err
	}
	rows, err := r.readRows(ctx, copilot.Caps, maxRows, []report.Filter{report.IDs("offer_id", capped...)}, "offer_id", "date")
	for _, row := range rows {
		day := slices.Index(r.in.Days, row.Dims[1])
		if day < 0 {
			continue
		}
		o := r.in.Offers[row.Dims[0]]
		if o.Days == nil {
			o.Days = make([]copilot.OfferDay, len(r.in.Days))
		}
		o.Days[day] = copilot.OfferDay{Clicks: row.Clicks, Approved: row.Approved, Pending: row.Pending, Rejected: row.Rejected}
		r.in.Offers[row.Dims[0]] = o
	}
	return err
}

func (r *reading) landers(ctx context.Context) error {
	return each(ctx, r.store.Landers().List, r.account.ID, func(l models.Lander) {
		r.in.Landers[l.ID.String()] = copilot.LanderInput{Name: l.Name, Active: bool(l.IsActive)}
	})
}

func (r *reading) problems(ctx context.Context) error {
	broken, err := r.store.Links().Broken(ctx, r.account.ID)
	if err != nil {
		return err
	}
	unsafe, err := r.store.Links().Unsafe(ctx, r.account.ID)
	for _, p := range append(broken, unsafe...) {
		why := p.State.Error
		if len(p.Threats) > 0 {
			why = "it is listed as " + strings.Join(p.Threats, ", ")
		}
		id := p.ID.String()
		if o, ok := r.in.Offers[id]; ok && p.Kind == models.LinkOffer {
			o.Problem = why
			r.in.Offers[id] = o
		}
		if l, ok := r.in.Landers[id]; ok && p.Kind == models.LinkLander {
			l.Problem = why
			r.in.Landers[id] = l
		}
	}
	return err
}

func (r *reading) denyEntries(ctx context.Context) error {
	return each(ctx, r.store.BotEntries().List, r.account.ID, func(e models.BotEntry) {
		if e.ListType != models.BotDeny || e.Operator != "equals" {
			return
		}
		for _, v := range e.Value {
			r.denied[deniedValue{e.CampaignID.UUID, e.Attribute, strings.ToLower(v)}] = true
		}
	})
}

func (r *reading) isDenied(campaign uuid.UUID, attribute, value string) bool {
	value = strings.ToLower(value)
	return r.denied[deniedValue{uuid.Nil, attribute, value}] || r.denied[deniedValue{campaign, attribute, value}]
}

// campaigns reads the active campaigns with the most clicks, and some of the others, which take turns.
func (r *reading) campaigns(ctx context.Context) error {
	chosen, turn, err := r.choose(ctx)
	if err != nil {
		return err
	}
	late, err := r.delays(ctx)
	if err != nil {
		return err
	}
	bySource := map[uuid.UUID][]uuid.UUID{}
	for i, id := range chosen {
		c, err := r.campaign(ctx, id)
		switch {
		case errors.Is(err, models.NotFound("campaign")): // deleted a moment ago
			continue
		case err != nil:
			return err
		}
		if c.Late = late.Late(id, r.query.To); i >= maxCampaigns {
			c.Turn = turn
		}
		if c.SourceID.Valid {
			bySource[c.SourceID.UUID] = append(bySource[c.SourceID.UUID], id)
		}
		r.in.Campaigns = append(r.in.Campaigns, c)
	}
	for i := range r.in.Campaigns {
		c := &r.in.Campaigns[i]
		for _, id := range bySource[c.SourceID.UUID] {
			if c.SourceID.Valid && id != c.ID {
				c.Others = append(c.Others, id)
			}
		}
	}
	if err := r.arms(ctx); err != nil {
		return err
	}
	return r.values(ctx)
}

func (r *reading) campaign(ctx context.Context, id uuid.UUID) (c copilot.CampaignInput, err error) {
	k := r.store.Campaigns()
	if c.Campaign, err = k.Find(ctx, r.account.ID, id); err != nil {
		return c, err
	}
	flow, err := k.Flow(ctx, r.account.ID, id)
	c.Paths = flow.Paths
	return c, err
}

type question struct {
	what   string // the argument of copilot.KindsBy
	limit  int    // maximum number of rows
	late   int    // how many of the window's last days are left out
	wanted func(*copilot.CampaignInput) bool
	add    func(*copilot.CampaignInput, report.Row)
}

// figures reads one report on all wanted campaigns, by campaign and the given dimensions.
func (r *reading) figures(ctx context.Context, q question, dimensions ...string) error {
	var ids []uuid.UUID
	at := map[string]*copilot.CampaignInput{}
	for i := range r.in.Campaigns {
		if c := &r.in.Campaigns[i]; q.wanted(c) {
			ids, at[c.ID.String()] = append(ids, c.ID), c
		}
	}
	if len(ids) == 0 {
		return nil
	}
	to := r.query.To
	defer func() { r.query.To = to }()
	r.query.To = r.account.DayStart(to).AddDate(0, 0, -q.late)
	rows, err := r.readRows(ctx, q.what, q.limit, []report.Filter{report.IDs("campaign_id", ids...)}, append([]string{"campaign_id"}, dimensions...)...)
	for _, row := range rows {
		if c, ok := at[row.Dims[0]]; ok {
			row.Dims = row.Dims[1:]
			q.add(c, row)
		}
	}
	return err
}

// arms reads the figures of the campaigns by path, landing page, offer and day.
func (r *reading) arms(ctx context.Context) error {
	all := func(*copilot.CampaignInput) bool { return true }
	return r.figures(ctx, question{copilot.Arms, maxRows, 0, all, func(c *copilot.CampaignInput, row report.Row) {
		if day := slices.Index(r.in.Days, row.Dims[3]); day >= 0 {
			c.Rows = append(c.Rows, copilot.ArmRow{
				Path: row.Dims[0], Lander: row.Dims[1], Offer: row.Dims[2], Day: day, Clicks: row.Clicks, LPViews: row.LPViews, LPClicks: row.LPClicks,
				Conversions: row.Conversions(), Value: row.Revenue.Add(row.PendingRevenue).InexactFloat64(), Cost: row.Cost.InexactFloat64(),
			})
		}
	}}, "stream_id", "lander_id", "offer_id", "date")
}

// values reads the cost and revenue of each value of each attribute, for campaigns with a cost. It leaves out denied values, and days
// whose conversions have not arrived yet.
func (r *reading) values(ctx context.Context) error {
	r.unifyLateDays()
	for _, name := range r.judged() {
		for _, late := range r.lateDays() {
			err := r.figures(ctx, question{
				name, maxValues, late,
				func(c *copilot.CampaignInput) bool { return c.Late == late && judgesValues(c, name) },
				func(c *copilot.CampaignInput, row report.Row) {
					if row.Dims[0] == "" || len(row.Dims[0]) > copilot.MaxValue || r.isDenied(c.ID, name, row.Dims[0]) {
						return
					}
					c.Values = append(c.Values, copilot.ValueRow{
						Attribute: name, Value: row.Dims[0], Clicks: row.Clicks, Conversions: row.Conversions(),
						Returns: row.Revenue.Add(row.PendingRevenue).InexactFloat64(), Cost: row.Cost.InexactFloat64(),
					})
				},
			}, name)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// judgesValues reports whether the values of an attribute of a campaign can be judged.
func judgesValues(c *copilot.CampaignInput, attribute string) bool {
	n := slices.Index(models.SubKeys[:], attribute) + 1
	isFilled := slices.ContainsFunc(subslot.Filled(c.SourceLink), func(s models.SubSlot) bool { return s.Sub == n })
	return (n == 0 || isFilled || len(c.SourceLink.TokenMacros) == 0 && n <= models.EarlySubs) &&
		slices.ContainsFunc(c.Rows, func(row copilot.ArmRow) bool { return row.Cost > 0 })
}

// judged returns the attributes whose values can be judged in some campaign.
func (r *reading) judged() []string {
	return db.Without(copilot.Attributes(), func(name string) bool {
		for i := range r.in.Campaigns {
			if judgesValues(&r.in.Campaigns[i], name) {
				return false
			}
		}
		return true
	})
}
