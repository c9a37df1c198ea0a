package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// ConversionSchedule is the waits of a postback whose click is not stored yet. The first ones are short, because a
// click is stored within a second. The last ones are long, because a web process may have been cut off from PostgreSQL.
var ConversionSchedule = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// RecordConversion records the conversion that a stored postback reports. Its row has the id of the postback, and its
// outcome is stored with the postback. A postback whose click is not stored has no job yet, see MatchPostbacks.
var RecordConversion = Define[None, None](models.KindRecordConversion, Policy{
	Queue: Conversions, Timeout: 20 * time.Second, Retries: ConversionSchedule, Row: true,
})

// ReplayArgs choose the unmatched postbacks that arrived in [From, To): those whose address names a network, or all.
type ReplayArgs struct {
	Network uuid.UUID `json:"network,omitzero"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
}

// ReplayAnswer has the number of postbacks that are read again.
type ReplayAnswer struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Replayed int64     `json:"replayed"`
}

// ReplayPostbacks makes the account's unmatched postbacks of a window undecided, for MatchPostbacks to look for their
// clicks once more. It can be repeated after the worker died, because it selects unmatched ones only.
var ReplayPostbacks = Define[ReplayArgs, ReplayAnswer]("postback:replay", Policy{
	Queue: Interactive, Timeout: 10 * time.Minute, Retries: []time.Duration{time.Second, 10 * time.Second},
})
