package adupload_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/integration"
	dbmatchkey "switchyard/db/matchkey"
	"switchyard/models"
	"switchyard/models/matchkey"
)

// storeKeys stores a person's hashed data for a click, as from a message of the given age.
func (w *env) storeKeys(click uuid.UUID, age time.Duration, person matchkey.Person) {
	w.Helper()
	h, dropped := matchkey.Hash(person, "US")
	row := dbmatchkey.Row{ID: uuid.New(), AccountID: w.account, ClickID: click, Names: h.Names(), ReceivedAt: time.Now().Add(-age)}
	var err error
	if row.Sealed, err = w.store.SealKeys(w.Context(), w.account, row.ID, h); err != nil || len(dropped) > 0 {
		w.Fatal(err, dropped)
	}
	if err := dbmatchkey.Store(w.Context(), w.db, []dbmatchkey.Row{row}); err != nil {
		w.Fatal(err)
	}
}

// TestKeysOfUploads checks which uploads have hashed personal data.
func TestKeysOfUploads(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string][]string{
		models.Meta:      {"email", "phone", "city"},
		models.GoogleAds: {"email", "phone"},
	} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t, provider)
			keys := func(click uuid.UUID) []string {
				text := dbtest.Get[string](w, w.db, `SELECT array_to_string(keys, ',') FROM conversion_uploads WHERE click_id = $1 AND action = 'upload'`, click)
				return slices.DeleteFunc(strings.Split(text, ","), func(s string) bool { return s == "" })
			}
			c := w.storeClicks("off", "shadow", "live", "none", "old")
			for _, click := range c[:3] {
				w.storeKeys(click, time.Hour, matchkey.Person{"email": "a@example.com"})
				w.storeKeys(click, 2*time.Hour, matchkey.Person{"email": "b@example.com", "phone": "(650) 555-1212", "city": "Rome"})
			}
			w.storeKeys(c[4], 7*24*time.Hour-time.Minute, matchkey.Person{"email": "a@example.com"})
			dbtest.Exec(w, w.db, `UPDATE conversion_match_keys SET received_at = now() - interval '7 days' WHERE click_id = $1`, c[4])
			w.connect()
			w.convert("approved", 10, c[0])
			w.sweep()
			on, shadow := true, models.UploadsShadow
			w.connect(func(s *integration.SourceConnect) { s.SendKeys, s.UploadMode = &on, &shadow })
			w.convert("approved", 10, c[1])
			w.sweep()
			w.connect(func(s *integration.SourceConnect) { s.SendKeys = nil })
			w.convert("approved", 10, c[2:]...)
			w.sweep()
			w.convert("rejected", 10, c[2])
			w.sweep()
			const retracted = `SELECT count(*) FROM conversion_uploads WHERE action = 'retract' AND keys = '{}'`
			if n := dbtest.Get[int](w, w.db, retracted); n != 1 {
				t.Errorf("%d uploads take back a conversion and have no keys, want 1", n)
			}
			for i, want := range [][]string{{}, want, want, {}, {}} {
				if got := keys(c[i]); !slices.Equal(got, want) {
					t.Errorf("upload %d had %v, want %v", i, got, want)
				}
			}
		})
	}
}
