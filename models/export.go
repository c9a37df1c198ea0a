package models

import (
	"time"

	"github.com/google/uuid"
)

// Kinds of report files.
const (
	ExportPerformance = "performance"
	ExportTrends      = "trends"
	ExportClicks      = "clicks"
	ExportConversions = "conversions"
	ExportSmartlinks  = "smartlink-clicks"
	ExportDifference  = "difference"
)

// ExportKinds lists the kinds of report files.
var ExportKinds = []string{ExportPerformance, ExportTrends, ExportClicks, ExportConversions, ExportSmartlinks, ExportDifference}

// Limits of a report file. A larger file is the error too_large.
const (
	MaxExportRows  = 100_000
	MaxExportBytes = 24 << 20
)

// ExportDays is the number of days for which a report file is stored.
const ExportDays = 30

// Export is a stored report file.
type Export struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	Kind      string    `db:"kind"`
	Name      string    `db:"name"`
	RowCount  int64     `db:"row_count"` // without the header
	ByteSize  int64     `db:"byte_size"` // of the CSV, with its byte order mark
	CreatedAt time.Time `db:"created_at"`
}
