// Package runbooks tests that the pages and figures that alerts name exist.
package runbooks

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type alert struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []alert
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "alerts.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 5 {
		t.Fatalf("alerts.yaml has only %d alerts", len(all))
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAlerts: every alert has a summary, a severity and a page, and the page names the alert's figures. README.md lists every
// page.
func TestAlerts(t *testing.T) {
	t.Parallel()
	list := read(t, "README.md")
	seen := map[string]bool{}
	for _, a := range alerts(t) {
		page := a.Annotations["runbook"]
		if seen[a.Alert] || a.Alert == "" || a.Annotations["summary"] == "" || page == "" ||
			!slices.Contains([]string{"warning", "critical"}, a.Labels["severity"]) {
			t.Errorf("the alert %q is incomplete or occurs twice", a.Alert)
		}
		seen[a.Alert] = true
		text := read(t, page)
		for _, name := range figure.FindAllString(a.Expr, -1) {
			if name = suffix.ReplaceAllString(name, ""); !strings.Contains(text, name) {
				t.Errorf("%s does not mention %s, which the alert %s reads", page, name, a.Alert)
			}
		}
	}
	for _, name := range []string{"routing_over_budget_total", "routing_unusable"} {
		if !slices.ContainsFunc(alerts(t), func(a alert) bool { return strings.Contains(a.Expr, "switchyard_"+name) }) {
			t.Errorf("no alert uses %s", name)
		}
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page != "README.md" && !strings.Contains(list, "("+page+")") {
			t.Errorf("%s is not in README.md", page)
		}
	}
}

var (
	figure = regexp.MustCompile(`switchyard_[a-z_]+`)
	suffix = regexp.MustCompile(`_(bucket|count|sum)$`)
	quoted = regexp.MustCompile(`"[a-z_]+"`)
)

// TestFiguresExist: every figure that the pages and alerts name is in the code as a text in quotation marks. In the code, the name
// may lack its first word or its first two words.
func TestFiguresExist(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, name := range quoted.FindAllString(string(text), -1) {
			named[strings.Trim(name, `"`)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "alerts.yaml") {
		for _, name := range figure.FindAllString(read(t, page), -1) {
			name = suffix.ReplaceAllString(name, "")
			_, short, _ := strings.Cut(name, "_")
			_, shorter, _ := strings.Cut(short, "_")
			if !named[name] && !named[short] && !named[shorter] {
				t.Errorf("%s names %s, which the code does not register", page, name)
			}
		}
	}
}
