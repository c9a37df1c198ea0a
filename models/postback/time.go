package postback

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/timetext"
)

// clockError is the time by which the clock of a sender may be ahead of ours.
const clockError = time.Minute

// Moment returns the time of a conversion of a click. A stated time counts if it lies between the click and the receipt of the
// message. If it is only less exact than the click's time, such as a day that contains the click, the click's time counts.
//
// No other stated time is guessed. The conversion keeps the nearest possible time: that of its click if the stated time lies
// before it, and that of the receipt if it lies in the future. If the stated time was not read, the conversion has the time of its
// click, as its figures in reports have. invalid is then the stated time as received.
func (m Message) Moment(click uuid.UUID, received time.Time) (at time.Time, invalid string) {
	clicked := models.ClickTime(click)
	switch {
	case m.TimeText == "":
		return received, ""
	case m.Time.IsZero():
		return clicked, m.TimeText
	case m.Time.After(received.Add(clockError)):
		return received, m.TimeText
	case m.Time.Before(clicked):
		if !m.Time.Before(clicked.UTC().Truncate(m.TimeUnit)) {
			return clicked, ""
		}
		return clicked, m.TimeText
	}
	return m.Time, ""
}

// TimeReason returns the reason why the stated time of a conversion does not count, as a sentence for people. text is the time as
// received.
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
