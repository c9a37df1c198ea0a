package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
)

// TestBackupAndRestore: with the same ENCRYPTION_KEY, the API answers from a restored database as from the original, and accepts
// new records. An error says what to do.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	from, fromURL := dbtest.NewURL(t)
	old := apitest.New(t, apitest.Options{DB: from})
	if err := store.EnsureSharedDomains(t.Context(), from, []string{"localhost"}); err != nil {
		t.Fatal(err)
	}
	var offer, campaign struct{ ID uuid.UUID }
	body := map[string]any{"name": "o", "url": "https://offer.example/", "payout": 2}
	old.Do("POST", "/offers", body).Want(201, "").Into(&offer)
	body = map[string]any{"name": "c", "alias": "saved-campaign", "offer_id": offer.ID}
	old.Do("POST", "/campaigns", body).Want(201, "").Into(&campaign)
	convert(t, from, old.Account.ID, campaign.ID, 12)

	dir := t.TempDir()
	file := filepath.Join(dir, "saved.backup")
	stdout, stderr, code := try(t, map[string]string{"DATABASE_URL": fromURL}, "backup", file)
	if code != 0 || stdout != "" || !strings.Contains(stderr, "clicks: 12 rows") {
		t.Fatalf("the backup ended with code %d and the output %q, want 0, no output, and 12 clicks on standard error: %s", code, stdout, stderr)
	}
	left, err := os.ReadDir(dir)
	if info, statErr := os.Stat(file); err != nil || statErr != nil || info.Mode() != 0o600 || len(left) != 1 {
		t.Fatalf("the directory has %v, want only the backup, readable by its owner alone: %v, %v", left, err, statErr)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, code = try(t, map[string]string{"DATABASE_URL": fromURL}, "backup", file)
	if after, err := os.ReadFile(file); code != 1 || !strings.Contains(stderr, "--force") || err != nil || !bytes.Equal(before, after) {
		t.Errorf("a backup to an existing file ended with code %d, want 1, a message that names --force, and an unchanged file: %s", code, stderr)
	}
	if _, stderr, code = try(t, map[string]string{"DATABASE_URL": fromURL}, "backup", "--force", file); code != 0 {
		t.Errorf("a backup with --force ended with code %d, want 0: %s", code, stderr)
	}
	to, toURL := dbtest.NewOwnedURL(t)
	vars := map[string]string{"DATABASE_URL": toURL}
	short := filepath.Join(dir, "short.backup")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(short, content[:len(content)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(want string, args ...string) {
		t.Helper()
		if _, stderr, code := try(t, vars, args...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%v ended with code %d, want 1 and a message with %q: %s", args, code, want, stderr)
		}
	}
	refused("does DATABASE_URL name the right database?", "backup", filepath.Join(dir, "none.backup"))
	refused("take another copy of the file", "restore", short)
	refused("that `switchyard backup` has written", "restore", os.Args[0])
	if _, stderr, code := try(t, vars, "restore", file); code != 0 || !strings.Contains(stderr, "clicks: 12 rows") {
		t.Fatalf("the restore ended with code %d, want 0 and 12 clicks: %s", code, stderr)
	}
	refused("make a new database", "restore", file)

	again := apitest.New(t, apitest.Options{DB: to}).As(old.Key)
	for _, path := range []string{
		"/reports/performance?dimension=campaign_id,country", "/campaigns/" + campaign.ID.String(),
		"/logs/clicks", "/logs/conversions",
	} {
		want, got := old.Do("GET", path, nil), again.Do("GET", path, nil)
		if want.Status != 200 || string(want.Data) != string(got.Data) {
			t.Errorf("%s from the restored database: %d %s\nwant the answer of the original: %d %s", path, got.Status, got.Raw, want.Status, want.Raw)
		}
	}
	if a := again.Do("POST", "/offers", map[string]any{"name": "new", "url": "https://offer.example/"}); a.Status != 201 {
		t.Errorf("a new offer in the restored database is answered with %d, want 201: %s", a.Status, a.Raw)
	}
	convert(t, to, old.Account.ID, campaign.ID, 3)
	const counted = `SELECT concat_ws(' ', sum(clicks), sum(approved), trim_scale(sum(revenue))) FROM ledger`
	if sums, err := db.Get[string](t.Context(), to, "sums", counted); err != nil || sums != "15 15 30" {
		t.Errorf("after three more clicks the sums are %s, want 15 15 30: %v", sums, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory has the files %v, want only the backup and its shortened copy: %v", entries, err)
	}
	stdout, _, code = try(t, map[string]string{"DATABASE_URL": fromURL}, "backup", "-")
	if code != 0 || !strings.HasPrefix(stdout, "\x1f\x8b") {
		t.Errorf("a backup to the standard output ended with code %d, want 0 and gzip data", code)
	}
}

func convert(t *testing.T, d *db.DB, account, campaign uuid.UUID, n int) {
	t.Helper()
	var ids []uuid.UUID
	var clicks []*models.Click
	for range n {
		c := &models.Click{ID: models.NewClickID(), AccountID: account, CampaignID: campaign}
		c.Country = "DE"
		ids, clicks = append(ids, c.ID), append(clicks, c)
	}
	ingestClicks(t, d, clicks...)
	payout := decimal.NewFromInt(2)
	err := db.Tx(t.Context(), d, func(c db.Conn) error {
		for _, id := range ids {
			in := conversion.Input{ClickID: id, Payout: &payout, Status: models.StatusApproved, Source: "postback"}
			if _, err := conversion.Record(t.Context(), click.Log{}, c, in); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
