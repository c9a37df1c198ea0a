package jobs

import (
	"time"

	"github.com/google/uuid"
)

// UploadArgs name a traffic source whose conversions are uploaded to its platform. The last three fields are the progress of the
// job.
type UploadArgs struct {
	SourceID uuid.UUID `json:"source_id"`
	Provider string    `json:"provider"`
	Requests int       `json:"requests"`
	Sent     int       `json:"sent"`     // number of uploads that were decided
	Accepted int       `json:"accepted"` // part of Sent that the platform accepted
}

// UploadConversions sends all waiting conversions of a traffic source to its ad platform, in batches. A repeated attempt sends
// the undecided conversions again with the same ids.
var UploadConversions = Define[UploadArgs, UploadArgs]("uploads:send", Policy{
	Queue: Bulk, Timeout: 15 * time.Minute, Row: true, PerAccount: 4,
	Retries: []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute},
})

// SweepUploads starts UploadConversions for each traffic source that has uploads to send.
var SweepUploads = tickWithin("uploads:sweep", time.Minute)
