package deploy

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func expressions(t *testing.T) []string {
	t.Helper()
	var board struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(read(t, "grafana.json"), &board); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			all = append(all, q.Expr)
		}
	}
	if len(all) < 10 {
		t.Fatalf("the board has only %d expressions", len(all))
	}
	return all
}

// TestPrometheusReads checks with promtool that Prometheus can read the alerts, and the expressions of the board.
func TestPrometheusReads(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	var rules strings.Builder
	rules.WriteString("groups:\n- name: board\n  rules:\n")
	for i, expr := range expressions(t) {
		fmt.Fprintf(&rules, "  - record: board:%d\n    expr: %q\n", i, expr)
	}
	board := filepath.Join(t.TempDir(), "board.yaml")
	if err := os.WriteFile(board, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), tool, "check", "rules", board, "../runbooks/alerts.yaml").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

var (
	metric = regexp.MustCompile(`switchyard_[a-z_]+`)
	suffix = regexp.MustCompile(`_(bucket|count|sum)$`)
)

// TestMetricsExist: the code contains the name of every metric that the alerts and the board use.
func TestMetricsExist(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	quoted := regexp.MustCompile(`"(switchyard_)?([a-z_]+)"`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range quoted.FindAllSubmatch(text, -1) {
			names[string(m[2])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(expressions(t), string(read(t, "../runbooks/alerts.yaml"))) {
		for _, name := range metric.FindAllString(text, -1) {
			name = strings.TrimPrefix(suffix.ReplaceAllString(name, ""), "switchyard_")
			if !names[name] && !names[strings.TrimPrefix(name, "spool_")] {
				t.Errorf("there is no metric %s", name)
			}
		}
	}
}
