package v1

import (
	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
)

// corrections returns the routes of /corrections.
func corrections(d Deps) []route.Route {
	row := func(path, summary string, job *route.Slow, handle route.Handler) route.Route {
		return route.Route{
			Method: "POST", Path: "/corrections" + path, Group: "Corrections", Summary: summary, Slow: job,
			BodyLimit: route.CSVBody, Codes: route.Codes("400 empty no_rows"), Handle: handle,
		}
	}
	return []route.Route{
		row("/conversions", "record or revise conversions from CSV; a dry run unless apply is true",
			conversionsJob.Answer(), route.HandleBody(correct(d, conversionsJob, correction.Conversions))),
		row("/cost", "set spend by day and source from CSV; a dry run unless apply is true",
			costsJob.Answer(), route.HandleBody(correct(d, costsJob, correction.Costs))),
	}
}

// CorrectionBody is a CSV file and whether to apply it.
type CorrectionBody struct {
	CSV   string   `json:"csv" required:"empty" doc:"with a header, whose names are matched loosely; up to 5000 rows are read"`
	Apply onlyTrue `json:"apply" doc:"only true writes; anything else is a dry run"`
}

// onlyTrue is true if the JSON value is true. It is false for any other value.
type onlyTrue bool

// UnmarshalJSON implements json.Unmarshaler.
func (o *onlyTrue) UnmarshalJSON(raw []byte) error {
	*o = string(raw) == "true"
	return nil
}

// Correction is the result of a file. In a dry run it is the result that the file would have.
type Correction struct {
	DryRun    bool `json:"dryRun"`
	Total     int  `json:"total" doc:"rows read"`
	Accepted  int  `json:"accepted"`
	Refused   int  `json:"refused"`
	Truncated bool `json:"truncated" doc:"there are more rows than are read"`
}

// ConversionCorrection is the answer to a file of conversions.
type ConversionCorrection struct {
	Correction
	Payout   models.Money                   `json:"payout" doc:"of the accepted rows"`
	Outcomes []correction.ConversionOutcome `json:"outcomes" doc:"one for each row"`
}

// CostCorrection is the answer to a file of spend.
type CostCorrection struct {
	Correction
	Spend    models.Money             `json:"spend" doc:"of the accepted rows"`
	Outcomes []correction.CostOutcome `json:"outcomes" doc:"one for each row"`
}

var conversionsJob = slow.New(jobs.CorrectConversions,
	func(a jobs.CorrectionAnswer[correction.ConversionOutcome]) ConversionCorrection {
		head, sum := correctionAnswer(a)
		return ConversionCorrection{head, sum, a.Outcomes}
	})

var costsJob = slow.New(jobs.CorrectCosts, func(a jobs.CorrectionAnswer[correction.CostOutcome]) CostCorrection {
	head, sum := correctionAnswer(a)
	return CostCorrection{head, sum, a.Outcomes}
})

func correctionAnswer[O any](a jobs.CorrectionAnswer[O]) (Correction, models.Money) {
	return Correction{
		DryRun: a.DryRun, Total: a.Total, Accepted: a.Accepted, Refused: a.Refused, Truncated: a.Truncated,
	}, models.NewMoney(a.Sum)
}

// correct returns the handler of a kind of file. The handler stores the rows that will be read, together with the job that
// processes them.
func correct[R, T any](d Deps, job slow.Job[jobs.CorrectionArgs, R, T], kind correction.Kind,
) func(*route.Call, CorrectionBody) (T, error) {
	return func(c *route.Call, b CorrectionBody) (answer T, err error) {
		head, truncated, err := correction.Check(kind, b.CSV)
		if err != nil {
			return answer, err
		}
		args := jobs.CorrectionArgs{Apply: bool(b.Apply), Truncated: truncated}
		return job.Start(c, d.Jobs, args, func(tx *store.Store, id uuid.UUID) error {
			return tx.Corrections().Add(c.Context(), c.Account.ID, id, head)
		})
	}
}
