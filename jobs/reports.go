package jobs

import (
	"time"

	"switchyard/models"
)

// ReportArgs ask for figures in [From, To), grouped by dimensions.
type ReportArgs struct {
	From       time.Time      `json:"from"`
	To         time.Time      `json:"to"`
	Dimensions []string       `json:"dimensions"`
	Filters    []ExportFilter `json:"filters,omitempty"`
	Limit      int            `json:"limit"` // groups
}

// ReportRow is a group: the values in the order of the dimensions, and its figures.
type ReportRow struct {
	Dims []string `json:"dims"`
	models.Figures
}

// ReportAnswer has the groups, most clicks first, and by dimension the names of ids.
type ReportAnswer struct {
	Args   ReportArgs                   `json:"args"`
	Rows   []ReportRow                  `json:"rows"`
	Labels map[string]map[string]string `json:"labels"`
}

// ReportsKept is how many answers of a kind of report are kept for an account, the newest.
const ReportsKept = 10

// Reports that read too much for a request. They are of two kinds because the API answers them in two forms.
var (
	ReadPerformance = Define[ReportArgs, ReportAnswer]("report:performance", largeReport)
	ReadValues      = Define[ReportArgs, ReportAnswer]("report:values", largeReport)
)

var largeReport = Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1, Retries: []time.Duration{5 * time.Second},
}
