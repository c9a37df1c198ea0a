package jobs

import (
	"time"

	"github.com/google/uuid"
)

// UploadArgs name a traffic source whose platform is told of conversions, and how far that is.
type UploadArgs struct {
	SourceID uuid.UUID `json:"source_id"`
	Provider string    `json:"provider"`
	Requests int       `json:"requests"`
	Sent     int       `json:"sent"`     // uploads that were decided
	Accepted int       `json:"accepted"` // of them, by the platform
}

// UploadConversions sends all waiting conversions of a traffic source to its ad platform, in batches. Conversions that were
// sent by an attempt that did not finish are sent again under the same ids.
var UploadConversions = Define[UploadArgs, UploadArgs]("uploads:send", Policy{
	Queue: Bulk, Timeout: 15 * time.Minute, Row: true, PerAccount: 4,
	Retries: []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute},
})

// SweepUploads starts UploadConversions for each traffic source that has uploads to send.
var SweepUploads = tick("uploads:sweep", time.Minute)
