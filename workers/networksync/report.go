package networksync

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/conversion"
	"switchyard/db/reported"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers"
)

type reportRun = workers.Run[jobs.NetworkReportArgs, jobs.NetworkReport]

// report stores a network's report that a person has uploaded. The report replaces what earlier uploads reported for its days.
func (y *syncer) report(ctx context.Context, u *reportRun) error {
	account := u.Job.AccountID.UUID
	n, err := y.store.Networks().Find(ctx, account, u.Args.NetworkID)
	if err != nil {
		return err
	}
	text, err := y.store.Corrections().Text(ctx, account, u.Job.ID)
	if err != nil {
		return err
	}
	owner, err := y.store.FindAccount(ctx, account)
	if err != nil {
		return err
	}
	currency := cmp.Or(n.Currency, owner.Currency)
	totals, err := correction.IsTotals(text)
	if err != nil {
		return err
	}
	r := &reading{now: y.o.Now(), out: jobs.NetworkReport{Truncated: u.Args.Truncated, Refusals: []jobs.NetworkRowError{}}}
	var save func(db.Conn) error
	if totals {
		save, err = y.totals(ctx, r, account, n.ID, text, currency)
	} else {
		save, err = y.orders(ctx, r, account, n.ID, text, currency)
	}
	if err != nil {
		return err
	}
	return u.Commit(ctx, r.out, func(c db.Conn) error {
		if err := save(c); err != nil {
			return err
		}
		return y.store.On(c).Corrections().Remove(ctx, u.Job.ID)
	})
}

// reading counts the rows of a report.
type reading struct {
	now time.Time
	out jobs.NetworkReport
}

// dayRefusal returns the reason why a day, written YYYY-MM-DD, must not be in a report, or "". A report of orders replaces
// all days from its first to its last, so a mistyped year would delete the stored orders of other years. A day is accepted as soon
// as it has begun in the easternmost time zone.
func (r *reading) dayRefusal(day string) string {
	switch {
	case day > r.now.UTC().Add(models.AheadOfUTC).Format(time.DateOnly):
		return "its day, " + day + ", has not come yet"
	case day < r.now.UTC().AddDate(0, 0, -reported.KeptDays).Format(time.DateOnly):
		return fmt.Sprintf("its day, %s, is more than %d days ago: older days are not kept", day, reported.KeptDays)
	}
	return ""
}

func (r *reading) countRow(row correction.Row) bool {
	if r.out.Total++; row.Refusal == "" {
		return false
	}
	if r.out.Refused++; len(r.out.Refusals) < jobs.MaxReportRefusals {
		r.out.Refusals = append(r.out.Refusals, jobs.NetworkRowError{Line: row.Line, Reason: row.Refusal})
	}
	return true
}

func (r *reading) countStored(day string) {
	r.out.Stored++
	if r.out.From == "" || day < r.out.From {
		r.out.From = day
	}
	r.out.To = max(r.out.To, day)
}

// totals reads daily sums. Rows of the same day are added up, because a report may have a row for each offer.
func (y *syncer) totals(ctx context.Context, r *reading, account, network uuid.UUID, text, currency string) (func(db.Conn) error, error) {
	rows, _, err := correction.ReadTotals(text, currency)
	if err != nil {
		return nil, err
	}
	r.out.Kind = jobs.ReportTotals
	var list []reported.Totals
	index := map[time.Time]int{}
	for _, v := range rows {
		if v.Refusal == "" {
			v.Refusal = r.dayRefusal(v.Day.Format(time.DateOnly))
		}
		i, known := index[v.Day]
		if known && v.Refusal == "" && list[i].Currency != v.Currency {
			v.Refusal = "its currency differs from the other rows of the day"
		}
		if r.countRow(v.Row) {
			continue
		}
		if !known {
			i = len(list)
			index[v.Day] = i
			list = append(list, reported.Totals{Day: v.Day, Currency: v.Currency})
		}
		t := &list[i]
		t.Clicks, t.Conversions = sum(t.Clicks, v.Clicks), sum(t.Conversions, v.Conversions)
		if v.Payout != nil {
			t.Payout = decimal.NewNullDecimal(t.Payout.Decimal.Add(*v.Payout))
		}
		r.countStored(v.Day.Format(time.DateOnly))
	}
	return func(c db.Conn) error { return reported.SaveTotals(ctx, c, account, network, list, y.o.Now()) }, nil
}

