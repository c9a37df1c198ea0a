package e2e

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/await"
	"switchyard/ops/client"
)

// Stored holds the clicks and conversions in PostgreSQL, with the time of each click and the time at which each conversion was
// recorded.
type Stored struct {
	Clicks      map[uuid.UUID]time.Time
	Conversions map[string]time.Time // by the network's conversion id
}

func (s *Service) stored(ctx context.Context) (Stored, error) {
	out := Stored{map[uuid.UUID]time.Time{}, map[string]time.Time{}}
	d, err := db.Open(ctx, s.DatabaseURL, db.Options{Name: "faults"})
	if err != nil {
		return out, err
	}
	defer func() { _ = d.Close() }()
	err = readTimes(ctx, d, `SELECT id::text, at FROM clicks`, func(id string, at time.Time) {
		out.Clicks[uuid.MustParse(id)] = at
	})
	if err != nil {
		return out, err
	}
	err = readTimes(ctx, d, `SELECT conversion_id, recorded_at FROM conversions`, func(id string, at time.Time) {
		out.Conversions[id] = at
	})
	return out, err
}

func readTimes(ctx context.Context, d *db.DB, query string, add func(string, time.Time)) error {
	rows, err := d.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var at time.Time
		if err := rows.Scan(&id, &at); err != nil {
			return err
		}
		add(id, at)
	}
	return rows.Err()
}

// WaitStored waits until every click and conversion that was answered is stored.
func (s *Service) WaitStored(ctx context.Context, clicks *Tally[uuid.UUID], conversions *Tally[string]) (Stored, error) {
	var got Stored
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	missing := len(clicks.At) + len(conversions.At)
	var last error
	err := client.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		now, err := s.stored(ctx) // fails while PostgreSQL starts, and once the context has ended
		if last = err; err == nil {
			got, missing = now, absent(clicks.At, now.Clicks)+absent(conversions.At, now.Conversions)
		}
		return err == nil && missing == 0, nil
	})
	if err = errors.Join(err, last); err != nil {
		err = fmt.Errorf("%d of %d clicks and %d conversions were missing when last counted: %w",
			missing, len(clicks.At), len(conversions.At), err)
	}
	return got, err
}

func absent[K comparable](want map[K]Span, got map[K]time.Time) int {
	n := 0
	for k := range want {
		if _, ok := got[k]; !ok {
			n++
		}
	}
	return n
}

// WaitLedger waits until the reports count exactly the clicks that are stored. A click whose visitor got no answer may be stored
// late, so the stored clicks are counted again each time.
func (s *Service) WaitLedger(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	var got struct {
		Clicks int `json:"clicks"`
		Bots   int `json:"bot_clicks"`
	}
	rows := 0
	err := client.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		now, err := s.stored(ctx)
		if err != nil {
			return false, err
		}
		rows = len(now.Clicks)
		err = s.API.Get(ctx, "/stats/overview", &got)
		return got.Clicks+got.Bots == rows, err
	})
	if err != nil {
		return fmt.Errorf("%d clicks are stored, but the reports count %+v: %w", rows, got, err)
	}
	return nil
}
