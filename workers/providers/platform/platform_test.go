package platform_test

import (
	"strconv"
	"testing"
	"time"

	"switchyard/workers/providers/platform"
)

// TestRead checks that Read reads pages until the last one, and gives up on cursors that come again and on pages without an end.
func TestRead(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		next  func(page int, cursor string) string
		pages int
		fails bool
	}{
		"three pages in each part": {func(page int, _ string) string { return []string{"b", "c", ""}[page%3] }, 6, false},
		"the same cursor":          {func(int, string) string { return "a" }, 2, true},
		"a circle":                 {func(page int, _ string) string { return []string{"a", "b", "c"}[page%3] }, 4, true},
		"no end":                   {func(page int, _ string) string { return strconv.Itoa(page) }, 1001, true},
	} {
		s, pages := platform.Options{}.WithDefaults().Session("", "", platform.Rate{}, 0), 0
		err := s.Read(platform.Range{From: day, To: day.AddDate(0, 0, 3)}, 2, func(_ platform.Range, cursor string) (string, error) {
			pages++
			return tt.next(pages-1, cursor), nil
		})
		if (err != nil) != tt.fails || pages != tt.pages || s.Used().Pages != pages {
			t.Errorf("%s: %d pages, %v", name, pages, err)
		}
	}
}
