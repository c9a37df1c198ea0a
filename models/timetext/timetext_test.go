package timetext

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

var forms = map[string][]string{
	"2026-03-04T05:06:07Z": {
		"2026-03-04T05:06:07Z", "2026-03-04t05:06:07z", "2026-03-04T05:06:07", "2026-03-04 05:06:07", "2026-03-04 05:06:07Z",
		"2026-03-04T05:06:07+00:00", "2026-03-04T05:06:07-00:00", "2026-03-04T05:06:07+0000", "2026-03-04T05:06:07+00",
		"2026-03-04 05:06:07+00", "2026-03-04 05:06:07 +0000", "2026-03-04 05:06:07 UTC", "2026-03-04 05:06:07UTC",
		"2026-03-04 05:06:07 GMT", "2026-03-04 05:06:07 Z", "2026-03-04 05:06:07 +0000 UTC", "2026-03-04T05:06:07Z[UTC]",
		"2026-03-04T05:06:07 00:00", "2026-03-04T05:06:07 0000", "2026-03-04T05:06:07 00", "2026-03-04 05:06:07 00",
		"2026-03-04T07:06:07+02:00", "2026-03-04T07:06:07+0200", "2026-03-04T07:06:07+02", "2026-03-04T07:06:07+2",
		"2026-03-04T07:06:07 0200", "2026-03-04T07:06:07 02:00", "2026-03-04T07:06:07 02", "2026-03-04 07:06:07 +02:00",
		"2026-03-04 07:06:07 +0200 EET", "2026-03-04 07:06:07 UTC+2", "2026-03-04 07:06:07 GMT+02:00", "2026-03-04 07:06:07 GMT+0200",
		"2026-03-04 07:06:07 UTC 02:00", "2026-03-04T07:06:07+02:00[Europe/Kyiv]", "2026-03-04 07:06:07 EET", "2026-03-04 07:06:07 CEST",
		"2026-03-04T10:36:07+05:30", "2026-03-04T10:36:07+0530", "2026-03-04T10:36:07 0530", "2026-03-04 10:36:07+5:30",
		"2026-03-03T21:06:07-08:00", "2026-03-03T21:06:07-0800", "2026-03-03T21:06:07-08", "2026-03-03 21:06:07 PST",
		"2026-03-03T21:06:07\u221208:00", "2026-03-04 00:06:07 EST", "2026-03-04 08:06:07 MSK", "2026-03-04 14:06:07 JST",
		"2026-03-04T19:06:07+14:00", "2026-03-03T17:06:07-12:00", "2026-03-04T10:51:07+0545",
		"2026-03-04T05:06:07.000Z", "2026-03-04 05:06:07,000", "2026-03-04T05:06:07.000000+00:00", "2026-03-04 05:06:07.0",
		"2026-03-04_05:06:07", "2026-03-04:05:06:07", "2026-03-04-05.06.07", "2026-03-04-05:06:07", "2026-03-04+05:06:07",
		"2026-03-04 05.06.07", "2026-03-04, 05:06:07", "2026-03-04 at 05:06:07", "2026/03/04 05:06:07", "2026.03.04 05:06:07",
		"2026-3-4 5:06:07", "2026/3/4 05:06:07", "2026-03-04  05:06:07", "2026-03-04\u00a005:06:07", " 2026-03-04 05:06:07 ",
		"\"2026-03-04 05:06:07\"", "'2026-03-04T05:06:07Z'", "2026-03-04%2005:06:07", "2026-03-04T05%3A06%3A07Z",
		"2026-03-04T07%3A06%3A07%2B02%3A00", "20260304T050607Z", "20260304T050607", "20260304T070607+0200", "20260304T070607 0200",
		"20260304 05:06:07", "20260304050607", "2026-03-04T050607Z", "20260304T05:06:07Z", "2026-063T05:06:07Z", "2026063T050607Z",
		"2026-W10-3T05:06:07Z", "2026W103T050607Z", "2026-03-04 05:06:07 AM", "2026-03-04 5:06:07am", "2026-03-04 05:06:07 a.m.",
		"1772600767", "1772600767.0", "1772600767,000", "1772600767000", "1772600767000000", "1772600767000000000", "1772600767000.0",
		"1.772600767e9", "1.772600767E+09", "1.772600767000E12", "/Date(1772600767000)/", "/Date(1772600767000+0200)/",
		"Wed, 04 Mar 2026 05:06:07 GMT", "Wed, 4 Mar 2026 05:06:07 +0000", "Wed, 04 Mar 2026 07:06:07 +0200", "04 Mar 2026 05:06:07 UT",
		"Wednesday, 04-Mar-26 05:06:07 GMT", "Wednesday, 04-Mar-2026 05:06:07 UTC", "Wed Mar  4 05:06:07 2026", "Wed Mar 4 05:06:07 2026",
		"Wed Mar  4 05:06:07 UTC 2026", "Wed Mar 04 05:06:07 +0000 2026", "Wed Mar 04 07:06:07 EET 2026",
		"Wed Mar 04 2026 06:06:07 GMT+0100 (Central European Standard Time)", "Wed Mar 04 2026 06:06:07 GMT+0100",
		"Wed Mar 04 2026 06:06:07 GMT 0100 (CET)", "Mar 4, 2026 05:06:07", "Mar 4, 2026, 5:06:07 AM", "March 4, 2026 05:06:07",
		"March 4th, 2026 at 5:06:07 AM", "4 March 2026 05:06:07", "4th of March 2026 05:06:07", "Wed, Mar 4, 2026, 05:06:07",
		"04-Mar-2026 05:06:07", "04/Mar/2026:05:06:07 +0000", "04/Mar/2026:07:06:07 +0200", "2026-Mar-04 05:06:07", "04Mar2026 05:06:07",
		"04-MAR-26 05:06:07", "4. March 2026, 05:06:07", "Mar 4, 2026, 5:06:07\u202fAM", "04.03.2026 05:06:07", "4.3.2026 05:06:07",
		"04.03.2026, 05:06:07", "05:06:07 04.03.2026", "05:06:07 2026-03-04", "04.03.2026 07:06:07 +0200",
	},
	"2026-03-25T17:06:07Z": {
		"25/03/2026 17:06:07", "03/25/2026 17:06:07", "25-03-2026 17:06:07", "03-25-2026 17:06:07", "25.03.2026 17:06:07",
		"3/25/2026, 5:06:07 PM", "25/03/2026, 17:06:07", "03/25/2026 05:06:07 PM", "25/3/2026 5:06:07 p.m.", "25/03/2026T17:06:07",
		"03/25/2026 12:06:07 PM EST", "17:06:07 25/03/2026", "25 Mar 2026 17:06:07", "Wed 25 Mar 2026 17:06:07",
	},
	"2026-03-03T00:00:00Z": {
		"03/03/2026", "3/3/2026", "03-03-2026", "03.03.2026", "2026-03-03", "2026/03/03", "20260303", "3 Mar 2026", "Mar 3, 2026",
		"Tue, Mar 3, 2026", "2026-062", "2026-W10-2", "2026-03-03T00:00", "2026-03-03T00:00Z", "2026-03-02T24:00:00Z",
		"03-Mar-26", "2026-03-03 12:00:00 AM", "2026-03-03T02:00+02:00", "202603030000", "2026-03-03T00", "2026-03-03T00Z",
		"2026-03-03T01+01", "Tuesday, March 3, 2026",
	},
	"2026-03-04T05:06:00Z": {
		"2026-03-04 05:06", "2026-03-04T05:06Z", "2026-03-04T0506Z", "20260304T0506Z", "2026-03-04 05:06 AM", "04.03.2026 05:06",
		"202603040506", "2026-03-04T07:06+02", "2026-03-04 07:06 0200", "2026-03-04 07:06 02:00", "Mar 4, 2026 5:06 AM",
	},
	"2026-03-04T05:06:07.123Z": {
		"2026-03-04T05:06:07.123Z", "2026-03-04T05:06:07,123Z", "2026-03-04 05:06:07.123", "2026-03-04 05:06:07,123",
		"2026-03-04T07:06:07.123+0200", "2026-03-04T07:06:07.123 0200", "2026-03-04T07:06:07.123 02:00", "20260304T050607.123Z",
		"20260304T050607,123Z", "1772600767.123", "1772600767,123", "1772600767123", "1772600767123000", "1772600767123000000",
		"1772600767123.000", "1.772600767123e9", "1.772600767123E12", "20260304050607123", "2026-03-04 05:06:07:123",
		"2026-03-04-05.06.07.123000", "2026-03-04T05:06:07.123000000Z", "Mar 4, 2026, 5:06:07.123 AM",
	},
	"2026-03-04T05:06:07.123456789Z": {
		"2026-03-04T05:06:07.123456789Z", "2026-03-04 05:06:07.123456789+00", "1772600767123456789", "1772600767.123456789",
		"2026-03-04T05:06:07.1234567894444Z",
	},
	"2017-01-01T00:00:00Z": {"2016-12-31T23:59:60Z", "2016-12-31 23:59:60"},
	"2024-02-29T00:00:00Z": {"2024-02-29", "29/02/2024", "2024-060", "Feb 29, 2024"},
	"2026-09-05T00:00:00Z": {"Sept 5, 2026", "5 September 2026", "5 Sep 2026", "Saturday 5 Sep 2026"},
	"2000-01-01T00:00:00Z": {"946684800", "946684800000", "2000-01-01"},
	"2100-12-31T23:59:59Z": {"4133980799", "4133980799000", "2100-12-31T23:59:59Z"},
}

