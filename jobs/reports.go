package jobs

import (
	"time"

	"switchyard/models"
	"switchyard/models/difference"
)

// ReportAnswer has the rows of a report. Labels has the names of ids, by dimension and id. SubNames has the names of
// sub-parameters (sub1 and so on).
type ReportAnswer struct {
	Args     models.ReportArgs            `json:"args"`
	Rows     []models.ReportRow           `json:"rows"`
	Labels   map[string]map[string]string `json:"labels"`
	SubNames map[string]string            `json:"sub_names"`
}

// StoredReports is the number of newest answers that are kept for each account and kind of job.
const StoredReports = 10

// Jobs for reports that read too much for a single request.
var (
	ReadPerformance = Define[models.ReportArgs, ReportAnswer]("report:performance", largeReport)
	ReadValues      = Define[models.ReportArgs, ReportAnswer]("report:values", largeReport)
	ReadTrends      = Define[models.ReportArgs, ReportAnswer]("report:trends", largeReport)
	ReadTimeseries  = Define[models.ReportArgs, ReportAnswer]("report:timeseries", largeReport)
	ReadHourly      = Define[models.ReportArgs, ReportAnswer]("report:hourly", largeReport)
	ReadOverview    = Define[models.ReportArgs, ReportAnswer]("report:overview", largeReport)
)

// ReadReports lists all of these jobs.
var ReadReports = []Job[models.ReportArgs, ReportAnswer]{
	ReadPerformance, ReadValues, ReadTrends, ReadTimeseries, ReadHourly, ReadOverview,
}

// ReadDifference compares the figures of a traffic source or a network with ours. Errors: not_found, too_many, busy.
var ReadDifference = Define[difference.Args, difference.Result]("report:difference", largeReport)

// largeReport is the policy of jobs that read much data and write only their answer.
var largeReport = Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1, Retries: []time.Duration{5 * time.Second},
}
