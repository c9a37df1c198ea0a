package correction

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/timetext"
)

var clickID = uuid.MustParse("0193a2b4-0000-7000-8000-000000000001")

var click = models.FormatClickID(clickID)

// layouts maps each precision except a second to the layout in which fieldsOf prints the time.
var layouts = map[time.Duration]string{
	24 * time.Hour: time.DateOnly, time.Minute: "2006-01-02 15:04", time.Millisecond: "2006-01-02 15:04:05.000",
}

// fieldsOf returns the compared fields of a row.
func fieldsOf(v Conversion) string {
	if v.Refusal != "" {
		return fmt.Sprint(v.Line, " ", v.Refusal)
	}
	payout, at := "-", "-"
	if v.Payout != nil {
		payout = v.Payout.String()
	}
	if !v.Time.IsZero() {
		at = v.Time.Format(time.DateTime)
	}
	if layout := layouts[v.Precision]; layout != "" {
		at = v.Time.Format(layout)
	}
	return fmt.Sprintf("%d %s|%s|%s|%s|%s|%s", v.Line, payout, v.Status, v.Currency, v.ConversionID, at, v.Goal)
}

func TestConversionFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"as documented": {
			"click id,payout,status,currency,conversion id,time,goal\n" +
				click + ",12.5,approved,USD,T-1,2026-11-01 10:00:00,sale\n" + click + ",,,,,,\n",
			[]string{"2 12.5|approved|USD|T-1|2026-11-01 10:00:00|sale", "3 -||||-|"},
		},
		"times are as precise as they are written": {
			"click id,time\n" + click + ",2026-11-01\n" + click + ",1793527200\n" + click + ",2026-11-01 10:00\n" +
				click + ",2026-11-01T10:00:00.250Z\n",
			[]string{
				"2 -||||2026-11-01|", "3 -||||2026-11-01 10:00:00|", "4 -||||2026-11-01 10:00|",
				"5 -||||2026-11-01 10:00:00.250|",
			},
		},
		"semicolons and decimal commas": {
			"ClickId;Pay-Out;STATUS\r\n" + click + ";1.234,50;Rejected\r\n",
			[]string{"2 1234.5|rejected|||-|"},
		},
		"tabs, CR line ends, a byte order mark": {
			"\uFEFFCLICK_ID\tRevenue ($)\rx\t1\r" + click + "\t$3\r",
			[]string{"2 its click id is not one of this service", "3 3||USD||-|"},
		},
		// The second heading is not a known column.
		"a sep= line names the separator": {"sep=;\nsubid;amount, net\n" + click + ";5\n", []string{"3 -||||-|"}},
		"quotes": {
			`"click id","conversion id",payout` + "\n" + `"` + click + `","a ""b"", c` + "\n" + `d" , "2,5"` + "\n" +
				click + ",12\" tv,1\n",
			[]string{"2 2.5|||a \"b\", c\nd|-|", "4 1|||12\" tv|-|"},
		},
		"broken quotes spoil their own line": {
			"click id,goal\n" + click + ",\"open\n" + click + ",\"x\"y\n" + click + ",fine\n" + click + ",\"end\n",
			[]string{"2 there is text after a closing quote", "3 there is text after a closing quote", "4 -||||-|fine", "5 a quote is not closed"},
		},
		"blank lines, short and long rows": {
			"click id,payout\n\n,\n" + click + "\n" + click + ",1,,\n" + click + ",12,50\n",
			[]string{"4 -||||-|", "5 1||||-|", "6 it has more cells than the header"},
		},
		"several columns of one field: the preferred name with a value": {
			"revenue,cid,payout,click_id\n7," + click + ",,\n7,x,8," + click + "\n",
			[]string{"2 7||||-|", "3 8||||-|"},
		},
		"refused rows": {
			"click id,payout,status,currency,time\n,1,,,\n" + click + ",abc,,,\n" + click + ",1,sold,,\n" +
				click + ",1,,dollarz,\n" + click + ",1,,,yesterday\n{clickid},1,,,\n" +
				click + ",1,,,\"" + strings.Repeat("9", 600) + "\"\n" + click + "," + strings.Repeat("9", 40) + ",,,\n",
			[]string{
				"2 it names no click", `3 its payout "abc" has no digits`,
				"4 its status is not pending, approved, rejected or chargeback",
				`5 its currency "dollarz" is no currency of ISO 4217`,
				"6 its time is not understood: write YYYY-MM-DD HH:MM:SS in UTC",
				"7 its click id is not one of this service", "8 its time is too long", `9 its payout "` + strings.Repeat("9", 40) + `" is more than 1,000,000,000`,
			},
		},
		"an amount below zero is a chargeback, unless the status is rejected": {
			"click id,payout,status\n" + click + ",-4,\n" + click + ",-4,rejected\n" + click + ",-4,approved\n" + click + ",(4),rebill\n" +
				click + ",4-,pending\n" + click + ",-0,approved\n",
			[]string{
				"2 4|chargeback|||-|", "3 4|rejected|||-|", "4 4|chargeback|||-|", "5 4|chargeback|||-|rebill", "6 4|chargeback|||-|", "7 0|approved|||-|",
			},
		},
		"the apostrophe before formulas in our own files is removed": {
			"click_id,conversion_id,recorded_at\n" + click + ",'+order,2026-11-01\n",
			[]string{"2 -|||+order|2026-11-01|"},
		},
		"no rows": {"click id\n\n", nil},
	} {
		rows, _, err := ReadConversions(c.text, nil)
		if err != nil {
			t.Errorf("%s: the file is refused: %v", name, err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, fieldsOf(r))
			if r.Refusal == "" && r.ClickID != clickID {
				t.Errorf("%s: the row has the click %s, want %s", name, r.ClickID, clickID)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestCostFiles(t *testing.T) {
	t.Parallel()
	rows, _, err := ReadCosts("Reporting Starts;Traffic Source;Amount Spent (EUR);Campaign name;Link clicks;Impr.\n"+
		"2026-11-01;Push;1.000,5;C;1.200;90000\n2026-11-02 00:00:00;Push;0;;;\n01.11.2026;Push;1;;;\n;Push;1;;;\n"+
		"2026-11-01;;1;;;\n2026-11-01;Push;;;;\n2026-11-01;Push;-1;;;\n2026-11-01;Push;1;;many;\nTotal;;1000;;;\n", CostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if r.Refusal != "" {
			got = append(got, fmt.Sprint(r.Line, " ", r.Refusal))
			continue
		}
		clicks := int64(-1)
		if r.Clicks != nil {
			clicks = *r.Clicks
		}
		got = append(got, fmt.Sprint(r.Line, " ", r.Day.Format(time.DateOnly), " ", r.Source, " ", r.Spend, " ", r.Campaign,
			" ", clicks))
	}
	if diff := cmp.Diff([]string{
		"2 2026-11-01 Push 1000.5 C 1200", "3 2026-11-02 Push 0  -1", "4 2026-11-01 Push 1  -1", "5 it names no day",
		"6 it names no source and no campaign", "7 it names no spend", "8 its spend is below zero", "9 its clicks are not a whole number",
		"10 it is a line of totals",
	}, got); diff != "" {
		t.Error(diff)
	}
}

// TestGermanCostFiles checks that German headings are read, because platforms write them. A file with only unknown headings is still
// split into columns.
func TestGermanCostFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Tag;Kampagne;Kosten;Währungscode;Klicks;Impr.\n27.11.2026;DACH;1.012,50;EUR;1.200;90000\nGesamt;;1.012,50;;;\n",
		"Berichtsbeginn;Berichtsende;Kampagnenname;Ausgegebener Betrag (EUR);Link-Klicks;Impressionen\n2026-11-27;2026-11-27;DACH;1012,50;1.200;90000\n",
	} {
		rows, _, err := ReadCosts(text, CostOptions{})
		if err != nil || len(rows) == 0 || rows[0].Refusal != "" {
			t.Errorf("the first row of %q is refused or missing: %+v, %v", text, rows, err)
			continue
		}
		if len(rows) > 1 && rows[1].Refusal != reasonTotal {
			t.Errorf("%q: the line of totals gives %+v, want it refused", text, rows[1])
		}
		r := rows[0]
		if got := fmt.Sprint(r.Day.Format(time.DateOnly), " ", r.Campaign, " ", r.Spend, " ", r.Currency, " ", *r.Clicks); got != "2026-11-27 DACH 1012.5 EUR 1200" {
			t.Errorf("the first row of %q is %s, want 2026-11-27 DACH 1012.5 EUR 1200", text, got)
		}
	}
	look, err := ReadPreview(Costs, "Rubrik;Wert\nx;1,5\n")
	if err != nil || len(look.Header) != 2 {
		t.Errorf("a file with unknown headings: %+v, %v; want its two headings", look, err)
	}
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, code, message string }{
		"empty":                {"", "empty", "nothing"},
		"blank":                {"\uFEFF \n\t", "empty", "nothing"},
		"header only":          {"click id,payout\n", "no_rows", "no rows"},
		"blank rows":           {"click id,payout\n,\n \n", "no_rows", "no rows"},
		"no header":            {click + ",1\n" + click + ",2\n", "invalid_input", "no column for the click id"},
		"another header":       {"a,b\n1,2\n", "invalid_input", "no column for the click id"},
		"a broken header":      {"\"click id,payout\n" + click + ",1\n", "invalid_input", "no column for the click id"},
		"a wide header":        {strings.Repeat("click id,", 1e6) + "\n", "invalid_input", "no column for the click id"},
		"NUL":                  {"click id\nx\x00\n", "invalid_input", "no text file"},
		"UTF-16 read as UTF-8": {"\uFFFD\uFFFDc\x00\uFFFD\x00", "invalid_input", "no text file"},
	} {
		_, _, err := Check(Conversions, c.text, false)
		if e, ok := models.AsError(err); !ok || e.Code != c.code || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s: the error is %v, want the code %s and the text %q", name, err, c.code, c.message)
		}
	}
	if _, _, err := Check(Costs, "day,spend\n2026-11-01,1\n", false); err == nil || !strings.Contains(err.Error(), "source") {
		t.Errorf("a file of costs without a source or a campaign gives %v, want an error about source", err)
	}
}

