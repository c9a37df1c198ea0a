package reporting

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/difference"
)

// Differences returns the routes that compare the figures of traffic sources and networks with ours.
func Differences(d Deps) []route.Route {
	row := func(kind, group, path string) route.Route {
		return route.New("GET", path+"/{id}/difference", group,
			"the figures of the traffic source or network, our figures, and the causes of the difference",
			route.Handle(func(c *route.Call) (Difference, error) { return d.difference(c, kind) }), answer.IDCodes,
			route.Codes("400 too_many", "409 busy")).
			WithWindow().WithShare(route.Reads).Awaits(differenceJob.Answer()).WithQuery(zoneParam).
			WithQuery(route.Param{Name: "their_tz", Doc: "IANA time zone of the days that the traffic source or network reports; default: the connection's time zone, or UTC"})
	}
	return []route.Route{
		row(difference.OfSource, "Traffic sources", "/traffic-sources"),
		row(difference.OfNetwork, "Affiliate networks", "/networks"),
	}
}

// Difference compares the figures of a traffic source or a network with ours. "They" and "their" in these types mean the source
// or the network.
type Difference struct {
	From          string              `json:"from" doc:"first day"`
	To            string              `json:"to" doc:"last day, which is included"`
	TZ            string              `json:"tz" doc:"time zone of our days"`
	TheirTZ       string              `json:"their_tz" doc:"time zone of the days that the traffic source or network reports"`
	Basis         string              `json:"basis" enum:"platform,spend,orders,totals,postbacks," doc:"where the figures of the traffic source or network come from. platform: the connection has read the spend; spend: the spend was entered or came from a file; orders: orders that the connection has read or that came from a file; totals: daily sums from a file; postbacks: the network's postbacks; empty: no such figures are stored, so nothing is compared"`
	ReadAt        *string             `json:"read_at" doc:"when the figures of the traffic source or network were last read"`
	Currency      string              `json:"currency" doc:"currency of our figures, of the difference and of its causes"`
	TheirCurrency string              `json:"their_currency" doc:"currency of the figures of the traffic source or network. Their amounts and ours are subtracted without conversion, and the part of the difference that comes from the exchange rate is the cause named currency. Empty: the source or network reports in several currencies, so its figures are converted to the currency in the field currency"`
	Compares      difference.Measures `json:"compares" doc:"the figures that the traffic source or network reports; other figures are null in theirs, in the difference and in the causes"`
	Rates         []RateUsed          `json:"rates" doc:"the exchange rates that give the cause named currency; if their_currency is empty, they convert all amounts of the traffic source or network instead"`
	Total         DifferenceTotal     `json:"total"`
	Rows          []DifferenceRow     `json:"rows" doc:"one row for each day and campaign; at most 5000"`
	Examples      []DifferenceExample `json:"examples" doc:"conversions and orders that differ, at most 10 for each cause and reason"`
}

// RateUsed has the lowest and the highest exchange rate by which the amounts of a currency were converted.
type RateUsed struct {
	Currency string       `json:"currency"`
	Lowest   models.Money `json:"lowest"`
	Highest  models.Money `json:"highest"`
	Missing  int          `json:"missing" doc:"number of amounts without a rate; such amounts count as 0"`
}

// DifferenceFigures are the compared figures. A figure that the source or network does not report is null, except in Ours.
type DifferenceFigures struct {
	Clicks      *int64        `json:"clicks"`
	Conversions *int64        `json:"conversions"`
	Money       *models.Money `json:"money" doc:"for a traffic source the cost, for a network the revenue"`
}

// DifferenceCause is the part of a difference that has one cause. It is positive if it makes their figure larger than ours.
type DifferenceCause struct {
	Cause string `json:"cause" enum:"not_read,time_zone,conversion_day,bots,hops,unmatched,not_received,refused,not_sent,late,currency,correction"`
	DifferenceFigures
}

// DifferenceReason is a part of the total difference with one cause and one stored reason.
type DifferenceReason struct {
	DifferenceCause
	Reason string `json:"reason" doc:"text for people; empty: the cause is explanation enough, or the row is the sum of the less frequent reasons"`
}

// DifferenceSides has their figures, our figures and the difference.
type DifferenceSides struct {
	Theirs      DifferenceFigures `json:"theirs"`
	Ours        DifferenceFigures `json:"ours"`
	Difference  DifferenceFigures `json:"difference" doc:"theirs minus ours, which is exactly the sum of the causes and of unexplained"`
	Unexplained DifferenceFigures `json:"unexplained"`
}

// DifferenceTotal is the sum of all rows.
type DifferenceTotal struct {
	DifferenceSides
	Causes []DifferenceReason `json:"causes"`
}

// DifferenceRow compares the figures of one campaign on one day.
type DifferenceRow struct {
	Day          string     `json:"day" doc:"YYYY-MM-DD: their day in their time zone, and our day in ours"`
	CampaignID   *uuid.UUID `json:"campaign_id" doc:"null: the figures of the traffic source or network name no click of ours, or are only sums of days"`
	CampaignName *string    `json:"campaign_name"`
	DifferenceSides
	Causes []DifferenceCause `json:"causes"`
}

