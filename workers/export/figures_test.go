package export

import (
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/db/export"
	"switchyard/models"
)

// TestChosenColumns checks that a file has the chosen figures in their order, and without a choice all figures and the click loss.
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
	c := columnsOf([]string{"roi", "clicks", "cpa"}, "", lossKnown)
	if got := names(c.after([]export.Heading{heading("date")})); !slices.Equal(got, []string{"date", "roi", "clicks", "cpa"}) {
		t.Errorf("headings %v", got)
	}
	if got := c.cells([]string{"2026-01-02"}, figures, &models.ClickLoss{SourceClicks: 5}); !slices.Equal(got, []string{"2026-01-02", "50", "4", ""}) {
		t.Errorf("cells %q", got)
	}
	c = columnsOf([]string{"clicks"}, "cost/clicks*1000,cpa-1,revenue/3", lossKnown)
	if got := names(c.after(nil)); !slices.Equal(got, []string{"clicks", "cost/clicks*1000", "cpa-1", "revenue/3"}) {
		t.Errorf("headings %v", got)
	}
	if got := c.cells(nil, figures, nil); !slices.Equal(got, []string{"4", "500", "", "1"}) {
		t.Errorf("cells %q", got)
	}
	all := columnsOf(nil, "", lossKnown)
	heads, cells := names(all.after(nil)), all.cells(nil, figures, nil)
	if len(heads) != len(figureNames)+len(lossNames) || len(cells) != len(heads) {
		t.Errorf("without a choice %d headings, %d cells", len(heads), len(cells))
	}
}
