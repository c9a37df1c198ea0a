package browser

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"switchyard/models/parttest"
)

// TestDashboardModules runs, in a browser, the tests of the dashboard modules that have no screen.
func TestDashboardModules(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	root := "../../../.."
	if _, err := os.Stat(filepath.Join(root, "api/dashboard/web/node_modules")); err != nil {
		t.Skipf("the packages of the dashboard are not installed: %v", err)
	}
	file := filepath.Join(t.TempDir(), "tests.js")
	bundle := exec.CommandContext(t.Context(), "go", "run", "./api/dashboard/bundle", "--tests", file)
	bundle.Dir = root
	if out, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Ran      int
		Failures []string
	}
	module := "data:text/javascript;base64," + base64.StdEncoding.EncodeToString(text)
	got := openPage(t).await(`import("` + module + `").then(m => JSON.stringify({ran: m.ran, failures: m.failures}))`)
	if err := json.Unmarshal([]byte(got), &found); err != nil {
		t.Fatal(got, err)
	}
	if found.Ran < 15 {
		t.Errorf("only %d tests ran, want at least 15", found.Ran)
	}
	for _, failure := range found.Failures {
		t.Error(failure)
	}
}