var unread = map[error][]string{
	ErrEmpty:     {"", "  ", "\"\"", "\u00a0"},
	ErrAmbiguous: {"03/04/2026", "3/4/2026 05:06:07", "03-04-2026", "12/11/2026 5:06 PM", "05:06 01/02/2026", "03/04/2026 05:06:07 UTC"},
	ErrYear: {
		"1999-12-31", "2101-01-01", "1970-01-01T00:00:00Z", "177260076", "99999999999999999999", "0001-01-01T00:00:00Z",
		"4133980800", "02 Jan 1905",
	},
	ErrNoDate: {
		"2026-02-29", "2026-13-01", "2026-00-10", "0000-00-00 00:00:00", "2026-04-31 10:00", "20261301", "20260304250607", "31/04/2026",
		"03.25.2026", "30 Feb 2026", "2026-366", "2026-000", "2026-W54-1", "00/05/2026", "2026-W00-1",
	},
	ErrWeekday: {"Mon, 04 Mar 2026 05:06:07 GMT", "Tuesday, 04-Mar-26 05:06:07 GMT", "Sun Mar 4 05:06:07 2026"},
	ErrZone: {
		"2026-03-04 05:06:07 CST", "2026-03-04 05:06:07 IST", "2026-03-04T05:06:07+15:00", "2026-03-04T05:06:07+02:60",
		"2026-03-04 05:06:07 local", "2026-03-04 05:06 02", "Wed Mar 04 05:06:07 CST 2026", "2026-03-04 05:06:07 Europe/Paris",
	},
	ErrForm: {
		"yesterday", "now", "0", "1", "-1", "2026", "2026-03", "03/2026", "05:06:07", "{time}", "null", "N/A", "-", "2026-03-04+02:00",
		"2026-03-04-05:00", "04/03/26", "25/03/26", "26-03-04", "2026-03/04", "25/03-2026", "2026-03-04 25:00:00", "2026-03-04 05:60:00",
		"2026-03-04 05:06:61", "2026-03-04 05:06:60", "2026-03-04 13:06 PM", "2026-03-04 0:06 AM", "2026-03-04 24:00:01",
		"2026-11-01 - 2026-11-30", "2026-11-01 to 2026-11-30", "1.7726E+09", "1.77260E+12", "46085.21", "46085", "-1772600767",
		"Mar 2026", "4 Mars 2026", "2026-03-04 05:06:07 05:06:08", "2026-03-04 2026-03-05", "2026-03-04T05:06:07[Europe/Paris]x",
		"20260304T", "2026-0304", "12345", "2026030", strings.Repeat("2026-03-04 ", 20), "Wed Wed Mar 4 2026 05:06:07", "%",
		"2026-03-04T05:06:07.", "2 leads", "2026-03-04 05:06:07 (UTC)x", "1772600767 1772600768",
	},
}

