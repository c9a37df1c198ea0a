package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/difference"
)

// ExportArgs select the rows of a file, in the window [From, To). Some fields are used only by some kinds of files.
type ExportArgs struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	models.ReportArgs
	Link    uuid.UUID       `json:"link,omitzero"`
	Compare difference.Args `json:"difference,omitzero"` // ExportDifference: the figures to compare
	// Columns has the names of the figures in a file of figures, in order. If it is empty, the file has all figures.
	Columns []string `json:"columns,omitempty"`
	// Formulas are additional columns of a file of figures, separated by commas.
	Formulas string `json:"formulas,omitempty"`
	// Headings has a heading for each column, for a file that shows a report as the dashboard does. It is empty for a file with
	// the names of the API.
	Headings []string `json:"headings,omitempty"`
	// SubNames adds the names of sub-parameters to the headings of their columns.
	SubNames bool   `json:"sub_names,omitempty"`
	BaseURL  string `json:"base_url,omitempty"`
}

// ExportAnswer describes the finished file.
type ExportAnswer struct {
	models.Export
	BaseURL string
}

// MakeExport makes a report file. Error: too_large.
var MakeExport = Define[ExportArgs, ExportAnswer]("export:make", Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute},
})