func TestRowsAreLimited(t *testing.T) {
	t.Parallel()
	row := click + ",1\n"
	for rows, want := range map[int]bool{1: false, MaxRows: false, MaxRows + 1: true, 3 * MaxRows: true} {
		text := "click id,payout\n" + strings.Repeat(row, rows) + "\n\n,\n"
		kept, truncated, err := Check(Conversions, text, false)
		if err != nil || truncated != want {
			t.Fatalf("a file of %d rows is truncated: %v (error %v), want %v", rows, truncated, err, want)
		}
		list, _, err := ReadConversions(kept, nil)
		if err != nil || len(list) != min(rows, MaxRows) {
			t.Errorf("of %d rows, %d are read (error %v), want %d", rows, len(list), err, min(rows, MaxRows))
		}
	}
}

// TestHostileTexts checks the memory that hostile texts need. In the long form of the test, they are as large as a call may be. All
// allocated bytes count, including bytes that are freed again. The test runs alone, because it measures the whole process.
func TestHostileTexts(t *testing.T) {
	size := longtest.Size(2<<20, 8<<20)
	// MaxRows rows need almost 7 MB. The rest is too little for a copy of the text.
	limit := uint64(7<<20 + size*3/8)
	fill := func(head, s string) string { return head + strings.Repeat(s, (size-len(head))/len(s)) }
	for name, text := range map[string]string{
		"one header":       fill("", "click id,"),
		"one row of cells": fill("click id\n", "x,"),
		"one cell":         fill("click id\n", "x"),
		"open quotes":      fill("click id\n", "\"x\n"),
		"doubled quotes":   fill("click id\n\"", "\"\""),
		"separators":       fill("click id\n", ",;\t|"),
		"blank lines":      fill("click id\n", "\n"),
		"CR line ends":     fill("click id\r", "\r"),
		"spaces":           fill("click id\n", " "),
		"rows":             fill("click id,payout\n", click+",1\n"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows, _, err := ReadConversions(text, nil)
		if err == nil {
			_, _, err = Check(Conversions, text, false)
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > limit {
			t.Errorf("%s: reading %d rows allocates %d kB, want at most %d kB (error %v)", name, len(rows), grown>>10, limit>>10, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"click id,payout\n" + click + ",1", "day;source;spend\n2026-01-01;x;\"1,5\"", "\"", "sep=,", "sep=;\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kept, truncated, err := Check(Conversions, text, false)
		if err != nil {
			return
		}
		all, _, err := ReadConversions(text, nil)
		if err != nil || truncated && len(all) != MaxRows {
			t.Fatalf("truncated is %v and the file has %d rows (error %v), want %d rows if it is truncated", truncated, len(all), err, MaxRows)
		}
		part, _, err := ReadConversions(kept, nil)
		if diff := cmp.Diff(len(all), len(part)); diff != "" || err != nil {
			t.Errorf("the truncated text gives other rows: %s %v", diff, err)
		}
		_, _, _ = ReadCosts(text, CostOptions{})
	})
}

// TestCostOfCampaign checks that a file of costs needs no source if it names campaigns. For a file without both, the preview names
// only the source as missing. Dates are read with the given order of day and month.
func TestCostOfCampaign(t *testing.T) {
	t.Parallel()
	rows, _, err := ReadCosts("Date,Campaign,Cost\n03/04/2026,A,1\n2026-03-05,,2\n", CostOptions{Order: timetext.DayFirst})
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	if r := rows[0]; r.Refusal != "" || r.Source != "" || r.Campaign != "A" || r.Day.Format(time.DateOnly) != "2026-04-03" {
		t.Errorf("the row that names a campaign is %+v, want campaign A on 2026-04-03 without a source", r)
	}
	if r := rows[1]; r.Refusal != "it names no source and no campaign" {
		t.Errorf("the row without a source and a campaign is %+v, want it refused", r)
	}
	for text, missing := range map[string]string{"Date,Cost\n": "source", "Date,Campaign,Cost\n": "", "Campaign,Cost\n": "day"} {
		look, err := ReadPreview(Costs, text)
		if got := strings.Join(look.Missing, ","); err != nil || got != missing {
			t.Errorf("%q lacks %q, want %q, %v", text, got, missing, err)
		}
	}
}
