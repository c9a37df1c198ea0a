package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// moving is a list in which a change can move a record.
type moving struct {
	create func(name string) (uuid.UUID, error)
	change func(id uuid.UUID, name string) error
	remove func(id uuid.UUID) error
	list   func(p store.Page) (ids []uuid.UUID, next string, err error)
}

type keeper[T any] interface {
	Create(ctx context.Context, record T) (T, error)
	Update(ctx context.Context, record T) (T, error)
	Remove(ctx context.Context, account, id uuid.UUID) error
	List(ctx context.Context, account uuid.UUID, p store.Page) ([]T, string, error)
}

func movingOf[T interface{ RecordID() uuid.UUID }](k keeper[T], account uuid.UUID, record func(o models.Owned, name string) T) moving {
	ctx := context.Background()
	return moving{
		create: func(name string) (uuid.UUID, error) {
			r, err := k.Create(ctx, record(models.Owned{AccountID: account}, name))
			return r.RecordID(), err
		},
		change: func(id uuid.UUID, name string) error {
			_, err := k.Update(ctx, record(models.Owned{AccountID: account, ID: id}, name))
			return err
		},
		remove: func(id uuid.UUID) error { return k.Remove(ctx, account, id) },
		list: func(p store.Page) ([]uuid.UUID, string, error) {
			rows, next, err := k.List(ctx, account, p)
			return db.Map(rows, T.RecordID), next, err
		},
	}
}

func movingRules(s *store.Store, account uuid.UUID) moving {
	return movingOf(s.Rules(), account, func(o models.Owned, name string) models.Rule {
		return models.Rule{Owned: o, Name: name, Logic: "and", Conditions: []cond.Condition{}}
	})
}

func movingFlows(s *store.Store, account uuid.UUID) moving {
	return movingOf(s.Flows(), account, func(o models.Owned, name string) flow.Saved {
		p := flow.NewPath()
		p.Action = flow.ActionNothing
		return flow.Saved{Owned: o, Name: name, Paths: flow.Normalize([]flow.Path{p})}
	})
}

// TestMovingListsMissNothing reads lists page by page while their records move. An unchanged record appears once, a changed
// record once or twice.
func TestMovingListsMissNothing(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	for name, open := range map[string]func(*store.Store, uuid.UUID) moving{"rules": movingRules, "flows": movingFlows} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) { walkMoving(r, s, open) })
		})
	}
}

func walkMoving(r *rapid.T, s *store.Store, open func(*store.Store, uuid.UUID) moving) {
	account, err := s.CreateAccount(context.Background(), "walk", "scale")
	if err != nil {
		r.Fatalf("%v", err)
	}
	list, n := open(s, account.ID), 0
	var ids []uuid.UUID
	alive, changed, seen := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}, map[uuid.UUID]int{}
	name := func() string {
		n++
		return fmt.Sprintf("%s %d", rapid.StringMatching(`[a-dA-D]`).Draw(r, "name"), n)
	}
	create := func() uuid.UUID {
		id, err := list.create(name())
		if err != nil {
			r.Fatalf("create: %v", err)
		}
		ids = append(ids, id)
		return id
	}
	for range rapid.IntRange(0, 8).Draw(r, "records") {
		alive[create()] = true
	}
	page := store.Page{Limit: rapid.IntRange(1, 3).Draw(r, "limit")}
	for pages := 0; ; pages++ {
		got, next, err := list.list(page)
		if err != nil || pages > 40 {
			r.Fatalf("page %d of at most 40: error %v, want none", pages, err)
		}
		for _, id := range got {
			seen[id]++
		}
		page.Cursor = next
		if next == "" {
			break
		}
		switch rapid.IntRange(0, 3).Draw(r, "meanwhile") {
		case 0:
			create()
		case 1:
			id := rapid.SampledFrom(ids).Draw(r, "deleted")
			delete(alive, id)
			_ = list.remove(id) // it may be deleted already
		default:
			id := rapid.SampledFrom(ids).Draw(r, "changed")
			changed[id] = true
			_ = list.change(id, name()) // it may be deleted already
		}
	}
	for id := range alive {
		if most := 1 + b2i(changed[id]); seen[id] < 1 || seen[id] > most {
			r.Fatalf("a record appeared %d times, want 1 to %d (changed while listed: %v)", seen[id], most, changed[id])
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
