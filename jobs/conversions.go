package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// ConversionSchedule lists the waits between look-ups of the click of a postback, if that click is not stored yet. MatchPostbacks
// uses it, and so does RecordConversion if its click cannot be found. The first waits are short, because a click is usually stored
// within a second. The last waits are long, because a web process may have been cut off from PostgreSQL for a long time.
var ConversionSchedule = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// RecordConversion records the conversion that a stored postback reports. The job's row has the id of the postback, and the
// outcome is stored with the postback. If the click is not stored when the postback arrives, MatchPostbacks starts the job
// later, once it has found the click.
var RecordConversion = Define[None, None](models.KindRecordConversion, Policy{
	Queue: Conversions, Timeout: 20 * time.Second, Retries: ConversionSchedule, Row: true,
})

// ReplayArgs select the unmatched postbacks that arrived in [From, To). If Network is set, they select only postbacks whose
// address names this network.
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

// ReplayPostbacks makes the account's unmatched postbacks of a window undecided, so that MatchPostbacks looks for their clicks
// again. It selects only unmatched postbacks, so it can be repeated after a worker has died.
var ReplayPostbacks = Define[ReplayArgs, ReplayAnswer]("postback:replay", rewindable)