func TestForms(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for want, texts := range forms {
		for _, text := range texts {
			seen[text] = true
			if at, err := ReadUTC(text); err != nil || at.Format(time.RFC3339Nano) != want {
				t.Errorf("%q: %s, %v; want %s", text, at.Format(time.RFC3339Nano), err, want)
			}
		}
	}
	for want, texts := range unread {
		for _, text := range texts {
			seen[text] = true
			if at, err := ReadUTC(text); !errors.Is(err, want) || !at.IsZero() {
				t.Errorf("%q: %s, %v; want %v", text, at, err, want)
			}
		}
	}
	if len(seen) < 250 {
		t.Errorf("only %d different texts are tested, want at least 250", len(seen))
	}
}

// TestZone checks that a text without an offset is read in the caller's zone. Texts with an offset and Unix times do not depend on
// this zone.
func TestZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3*60*60)
	for text, want := range map[string]string{
		"2026-03-04 08:06:07": "05:06:07", "04.03.2026 08:06:07": "05:06:07", "20260304080607": "05:06:07",
		"2026-03-04 05:06:07Z": "05:06:07", "1772600767": "05:06:07", "2026-03-04": "21:00:00", "20260304": "21:00:00",
	} {
		if r, err := Read(text, zone); err != nil || r.At.UTC().Format(time.TimeOnly) != want {
			t.Errorf("%q: %v, %v; want %s UTC", text, r.At, err, want)
		}
	}
}

