// Package difference compares the figures that traffic sources and networks have reported ("theirs") with the clicks, conversions
// and costs that this service has recorded ("ours"). Package models/difference explains the comparison. Package reported stores
// the reported figures.
package difference

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/exchangerate"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/difference"
)

// Reader compares figures.
type Reader struct {
	Conn    db.Conn
	Reports Reports
}

// Reports reads our figures. report.Reader implements it.
type Reports interface {
	Each(ctx context.Context, q report.Query, fn func(report.Row) error) error
}

// Read compares the figures of an account's traffic source or network with ours. Errors: invalid_input, not_found, too_many, busy.
func (r Reader) Read(ctx context.Context, account uuid.UUID, a difference.Args) (difference.Result, error) {
	k := &comparison{
		Reader: r, account: account, sheet: difference.NewSheet(), rates: map[exchangerate.Key]decimal.NullDecimal{},
		used: map[string]*difference.RateUsed{},
	}
	k.out = difference.Result{Args: a, Names: map[string]string{}}
	var err error
	if k.from, k.to, err = a.Days(); err != nil {
		return k.out, models.Invalid("invalid_input", "from and to must be days, YYYY-MM-DD")
	}
	if k.ours, err = report.Zone(a.TZ); err != nil {
		return k.out, err
	}
	k.out.TZ = k.ours.String()
	if change, open, err := exchangerate.FindChange(ctx, r.Conn, account); err != nil || open {
		if err == nil {
			err = models.Conflict("busy", "the currency is being changed to %s: wait until job %s has ended", change.To, change.Job)
		}
		return k.out, err
	}
	if k.out.Currency, err = db.Get[string](ctx, r.Conn, "account", `SELECT currency FROM accounts WHERE id = $1`, account); err != nil {
		return k.out, err
	}
	compare := k.source
	if a.Kind == difference.OfNetwork {
		compare = k.network
	}
	if err := compare(ctx); err != nil {
		return k.out, err
	}
	if k.sheet.Len() > difference.MaxRows {
		return k.out, tooMany("rows, one for each day and campaign", difference.MaxRows)
	}
	k.sheet.Finish(&k.out)
	k.out.Rates = []difference.RateUsed{}
	for _, currency := range slices.Sorted(maps.Keys(k.used)) {
		k.out.Rates = append(k.out.Rates, *k.used[currency])
	}
	return k.out, nil
}

func tooMany(what string, most int) error {
	return models.Invalid(models.TooManyRows, "the window has more than %d %s: use a shorter one", most, what)
}

// comparison is a comparison in progress.
type comparison struct {
	Reader
	account  uuid.UUID
	from, to time.Time      // midnights in UTC
	ours     *time.Location // zone of our days
	theirs   *time.Location // zone of their days
	sheet    *difference.Sheet
	out      difference.Result
	rates    map[exchangerate.Key]decimal.NullDecimal
	used     map[string]*difference.RateUsed // by currency
}

// setZone sets the time zone of the other side's days: the zone in the arguments or else the named one. An unknown zone counts as
// UTC.
func (k *comparison) setZone(name string) {
	zone, err := report.Zone(cmp.Or(k.out.TheirZone, name))
	if err != nil {
		zone = time.UTC
	}
	k.theirs, k.out.TheirTZ = zone, zone.String()
}

func (k *comparison) differ() bool { return k.ours.String() != k.theirs.String() }

// bounds returns the window's start and end in a zone.
func (k *comparison) bounds(zone *time.Location) (from, to time.Time) {
	return midnight(k.from, zone), midnight(k.to.AddDate(0, 0, 1), zone)
}

func midnight(d time.Time, zone *time.Location) time.Time {
	return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, zone)
}

func dayIn(at time.Time, zone *time.Location) string { return at.In(zone).Format(time.DateOnly) }

func (k *comparison) inWindow(day string) bool { return day >= k.out.From && day <= k.out.To }

