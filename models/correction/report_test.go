package correction

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"switchyard/models"
)

// reports are files as ad platforms write them, with invented data. Each has a spend of 12.50 on the first of November and of
// 7.25 on the second.
var reports = map[string]struct {
	text    string
	skipped string // the lines that are ignored, with the reason: titles, empty lines, separators
	refused string // the rows that are refused, with the reason
}{
	"Google Ads": {
		"Campaign report\n\"November 1, 2026 - November 2, 2026\"\nDay,Campaign,Currency code,Cost,Impr.,Clicks,Campaign ID\n" +
			"2026-11-01,Brand,EUR,12.50,\"1,200\",30,1111111111\n2026-11-02,Brand,EUR,7.25,900,--,1111111111\n" +
			"Total: Account, --,EUR,19.75,\"2,100\",30, --\nTotal: Search, --,EUR,19.75,\"2,100\",30, --\n",
		"1-2 above", "6 total, 7 total",
	},
	"Google Ads for Excel": {
		"Campaign report\t\t\n2026-11-01 - 2026-11-02\t\t\nDay\tCampaign\tCost\tCurrency code\n" +
			"2026-11-01\tBrand\t12,50\tEUR\n2026-11-02\tBrand\t7,25\tEUR\nTotal: Account\t --\t19,75\tEUR",
		"1-2 above", "6 total",
	},
	"Meta": {
		"\"Campaign name\",\"Day\",\"Campaign delivery\",\"Amount spent (EUR)\",Impressions,\"Link clicks\",\"Reporting starts\",\"Reporting ends\"\n" +
			"Brand,2026-11-01,active,12.50,1200,30,2026-11-01,2026-11-01\nBrand,2026-11-02,active,7.25,900,,2026-11-02,2026-11-02\n" +
			",,,19.75,2100,30,2026-11-01,2026-11-02\n",
		"", "4 several",
	},
	"Meta without days": {
		"Campaign name,Amount spent (EUR),Reporting starts,Reporting ends\nBrand,12.50,2026-11-01,2026-11-01\n" +
			"Brand,7.25,2026-11-02,2026-11-02\nBrand,19.75,2026-11-01,2026-11-30\n",
		"", "4 several",
	},
	"TikTok": {
		"\uFEFFBy Day,Campaign name,Campaign ID,Cost,Currency,Impressions,Clicks (destination)\r\n" +
			"2026-11-01,Brand,1777777777777777,12.50,EUR,1200,30\r\n2026-11-02,Brand,1777777777777777,7.25,EUR,900,12\r\n" +
			"Total of 2 results,-,-,19.75,EUR,2100,42\r\n",
		"", "4 total",
	},
	"Taboola": {
		"Day,Campaign,Campaign Name,Currency,Clicks,Visible Impressions,Spent\n2026-11-01 00:00:00.0,4711,Brand,EUR,30,1200,12.50\n" +
			"2026-11-02 00:00:00.0,4711,Brand,EUR,12,900,7.25\n,,Total,EUR,42,2100,19.75\n",
		"", "4 total",
	},
	"Outbrain": {
		"Account: Example\n\nDate,Campaign Name,Campaign ID,Impressions,Clicks,Spend,Currency\n" +
			"\"Nov 1, 2026\",Brand,00a1,1200,30,12.50,EUR\n\"Nov 2, 2026\",Brand,00a1,900,12,7.25,EUR\nTotals,,,2100,42,19.75,EUR\n",
		"1 above, 2 empty", "6 total",
	},
	"PropellerAds": {
		"Date;Campaign ID;Campaign;Impressions;Clicks;Spent\n2026-11-01;901;Brand;1200;30;12.5\n2026-11-02;901;Brand;900;12;7.25\n" +
			"Total;;;2100;42;19.75\n",
		"", "4 total",
	},
	"ExoClick": {
		"sep=;\r\n\"Date\";\"Campaign\";\"Impressions\";\"Clicks\";\"Cost\"\r\n\"2026-11-01\";\"Brand\";\"1200\";\"30\";\"12.5000\"\r\n" +
			"\"2026-11-02\";\"Brand\";\"900\";\"12\";\"7.2500\"\r\n",
		"1 separator", "",
	},
	"RichAds": {
		"\"sep=,\"\nDate,Campaign,Impressions,Clicks,\"Cost, $\"\n01.11.2026,Brand,1200,30,$12.50\n02.11.2026,Brand,900,12,$7.25\n" +
			"\nTotal,,2100,42,$19.75\n",
		"1 separator, 5 empty", "6 total",
	},
	"Microsoft Ads": {
		"\"Report Name: Campaign performance\"\r\n\"Report Time: 11/1/2026,11/2/2026\"\r\n\"Rows: 2\"\r\n\r\n" +
			"\"GregorianDate\",\"CampaignName\",\"CurrencyCode\",\"Spend\",\"Clicks\",\"Impressions\"\r\n" +
			"\"2026-11-01\",\"Brand\",\"EUR\",\"12.50\",\"30\",\"1200\"\r\n\"2026-11-02\",\"Brand\",\"EUR\",\"7.25\",\"12\",\"900\"\r\n" +
			"\r\n\"©2026 Microsoft Corporation. All rights reserved.\"\r\n",
		"1-3 above, 4 empty, 8 empty", "9 day",
	},
}

