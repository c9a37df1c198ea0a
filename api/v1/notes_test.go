package v1_test

import (
	"strings"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/store"
)

// TestNotes: a key writes notes about one campaign or all campaigns. The author of a note is the name of
// the key.
func TestNotes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"localhost"}); err != nil {
		t.Fatal(err)
	}
	campaign := s.Do("POST", "/campaigns", object{"name": "C", "alias": "noted-campaign", "destination_url": "https://d.test/"}).Want(201, "").Map()["id"]
	same(t, s.Do("POST", "/notes", object{"text": " New creatives ", "at": "2026-11-01 10:00:00", "campaign_id": campaign}).Want(201, "").Map(), object{
		"text": "New creatives", "at": "2026-11-01T10:00:00.000Z", "campaign_id": campaign, "author": "full",
	})
	before := time.Now().UTC().Truncate(time.Second)
	note := s.Do("POST", "/notes", object{"text": "Now"}).Want(201, "").Map()
	at, err := time.Parse(time.RFC3339, note["at"].(string))
	if err != nil || at.Before(before) || note["campaign_id"] != nil {
		t.Errorf("want a note about all campaigns with the present time: %v (%v)", note, err)
	}
	for code, body := range map[string]object{
		"required": {"text": "  "}, "too_long": {"text": strings.Repeat("x", 501)}, "invalid_date": {"text": "x", "at": "1999-01-01 00:00:00"},
		"invalid_campaign": {"text": "x", "campaign_id": "0197a0c4-0000-7000-8000-000000000000"}, "invalid_input": {"text": "x", "colour": "red"},
	} {
		s.Do("POST", "/notes", body).Want(400, code)
	}
	s.As(s.ReadKey).Do("POST", "/notes", object{"text": "x"}).Want(403, "read_only_key")
	dbtest.Exec(t, s.DB, `INSERT INTO notes (id, account_id, author, at, text) SELECT gen_random_uuid(), $1, '', now(), 'x' FROM generate_series(1, 2000)`, s.Account.ID)
	s.Do("POST", "/notes", object{"text": "x"}).Want(400, "too_many")
}
