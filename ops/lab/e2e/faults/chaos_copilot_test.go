package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/db/idempotency"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/parttest"
	"switchyard/ops/client"
)

// TestKilledApply kills web while a proposal is applied, before the commit and right after it. When the caller repeats the call
// with its Idempotency-Key, the answer names the one change that the two calls have made. The change has one event.
func TestKilledApply(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	m := newMidwayEnv(t)
	ctx := t.Context()
	hook := map[string]any{"url": "https://hooks.acme.com/y", "events": []string{"campaign.paused"}}
	if err := m.api.Do(ctx, http.StatusCreated, "POST", "/webhooks", hook, nil); err != nil {
		t.Fatal(err)
	}
	for round, killed := range []func(func()){m.killBefore, m.killAfter, m.killBefore, m.killAfter} {
		key := fmt.Sprint("round-", round)
		body := map[string]any{"action": "apply_proposal", "id": m.propose()}
		answered := make(chan error, 1)
		killed(func() {
			go func() { // the answer is lost, or comes just before the kill
				_, err := m.api.Once(context.WithoutCancel(ctx), "POST", "/copilot", body, "Idempotency-Key", key)
				answered <- err
			}()
		})
		<-answered
		if _, err := m.Spawn("web"); err != nil {
			t.Fatal(err)
		}
		if err := m.WaitReady(ctx); err != nil {
			t.Fatal(err)
		}
		var result struct {
			Status string
			Change uuid.UUID `json:"change_id"`
		}
		m.until("the call is repeated", func() bool {
			a, err := m.api.Once(ctx, "POST", "/copilot", body, "Idempotency-Key", key)
			if err != nil {
				t.Fatal(err)
			}
			if a.Code == idempotency.ErrInProgress.Code { // until PostgreSQL notices that the client of the first call is gone
				return false
			}
			if err := json.Unmarshal(a.Data, &result); err != nil || a.Status != http.StatusOK {
				t.Fatalf("the repeated call is answered with %d %s, %v", a.Status, a.Body, err)
			}
			return true
		})
		if result.Status != copilot.StatusApplied {
			t.Errorf("the repeated call was answered %+v", result)
		}
		m.checkCount("changes", round+1, `SELECT count(*) FROM copilot_changes`)
		m.checkCount("the change that the answer names", 1, `SELECT count(*) FROM copilot_changes WHERE id = $1`, result.Change)
		m.checkCount("events", round+1, `SELECT count(*) FROM events WHERE type = 'campaign.paused'`)
		m.checkCount("paused campaigns", 1, `SELECT count(*) FROM campaigns WHERE status = 'paused'`)
		undo := map[string]any{"action": "undo", "id": result.Change}
		if err := m.api.Do(ctx, http.StatusOK, "POST", "/copilot", undo, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func (m *midwayEnv) propose() string {
	m.t.Helper()
	p, err := dbcopilot.NewProposals(store.New(m.db, nil)).Create(m.t.Context(), copilot.Proposal{
		Owned: models.Owned{AccountID: m.account}, Title: "Pause it",
		Action: copilot.Action{Op: copilot.OpPauseCampaign, CampaignID: uuid.NullUUID{UUID: m.campaign, Valid: true}},
	}, time.Now())
	if err != nil {
		m.t.Fatal(err)
	}
	return p.ID.String()
}

// killBefore kills web while the call waits for the lock on the campaign.
func (m *midwayEnv) killBefore(call func()) {
	m.t.Helper()
	tx, err := m.db.BeginTxx(m.t.Context(), nil)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	var holder int
	if err := tx.QueryRowxContext(m.t.Context(), `SELECT pg_backend_pid() FROM campaigns WHERE id = $1 FOR UPDATE`, m.campaign).Scan(&holder); err != nil {
		m.t.Fatal(err)
	}
	call()
	m.until("web waits for the campaign", func() bool {
		return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`, holder) > 0
	})
	m.Find("web").Kill()
	m.checkCount("changes applied before the kill", 0, `SELECT count(*) FROM copilot_changes WHERE status = 'applied'`)
}

// killAfter kills web as soon as the applied change is committed.
func (m *midwayEnv) killAfter(call func()) {
	m.t.Helper()
	call()
	err := client.Poll(m.t.Context(), time.Millisecond, func() (bool, error) {
		return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM copilot_changes WHERE status = 'applied'`) > 0, nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.Find("web").Kill()
}