func reasonWord(reason string) string {
	for _, r := range [][2]string{
		{reasonTotal, "total"},
		{"several days", "several"},
		{"names no day", "day"},
		{"its day", "day"},
		{skipTitle, "above"},
		{skipEmpty, "empty"},
		{skipSeparator, "separator"},
	} {
		if strings.Contains(reason, r[0]) {
			return r[1]
		}
	}
	return reason
}

func skippedText(s Skips) string {
	var out []string
	for _, v := range s.Skipped {
		lines := strconv.Itoa(v.Line)
		if v.Last != v.Line {
			lines += fmt.Sprint("-", v.Last)
		}
		out = append(out, lines+" "+reasonWord(v.Reason))
	}
	return strings.Join(out, ", ")
}

// TestReportsOfPlatforms checks that files of ad platforms are read as they were downloaded, and that skipped lines and refused
// rows have a reason.
func TestReportsOfPlatforms(t *testing.T) {
	t.Parallel()
	for name, c := range reports {
		for end, text := range map[string]string{
			"unchanged": c.text, "with CR": strings.ReplaceAll(strings.ReplaceAll(c.text, "\r\n", "\n"), "\n", "\r"),
			"without the last line break": strings.TrimRight(c.text, "\r\n"),
		} {
			rows, skips, err := ReadCosts(text, CostOptions{Source: "Push"})
			if err != nil {
				t.Errorf("%s %s: the file is refused: %v", name, end, err)
				continue
			}
			var got, refused []string
			for _, r := range rows {
				if r.Refusal != "" {
					refused = append(refused, fmt.Sprint(r.Line, " ", reasonWord(r.Refusal)))
				} else {
					names := append([]string{r.Campaign}, r.Others...) // the id comes before the name
					got = append(got, fmt.Sprint(r.Day.Format(time.DateOnly), " ", r.Source, " ", r.Spend.StringFixed(2), " ", names[len(names)-1]))
				}
			}
			want := []string{"2026-11-01 Push 12.50 Brand", "2026-11-02 Push 7.25 Brand"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s: %s%v", name, end, diff, refused)
			}
			if r := strings.Join(refused, ", "); r != c.refused {
				t.Errorf("%s %s: the refused rows are %q, want %q", name, end, r, c.refused)
			}
			if s := skippedText(skips); s != c.skipped {
				t.Errorf("%s %s: the skipped lines are %q, want %q", name, end, s, c.skipped)
			}
		}
		if _, _, err := Check(Costs, c.text, false); err != nil {
			t.Errorf("%s is refused, although a file that names campaigns needs no source: %v", name, err)
		}
		if kept, _, err := Check(Costs, c.text, true); err != nil || !strings.Contains(kept, "2026") {
			t.Errorf("%s: with a given source, the file is refused, or Check returns no rows: %v", name, err)
		}
	}
}

