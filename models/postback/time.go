package postback

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/timetext"
)

// ClockError is the time by which the clock of a sender may be ahead of ours.
const ClockError = time.Minute

// Moment returns the time of a conversion of a click. If the message states no time, it is the time of receipt. A stated time
// counts if it lies between the click and the receipt of the message, or at most ClockError after the receipt. If the stated time
// is less precise than the click's time and contains it, such as the day of the click, the click's time counts.
//
// Any other stated time does not count, and `invalid` is that time as received. The conversion then has the time of receipt if the
// stated time lies in the future, and otherwise the click's time.
func (m Message) Moment(click uuid.UUID, received time.Time) (at time.Time, invalid string) {
	clicked := models.ClickTime(click)
	switch {
	case m.TimeText == "":
		return received, ""
	case m.Time.IsZero():
		return clicked, m.TimeText
	case m.Time.After(received.Add(ClockError)):
		return received, m.TimeText
	case m.Time.Before(clicked):
		if !m.Time.Before(clicked.UTC().Truncate(m.TimeUnit)) {
			return clicked, ""
		}
		return clicked, m.TimeText
	}
	return m.Time, ""
}

// TimeReason returns the reason why the stated time of a conversion does not count, as a sentence for people.
func TimeReason(text string, click uuid.UUID) string {
	if text == "" {
		return ""
	}
	at, err := timetext.ReadUTC(text)
	switch {
	case err != nil:
		return "its time " + err.Error()
	case at.Before(models.ClickTime(click)):
		return "its time lies before its click"
	}
	return "its time lies in the future"
}
