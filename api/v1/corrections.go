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

// corrections are the rows of /corrections.
func corrections(d Deps) []route.Route {
	const group = "Corrections"
	codes := route.Codes("400 empty no_rows")
	return []route.Route{
		{
			Method: "POST", Path: "/corrections/conversions", Group: group, Slow: conversionsJob.Answer(),
			Summary:   "record or revise conversions from CSV; a dry run unless apply is true",
			BodyLimit: route.CSVBody, Codes: codes,
			Handle: route.Take(d.correctConversions),
		},
		{
			Method: "POST", Path: "/corrections/cost", Group: group, Slow: costsJob.Answer(),
			Summary:   "set spend by day and source from CSV; a dry run unless apply is true",
			BodyLimit: route.CSVBody, Codes: codes,
			Handle: route.Take(d.correctCosts),
		},
	}
}

// CorrectionBody is a CSV file and what to do with it.
type CorrectionBody struct {
	CSV   string   `json:"csv" required:"empty" doc:"with a header, whose names are matched loosely; up to 5000 rows are read"`
	Apply onlyTrue `json:"apply" doc:"only true writes; anything else is a dry run"`
}

// onlyTrue is true where true was sent, and false for anything else.
type onlyTrue bool

// UnmarshalJSON implements json.Unmarshaler.
func (o *onlyTrue) UnmarshalJSON(raw []byte) error {
	*o = string(raw) == "true"
	return nil
}

// Correction is the result of a file, or in a dry run what it would be.
type Correction struct {
	DryRun    bool `json:"dryRun"`
	Total     int  `json:"total" doc:"rows read"`
	Accepted  int  `json:"accepted"`
	Refused   int  `json:"refused"`
	Truncated bool `json:"truncated" doc:"there are more rows than are read"`
}

// ConversionCorrection is the answer on conversions.
type ConversionCorrection struct {
	Correction
	Payout   models.Money                   `json:"payout" doc:"of the accepted rows"`
	Outcomes []correction.ConversionOutcome `json:"outcomes" doc:"one for each row"`
}

// CostCorrection is the answer on spend.
type CostCorrection struct {
	Correction
	Spend    models.Money             `json:"spend" doc:"of the accepted rows"`
	Outcomes []correction.CostOutcome `json:"outcomes" doc:"one for each row"`
}

var conversionsJob = slow.New(jobs.CorrectConversions,
	func(a jobs.CorrectionAnswer[correction.ConversionOutcome]) ConversionCorrection {
		head, sum := corrected(a)
		return ConversionCorrection{head, sum, a.Outcomes}
	})

var costsJob = slow.New(jobs.CorrectCosts, func(a jobs.CorrectionAnswer[correction.CostOutcome]) CostCorrection {
	head, sum := corrected(a)
	return CostCorrection{head, sum, a.Outcomes}
})

func corrected[O any](a jobs.CorrectionAnswer[O]) (Correction, models.Money) {
	return Correction{
		DryRun: a.DryRun, Total: a.Total, Accepted: a.Accepted, Refused: a.Refused, Truncated: a.Truncated,
	}, models.NewMoney(a.Sum)
}

func (d Deps) correctConversions(c *route.Call, b CorrectionBody) (ConversionCorrection, error) {
	return correct(c, d, conversionsJob, correction.Conversions, b)
}

func (d Deps) correctCosts(c *route.Call, b CorrectionBody) (CostCorrection, error) {
	return correct(c, d, costsJob, correction.Costs, b)
}

// correct stores the part of the file that is read, with the job that processes it.
func correct[R, T any](c *route.Call, d Deps, s slow.Job[jobs.CorrectionArgs, R, T], kind correction.Kind,
	b CorrectionBody,
) (answer T, err error) {
	head, truncated, err := correction.Check(kind, b.CSV)
	if err != nil {
		return answer, err
	}
	args := jobs.CorrectionArgs{Apply: bool(b.Apply), Truncated: truncated}
	return s.Start(c, d.Jobs, args, func(tx *store.Store, job uuid.UUID) error {
		return tx.Corrections().Add(c.Context(), c.Account.ID, job, head)
	})
}