// TestUnnamedTotals checks that a row without a campaign is a total if its spend is not zero and is the sum of the other rows of
// its day.
func TestUnnamedTotals(t *testing.T) {
	t.Parallel()
	rows, _, err := ReadCosts("day,source,campaign,spend\n2026-11-01,P,A,10\n2026-11-01,P,B,2.5\n2026-11-01,P,,12.5\n2026-11-02,P,,12.5\n"+
		"2026-11-03,P,A,10\n2026-11-03,P,,11\n2026-11-04,P,A,0\n2026-11-04,P,,0\n", CostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if (r.Refusal != "") != (r.Line == 4) {
			t.Errorf("line %d has the refusal %q, want only line 4 refused", r.Line, r.Refusal)
		}
	}
}

func TestReadPreview(t *testing.T) {
	t.Parallel()
	got, err := ReadPreview(Costs, "A report\n\nDay,Spend (EUR),Other\n2026-11-01,1,x\n\n2026-11-02,2,y\n")
	want := Preview{
		Header:  []Heading{{"Day", "day"}, {"Spend (EUR)", "spend"}, {"Other", ""}},
		Missing: []string{"source"}, Rows: 2, Records: []Cells{},
		Skips: Skips{Lines: 3, Skipped: []Skipped{{1, 1, skipTitle, "A report"}, {2, 2, skipEmpty, ""}, {5, 5, skipEmpty, ""}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	got, err = ReadPreview(Links, "Alias;Long URL\na;https://a.test\n\"b;c\";https://b.test\n")
	if diff := cmp.Diff([]Cells{{2, []string{"a", "https://a.test"}}, {3, []string{"b;c", "https://b.test"}}}, got.Records); diff != "" || err != nil ||
		len(got.Missing) != 0 {
		t.Errorf("the preview of a file with links lacks %v (error %v), or its rows differ: %s", got.Missing, err, diff)
	}
	if _, err := ReadPreview(Offers, " \n"); err == nil {
		t.Error("an empty file has a preview, want an error with the code empty")
	} else if e, _ := models.AsError(err); e.Code != "empty" {
		t.Error(err)
	}
	if got, err := ReadPreview(Offers, "a,b\n1,2\n"); err != nil || len(got.Missing) != 2 || got.Rows != 1 {
		t.Errorf("the preview of a file without known columns is %+v (error %v), want two missing columns and one row", got, err)
	}
}

func TestSkippedLinesAreLimited(t *testing.T) {
	t.Parallel()
	_, skips, err := ReadCosts("day,source,spend\n"+strings.Repeat("2026-11-01,P,1\n\n", 300), CostOptions{})
	if err != nil || len(skips.Skipped) != maxSkipped || skips.Lines != 300 {
		t.Errorf("%d entries for %d skipped lines (error %v), want %d entries for 300 lines", len(skips.Skipped), skips.Lines, err, maxSkipped)
	}
}

func TestLastDay(t *testing.T) {
	t.Parallel()
	for last, want := range map[string]string{
		"": "", "2026-11-01": "", "2026-11-01 23:59:59": "", "2026-11-24": "several days", "04/03/2026": "its last day may be", "soon": "its last day is not understood",
	} {
		rows, _, err := ReadCosts("Reporting starts,Reporting ends,Source,Cost\n2026-11-01,"+last+",Push,5\n", CostOptions{})
		if err != nil || len(rows) != 1 || want == "" && rows[0].Refusal != "" || !strings.Contains(rows[0].Refusal, want) {
			t.Errorf("the row with the last day %q is %+v (error %v), want the refusal %q", last, rows, err, want)
		}
	}
}
