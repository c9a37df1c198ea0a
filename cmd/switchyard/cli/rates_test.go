package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"switchyard/db/dbtest"
)

// TestRates runs the operator's commands for exchange rates.
func TestRates(t *testing.T) {
	t.Parallel()
	_, url := dbtest.NewURL(t)
	vars := map[string]string{"DATABASE_URL": url}
	file := filepath.Join(t.TempDir(), "rates.csv")
	run := func(want int, args ...string) string {
		t.Helper()
		stdout, stderr, code := try(t, vars, args...)
		if code != want {
			t.Fatalf("%v ended with code %d, want %d: %s", args, code, want, stderr)
		}
		return stdout + stderr
	}
	imported := func(text string, args ...string) (saved struct{ Added, Changed, Kept int }) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := try(t, vars, append([]string{"rates", "import", file, "--json"}, args...)...)
		if code != 0 || json.Unmarshal([]byte(stdout), &saved) != nil {
			t.Fatalf("rates import ended with code %d, want 0 and JSON: %s%s", code, stdout, stderr)
		}
		return saved
	}
	if got := imported("day,currency,rate\n2026-01-02,USD,1.1\n2026-01-05,USD,1.2\n2026-01-05,GBP,0.9\n"); got.Added != 3 {
		t.Errorf("the first import saved %+v, want 3 rates added", got)
	}
	if got := imported("2026-01-05,USD,1.3\n"); got.Kept != 1 || got.Changed != 0 {
		t.Errorf("an import of another rate saved %+v, want the existing rate kept", got)
	}
	if got := imported("2026-01-05,USD,1.3\n2026-01-02,USD,1.1\n", "--replace"); got.Changed != 1 || got.Kept != 1 {
		t.Errorf("an import with --replace saved %+v, want one rate changed and one kept", got)
	}
	var list []rateRow
	if err := json.Unmarshal([]byte(run(0, "rates", "list", "--currency", "usd", "--json")), &list); err != nil ||
		len(list) != 2 || list[0] != (rateRow{"2026-01-05", "USD", "1.3", "file"}) {
		t.Errorf("the listed rates are %+v, want two of USD, the replaced rate first: %v", list, err)
	}
	if got := run(0, "rates", "list", "--from", "2026-01-03", "--limit", "1"); !strings.Contains(got, "GBP") || strings.Contains(got, "USD") {
		t.Errorf("a list with --from and --limit 1 prints %s, want only the rate of GBP", got)
	}
	if err := os.WriteFile(file, []byte("2026-01-05,USD\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(1, "rates", "import", file); !strings.Contains(got, "rates.csv") {
		t.Errorf("the error for a row without a rate does not name the file: %s", got)
	}
	run(2, "rates", "list", "--currency", "gold")
	run(2, "rates", "list", "--limit", "0")
	run(2, "rates", "import", filepath.Join(t.TempDir(), "none.csv"))
}
