package store_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

func newStore(t *testing.T) (*store.Store, models.Account) {
	t.Helper()
	d := dbtest.New(t)
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(d, box)
	a, err := s.CreateAccount(t.Context(), "Test", "scale")
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

func offer(account, id uuid.UUID, name string) models.Offer {
	return models.Offer{
		Owned:       models.Owned{AccountID: account, ID: id},
		OfferFields: models.OfferFields{Name: name, URL: "https://x.example", PayoutType: "fixed", Currency: "USD"},
	}
}

func add(t rapidOrTest, s *store.Store, account uuid.UUID, name string) models.Offer {
	o, err := s.Offers().Create(context.Background(), offer(account, uuid.Nil, name))
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return o
}

type rapidOrTest interface{ Fatalf(string, ...any) }

// TestWalkMissesAndDoublesNothing checks that a record that exists while all pages are read appears exactly once, whatever
// changes at the same time.
func TestWalkMissesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	ctx := t.Context()
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		account, err := s.CreateAccount(ctx, "walk", "scale")
		if err != nil {
			r.Fatalf("%v", err)
		}
		alive := map[uuid.UUID]bool{}
		var ids []uuid.UUID
		create := func() uuid.UUID {
			n++
			o := add(r, s, account.ID, fmt.Sprint("offer ", n))
			ids = append(ids, o.ID)
			return o.ID
		}
		for range rapid.IntRange(0, 12).Draw(r, "records") {
			alive[create()] = true
		}
		seen := map[uuid.UUID]int{}
		page := store.Page{Limit: rapid.IntRange(1, 5).Draw(r, "limit")}
		for {
			rows, next, err := s.Offers().List(ctx, account.ID, page)
			if err != nil {
				r.Fatalf("%v", err)
			}
			for _, o := range rows {
				seen[o.ID]++
			}
			if next == "" {
				break
			}
			page.Cursor = next
			switch rapid.IntRange(0, 2).Draw(r, "meanwhile") {
			case 0:
				create()
			case 1:
				id := rapid.SampledFrom(ids).Draw(r, "deleted")
				delete(alive, id)
				_ = s.Offers().Remove(ctx, account.ID, id) // it may be deleted already
			case 2:
				id := rapid.SampledFrom(ids).Draw(r, "renamed")
				n++
				_, _ = s.Offers().Update(ctx, offer(account.ID, id, fmt.Sprint("renamed ", n)))
			}
		}
		for id := range alive {
			if seen[id] != 1 {
				r.Fatalf("a record that was never deleted appeared %d times, want 1", seen[id])
			}
		}
		for id, times := range seen {
			if times != 1 {
				r.Fatalf("record %s appeared %d times, want 1", id, times)
			}
		}
	})
}

// TestForeignAndTamperedCursors checks that a cursor is refused if any byte was changed or if it belongs to another account.
func TestForeignAndTamperedCursors(t *testing.T) {
	t.Parallel()
	s, a := newStore(t)
	ctx := t.Context()
	for i := range 3 {
		add(t, s, a.ID, fmt.Sprint("o", i))
	}
	_, cursor, err := s.Offers().List(ctx, a.ID, store.Page{Limit: 1})
	if err != nil || cursor == "" {
		t.Fatal(cursor, err)
	}
	if _, _, err := s.Offers().List(ctx, a.ID, store.Page{Limit: 1, Cursor: cursor}); err != nil {
		t.Fatal(err)
	}
	refused := func(account uuid.UUID, cursor string) {
		t.Helper()
		_, _, err := s.Offers().List(ctx, account, store.Page{Limit: 1, Cursor: cursor})
		if e, ok := models.AsError(err); !ok || e.Code != "invalid_input" || e.Kind != models.KindInvalid {
			t.Errorf("cursor %q: %v, want invalid_input", cursor, err)
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		changed := append([]byte{}, raw...)
		changed[i] ^= 1
		refused(a.ID, base64.RawURLEncoding.EncodeToString(changed))
		refused(a.ID, base64.RawURLEncoding.EncodeToString(raw[:max(i, 1)])) // an empty cursor would start the list
	}
	refused(a.ID, cursor+"A")
	b, err := s.CreateAccount(ctx, "B", "scale")
	if err != nil {
		t.Fatal(err)
	}
	refused(b.ID, cursor)
}