// DifferenceExample is a conversion or an order that differs.
type DifferenceExample struct {
	Cause        string        `json:"cause" enum:"unmatched,not_received,refused,not_sent,late,currency,correction,not_read," doc:"empty: no cause explains the difference"`
	Reason       string        `json:"reason"`
	Day          string        `json:"day" doc:"the day on which the traffic source or network has the conversion, or our day if it does not have the conversion"`
	OrderID      string        `json:"order_id" doc:"id that the traffic source or network has for the order"`
	ClickID      *string       `json:"click_id"`
	ConversionID string        `json:"conversion_id" doc:"id that the traffic source or network has for the conversion"`
	TheirStatus  *string       `json:"their_status" doc:"null: the traffic source or network does not have the conversion, or does not report its status"`
	OurStatus    *string       `json:"our_status" doc:"null: we do not have the conversion"`
	Payout       *models.Money `json:"payout" doc:"the payout that the traffic source or network reports"`
	Currency     string        `json:"currency" doc:"currency of payout"`
	OurPayout    *models.Money `json:"our_payout" doc:"null: we do not have the conversion, or money is not compared"`
	OurCurrency  string        `json:"our_currency" doc:"currency of our_payout"`
}

func differenceFigures(f difference.Figures, m difference.Measures) (out DifferenceFigures) {
	if m.Clicks {
		out.Clicks = &f.Clicks
	}
	if m.Conversions {
		out.Conversions = &f.Conversions
	}
	if m.Money {
		out.Money = &models.Money{Decimal: f.Money}
	}
	return out
}

func sides(r difference.Row, m difference.Measures) DifferenceSides {
	return DifferenceSides{
		Theirs: differenceFigures(r.Theirs, m), Ours: differenceFigures(r.Ours, difference.Measures{Clicks: true, Conversions: true, Money: true}),
		Difference: differenceFigures(r.Theirs.Minus(r.Ours), m), Unexplained: differenceFigures(r.Unexplained, m),
	}
}

func exampleAnswer(x difference.Example) DifferenceExample {
	return DifferenceExample{
		Cause: x.Cause, Reason: x.Reason, Day: x.Day, OrderID: x.OrderID, ClickID: answer.ClickID(x.ClickID), ConversionID: x.ConversionID,
		TheirStatus: answer.OrNull(x.TheirStatus), OurStatus: answer.OrNull(x.OurStatus), Payout: models.MoneyOf(x.Payout), Currency: x.Currency,
		OurPayout: models.MoneyOf(x.OurPayout), OurCurrency: x.OurCurrency,
	}
}

var differenceJob = slow.New(jobs.ReadDifference, func(r difference.Result) Difference {
	m := r.Compares
	cause := func(p difference.Part) DifferenceCause {
		return DifferenceCause{p.Cause, differenceFigures(p.Figures, m)}
	}
	return Difference{
		From: r.From, To: r.To, TZ: r.TZ, TheirTZ: r.TheirTZ, Basis: r.Basis, ReadAt: answer.StampOrNull(r.ReadAt), Currency: r.Currency,
		TheirCurrency: r.TheirCurrency, Compares: m,
		Rates: answer.Each(r.Rates, func(u difference.RateUsed) RateUsed {
			return RateUsed{u.Currency, models.NewMoney(u.Lowest), models.NewMoney(u.Highest), u.Missing}
		}),
		Total: DifferenceTotal{sides(r.Total, m), answer.Each(r.Total.Causes, func(p difference.Part) DifferenceReason {
			return DifferenceReason{cause(p), p.Reason}
		})},
		Rows: answer.Each(r.Rows, func(row difference.Row) DifferenceRow {
			return DifferenceRow{
				row.Day, answer.OrNull(row.Campaign), answer.OrNull(r.Names[row.Campaign.String()]), sides(row, m),
				answer.Each(row.Causes, cause),
			}
		}),
		Examples: answer.Each(r.Examples, exampleAnswer),
	}
})

// windowDays returns the first and the last day of a window. They are days in the zone if the window consists of whole days
// there, and otherwise UTC days.
func windowDays(w bind.Window, zone *time.Location) (from, to time.Time) {
	from, to = w.From.In(zone), w.End().In(zone)
	if from.Format(time.TimeOnly) != "00:00:00" || to.Format(time.TimeOnly) != "00:00:00" {
		return w.From, w.To
	}
	return from, to.AddDate(0, 0, -1)
}

func differenceArgs(kind string, id uuid.UUID, w bind.Window, tz, theirTZ string) (difference.Args, error) {
	zone, err := report.Zone(tz)
	if err != nil {
		return difference.Args{}, err
	}
	first, last := windowDays(w, zone)
	a := difference.Args{
		Kind: kind, ID: id, From: first.Format(time.DateOnly), To: last.Format(time.DateOnly), TZ: zone.String(),
	}
	from, to, err := a.Days()
	if err == nil && to.Sub(from) >= difference.MaxDays*24*time.Hour {
		err = models.Invalid(models.TooManyRows, "the window may have at most %d days", difference.MaxDays)
	}
	if err != nil || theirTZ == "" {
		return a, err
	}
	theirs, err := report.Zone(theirTZ)
	if err != nil {
		return a, models.Invalid("invalid_input", "their_tz must be an IANA time zone such as Europe/Berlin")
	}
	a.TheirZone = theirs.String()
	return a, nil
}

func (d Deps) difference(c *route.Call, kind string) (out Difference, err error) {
	if err := checkCounterpart(c, kind, c.ID); err != nil {
		return out, err
	}
	args, err := differenceArgs(kind, c.ID, c.Window, c.Query.Get("tz"), c.Query.Get("their_tz"))
	if err != nil {
		return out, err
	}
	return differenceJob.Join(c, d.Jobs, args)
}

func checkCounterpart(c *route.Call, kind string, id uuid.UUID) (err error) {
	if kind == difference.OfNetwork {
		_, err = c.Store.Networks().Find(c.Context(), c.Account.ID, id)
	} else {
		_, err = c.Store.Sources().Find(c.Context(), c.Account.ID, id)
	}
	return err
}