func TestPrecision(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"2026-03-04": 24 * time.Hour, "20260304": 24 * time.Hour, "4 Mar 2026": 24 * time.Hour, "2026-03-04T05Z": time.Hour,
		"2026-03-04 05:06": time.Minute, "202603040506": time.Minute, "2026-03-04T05:06+02:00": time.Minute,
		"2026-03-04 05:06:07": time.Second, "1772600767": time.Second, "2026-03-04 05:06:07.000": time.Millisecond,
		"1772600767000": time.Millisecond, "1772600767.123": time.Millisecond, "1772600767.123456": time.Microsecond,
		"1772600767123456789": time.Nanosecond, "2026-03-04T05:06:07.1234567890123Z": time.Nanosecond,
	} {
		if r, err := Read(text, time.UTC); err != nil || r.Precision != want {
			t.Errorf("%q: %v, %v; want %v", text, r.Precision, err, want)
		}
	}
}

// TestDay checks that Day keeps the written date, even if the text's offset makes it another day in UTC.
func TestDay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"2026-03-04", "2026-03-04 00:00:00", "2026-03-04T00:30:00+02:00", "2026-03-04T23:30:00-08:00", "Mar 4, 2026", "04.03.2026",
		"Wed, Mar 4, 2026", "20260304", "04-Mar-2026", "1772600767",
	} {
		if day, err := Day(text); err != nil || !day.Equal(time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("Day reads %q as %v, %v, want 2026-03-04", text, day, err)
		}
	}
	if _, err := Day("03/04/2026"); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("for an ambiguous date, Day returns %v, want ErrAmbiguous", err)
	}
}

// layouts lists layouts of time.Format, each with the smallest unit that it keeps.
var layouts = []struct {
	layout string
	unit   time.Duration
}{
	{time.RFC3339Nano, time.Nanosecond},
	{time.RFC3339, time.Second},
	{time.RFC1123Z, time.Second},
	{"2006-01-02T15:04:05Z0700", time.Second},
	{"2006-01-02 15:04:05.999999-07", time.Microsecond},
	{"20060102T150405-0700", time.Second},
	{"Mon Jan _2 15:04:05 -0700 2006", time.Second},
	{"Mon Jan 02 2006 15:04:05 GMT-0700", time.Second},
	{"02/Jan/2006:15:04:05 -0700", time.Second},
	{"2006-01-02 15:04:05 -0700", time.Second},
	{"Jan 2, 2006 3:04:05.000 PM -07:00", time.Millisecond},
	{time.ANSIC, time.Second},
	{"Monday, 02-Jan-2006 15:04:05", time.Second},
	{"02.01.2006 15:04:05", time.Second},
	{"20060102150405", time.Second},
	{"2006-01-02 15:04", time.Minute},
	{"January 2, 2006 at 3:04 PM", time.Minute},
	{"2 January 2006", 24 * time.Hour},
	{time.DateOnly, 24 * time.Hour},
	{"2006-002T15:04:05", time.Second},
}

