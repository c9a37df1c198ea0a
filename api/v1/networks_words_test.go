package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// TestUnknownWords: the list shows the received status words that have no meaning yet. A call maps them to a status.
func TestUnknownWords(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/networks", with(network("Net"), "status_map", map[string]any{"approved": []string{"good"}, "pending": []string{"Odd"}})).
		Want(201, "").Map()
	id := uuid.MustParse(made["id"].(string))
	other := uuid.MustParse(s.Do("POST", "/networks", network("Other")).Want(201, "").Map()["id"].(string))
	count := func(account, network uuid.UUID, words ...string) {
		t.Helper()
		for _, w := range words {
			if err := s.Store.Networks().CountWord(t.Context(), account, network, w); err != nil {
				t.Fatal(err)
			}
		}
	}
	count(s.Account.ID, id, "Shipped", " SHIPPED", "returned", "good", "sale", "shipped")
	count(s.Account.ID, other, "else")
	count(uuid.New(), id, "foreign")
	listed := func(id uuid.UUID) string {
		t.Helper()
		var out []string
		for _, w := range rowOf(t, s, "/networks", id.String())["unknown_words"].([]any) {
			w := w.(map[string]any)
			if w["last_at"] == "" {
				t.Errorf("the word %v lacks its time", w)
			}
			out = append(out, fmt.Sprint(w["word"], " ", w["count"]))
		}
		return strings.Join(out, ", ")
	}
	if got := listed(id); got != "shipped 3, returned 1" {
		t.Errorf("the unknown words are %s, want shipped 3 times and returned once", got)
	}
	if got := listed(other); got != "else 1" {
		t.Errorf("the unknown words of the other network are %s, want only \"else\", received once", got)
	}
	patch := func(body map[string]any) apitest.Answer { return s.Do("PATCH", "/networks", with(body, "id", id)) }
	words := func(status string, list ...string) map[string]any {
		return map[string]any{"status_map": map[string]any{status: list}}
	}
	same(t, patch(words("approved", "shipped")).Want(200, "").Map(), map[string]any{
		"id": id.String(), "status": "active", "status_map": "map[approved:[good shipped] pending:[Odd]]",
	})
	if got := listed(id); got != "returned 1" {
		t.Errorf("after the word shipped was mapped, the unknown words are %s, want only \"returned\", received once", got)
	}
	// A word moves to its new status.
	same(t, patch(words("rejected", "odd", "RETURNED")).Want(200, "").Map(), map[string]any{
		"status_map": "map[approved:[good shipped] pending:[] rejected:[odd RETURNED]]",
	})
	same(t, rowOf(t, s, "/networks", id.String()), map[string]any{"name": "Net", "unknown_words": "[]"})
	patch(map[string]any{}).Want(400, "invalid_status")
	patch(map[string]any{"status_map": nil}).Want(400, "invalid_status")
	patch(map[string]any{"status_map": map[string]any{"paid": []string{"x"}}}).Want(400, "invalid_input")
	patch(words("approved", strings.Repeat("x", 256))).Want(400, "too_long")
	s.Do("PATCH", "/networks", with(words("approved", "x"), "id", uuid.New())).Want(404, "not_found")

	// Only the newest 50 unknown words of a network are kept.
	for i := range 60 {
		count(s.Account.ID, id, fmt.Sprintf("word %d", i))
	}
	if n := dbtest.Get[int](t, s.DB, `SELECT count(*) FROM network_words WHERE network_id = $1`, id); n != 50 {
		t.Errorf("%d words are kept, want 50", n)
	}
	if got := listed(id); !strings.Contains(got, "word 59 1") || strings.Contains(got, "word 5 1") {
		t.Errorf("the stored words are %s, want only the newest ones", got)
	}
}
