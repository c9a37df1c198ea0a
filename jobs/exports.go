package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/difference"
)

// ExportArgs select the rows of a file, in the window [From, To). Fields that the kind of file does not use are ignored.
type ExportArgs struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	models.ReportArgs
	Link    uuid.UUID       `json:"link,omitzero"`
	Compare difference.Args `json:"difference,omitzero"` // ExportDifference: the figures to compare
	// Columns has the names of the figures in a file of figures, in the order of its columns. If it is empty, the file has all
	// figures.
	Columns []string `json:"columns,omitempty"`
	// Formulas are additional columns of a file of figures, calculated from figures. Formulas are separated by commas.
	Formulas string `json:"formulas,omitempty"`
	// Headings has a heading for each column, if the file shows a report as the dashboard does: see export.rowWriter. It is empty
	// for a file with the names of the API.
	Headings []string `json:"headings,omitempty"`
	// SubNames adds the names of sub-parameters to the headings of their columns.
	SubNames bool   `json:"sub_names,omitempty"`
	BaseURL  string `json:"base_url,omitempty"` // base URL of the API, for the address of the download
}

// ExportAnswer describes the finished file. Its id is the id of the job.
type ExportAnswer struct {
	models.Export
	BaseURL string
}

// MakeExport makes a report file. Errors: too_large.
var MakeExport = Define[ExportArgs, ExportAnswer]("export:make", Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute},
})
