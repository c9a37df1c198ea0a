package jobs

import (
	"time"

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
