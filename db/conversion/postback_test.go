package conversion_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click/clicktest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
)

// TestEarlierPostbacksAreWaitedFor checks that a postback is decided after earlier postbacks of its click that are being decided.
func TestEarlierPostbacksAreWaitedFor(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	s := clicktest.OpenSpool(t, t.TempDir())
	visit := clicktest.Click(clicktest.Account(t, d), uuid.New(), 1)
	clicktest.Put(t, s, spool.Record{Click: visit})
	ids := make([]uuid.UUID, 3)
	for i := range ids {
		ids[i] = models.NewClickID()
		clicktest.Put(t, s, spool.Record{Postback: &models.Postback{ID: ids[i], ClickID: visit.ID, Source: models.FromPostback}})
	}
	clicktest.Drain(t, s, d, ingest.Options{})

	var decided, early atomic.Bool
	var locked []uuid.UUID
	last := make(chan error, 1)
	err := db.Tx(t.Context(), d, func(c db.Conn) error {
		if list, err := conversion.LockPostbacks(t.Context(), c, ids[0], nil); err != nil || !slices.Equal(list, ids[:1]) {
			t.Errorf("LockPostbacks returned %v for the first postback, want only this postback: %v", list, err)
		}
		go func() {
			last <- db.Tx(context.WithoutCancel(t.Context()), d, func(c db.Conn) (err error) {
				locked, err = conversion.LockPostbacks(t.Context(), c, ids[2], ids[:2])
				early.Store(!decided.Load())
				return err
			})
		}()
		await.Until(t, "the last postback waits for a lock", func() bool {
			n, err := db.Get[int](t.Context(), d, "waiting", `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`)
			return err == nil && n > 0 || early.Load()
		})
		err := conversion.DecidePostback(t.Context(), c, ids[0], conversion.PostbackDecision{
			Outcome: conversion.PostbackRecorded, AccountID: visit.AccountID, ClickID: visit.ID,
		})
		decided.Store(true)
		return err
	})
	if err := await.Recv(t, last); err != nil {
		t.Fatal(err)
	}
	if err != nil || early.Load() {
		t.Errorf("the last postback was locked before the first postback was decided: %v", err)
	}
	if diff := cmp.Diff(ids[1:], locked); diff != "" {
		t.Error(diff)
	}
}
