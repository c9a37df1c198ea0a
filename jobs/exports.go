package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// ExportArgs choose the rows of a file, in the window [From, To). Fields that the kind does not use are ignored.
type ExportArgs struct {
	Kind       string         `json:"kind"`
	Name       string         `json:"name"`
	From       time.Time      `json:"from"`
	To         time.Time      `json:"to"`
	Dimensions []string       `json:"dimensions,omitempty"`
	Filters    []ExportFilter `json:"filters,omitempty"`
	Bucket     string         `json:"bucket,omitempty"`
	Link       uuid.UUID      `json:"link,omitzero"`
	BaseURL    string         `json:"base_url,omitempty"` // of the API, for the address of the download
}

// ExportFilter keeps the rows that have one of the values in a dimension.
type ExportFilter struct {
	Dimension string   `json:"dimension"`
	Values    []string `json:"values"`
}

// ExportAnswer describes the finished file. Its id is that of the job.
type ExportAnswer struct {
	models.Export
	BaseURL string
}

// MakeExport makes a report file. Errors: too_large.
var MakeExport = Define[ExportArgs, ExportAnswer]("export:make", Policy{
	Queue: Bulk, Timeout: 10 * time.Minute, Row: true, PerAccount: 1,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute},
})
