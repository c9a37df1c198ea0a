package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"time"

	"switchyard/db"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bot"
)

// setSignals gives signals to half of the week's clicks. A bot gets a signal by which it stays a bot. A person gets either a signal that
// is too weak to decide alone, or the signal of a data centre, which decides at a threshold of 45.
const setSignals = `
UPDATE clicks SET bot_signals = CASE WHEN is_bot THEN $4::bigint WHEN hashtext(id::text) % 10 > 4 THEN $5::bigint ELSE $6::bigint END
WHERE account_id = $1 AND id >= $2 AND id < $3`

// scored is the result of a job that scores clicks again.
type scored struct {
	Clicks     int64 `json:"clicks"`
	Changed    int64 `json:"changed"`
	BotsBefore int64 `json:"bots_before"`
	BotsAfter  int64 `json:"bots_after"`
}

// rescore lowers the threshold and raises it again, over a million clicks with signals. The first worker is killed while it
// works. Ledger and rows must agree at every moment.
func (w *week) rescore(ctx context.Context) error {
	w.say("giving signals to %d clicks", w.clicks/2)
	_, err := w.d.ExecContext(ctx, setSignals, w.account, models.FloorClickID(w.start), models.FloorClickID(w.start.Add(weekDays*day/2)),
		int64(bot.LinkPreview), int64(bot.Datacenter), int64(bot.NoAcceptLanguage))
	if err == nil {
		_, err = w.d.ExecContext(ctx, "VACUUM ANALYZE clicks")
	}
	if err != nil {
		return fmt.Errorf("bench: signals: %w", err)
	}
	killed, _, err := w.scoreAnew(ctx, 45, true)
	if err != nil {
		return err
	}
	worker := w.fleet.Find("worker")
	idle, err := worker.Memory("VmRSS")
	if err != nil {
		return err
	}
	if err := forget(worker); err != nil {
		return err
	}
	back, took, err := w.scoreAnew(ctx, bot.DefaultThreshold, false)
	if err != nil {
		return err
	}
	peak, err := worker.Memory("VmHWM")
	if err != nil {
		return err
	}
	if killed.Changed == 0 || killed.Changed != back.Changed || killed.BotsBefore != back.BotsAfter || killed.Clicks != back.Clicks {
		return fmt.Errorf("bench: scored %+v with a kill, and %+v back", killed, back)
	}
	w.add(fmt.Sprintf("scoring %d clicks anew, %d of which change", back.Clicks, back.Changed),
		fmt.Sprintf("%s, %.0f/s; worker %d MB over idle", short(took), float64(back.Clicks)/took.Seconds(), (peak-idle)>>10), "", true)
	return nil
}

// scoreAnew changes the threshold and waits for the job. While it runs, ledger and rows are compared.
func (w *week) scoreAnew(ctx context.Context, threshold int, kill bool) (out scored, took time.Duration, err error) {
	began, compared := time.Now(), 0
	var begun struct {
		JobID string `json:"job_id"`
	}
	err = w.api.Do(ctx, http.StatusOK, http.MethodPut, "/bot-detection", object{"threshold": threshold, "days": weekDays + 1}, &begun)
	for err == nil {
		var job struct {
			Status string `json:"status"`
			Result scored `json:"result"`
			Error  any    `json:"error"`
		}
		if err = w.api.Do(ctx, http.StatusOK, http.MethodGet, "/jobs/"+begun.JobID, nil, &job); err != nil {
			break
		}
		switch {
		case job.Status == models.JobDone:
			took = time.Since(began)
			w.say("threshold %d: %+v in %s, ledger and rows agreed %d times meanwhile", threshold, job.Result, short(took), compared)
			return job.Result, took, w.equalNow(ctx)
		case job.Status == models.JobFailed:
			return out, took, fmt.Errorf("bench: scoring anew: %v", job.Error)
		case kill:
			if err = w.equalNow(ctx); err == nil {
				compared++
				kill = false
				w.fleet.Find("worker").Kill()
				_, err = w.fleet.Spawn("worker")
			}
		case compared < asks: // each reads two million rows
			if err = w.equalNow(ctx); err == nil {
				compared++
			}
		default:
			err = pause(ctx)
		}
	}
	return out, took, err
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// equalNow compares ledger and rows at one moment.
func (w *week) equalNow(ctx context.Context) (err error) {
	tx, err := w.d.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	return w.equalIn(ctx, tx)
}

// equalIn checks that ledger and rows agree.
func (w *week) equalIn(ctx context.Context, c db.Conn) error {
	var answers [2]string
	for i := range answers {
		rows, err := report.Reader{Conn: c}.Performance(ctx, w.query(i == 1, "date", "campaign_id", "country"))
		if err != nil {
			return err
		}
		for _, r := range rows {
			answers[i] += fmt.Sprintf("%v %v\n", r.Dims, r.Figures)
		}
	}
	if answers[0] != answers[1] || answers[0] == "" {
		return errors.New("bench: ledger and rows do not agree")
	}
	return nil
}
