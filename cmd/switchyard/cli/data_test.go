package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/db/store"
)

// TestData: `data update` loads either all the lists in its files or none.
func TestData(t *testing.T) {
	t.Parallel()
	_, url := dbtest.NewURL(t)
	vars := map[string]string{"DATABASE_URL": url}
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		return path
	}
	listed := func() map[string]store.BotDataList {
		t.Helper()
		stdout, stderr, code := try(t, vars, "data", "list", "--json")
		var list []store.BotDataList
		if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 {
			t.Fatalf("data list ended with code %d, want 0 and a JSON list: %s: %v", code, stderr, err)
		}
		out := map[string]store.BotDataList{}
		for _, l := range list {
			out[l.Kind] = l
		}
		return out
	}
	tor, aws := file("tor-exits.txt", "192.0.2.1\n192.0.2.2\n"), file("ip-ranges.json", `{"createDate":"2026-10-02-13-14-15","prefixes":[{"ip_prefix":"192.0.2.0/24"}]}`)
	own, bad := file("own.txt", "198.51.100.0/24\n203.0.113.9\n192.0.2.0/24"), file("spam_ip.txt", "192.0.2.1\nsomebody\n192.0.2.300\n")
	pipe := filepath.Join(dir, "tor-pipe.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		code   int
		stderr []string
	}{
		{[]string{"update", tor, bad}, 1, []string{"nothing is loaded", bad + ":2: \"somebody\"", bad + ":3: \"192.0.2.300\""}},
		{[]string{"update", own}, 1, []string{own + ": the name does not begin with a kind", "--kind tor, vpn"}},
		{[]string{"update", filepath.Join(dir, "tor-none.txt")}, 1, []string{"no such file"}},
		{[]string{"update", own, "--kind", "fun"}, 2, []string{"must be one of"}},
		{[]string{"delete", "tor"}, 1, []string{"no such list"}},
		{[]string{"update", dir, "--kind", "tor"}, 1, []string{dir + " is no regular file"}},
		{[]string{"update", file("spam-referrers.txt", "google.com\n")}, 1, []string{"google.com: people come from there"}},
		{[]string{"update", pipe}, 1, []string{pipe + " is no regular file"}},
	} {
		_, stderr, code := try(t, vars, append([]string{"data"}, c.args...)...)
		for _, want := range c.stderr {
			if code != c.code || !strings.Contains(stderr, want) {
				t.Errorf("data %v ended with code %d, want %d and a message with %q: %s", c.args, code, c.code, want, stderr)
			}
		}
	}
	if n := len(listed()); n != 0 {
		t.Fatalf("%d lists are loaded after refused updates", n)
	}
	for _, args := range [][]string{{tor, aws}, {own, aws, "--kind", "datacenter"}} {
		if _, stderr, code := try(t, vars, append([]string{"data", "update"}, args...)...); code != 0 {
			t.Fatalf("data update %v ended with code %d, want 0: %s", args, code, stderr)
		}
	}
	got := listed()
	if l := got["tor"]; len(got) != 2 || l.Entries != 2 || l.Dated.Format(time.DateOnly) != "2026-03-04" || time.Since(l.LoadedAt) > time.Hour {
		t.Errorf("the loaded lists are %+v, want two, tor with two entries of 2026-03-04", got)
	}
	if l := got["datacenter"]; l.Entries != 3 || l.Dated.Format(time.DateOnly) != "2026-03-04" {
		t.Errorf("the list of data centres is %+v, want 3 entries and the older date of the two files", l)
	}
	stdout, _, code := try(t, vars, "data", "delete", "tor")
	if code != 0 || strings.Contains(stdout, "\ntor") || !strings.Contains(stdout, "crawlerdetect") || len(listed()) != 1 {
		t.Errorf("data delete ended with code %d, want 0 and a list without tor: %s", code, stdout)
	}
	if _, stderr, code := try(t, vars, "data", "update", "--force", file("spam-referrers.txt", "google.com\n")); code != 0 ||
		!strings.Contains(stderr, "accepted because of --force") || listed()["bad_referrer"].Entries != 1 {
		t.Errorf("update with --force ended with code %d, want 0, a message that names --force, and the new list: %s", code, stderr)
	}
}
