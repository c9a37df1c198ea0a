package ingest_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click/clicktest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

type appended struct{ clicks, others int }

func (a *appended) Append(_ context.Context, r spool.Record) error {
	if r.Click != nil {
		a.clicks++
	} else {
		a.others++
	}
	return nil
}

// TestLanes: if an account gets more than bot.FloodBound clicks from one IP network within bot.FloodWindow, the clicks above the
// bound go to the spool of floods. All other records go to the spool of clicks.
func TestLanes(t *testing.T) {
	t.Parallel()
	var clicks, floods appended
	lanes := ingest.NewLanes(&clicks, &floods)
	account, start := uuid.New(), time.Now()
	add := func(account uuid.UUID, ip string, after time.Duration) {
		c := clicktest.Click(account, uuid.New(), 1)
		c.ID, c.IP = clicktest.IDAt(start.Add(after)), netip.MustParseAddr(ip)
		if err := lanes.Append(t.Context(), spool.Record{Click: c}); err != nil {
			t.Error(err)
		}
	}
	for i := range bot.FloodBound + 10 {
		add(account, fmt.Sprintf("2001:db8:1:1::%x", i+1), 0)
		add(account, "203.0.113.1", time.Duration(i)*bot.FloodWindow/(bot.FloodBound-1))
		add(uuid.New(), "203.0.113.2", 0)
		if err := lanes.Append(t.Context(), spool.Record{Out: &models.ClickOut{}}); err != nil {
			t.Error(err)
		}
	}
	if floods.clicks != 10 || floods.others != 0 || clicks.clicks != 3*(bot.FloodBound+10)-10 || clicks.others != bot.FloodBound+10 {
		t.Errorf("the spool of clicks got %+v, the spool of floods %+v, want only 10 clicks in the spool of floods", clicks, floods)
	}
	add(account, "2001:db8:1:1::1", bot.FloodWindow+time.Second)
	if floods.clicks != 10 {
		t.Error("clicks after the flood still go to the spool of floods")
	}
}
