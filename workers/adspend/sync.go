package adspend

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/integration"
	"switchyard/db/reported"
	"switchyard/db/spend"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/template"
	"switchyard/workers/platformjob"
	"switchyard/workers/providers/ads"
)

// read holds the rows that a platform returned. It is stored under the id of the job.
type read struct {
	Rows           []ads.Spend `json:"rows"`
	Currency, Zone string
}

// sync reads the spend of a source and writes it, or runs the test of the connection. Each day is one transaction, so an attempt
// after a crash continues with the first day that is not written yet.
func (p *syncer) sync(ctx context.Context, u *run) error {
	if u.Args.Test {
		return p.test(ctx, u)
	}
	platform, err := platformjob.Once(ctx, p.imports, u, func() (read, error) { return p.fetch(ctx, u) })
	if err != nil {
		return err
	}
	if err := p.write(ctx, u, platform.Rows); err != nil {
		return err
	}
	out := jobs.SpendSynced{
		Provider: u.Args.Provider, From: u.Args.From, To: u.Args.To, Rows: len(platform.Rows), Matched: u.Args.Matched, Changed: u.Args.Changed,
		Currency: platform.Currency, Zone: platform.Zone,
	}
	for _, r := range platform.Rows {
		out.Spend = out.Spend.Add(r.Amount)
	}
	return u.Commit(ctx, out, func(c db.Conn) error {
		result := integration.Result{Synced: true, Currency: platform.Currency, Zone: platform.Zone}
		return p.imports.End(ctx, c, u, integration.RunEnd{Matched: out.Matched, Changed: out.Changed}, result)
	})
}

// fetch reads the rows from the platform. It returns a *models.Error for a failure after which the job is not tried again.
func (p *syncer) fetch(ctx context.Context, u *run) (out read, err error) {
	const applied = true
	from, to, err := p.imports.Begin(ctx, u, u.Args.Provider, applied)
	if err != nil {
		return out, err
	}
	_, c, err := p.openForCost(ctx, u.Job.AccountID.UUID, u.Args.SourceID)
	if err != nil {
		return out, err
	}
	rows, err := c.Spend(ctx, from, to)
	if err == nil {
		err = oneCurrency(rows)
	}
	if err != nil {
		return out, p.imports.ReadError(ctx, err, ads.MaxRows)
	}
	return read{rows, c.Currency(), c.Zone()}, p.imports.Fetched(ctx, u, c.Used(), len(rows))
}

// oneCurrency refuses rows in different currencies, because the spend of a day could not be added up.
func oneCurrency(rows []ads.Spend) error {
	for _, r := range rows {
		if r.Currency != rows[0].Currency {
			return models.Errorf(models.KindBadGateway, "platform_error", "the platform reports spend both in %q and in %q", rows[0].Currency, r.Currency)
		}
	}
	return nil
}

func (p *syncer) write(ctx context.Context, u *run, rows []ads.Spend) error {
	account := u.Job.AccountID.UUID
	owner, err := p.store.FindAccount(ctx, account)
	if err != nil {
		return err
	}
	source, err := p.store.Sources().Find(ctx, account, u.Args.SourceID)
	if err != nil {
		return err
	}
	i, err := integration.NewSources(p.store).Find(ctx, account, u.Args.SourceID)
	if err != nil {
		return err
	}
	param := cmp.Or(i.CampaignParam, template.CampaignParam(source))
	oldestKept, err := click.KeptFrom(ctx, p.store.Conn(), account)
	if err != nil {
		return err
	}
	if oldest := p.o.Now().AddDate(0, 0, -models.LongestHistory()); oldestKept.Before(oldest) {
		oldestKept = oldest
	}
	from, to, err := u.Args.PlatformRange.Days()
	if err != nil {
		return err
	}
	byDay := map[string][]ads.Spend{}
	for _, r := range rows {
		byDay[r.Day] = append(byDay[r.Day], r)
	}
	for {
		day := from.AddDate(0, 0, u.Args.Days)
		if day.After(to) {
			return nil
		}
		err := u.Step(ctx, func(c db.Conn) (jobs.SpendArgs, error) {
			a := u.Args
			a.Days++
			if day.Before(oldestKept) { // such old clicks are not kept, so their cost cannot change
				return a, nil
			}
			matched, changed, err := p.replaceDay(ctx, c, sourceDay{account, u.Args.SourceID, day, param, owner.Currency}, byDay[day.Format(time.DateOnly)])
			if a.Matched += matched; changed {
				a.Changed++
			}
			return a, err
		})
		if err != nil {
			return err
		}
	}
}