func cellOf(r report.Row) difference.Cell {
	c := difference.Cell{Day: r.Dims[0]}
	if len(r.Dims) > 1 {
		c.Campaign, _ = uuid.Parse(r.Dims[1]) // an empty value gives the zero id: no campaign
	}
	return c
}

// figures reads our figures by day in a zone, and by campaign if byCampaign is set.
func (k *comparison) figures(ctx context.Context, zone *time.Location, byCampaign bool, filters ...report.Filter) (
	map[difference.Cell]models.Figures, error,
) {
	q := report.Query{
		AccountID: k.account, Zone: zone, Dimensions: []string{"date"}, Filters: filters, Sort: "date", Limit: difference.MaxRows + 1,
	}
	if byCampaign {
		q.Dimensions = append(q.Dimensions, "campaign_id")
	}
	dimension := "source_id"
	if k.out.Kind == difference.OfNetwork {
		dimension = report.Network
	}
	q.Filters = append(q.Filters, report.IDs(dimension, k.out.ID))
	q.From, q.To = k.bounds(zone)
	q.From, q.To = q.From.UTC(), q.To.UTC()
	out := map[difference.Cell]models.Figures{}
	err := k.Reports.Each(ctx, q, func(r report.Row) error {
		out[cellOf(r)] = r.Figures
		return nil
	})
	if err == nil && len(out) > difference.MaxRows {
		err = tooMany("rows, one for each day and campaign", difference.MaxRows)
	}
	return out, err
}

// amount is a reported amount of money. Its day decides the exchange rate.
type amount struct {
	value    decimal.Decimal
	currency string
	day      time.Time
}

// loadRates reads the rates of amounts and sets TheirCurrency. If the amounts have several currencies, it is empty, and the
// amounts are shown in our currency.
func (k *comparison) loadRates(ctx context.Context, list []amount) (err error) {
	var keys []exchangerate.Key
	seen := map[string]bool{}
	for _, a := range list {
		if a.value.IsZero() {
			continue
		}
		seen[a.currency], k.out.TheirCurrency = true, a.currency
		if a.currency != k.out.Currency {
			keys = append(keys, exchangerate.NewKey(k.account, a.day, a.currency))
		}
	}
	switch len(seen) {
	case 0:
		k.out.TheirCurrency = k.out.Currency
	case 1:
	default:
		k.out.TheirCurrency = ""
	}
	if len(keys) > 0 {
		k.rates, err = exchangerate.FindRates(ctx, k.Conn, keys)
	}
	return err
}

// rate returns the rate of an amount's day.
func (k *comparison) rate(a amount) decimal.NullDecimal {
	if a.currency == k.out.Currency {
		return models.SameRate
	}
	return k.rates[exchangerate.NewKey(k.account, a.day, a.currency)]
}

// convert returns an amount in TheirCurrency, and converted to our currency by the given rate. If TheirCurrency is empty, both
// are in our currency.
func (k *comparison) convert(a amount, rate decimal.NullDecimal) (reported, converted decimal.Decimal) {
	if a.currency != k.out.Currency && !a.value.IsZero() {
		k.recordRate(a.currency, rate)
	}
	converted = models.ConvertAmount(a.value, rate).Round(6)
	if k.out.TheirCurrency == "" {
		return converted, converted
	}
	return a.value.Round(6), converted
}

// recordRate records a used rate. The answer shows the range of these rates.
func (k *comparison) recordRate(currency string, rate decimal.NullDecimal) {
	u := k.used[currency]
	if u == nil {
		u = &difference.RateUsed{Currency: currency}
		k.used[currency] = u
	}
	switch {
	case !rate.Valid:
		u.Missing++
	case u.Highest.IsZero():
		u.Lowest, u.Highest = rate.Decimal, rate.Decimal
	default:
		u.Lowest, u.Highest = decimal.Min(u.Lowest, rate.Decimal), decimal.Max(u.Highest, rate.Decimal)
	}
}

func money(d decimal.Decimal) difference.Figures { return difference.Figures{Money: d} }

// latest returns the later of two times. Each may be missing.
func latest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

func reasonOf(text string) string { return models.OneLine(text, 200) }
