package correction_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"switchyard/models/correction"
)

// TestReadTotals checks which files count as reports of daily sums, and how such a report is read.
func TestReadTotals(t *testing.T) {
	t.Parallel()
	const file = "Date;Clicks;Leads;Revenue (EUR)\n2026-11-01;1,200;3;45.50\n2026-11-02;;;\n01/32/2026;1;1;1\n2026-11-03;x;1;1\n2026-11-04;5;0;0\nTotal;1,205;3;45.50\n"
	if totals, err := correction.IsTotals(file); err != nil || !totals {
		t.Fatalf("a file of daily sums counts as a file of conversions: %v", err)
	}
	if totals, err := correction.IsTotals("date,clickid,payout\n2026-11-01,x,1\n"); err != nil || totals {
		t.Errorf("a file with click ids counts as a file of sums: %v", err)
	}
	_, err := correction.IsTotals("Datum;Klicks;Provision\n01.11.2026;3;1,50\n")
	if err == nil || !strings.Contains(err.Error(), "neither a click id") || !strings.Contains(err.Error(), "Datum, Klicks, Provision") {
		t.Errorf("a header without a known column gives the error %v, want one that lists its cells", err)
	}
	for _, name := range []string{"Sub1", "SubId1", "Sub ID 1", "Affiliate Sub ID 1", "PubRef", "SID", "Member ID (U1)", "Custom ID"} {
		if totals, err := correction.IsTotals("Action Date," + name + ",Payout\n2026-11-01,x,1\n"); err != nil || totals {
			t.Errorf("%s is not read as the click id: %v", name, err)
		}
	}
	rows, skips, err := correction.ReadTotals(file, "USD")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if r.Refusal != "" {
			got = append(got, r.Refusal)
			continue
		}
		got = append(got, fmt.Sprint(r.Day.Format(time.DateOnly), " ", *r.Clicks, " ", *r.Conversions, " ", r.Payout, " ", r.Currency))
	}
	want := []string{
		"2026-11-01 1200 3 45.5 EUR", "it has neither clicks nor conversions nor a payout", "its day is not a day that exists",
		"its clicks are not a whole number", "2026-11-04 5 0 0 EUR", "it is a line of totals",
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("rows %q, want %q; skipped %+v", got, want, skips)
	}
}
