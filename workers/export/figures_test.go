package export

import (
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/db/export"
	"switchyard/jobs"
	"switchyard/models"
)

// TestChosenColumns checks that a file has the chosen figures in their order, and without a choice all figures and the click
// loss.
func TestChosenColumns(t *testing.T) {
	t.Parallel()
	names := func(list []export.Heading) (names []string) {
		for _, h := range list {
			names = append(names, h.Name)
		}
		return names
	}
	figures := models.Figures{Clicks: 4, Cost: decimal.NewFromInt(2), Revenue: decimal.NewFromInt(3)}
	lossKnown := true
	c := columnsOf(jobs.ExportArgs{Columns: []string{"roi", "clicks", "cpa"}}, lossKnown)
	if got := names(c.after([]export.Heading{heading("date")})); !slices.Equal(got, []string{"date", "roi", "clicks", "cpa"}) {
		t.Errorf("headings %v", got)
	}
	if got := c.cells([]string{"2026-01-02"}, figures, &models.ClickLoss{SourceClicks: 5}); !slices.Equal(got, []string{"2026-01-02", "50", "4", ""}) {
		t.Errorf("cells %q", got)
	}
	c = columnsOf(jobs.ExportArgs{Columns: []string{"clicks"}, Formulas: "cost/clicks*1000,cpa-1,revenue/3"}, lossKnown)
	if got := names(c.after(nil)); !slices.Equal(got, []string{"clicks", "cost/clicks*1000", "cpa-1", "revenue/3"}) {
		t.Errorf("headings %v", got)
	}
	if got := c.cells(nil, figures, nil); !slices.Equal(got, []string{"4", "500", "", "1"}) {
		t.Errorf("cells %q", got)
	}
	all := columnsOf(jobs.ExportArgs{}, lossKnown)
	heads, cells := names(all.after(nil)), all.cells(nil, figures, nil)
	if len(heads) != len(figureNames)+len(lossNames) || len(cells) != len(heads) {
		t.Errorf("without a choice %d headings, %d cells", len(heads), len(cells))
	}
}

// TestRoundedColumns: a file with headings has the decimals that the dashboard shows.
func TestRoundedColumns(t *testing.T) {
	t.Parallel()
	figures := models.Figures{
		Clicks: 3000, LPViews: 3, LPClicks: 2, Cost: decimal.RequireFromString("2.345678"), Revenue: decimal.RequireFromString("3"),
	}
	c := columnsOf(jobs.ExportArgs{
		Columns: []string{"clicks", "lp_ctr", "cost", "epc", "cpc", "cpa"}, Formulas: "cost/7,clicks/7,cpa*2", Headings: []string{"Day"},
	}, true)
	want := []string{"2026-01-02", "3000", "66.7", "2.35", "0.001", "0.00078", "", "0.34", "428.57", ""}
	if got := c.cells([]string{"2026-01-02"}, figures, nil); !slices.Equal(got, want) {
		t.Errorf("cells %q, want %q", got, want)
	}
}
