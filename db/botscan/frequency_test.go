package botscan

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

// TestFrequency compares the method count with a comparison of all moments. For moments in order, both agree. For moments out of
// order, the method never wrongly returns true.
func TestFrequency(t *testing.T) {
	t.Parallel()
	const bound, window = 5, time.Second
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		f, inOrder := newFrequency(bound, window, 0), seed%2 == 0
		seen := map[uint64][]time.Time{}
		at := start
		for range 300 {
			at = at.Add(time.Duration(random.IntN(200)) * time.Millisecond)
			moment, key := at, random.Uint64N(4)
			if !inOrder {
				moment = at.Add(-time.Duration(random.IntN(3000)) * time.Millisecond)
			}
			before := 0
			for _, other := range seen[key] {
				if !other.After(moment) && !other.Before(moment.Add(-window)) {
					before++
				}
			}
			seen[key] = append(seen[key], moment)
			got, want := f.count(key, moment), before >= bound
			if inOrder && got != want || got && !want {
				t.Fatalf("seed %d: with %d earlier moments in the window before %s, count returned %v, want %v", seed, before, moment, got, want)
			}
		}
	}
}

// TestFrequencyIsBounded checks that neither many keys nor many moments of a key exceed the memory limit.
func TestFrequencyIsBounded(t *testing.T) {
	t.Parallel()
	const bound, room = 3, 10
	f, at := newFrequency(bound, time.Minute, room), time.Now()
	for i := range 1000 {
		f.count(uint64(i), at)
		f.count(7, at)
	}
	if len(f.young)+len(f.old) > 2*room || len(f.young[7]) > 2*bound {
		t.Errorf("%d young and %d old keys, and %d moments of a key are stored, want at most 20 keys and 6 moments", len(f.young), len(f.old), len(f.young[7]))
	}
	var full []bool
	for _, after := range []time.Duration{0, 1, 2, 3, 40, 61, 62} {
		full = append(full, f.countToBound(1<<40, at.Add(after*time.Second)))
	}
	if want := []bool{false, false, false, true, true, false, false}; !slices.Equal(full, want) {
		t.Errorf("countToBound returned %v for the moments of a key, want %v", full, want)
	}
}

// TestFloodsCountOnce checks that clicks count once, even if their records are read again because they could not be stored.
func TestFloodsCountOnce(t *testing.T) {
	t.Parallel()
	f, account := NewFloods(), uuid.New()
	var items []spool.Item
	for range bot.FloodBound + 1 {
		c := &models.Click{ID: models.NewClickID(), AccountID: account, AddressKey: 1}
		items = append(items, spool.Item{Record: spool.Record{Click: c}})
	}
	marked := func() (n int) {
		for _, signals := range f.Found {
			if signals&bot.ClickFlood != 0 {
				n++
			}
		}
		return n
	}
	f.Count(items[:40])
	f.Count(items[:40])
	if n := marked(); n != 0 {
		t.Errorf("after two calls of Count with the same 40 clicks, %d clicks are marked as a flood, want none", n)
	}
	f.Count(items)
	if n := marked(); n != 1 {
		t.Errorf("%d of %d clicks are marked as a flood, want 1", n, len(items))
	}
	if f.FinishStored(items); len(f.Found) > 0 {
		t.Errorf("%d clicks are still in Found after FinishStored, want none", len(f.Found))
	}
}

// TestFloodsAreShared runs two ingesters that see half of the clicks each. Together they recognise a flood that neither could see
// alone, and they mark no click before the bound.
func TestFloodsAreShared(t *testing.T) {
	t.Parallel()
	both, account, start := [2]*Floods{NewFloods(), NewFloods()}, uuid.New(), time.Now()
	marked := 0
	for i := range 2 * bot.FloodBound {
		c := &models.Click{ID: models.NewClickID(), AccountID: account, AddressKey: 1}
		floor := models.FloorClickID(start.Add(time.Duration(i) * 100 * time.Millisecond))
		copy(c.ID[:6], floor[:6])
		recorder, other := both[i%2], both[1-i%2]
		items := []spool.Item{{Record: spool.Record{Click: c}}}
		recorder.Count(items)
		if recorder.Found[c.ID]&bot.ClickFlood != 0 {
			marked++
			if i < bot.FloodBound {
				t.Errorf("click %d is marked as a flood, want only clicks after click %d", i+1, bot.FloodBound)
			}
		}
		recorder.FinishStored(items)
		message := recorder.NextMessage()
		recorder.CountMessage(message)
		other.CountMessage(message)
		other.CountMessage([]byte("x"))
		other.CountMessage(make([]byte, 17))
	}
	if want := bot.FloodBound - shareFrom; marked != want {
		t.Errorf("%d clicks are marked, want %d", marked, want)
	}
}