// FuzzFormatted formats a time and reads it back. The result is the same time, down to the smallest unit of the layout.
func FuzzFormatted(f *testing.F) {
	f.Add(int64(1772600767123456789), 120)
	f.Add(int64(951782400000000000), -720)
	f.Fuzz(func(t *testing.T, nano int64, minutes int) {
		at := time.Unix(0, nano)
		if minutes < -12*60 || minutes > 14*60 || at.UTC().Year() < 2001 || at.UTC().Year() > 2099 {
			return
		}
		zone := time.FixedZone("", minutes*60)
		for _, l := range layouts {
			in := zone
			if l.layout == "2006-01-02 15:04:05.999999-07" {
				in = time.FixedZone("", minutes/60*60*60)
			}
			text := at.In(in).Format(l.layout)
			r, err := Read(text, in)
			want := truncated(at.In(in), l.unit)
			if err != nil || !r.At.Equal(want) {
				t.Errorf("%q: %v, %v; want %v", text, r.At, err, want)
			}
		}
		for _, unit := range units {
			text := strconv.FormatInt(at.UnixNano()/int64(unit), 10)
			if got, err := ReadUTC(text); err != nil || !got.Equal(at.Truncate(unit)) {
				t.Errorf("%q is read as %v, %v, want %v", text, got, err, at.Truncate(unit))
			}
		}
		for _, layout := range []string{"02/01/2006 15:04:05", "01/02/2006 15:04:05", "2-1-2006 15:04:05"} {
			local := at.In(zone)
			r, err := Read(local.Format(layout), zone)
			if isClear := local.Day() > 12 || local.Day() == int(local.Month()); isClear && (err != nil || !r.At.Equal(truncated(local, time.Second))) ||
				!isClear && !errors.Is(err, ErrAmbiguous) {
				t.Errorf("%q is read as %v, %v, want the same date, or ErrAmbiguous if day and month can be exchanged", local.Format(layout), r.At, err)
			}
		}
	})
}

func truncated(t time.Time, unit time.Duration) time.Time {
	_, east := t.Zone()
	shift := time.Duration(east) * time.Second
	return t.Add(shift).Truncate(unit).Add(-shift)
}

// FuzzText reads any text. If a time is read, it stays the same when it is formatted and read again.
func FuzzText(f *testing.F) {
	for _, texts := range forms {
		for _, text := range texts {
			f.Add(text)
		}
	}
	for _, texts := range unread {
		for _, text := range texts {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read(text, time.UTC)
		if err != nil {
			if r != (Reading{}) {
				t.Errorf("%q gives both a time and an error: %v, %v", text, r, err)
			}
			return
		}
		digits := 0
		for _, c := range text {
			if c >= '0' && c <= '9' {
				digits++
			}
		}
		if year := r.At.UTC().Year(); year < 2000 || year > 2100 || digits < 3 || r.Precision < time.Nanosecond || r.Precision > 24*time.Hour {
			t.Errorf("%q is read as %v with the precision %v from %d digits, want a year from 2000 to 2100, at most a day and at least 3 digits", text, r.At, r.Precision, digits)
		}
		reread, err := Read(r.At.Format(time.RFC3339Nano), time.UTC)
		if err != nil || !reread.At.Equal(r.At) {
			t.Errorf("%q is read as %v, and the RFC 3339 text of this time as %v, %v", text, r.At, reread.At, err)
		}
		day, err := Day(text)
		if err != nil || day.Format(time.DateOnly) != r.At.Format(time.DateOnly) {
			t.Errorf("Day reads %q as %v, %v, but Read gives %v", text, day, err, r.At)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, text := range []string{"1772600767", "2026-03-04T05:06:07Z", "Wed, 04 Mar 2026 05:06:07 GMT"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := ReadUTC(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestDayBy checks that the given order decides about a date whose numbers do not show which one is the month.
func TestDayBy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		order Order
		want  string
	}{
		{"03/04/2026", DayFirst, "2026-04-03"},
		{"03/04/2026", MonthFirst, "2026-03-04"},
		{"3-4-2026", MonthFirst, "2026-03-04"},
		{"03/04/2026", NoOrder, ""},
		{"24.11.2026", MonthFirst, "2026-11-24"},
		{"25/03/2026", MonthFirst, "2026-03-25"},
		{"2026-03-04", DayFirst, "2026-03-04"},
		{"31/31/2026", DayFirst, ""},
		{"", DayFirst, ""},
	} {
		day, err := DayBy(c.text, c.order)
		got := ""
		if err == nil {
			got = day.Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%q by %d: %q, want %q, %v", c.text, c.order, got, c.want, err)
		}
	}
}
