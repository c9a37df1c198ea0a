package v1

import (
	"encoding/base64"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/csvfile"
)

// corrections returns the routes of /corrections.
func corrections(d Deps) []route.Route {
	row := func(path, summary string, job *route.Slow, handle route.Handler) route.Route {
		return route.Route{
			Method: "POST", Path: "/corrections" + path, Group: "Corrections", Summary: summary, Slow: job,
			BodyLimit: route.CSVBody, Codes: route.Codes("400 empty no_rows"), Handle: handle,
		}
	}
	return append(costChanges(d), []route.Route{
		{
			Method: "POST", Path: "/corrections/look", Group: "Corrections", Share: route.Reads, Repeats: true, Checks: true,
			Summary:   "what a CSV file contains: its charset, header and number of rows; changes nothing",
			BodyLimit: route.CSVBody, Codes: route.Codes("400 empty"), Handle: route.HandleBody(previewFile),
		},
		row("/conversions", "record or revise conversions from CSV; a dry run unless apply is true",
			conversionsJob.Answer(), route.HandleBody(func(c *route.Call, b CorrectionBody) (ConversionCorrection, error) {
				return correct(c, d, conversionsJob, correction.Conversions, CostBody{CorrectionBody: b})
			})),
		row("/cost", "set spend by day and source from CSV; a dry run unless apply is true",
			costsJob.Answer(), route.HandleBody(func(c *route.Call, b CostBody) (CostCorrection, error) {
				return correct(c, d, costsJob, correction.Costs, b)
			})),
	}...)
}

// FileBody is a CSV file.
type FileBody struct {
	CSV  string `json:"csv" doc:"CSV with a header line; the usual names of columns are recognized, whatever their case and punctuation; at most 5000 rows are read"`
	File string `json:"file" doc:"instead of csv: the unchanged bytes of the file, in base64. Its charset may be UTF-8, UTF-16, windows-1251 or windows-1252"`
}

// text returns the text of the file and its charset.
func (b FileBody) text() (text, charset string, err error) {
	if b.File == "" {
		return b.CSV, csvfile.UTF8, nil
	}
	if b.CSV != "" {
		return "", "", models.Invalid("invalid_input", "send either csv or file")
	}
	raw, err := base64.StdEncoding.DecodeString(b.File)
	if err != nil {
		return "", "", models.Invalid("invalid_input", "file is not base64")
	}
	text, charset, err = csvfile.Decode(raw)
	if err != nil {
		err = models.Invalid("invalid_input", "%v", err)
	}
	return text, charset, err
}

// CorrectionBody is a CSV file and whether to apply it.
type CorrectionBody struct {
	FileBody
	Apply onlyTrue `json:"apply" doc:"true: the file is applied; any other value: the call is a dry run"`
}

// CostBody is a CSV file of spend.
type CostBody struct {
	CorrectionBody
	Source string `json:"source" trim:"true" doc:"id or name of the traffic source for rows that name no source; if it is set, the file needs no column for the source"`
}

// LookBody is a CSV file and the kind of its rows.
type LookBody struct {
	FileBody
	Kind string `json:"kind" enum:"conversions,cost,offers,links" default:"conversions"`
}

// FileLook is what a file contains.
type FileLook struct {
	Charset string `json:"charset" enum:"utf-8,utf-16le,utf-16be,windows-1251,windows-1252" doc:"the charset of the file"`
	Text    string `json:"text" doc:"for a file that was sent as bytes: its text, which later calls can send as csv; otherwise empty"`
	correction.Preview
}

var previewKinds = map[string]correction.Kind{
	"conversions": correction.Conversions, "cost": correction.Costs, "offers": correction.Offers, "links": correction.Links,
}

func previewFile(_ *route.Call, b LookBody) (out FileLook, err error) {
	text, charset, err := b.text()
	if err != nil {
		return out, err
	}
	if out.Charset = charset; b.File != "" {
		out.Text = text
	}
	out.Preview, err = correction.ReadPreview(previewKinds[b.Kind], text)
	return out, err
}

// onlyTrue is true if the JSON value is true. It is false for any other value.
type onlyTrue bool

// UnmarshalJSON implements json.Unmarshaler.
func (o *onlyTrue) UnmarshalJSON(raw []byte) error {
	*o = string(raw) == "true"
	return nil
}

// Correction is the result of applying a file, or the expected result in a dry run.
type Correction struct {
	DryRun    bool `json:"dryRun"`
	Total     int  `json:"total" doc:"how many rows were read"`
	Accepted  int  `json:"accepted"`
	Refused   int  `json:"refused"`
	Truncated bool `json:"truncated" doc:"the file has more rows than were read"`

	correction.Skips
}

// ConversionCorrection is the answer to a file of conversions.
type ConversionCorrection struct {
	Correction
	Payout   models.Money                   `json:"payout" doc:"total payout of the accepted rows"`
	Outcomes []correction.ConversionOutcome `json:"outcomes" doc:"one for each row"`
}

// CostCorrection is the answer to a file of spend.
type CostCorrection struct {
	Correction
	Spend    models.Money             `json:"spend" doc:"total spend of the accepted rows"`
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
		Skips: a.OrEmpty(),
	}, models.NewMoney(a.Sum)
}

// maxSourceName is the maximum length of the name of a traffic source in a body, in bytes.
const maxSourceName = 500

// correct starts the job that processes a file, and stores the file's rows for it.
func correct[R, T any](c *route.Call, d Deps, job slow.Job[jobs.CorrectionArgs, R, T], kind correction.Kind, b CostBody) (answer T, err error) {
	text, _, err := b.text()
	if err != nil {
		return answer, err
	}
	rows, truncated, err := correction.Check(kind, text, b.Source != "")
	if err != nil {
		return answer, err
	}
	if len(b.Source) > maxSourceName {
		return answer, models.Invalid("invalid_input", "source has at most %d bytes", maxSourceName)
	}
	if !b.Apply {
		c.RecordDryRun()
	}
	args := jobs.CorrectionArgs{Apply: bool(b.Apply), Truncated: truncated, Source: b.Source}
	return job.Start(c, d.Jobs, args, func(tx *store.Store, id uuid.UUID) error {
		if kind == correction.Costs && args.Apply {
			if err := addCostChange(c, tx, id, models.CostFromFile, models.CostRequest{}); err != nil {
				return err
			}
		}
		return tx.Corrections().Add(c.Context(), c.Account.ID, id, rows)
	})
}
