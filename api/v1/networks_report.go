package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
)

// networkReports returns the route of /networks/{id}/report.
func networkReports(d Deps) []route.Route {
	return []route.Route{{
		Method: "POST", Path: "/networks/{id}/report", Group: "Affiliate networks", BodyLimit: route.CSVBody, Slow: networkReportJob.Answer(),
		Summary: "store the network's own report from CSV, to compare it by GET /networks/{id}/difference; changes no conversion",
		Codes:   append(answer.IDCodes, route.Codes("400 empty no_rows")...), Handle: route.HandleRecordBody((*store.Store).Networks, d.saveNetworkReport),
	}}
}

// NetworkReportBody is a file with the network's own columns.
type NetworkReportBody struct{ FileBody }

// NetworkReport says how many rows of a report were stored, and which were refused.
type NetworkReport struct {
	Kind      string             `json:"kind" enum:"orders,totals" doc:"orders: the file has a row for each conversion, with our click id; totals: the file has sums by day"`
	Total     int                `json:"total" doc:"how many rows were read"`
	Stored    int                `json:"stored" doc:"how many rows were stored. They replace rows of earlier files: sums replace the sums of the same days, and orders replace the orders of all days between from and to"`
	Refused   int                `json:"refused"`
	Truncated bool               `json:"truncated" doc:"the file has more rows than were read"`
	From      *string            `json:"from" doc:"the first day of the stored rows, YYYY-MM-DD; null: no rows were stored"`
	To        *string            `json:"to"`
	Refusals  []ReportRowRefused `json:"refusals" doc:"the refused rows, at most 100"`
}

// ReportRowRefused is a row of a report that was not stored.
type ReportRowRefused struct {
	Line   int    `json:"line" doc:"the row's line in the file; the first line of a file is line 1"`
	Reason string `json:"reason"`
}

var networkReportJob = slow.New(jobs.SaveNetworkReport, func(r jobs.NetworkReport) NetworkReport {
	return NetworkReport{
		Kind: r.Kind, Total: r.Total, Stored: r.Stored, Refused: r.Refused, Truncated: r.Truncated, From: answer.OrNull(r.From),
		To: answer.OrNull(r.To), Refusals: answer.Each(r.Refusals, func(e jobs.NetworkRowError) ReportRowRefused {
			return ReportRowRefused{e.Line, e.Reason}
		}),
	}
})

func (d Deps) saveNetworkReport(c *route.Call, _ models.Network, b NetworkReportBody) (NetworkReport, error) {
	text, _, err := b.text()
	if err != nil {
		return NetworkReport{}, err
	}
	kind := correction.Conversions
	totals, err := correction.IsTotals(text)
	if err != nil {
		return NetworkReport{}, err
	}
	if totals {
		kind = correction.Totals
	}
	rows, truncated, err := correction.Check(kind, text, false)
	if err != nil {
		return NetworkReport{}, err
	}
	args := jobs.NetworkReportArgs{NetworkID: c.ID, Truncated: truncated}
	return networkReportJob.Start(c, d.Jobs, args, func(tx *store.Store, id uuid.UUID) error {
		return tx.Corrections().Add(c.Context(), c.Account.ID, id, rows)
	})
}
