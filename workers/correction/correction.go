// Package correction processes CSV files of customers: conversions to record or revise, and spend by day and source. Without a
// file, it sets the cost of clicks at a person's request, and undoes such changes.
package correction

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/postback"
	"switchyard/workers"
	"switchyard/workers/rowimport"
)

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, s *store.Store, clicks click.Log) {
	workers.RegisterRow(r, jobs.CorrectConversions, process(conversionReader{clicks}.read, rowimport.Conversions(r, s, clicks)))
	workers.RegisterRow(r, jobs.CorrectCosts, process(readCosts, rowimport.Importer[cost, costOutcome]{
		Runtime: r, Store: s, BatchSize: 100, Process: corrector{clicks}.costs,
	}))
	h := hand{s, clicks}
	workers.RegisterRow(r, jobs.SetCost, h.set)
	workers.RegisterRow(r, jobs.UndoCost, h.undo)
}

// process returns the handler of jobs that record the rows of a file. The function read parses the file, and the importer records
// its rows.
func process[R rowimport.Row, O rowimport.Outcome](
	read func(ctx context.Context, s *store.Store, job models.Job, args jobs.CorrectionArgs, text string) ([]R, correction.Skips, error), to rowimport.Importer[R, O],
) func(context.Context, *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[O]]) error {
	return func(ctx context.Context, u *workers.Run[jobs.CorrectionArgs, jobs.CorrectionAnswer[O]]) error {
		account := u.Job.AccountID.UUID
		text, err := to.Store.Corrections().Text(ctx, account, u.Job.ID)
		if err != nil {
			return err
		}
		rows, skips, err := read(ctx, to.Store, u.Job, u.Args, text)
		if err != nil {
			return err
		}
		out, err := to.Run(ctx, u, rows)
		if err != nil {
			return err
		}
		out.Skips = skips
		return u.Commit(ctx, out, func(c db.Conn) error { return to.Store.On(c).Corrections().Remove(ctx, u.Job.ID) })
	}
}

type conversionReader struct{ clicks click.Log }

// read reads the rows of a file. A payout that states no currency and cannot be read without one is read in the currency of the
// recorded conversion, or else of the click's offer or campaign.
func (k conversionReader) read(ctx context.Context, s *store.Store, job models.Job, _ jobs.CorrectionArgs, text string) (
	[]correction.Conversion, correction.Skips, error,
) {
	rows, skips, err := correction.ReadConversions(text, nil)
	if err != nil {
		return nil, skips, err
	}
	clicks := map[uuid.UUID]bool{}
	for _, v := range rows {
		if v.DependsOnCurrency && v.ClickID != uuid.Nil {
			clicks[v.ClickID] = true
		}
	}
	if len(clicks) > 0 {
		currencyOf, err := conversion.CurrenciesThatHold(ctx, k.clicks, s.Conn(), job.AccountID.UUID, db.SortedIDs(clicks))
		if err != nil {
			return nil, skips, err
		}
		rows, skips, err = correction.ReadConversions(text, func(v correction.Conversion) string {
			return currencyOf(conversion.Key{ClickID: v.ClickID, Goal: v.Goal, ConversionID: v.ConversionID})
		})
		if err != nil {
			return nil, skips, err
		}
	}
	for i := range rows {
		checkTime(&rows[i], time.Now())
	}
	return rows, skips, nil
}

// checkTime refuses a time that is before the click, or in the future by more than postback.ClockError. A time that is less exact
// than the click's (a day, minute or second that contains the click) becomes the click's time.
func checkTime(v *correction.Conversion, now time.Time) {
	if v.Refusal != "" || v.Time.IsZero() {
		return
	}
	click := models.ClickTime(v.ClickID)
	switch {
	case v.Time.After(now.Add(postback.ClockError)):
		v.Refusal = "its time lies in the future"
	case v.Time.Before(click) && !v.Time.Before(click.UTC().Truncate(v.Precision)):
		v.Time = click.UTC()
	case v.Time.Before(click):
		v.Refusal = "its time lies before its click"
	}
}
