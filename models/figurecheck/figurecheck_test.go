package figurecheck_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"switchyard/models/figurecheck"
)

func report(rows ...string) figurecheck.Lookup {
	l := figurecheck.Lookup{Whole: true}
	for _, r := range rows {
		l.Rows = append(l.Rows, json.RawMessage(r))
	}
	return l
}

var (
	shoes = `{"dims":{"campaign_id":"c0ffee00-0000-4000-8000-000000000001"},"name":"Shoes 2026","clicks":1234,"cost":98.76,"profit":-50.25,"cr":2.4875}`
	bags  = `{"name":"Bags","clicks":766,"cost":1.24,"profit":1200000,"cr":0.5}`
)

func TestUnconfirmed(t *testing.T) {
	t.Parallel()
	all := []figurecheck.Lookup{report(shoes, bags)}
	part := []figurecheck.Lookup{{Rows: all[0].Rows}}
	for _, c := range []struct {
		what, text string
		lookups    []figurecheck.Lookup
		want       []string
	}{
		{"nothing stated", "I found nothing worth a change.", all, nil},
		{"a figure of a row", "Shoes had 1234 clicks for 98.76 USD.", all, nil},
		{"thousands", "1,234 or 1.234 or 1'234 or 1\u202f234 clicks", all, nil},
		{"no thousands", "0,234 clicks, 12,34", all, []string{"0,234", "12,34"}},
		{"rounded", "cost 98.8, or 99; cr 2.49 %, 2.5%, 2 %", all, nil},
		{"rounded the wrong way", "cost 98.7 and cr 2.4%", all, []string{"98.7", "2.4%"}},
		{"a decimal comma", "98,76 €", all, nil},
		{"a sign is ignored", "a loss of 50.25, or -$50.25, or −50", all, nil},
		{"millions", "a profit of 1.2M, 1.2 million or 1,200,000", all, nil},
		{"thousands with a letter", "1.2k clicks", all, nil},
		{"a wrong figure with a letter", "1.3k clicks", all, []string{"1.3k"}},
		{"a rate as a percentage", "a rate of 50 %", all, nil}, // the cr of bags is 0.5
		{"rounded with about", "about 1,200 clicks, roughly $100", all, nil},
		{"rounded without about", "exactly 1,200 clicks", all, []string{"1,200"}},
		{"invented", "Shoes had 5,678 clicks and 77 % profit.", all, []string{"5,678", "77%"}},
		{"a wrong figure twice is listed once", "5678 and 5678 again", all, []string{"5678"}},
		{"a total", "In total 2,000 clicks for 100.00.", all, nil},
		{"a wrong total", "In total 2,001 clicks.", all, []string{"2,001"}},
		{"a sum that the text does not call a sum", "The campaigns had 2,000 clicks.", all, []string{"2,000"}},
		{"a total although rows were left out", "In total 2,000 clicks.", part, []string{"2,000"}},
		{"the number of rows", "You have 2 campaigns.", all, nil},
		{"the number of rows although rows were left out", "You have 2 campaigns.", []figurecheck.Lookup{{Rows: report(`{"x":5}`, `{"x":9}`).Rows}}, []string{"2"}},
		{"a name", "Shoes 2026 leads.", all, nil},
		{"a name that is a number", "Placement \"4411\" leads, 4411 of them.", []figurecheck.Lookup{report(`{"value":"4411"}`)}, []string{"4411"}},
		{"an amount that a stranger wrote", "A revenue of $5000.", []figurecheck.Lookup{report(`{"dims":{"sub1":"$5000"}}`)}, []string{"5000"}},
		{
			"a sentence that a stranger wrote", "The revenue is 5000 USD.",
			[]figurecheck.Lookup{report(`{"dims":{"sub1":"revenue is 5000 USD"},"referrer":"5000 USD"}`)},
			[]string{"5000"},
		},
		{"a text that a stranger wrote, quoted", "Placement \"zone 17\" leads.", []figurecheck.Lookup{report(`{"dims":{"sub1":"zone 17"}}`)}, nil},
		{"a name beside the rows", "Push 2026 leads.", []figurecheck.Lookup{{Beside: json.RawMessage(`{"labels":{"campaign_id":{"x":"Push 2026"}}}`)}}, nil},
		{"a name that is an amount", "A revenue of $5000.", []figurecheck.Lookup{report(`{"name":"$5000"}`)}, []string{"5000"}},
		{"an id", "See c0ffee00-0000-4000-8000-000000000001.", all, nil},
		{"dates and times", "From 2026-11-02 to Nov 9, 2026, at 10:30 on 2 November.", all, nil},
		{"spans and ranks", "Over 7 days, the top 5:\n1. Shoes\n2) Bags", all, nil},
		{"words with digits", "sub1 and H2 of C3PO", all, nil},
		{"a difference of two figures", "468 clicks more", all, []string{"468"}},
		{"no rows at all", "You earned 12.50 yesterday.", nil, []string{"12.50"}},
		{"a figure beside the rows", "19 clicks", []figurecheck.Lookup{{Beside: json.RawMessage(`{"totals":{"clicks":19}}`)}}, nil},
		{"numbers that cannot be read", "1.2.3.4 and " + strings.Repeat("9", 40), all, []string{"1.2.3.4", strings.Repeat("9", 40)}},
		{"a number of the rows that is too long", "5", []figurecheck.Lookup{{Rows: []json.RawMessage{[]byte(`{"x":5e999999999}`)}}}, []string{"5"}},
		{"rows that are not JSON", "5", []figurecheck.Lookup{{Rows: []json.RawMessage{[]byte(`{"x":5`)}}}, []string{"5"}},
	} {
		if got := figurecheck.Unconfirmed(c.text, c.lookups); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q gives %q, want %q", c.what, c.text, got, c.want)
		}
	}
}

func FuzzUnconfirmed(f *testing.F) {
	f.Add("In total 1,234.5k of 9 % at 10:30", shoes)
	f.Add("1'000.50 “7” 99999999999999999999999999999.1", `{"7":[1e400,-0.0]}`)
	f.Fuzz(func(t *testing.T, text, row string) {
		for _, figure := range figurecheck.Unconfirmed(text, []figurecheck.Lookup{report(row)}) {
			if !strings.ContainsAny(figure, "0123456789") {
				t.Errorf("%q has no digit", figure)
			}
		}
	})
}
