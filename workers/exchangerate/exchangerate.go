// Package exchangerate reads exchange rates from the European Central Bank, or from the operator's file.
//
// The bank is asked only while an account needs a rate. It publishes on working days, at about 16:00
// in Frankfurt. It is asked half an hour later in winter and an hour and a half later in summer, and on working days again every
// two hours until it has the rates of the day. A failed request is tried again after five minutes, ten, twenty and so on, up to
// six hours. The file is read every hour.
//
// When a missing rate arrives, or the operator replaces a rate, the amounts that depend on it are restated: converted again with
// the new rate.
package exchangerate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/exchangerate"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// Options of Register.
type Options struct {
	Egress *egress.Client   // must accept answers of MaxBody
	URL    string           // default the bank's
	File   string           // a table of rates; if set, the bank is not asked
	Clicks click.Log        // the clicks whose amounts are restated
	Now    func() time.Time // default time.Now
	// Restate restates the amounts of at most `limit` clicks or conversions; default spend.Restate.
	Restate func(ctx context.Context, l click.Log, c db.Conn, r *spend.Restatement, limit int) (done bool, err error)
}

// Register registers the handlers. A file that cannot be read is an error.
func Register(r *workers.Runtime, s *store.Store, o Options) error {
	if o.File != "" {
		if _, err := ReadFile(o.File); err != nil {
			return err
		}
	}
	o.Now = workers.Clock(o.Now)
	if o.Restate == nil {
		o.Restate = spend.Restate
	}
	w := &worker{o: o, store: s, db: r.DB(), client: r.Client(), bank: ecb{o.Egress, cmp.Or(o.URL, ecbURL)}}
	workers.RegisterTick(r, jobs.FetchRates, w.fetch)
	workers.RegisterTick(r, jobs.UpdateRates, w.updateFixed)
	workers.RegisterForAccount(r, jobs.RestateMoney, w.restate)
	workers.RegisterRow(r, jobs.ChangeCurrency, w.changeCurrency)
	return nil
}

type worker struct {
	o      Options
	store  *store.Store
	db     *db.DB
	client *jobs.Client
	bank   ecb
}

// ReadFile reads a file in the format of models.ReadRates.
func ReadFile(name string) ([]models.Rate, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("rates: %w", err)
	}
	list, err := models.ReadRates(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

const (
	// claimedFor is how long a fetch may take before it is started again.
	claimedFor   = 10 * time.Minute
	firstBackoff = 5 * time.Minute
	lastBackoff  = 6 * time.Hour
	fileEvery    = time.Hour
)

func (w *worker) fetch(ctx context.Context) error {
	source, now := models.RatesOfECB, w.o.Now()
	if w.o.File != "" {
		source = models.RatesOfFile
	} else if wanted, err := exchangerate.NeedsFetch(ctx, w.store.Conn()); err != nil || !wanted {
		return err
	}
	state, due, err := exchangerate.ClaimSource(ctx, w.store.Conn(), source, now, now.Add(claimedFor))
	if err != nil || !due {
		return err
	}
	list, err := w.read(ctx, source, now)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		slog.WarnContext(ctx, "exchange rates could not be read", "source", source, "error", err)
		return exchangerate.RecordFetch(ctx, w.store.Conn(), source, err.Error(), now, now.Add(backoff(state.Failures)))
	}
	return w.store.Tx(ctx, func(s *store.Store) error {
		saved, err := exchangerate.Save(ctx, s.Conn(), list, false) // stored rates stay
		if err != nil {
			return err
		}
		if saved.Added > 0 {
			slog.InfoContext(ctx, "exchange rates stored", "source", source, "rates", saved.Added)
		}
		return exchangerate.RecordFetch(ctx, s.Conn(), source, "", now, w.next(list, now))
	})
}

func (w *worker) read(ctx context.Context, source string, now time.Time) ([]models.Rate, error) {
	if source == models.RatesOfFile {
		return ReadFile(w.o.File)
	}
	last, err := exchangerate.LastDay(ctx, w.store.Conn(), source)
	if err != nil {
		return nil, err
	}
	list, err := w.bank.since(ctx, last, now)
	oldest := now.AddDate(0, 0, -models.LongestHistory()-models.RateDays-1) // no account keeps older facts
	return slices.DeleteFunc(list, func(r models.Rate) bool { return !r.Day.After(oldest) }), err
}

func backoff(failures int) time.Duration {
	return min(firstBackoff<<min(failures, 10), lastBackoff) // the limit of 10 keeps the shift from overflowing
}

// published is the time of day, in UTC, at which the bank is asked for the rates of the day: half an hour after it publishes them
// in winter, an hour and a half in summer.
const published = 15*time.Hour + 30*time.Minute

// next returns the time of the next fetch after a successful one.
func (w *worker) next(list []models.Rate, now time.Time) time.Time {
	if w.o.File != "" {
		return now.Add(fileEvery)
	}
	today := now.UTC().Truncate(24 * time.Hour)
	at, workday := today.Add(published), today.Weekday() != time.Saturday && today.Weekday() != time.Sunday
	hasToday := slices.ContainsFunc(list, func(r models.Rate) bool { return !r.Day.Before(today) })
	switch {
	case now.Before(at):
		return at
	case !hasToday && workday:
		return now.Add(2 * time.Hour)
	}
	return at.Add(24 * time.Hour)
}
