package postback

import (
	"testing"
	"time"

	"switchyard/models"
)

// TestMoment checks which stated times count, and which time a conversion has if its stated time does not count.
func TestMoment(t *testing.T) {
	t.Parallel()
	click := models.NewClickID()
	clicked := models.ClickTime(click).UTC()
	received := clicked.Add(48 * time.Hour)
	later := clicked.Add(26 * time.Hour).Truncate(time.Second)
	for stated, want := range map[string]struct {
		at      time.Time
		invalid bool
		reason  string
	}{
		"":                                       {received, false, ""},
		"{time}":                                 {received, false, ""},
		later.Format(time.RFC3339):               {later, false, ""},
		later.Format("2006-01-02T15:04:05 0000"): {later, false, ""},
		clicked.Format(time.DateOnly):            {clicked, false, ""},
		clicked.Format("2006-01-02 15:04"):       {clicked, false, ""},
		received.Add(50 * time.Second).Format(time.RFC3339Nano): {received.Add(50 * time.Second), false, ""},
		"2001-01-01":          {clicked, true, "its time lies before its click"},
		"2090-01-01":          {received, true, "its time lies in the future"},
		"03/04/2026":          {clicked, true, "its time may be day/month or month/day: write YYYY-MM-DD"},
		"soon":                {clicked, true, "its time is not understood: write YYYY-MM-DD HH:MM:SS in UTC"},
		"0000-00-00 00:00:00": {clicked, true, "its time is not a day that exists"},
	} {
		m := Read(map[string]string{"time": stated}, Network{}, "")
		at, invalid := m.Moment(click, received)
		if !at.Equal(want.at) || (invalid != "") != want.invalid || want.invalid && invalid != stated {
			t.Errorf("with the stated time %q, the conversion has the time %v and the invalid time %q, want %v", stated, at, invalid, want.at)
		}
		if reason := TimeReason(invalid, click); reason != want.reason {
			t.Errorf("with the stated time %q, the reason is %q, want %q", stated, reason, want.reason)
		}
	}
}
