package smoke

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

type differenceAnswer struct {
	Basis string
	Total differenceRow
	Rows  []differenceRow
}

type differenceRow struct {
	Theirs, Ours, Difference, Unexplained differenceFigures
	Causes                                []struct {
		Cause string
		differenceFigures
	}
}

type differenceFigures struct {
	Clicks, Conversions int
	Money               decimal.Decimal
}

func (f differenceFigures) plus(g differenceFigures) differenceFigures {
	return differenceFigures{f.Clicks + g.Clicks, f.Conversions + g.Conversions, f.Money.Add(g.Money)}
}

func (f differenceFigures) String() string {
	return fmt.Sprint(f.Clicks, " clicks, ", f.Conversions, " conversions, ", shortest(f.Money))
}

func (r differenceRow) cause(name string) (sum differenceFigures) {
	for _, c := range r.Causes {
		if c.Cause == name {
			sum = sum.plus(c.differenceFigures)
		}
	}
	return sum
}

// readDifference reads a comparison. In every row, the causes and the unexplained rest must add up to the difference.
func (a *adRun) readDifference(ctx context.Context, path string, query url.Values) (got differenceAnswer, err error) {
	if err := a.api.Get(ctx, path+"/difference?"+query.Encode(), &got); err != nil {
		return got, err
	}
	for _, r := range append(got.Rows, got.Total) {
		sum := r.Unexplained
		for _, c := range r.Causes {
			sum = sum.plus(c.differenceFigures)
		}
		a.same("causes and the unexplained rest of "+path, sum, r.Difference)
	}
	return got, nil
}

// sourceDifference corrects the spend of a source and compares the platform's figures with ours. It asks for our days in a time
// zone in which the clicks came on another day, so we have no clicks on the compared day.
func (a *adRun) sourceDifference(ctx context.Context, s *adSource) error {
	rows := s.spent()
	day, clicks, told := rows[0].Day, 0, decimal.Zero
	for _, r := range rows {
		if r.Day != day {
			a.problem("the day at %s ended while visitors came: its difference was not compared", s.name)
			return nil
		}
		clicks, told = clicks+r.Clicks, told.Add(amount(r.Amount))
	}
	const corrected = 6
	text := fmt.Sprintf("day,source,campaign,spend\n%s,%s,%s,%d\n", day, s.id, s.campaigns[0].id, corrected)
	if err := a.correct(ctx, "cost", text); err != nil {
		return err
	}
	ours := "Pacific/Kiritimati" // here a day begins first; in Pago_Pago it begins last
	if far, err := time.LoadLocation(ours); err != nil || s.clicks[0].at.In(far).Format(time.DateOnly) == day {
		ours = "Pacific/Pago_Pago"
	}
	got, err := a.readDifference(ctx, "/traffic-sources/"+s.id, url.Values{"from": {day}, "to": {day}, "tz": {ours}})
	if err != nil {
		return err
	}
	t := got.Total
	a.same("difference of a source: theirs", fmt.Sprint(got.Basis, " ", t.Theirs.Clicks, " ", shortest(t.Theirs.Money)), fmt.Sprint("platform ", clicks, " ", shortest(told)))
	a.same("difference of a source: clicks of bots, of another day, unexplained, ours",
		fmt.Sprint(t.cause("bots").Clicks, t.cause("time_zone").Clicks, t.Unexplained.Clicks, t.Ours.Clicks), fmt.Sprint(adBots, len(adSales), adLost, 0))
	a.same("difference of a source: currency, correction",
		fmt.Sprint(shortest(t.cause("currency").Money), " ", shortest(t.cause("correction").Money)),
		fmt.Sprint(shortest(told.Sub(told.Mul(euro))), " ", shortest(amount(rows[0].Amount).Mul(euro).Sub(decimal.NewFromInt(corrected)))))
	a.same("difference of a source: unexplained money", shortest(t.Unexplained.Money), "0")
	return nil
}

// networkDifference corrects a conversion, and compares the network's own report with ours. One order has the click id of another
// tracker.
func (a *adRun) networkDifference(ctx context.Context) error {
	unmatched, corrected := amount("7"), amount("3")
	list, sum, days := []string{"clickid,conversion id,payout,date"}, decimal.Zero, map[string]bool{}
	var changed *adClick
	for _, s := range a.sources {
		for _, c := range s.clicks {
			if c.sale.id == "" {
				continue
			}
			changed = c
			day := idTime(c.id).Format(time.DateOnly)
			days[day] = true
			list = append(list, strings.Join([]string{c.id, c.sale.id, c.sale.payout.String(), day}, ","))
			sum = sum.Add(c.sale.payout)
		}
	}
	today := idTime(changed.id).Format(time.DateOnly)
	orders := len(list) - 1
	list = append(list, strings.Join([]string{"another-trackers", "never", unmatched.String(), today}, ","))
	var saved struct{ Stored, Refused int }
	if err := a.api.Do(ctx, http.StatusOK, http.MethodPost, "/networks/"+a.network+"/report", object{"csv": strings.Join(list, "\n")}, &saved); err != nil {
		return err
	}
	a.same("rows of the network's report", fmt.Sprint(saved.Stored, saved.Refused), fmt.Sprint(orders+1, 0))
	text := "clickid,conversion id,payout,status\n" + changed.id + "," + changed.sale.id + "," + corrected.String() + ",approved\n"
	if err := a.correct(ctx, "conversions", text); err != nil {
		return err
	}
	first := today
	for day := range days {
		first = min(first, day)
	}
	got, err := a.readDifference(ctx, "/networks/"+a.network, url.Values{"from": {first}, "to": {today}})
	if err != nil {
		return err
	}
	less := changed.sale.payout.Sub(corrected)
	t := got.Total
	a.same("difference of a network: basis", got.Basis, "orders")
	a.same("difference of a network: theirs", t.Theirs, differenceFigures{0, orders + 1, sum.Add(unmatched)})
	a.same("difference of a network: unmatched", t.cause("unmatched"), differenceFigures{0, 1, unmatched})
	a.same("difference of a network: correction", t.cause("correction"), differenceFigures{0, 0, less})
	a.same("difference of a network", t.Difference, differenceFigures{0, 1, unmatched.Add(less)})
	a.same("difference of a network: unexplained", t.Unexplained, differenceFigures{})
	return nil
}

func (a *adRun) correct(ctx context.Context, kind, text string) error {
	var done struct{ Accepted int }
	err := a.api.Do(ctx, http.StatusOK, http.MethodPost, "/corrections/"+kind, object{"csv": text, "apply": true}, &done)
	a.same("corrections of "+kind, done.Accepted, 1)
	return err
}
