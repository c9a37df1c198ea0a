package jobs

import (
	"time"

	"switchyard/models"
)

// ConversionSchedule is the wait of a postback for its click: short ones first, since a click is stored within a
// second, then as long as a web process may have been cut off from PostgreSQL.
var ConversionSchedule = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// RecordConversion turns a stored postback into a conversion. Its row has the id of the postback, and what became of
// it stands with the postback.
var RecordConversion = Define[None, None](models.KindRecordConversion, Policy{
	Queue: Conversions, Timeout: 20 * time.Second, Retries: ConversionSchedule, Row: true,
})