// sourceDay is one source on one day. param is the link parameter that contains the platform's campaign id. currency is the
// default when the platform reports none.
type sourceDay struct {
	account, source uuid.UUID
	day             time.Time
	param           string
	currency        string
}

// replaceDay replaces the spend of a day by what the platform reports now. A day for which it never reported spend stays
// unchanged.
func (p *syncer) replaceDay(ctx context.Context, c db.Conn, d sourceDay, rows []ads.Spend) (matched int, changed bool, err error) {
	k := integration.NewSources(p.store.On(c))
	if err := k.LockSpend(ctx, d.account, d.source); err != nil {
		return 0, false, err
	}
	spreadOver, before, err := k.SpendDay(ctx, d.account, d.source, d.day)
	if err != nil || len(rows) == 0 && !before {
		return 0, false, err
	}
	sent, err := spend.CountSent(ctx, p.o.Clicks, c, d.account, d.source, d.day.AddDate(0, 0, -1), d.day.AddDate(0, 0, 2), d.param)
	if err != nil {
		return 0, false, err
	}
	today, around, clicks := models.ClicksBy{}, models.ClicksBy{}, int64(0)
	for _, s := range sent {
		around.Add(s.Platform, s.CampaignID, s.Clicks)
		if s.Day.Equal(d.day) {
			today.Add(s.Platform, s.CampaignID, s.Clicks)
			clicks += s.Clicks
		}
	}
	shares, matched := models.ShareSpend(spentOn(rows), today, around)
	have, err := spend.ForSource(ctx, c, d.account, d.source, d.day)
	if err != nil {
		return 0, false, err
	}
	currency := ""
	if len(rows) > 0 {
		currency = cmp.Or(rows[0].Currency, d.currency)
	} else if len(have) > 0 {
		currency = have[0].Currency
	}
	list := replacing(d, currency, shares, have)
	if err := reported.SaveSourceDay(ctx, c, d.account, d.source, d.day, list); err != nil {
		return 0, false, err
	}
	if before && spreadOver == clicks && same(list, have) {
		return matched, false, nil
	}
	if _, err := spend.Set(ctx, p.o.Clicks, c, d.account, list...); err != nil {
		return 0, false, err
	}
	return matched, true, k.SaveSpendDay(ctx, d.account, d.source, d.day, clicks, p.o.Now())
}

func spentOn(rows []ads.Spend) []models.SpentOn {
	return db.Map(rows, func(r ads.Spend) models.SpentOn {
		return models.SpentOn{Platform: r.Campaign, Amount: r.Amount, Clicks: r.Clicks, Impressions: r.Impressions}
	})
}

// replacing returns the spend to set, so that a day then has exactly these shares. A campaign that has spend but no share gets 0.
// Spend of the source as a whole comes first, because setting it would replace the spend of the campaigns.
func replacing(d sourceDay, currency string, shares []models.CampaignSpend, have []spend.Spend) []spend.Spend {
	list := make([]spend.Spend, 0, len(shares)+len(have))
	for _, s := range shares {
		list = append(list, spend.Spend{
			Day: d.day, SourceID: d.source, CampaignID: s.CampaignID, Amount: s.Amount, Currency: currency, Clicks: s.Clicks,
			Impressions: s.Impressions,
		})
	}
	for _, h := range have {
		if !slices.ContainsFunc(shares, func(s models.CampaignSpend) bool { return s.CampaignID == h.CampaignID }) {
			list = append(list, spend.Spend{Day: d.day, SourceID: d.source, CampaignID: h.CampaignID, Currency: currency, Amount: decimal.Zero})
		}
	}
	slices.SortStableFunc(list, func(a, b spend.Spend) int { return bytes.Compare(a.CampaignID[:], b.CampaignID[:]) })
	return list
}

// same reports whether the stored spend equals the spend to set.
func same(list, have []spend.Spend) bool {
	if len(list) != len(have) {
		return false
	}
	for _, want := range list {
		i := slices.IndexFunc(have, func(h spend.Spend) bool { return h.CampaignID == want.CampaignID })
		if i < 0 || !have[i].Amount.Equal(want.Amount) || want.Currency != "" && have[i].Currency != want.Currency ||
			!equal(have[i].Clicks, want.Clicks) || !equal(have[i].Impressions, want.Impressions) {
			return false
		}
	}
	return true
}

func equal(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
