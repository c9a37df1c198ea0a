package floorplan

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"
)

// homes lists tables that only the SQL of one package may use, and tables that only the SQL of one package may write.
var homes = []struct {
	statement, room string
}{
	{`\b(FROM|INTO|UPDATE|JOIN|TABLE)\s+jobs\b`, "db/jobrow"},
	{`\b(INTO|UPDATE|DELETE FROM)\s+webhook_endpoints\b`, "db/store"},
}

// TestTablesHaveOneHome reads the SQL in the code, except in tests.
func TestTablesHaveOneHome(t *testing.T) {
	t.Parallel()
	files, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range homes {
		statement, atHome := regexp.MustCompile(h.statement), 0
		for _, f := range files {
			if f.isTest() {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, f.Path))
			if err != nil {
				t.Fatal(err)
			}
			found := statement.Find(text)
			switch {
			case found == nil:
			case path.Dir(f.Path) == h.room:
				atHome++
			default:
				t.Errorf("%s: %q belongs in %s only", f.Path, found, h.room)
			}
		}
		if atHome == 0 {
			t.Errorf("%s: the test finds no SQL statement that uses the table, so its search is wrong", h.room)
		}
	}
}
