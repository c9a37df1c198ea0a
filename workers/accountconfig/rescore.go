package accountconfig

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// rescoredDays is how many days of clicks are scored again after a change of the settings of bot detection.
const rescoredDays = 30

// rescore stores the job that scores clicks by the present settings of bot detection, in the transaction that changed them. A job
// for earlier settings stops, so the new job covers that job's window, too.
func rescore(ctx context.Context, s *store.Store, account uuid.UUID) error {
	set, err := s.FindBotSettings(ctx, account)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	from := now.AddDate(0, 0, -rescoredDays).Truncate(24 * time.Hour)
	unfinished, err := s.Jobs().Unfinished(ctx, account, jobs.RescoreBots.Kind())
	if err != nil {
		return err
	}
	for _, raw := range unfinished {
		var earlier jobs.RescoreArgs
		if err := json.Unmarshal(raw, &earlier); err != nil {
			return fmt.Errorf("accountconfig: arguments of a job: %w", err)
		}
		if earlier.From.Before(from) {
			from = earlier.From
		}
	}
	row, err := jobs.RescoreBots.NewRow(account, jobs.RescoreArgs{
		TimeRange: models.TimeRange{From: from, To: now}, Threshold: set.Threshold, Disabled: set.Disabled,
	})
	if err != nil {
		return err
	}
	return s.Jobs().Submit(ctx, row)
}
