package jobs

import (
	"time"

	"switchyard/models"
)

// ReportAnswer has the rows, and by dimension the names of ids.
type ReportAnswer struct {
	Args   models.ReportArgs            `json:"args"`
	Rows   []models.ReportRow           `json:"rows"`
	Labels map[string]map[string]string `json:"labels"`
}

// ReportsKept is how many answers of a kind of report are kept for an account, the newest.
const ReportsKept = 10

// Reports that read too much for a request. Each form in which the API answers one is a kind.
var (
	ReadPerformance = Define[models.ReportArgs, ReportAnswer]("report:performance", largeReport)
	ReadValues      = Define[models.ReportArgs, ReportAnswer]("report:values", largeReport)
	ReadTrends      = Define[models.ReportArgs, ReportAnswer]("report:trends", largeReport)
	ReadTimeseries  = Define[models.ReportArgs, ReportAnswer]("report:timeseries", largeReport)
	ReadHourly      = Define[models.ReportArgs, ReportAnswer]("report:hourly", largeReport)
	ReadOverview    = Define[models.ReportArgs, ReportAnswer]("report:overview", largeReport)
)

// ReadReports are all of them.
var ReadReports = []Job[models.ReportArgs, ReportAnswer]{
	ReadPerformance, ReadValues, ReadTrends, ReadTimeseries, ReadHourly, ReadOverview,
}

var largeReport = Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1, Retries: []time.Duration{5 * time.Second},
}
