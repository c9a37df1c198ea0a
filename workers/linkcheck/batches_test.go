package linkcheck

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
)

// TestBatchesPassEveryLink: all batches are passed, and no link is passed twice, although the results of two whole batches are
// not recorded, so their links stay due.
func TestBatchesPassEveryLink(t *testing.T) {
	t.Parallel()
	due := make([]models.Link, 3*batch+1)
	for i := range due {
		due[i] = models.Link{ID: uuid.New(), URL: "https://shop.example/"}
	}
	passed := map[uuid.UUID]int{}
	err := (&checker{}).batches(t.Context(), func(limit int) ([]models.Link, error) { return due[:min(limit, len(due))], nil },
		func(_ context.Context, links []models.Link) error {
			if len(links) > batch {
				t.Errorf("a batch has %d links", len(links))
			}
			for _, l := range links {
				passed[l.ID]++
			}
			if len(passed) > 2*batch { // from the third batch on, results are recorded
				due = due[:2*batch]
			}
			return nil
		})
	for _, n := range passed {
		if n != 1 {
			t.Errorf("a link was passed %d times", n)
		}
	}
	if err != nil || len(passed) < 3*batch {
		t.Errorf("%d links were passed, %v", len(passed), err)
	}
}
