package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// ConversionSchedule lists the waits between look-ups of a postback's click. The job that records the conversion is retried after
// the same waits. The first waits are short, because a click is usually stored within a second. The last waits are long, because
// a web process may have been cut off from PostgreSQL for a long time.
var ConversionSchedule = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// RecordConversion records the conversion that a stored postback reports. The job's row has the id of the postback.
var RecordConversion = Define[None, None](models.KindRecordConversion, Policy{
	Queue: Conversions, Timeout: 20 * time.Second, Retries: ConversionSchedule, Row: true,
})

// ReplayArgs select the unmatched postbacks that arrived in [From, To). If Network is set, they select only postbacks to its
// address.
type ReplayArgs struct {
	Network uuid.UUID `json:"network,omitzero"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
}

// ReplayAnswer has the number of postbacks that are undecided again.
type ReplayAnswer struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Replayed int64     `json:"replayed"`
}

// ReplayPostbacks makes MatchPostbacks look again for the clicks of the account's unmatched postbacks of a window.
var ReplayPostbacks = Define[ReplayArgs, ReplayAnswer]("postback:replay", rewindable)