// sum adds numbers that may be missing.
func sum(a, b *int64) *int64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	n := *a + *b
	return &n
}

// orders reads conversions. An order belongs to the conversion with the same click, goal and id. Without such a conversion, the
// order belongs to the only conversion of its click, if the file has no other order of the click.
func (y *syncer) orders(ctx context.Context, r *reading, account, network uuid.UUID, text, currency string) (func(db.Conn) error, error) {
	rows, _, err := correction.ReadConversions(text, func(correction.Conversion) string { return currency })
	if err != nil {
		return nil, err
	}
	r.out.Kind = jobs.ReportOrders
	clicks := map[uuid.UUID]bool{}
	ordersOf := map[uuid.UUID]int{}
	for _, v := range rows {
		if v.ClickID != uuid.Nil {
			clicks[v.ClickID] = true
			ordersOf[v.ClickID]++
		}
	}
	known, err := conversion.FindKnown(ctx, y.store.Conn(), account, db.SortedIDs(clicks))
	if err != nil {
		return nil, err
	}
	recorded, byClick := map[conversion.Key]bool{}, map[uuid.UUID][]conversion.Key{}
	for _, k := range known {
		recorded[k.Key] = true
		byClick[k.ClickID] = append(byClick[k.ClickID], k.Key)
	}
	var list []reported.Order
	for _, v := range rows {
		o, usable := orderOf(&v, currency)
		if reason := r.dayRefusal(o.Day); usable && reason != "" {
			v.Refusal, usable = reason, false
		}
		if !usable {
			r.countRow(v.Row)
			continue
		}
		if r.out.Total++; !recorded[conversion.Key{ClickID: o.ClickID, Goal: o.Goal, ConversionID: o.ConversionID}] &&
			len(byClick[o.ClickID]) == 1 && ordersOf[o.ClickID] == 1 {
			o.Goal, o.ConversionID = byClick[o.ClickID][0].Goal, byClick[o.ClickID][0].ConversionID
		}
		list = append(list, o)
		r.countStored(o.Day)
	}
	return func(c db.Conn) error { return reported.ReplaceFileOrders(ctx, c, account, network, list, y.o.Now()) }, nil
}

// orderOf returns the order of a row. A row without a status is an approved order. A row that is
// refused only because it has no click of ours is usable. Its order contains the reason.
func orderOf(v *correction.Conversion, currency string) (o reported.Order, usable bool) {
	if v.Word == "" {
		v.Status = cmp.Or(v.Status, models.StatusApproved)
	}
	unmatched := v.Refusal == correction.NoClick || v.Refusal == correction.ForeignClick
	if v.Refusal != "" && !unmatched {
		return o, false
	}
	at := v.Time
	if at.IsZero() && v.ClickID != uuid.Nil {
		at = models.ClickTime(v.ClickID).UTC()
	}
	if at.IsZero() {
		v.Refusal = "it names neither a time nor a click"
		return o, false
	}
	o = reported.Order{
		OrderID: v.ConversionID, ClickID: v.ClickID, OrderGoal: v.Goal, Goal: v.Goal, ConversionID: v.ConversionID, Status: v.Status,
		Currency: cmp.Or(v.Currency, currency), Day: at.Format(time.DateOnly), Refusal: v.Refusal,
	}
	if unmatched && o.OrderID == "" {
		o.OrderID = fmt.Sprint("row ", v.Line) // otherwise all such rows would be one order
	}
	if v.Payout != nil {
		o.Payout = v.Payout.String()
	}
	return o, v.Status != ""
}
