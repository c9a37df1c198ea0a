package rowimport

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers"
)

type (
	reportedConversion = correction.Conversion
	conversionOutcome  = correction.ConversionOutcome
)

// Conversions returns the importer of conversions.
func Conversions(r *workers.Runtime, s *store.Store, clicks click.Log) Importer[reportedConversion, conversionOutcome] {
	return Importer[reportedConversion, conversionOutcome]{Runtime: r, Store: s, BatchSize: 500, Process: corrector{clicks}.conversions}
}

// input converts a row for conversion.Correct. A zero network means that the row comes from a file.
func input(account, network uuid.UUID, v reportedConversion) conversion.Input {
	in := conversion.Input{
		AccountID: account, NetworkID: network, ClickID: v.ClickID, ConversionID: v.ConversionID, Goal: v.Goal, Status: v.Status,
		WordGoal: v.WordGoal, OriginalStatus: v.Word, Payout: v.Payout, Currency: v.Currency, At: v.Time, InvalidTime: v.InvalidTime,
		Sale: v.Sale, SaleCurrency: v.SaleCurrency, Source: models.FromCorrection,
		Final: true, Exact: v.Precision,
	}
	if network != uuid.Nil {
		in.Source = models.FromNetworkSync
	}
	return in
}

type corrector struct{ clicks click.Log }

func (k corrector) conversions(ctx context.Context, c db.Conn, account uuid.UUID, args jobs.CorrectionArgs, rows []reportedConversion, write bool,
) (out []conversionOutcome, announced []models.JobRef, err error) {
	network := uuid.Nil
	if args.Network != nil {
		network = args.Network.NetworkID
	}
	do := func(list []conversion.Input) (done []conversion.Corrected, err error) {
		done, announced, err = conversion.Correct(ctx, k.clicks, c, account, list, write)
		return done, err
	}
	out, err = Each(rows, conversionRow, func(v reportedConversion) conversion.Input { return input(account, network, v) },
		do, conversionResult)
	return out, announced, err
}

// results maps results of conversion.Correct to those in the job's answer.
var results = map[string]string{
	conversion.ResultCreated: correction.Created, conversion.ResultUpdated: correction.Updated,
	conversion.ResultDuplicate: correction.Unchanged,
}

func conversionResult(row reportedConversion, done conversion.Corrected) conversionOutcome {
	if done.Refusal != nil {
		reason := "it is refused"
		if e, ok := models.AsError(done.Refusal); ok {
			reason = e.Message
		}
		return conversionRow(row, row.Refuse(reason))
	}
	v := done.Conversion
	row.ConversionID, row.Goal, row.Status = v.ConversionID, v.Goal, v.Status
	row.Payout, row.Currency, row.Time = &v.Payout, v.Currency, v.RecordedAt
	out := conversionRow(row, row.Accept(results[done.Result]))
	out.Counts = correction.Counts(v.Payout, v.Rate)
	return out
}

func conversionRow(v reportedConversion, verdict correction.Verdict) conversionOutcome {
	out := conversionOutcome{
		Verdict: verdict, ClickID: v.ClickText, ConversionID: v.ConversionID, Goal: v.Goal, Status: v.Status,
		Payout: models.MoneyOf(v.Payout), Currency: v.Currency,
	}
	if !v.Time.IsZero() {
		at := v.Time.UTC().Format("2006-01-02 15:04:05.000")
		out.Time = &at
	}
	return out
}
