package main

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestFind: a test belongs to the part that a statement of its own body names.
func TestFind(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a/a_test.go", `package a
func TestOnly(t *testing.T) {
	parttest.Faults.Only(t)
}
func TestAlso(t *testing.T) {
	t.Parallel()
	parttest.Faults.Also(t)
}
func TestOther(t *testing.T) {
	parttest.Edge.Only(t)
}
func TestInside(t *testing.T) {
	t.Run("x", func(t *testing.T) { parttest.Faults.Only(t) }) // parttest.Faults.Only(t)
}
func helper(t *testing.T) { parttest.Faults.Only(t) }
`)
	write("a/a.go", "package a\nfunc TestNotATest(t *testing.T) { parttest.Faults.Only(t) }\n")
	write("a/testdata/x_test.go", "no Go")
	write("b/b_test.go", "package b\nfunc TestAlso(t *testing.T) {\n\tparttest.Faults.Also(t)\n}\n")
	t.Chdir(root)
	tests, err := find(".", parttest.Faults)
	if err != nil {
		t.Fatal(err)
	}
	run, packages := pattern(tests)
	if run != "^(TestAlso|TestOnly)$" || !slices.Equal(packages, []string{"./a", "./b"}) {
		t.Errorf("found %s in %v, want TestAlso and TestOnly in ./a and ./b", run, packages)
	}
}

// TestPartsAreNamedWhereTheyAreFound checks that no helper, subtest or condition names a part. Otherwise make test would skip a
// test that make e2e does not find.
func TestPartsAreNamedWhereTheyAreFound(t *testing.T) {
	t.Parallel()
	found := 0
	for _, part := range parttest.Parts {
		tests, err := find("../../..", part)
		if err != nil {
			t.Fatal(err)
		}
		found += len(tests)
	}
	named := regexp.MustCompile(`(?m)^\s.*\bparttest\.\w+\.(Only|Also)\(`)
	calls := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() && d.Name() == "node_modules":
			return cmp.Or(err, fs.SkipDir)
		case !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "suite_test.go") || strings.HasSuffix(path, "parttest_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		calls += len(named.FindAll(text, -1))
		return err
	})
	if err != nil || calls != found {
		t.Errorf("%d calls name a part, but only %d of them are statements of a test: %v", calls, found, err)
	}
}

// TestMatching: PKGS and RUN choose among the tests of a part as go test would.
func TestMatching(t *testing.T) {
	t.Parallel()
	tests := []found{{"db/spool", "TestKilled"}, {"db/report", "TestMonth"}, {"ops/lab/e2e/faults", "TestKilledWorker"}}
	for _, c := range []struct {
		packages, run string
		want          string
	}{
		{"./...", "", "^(TestKilled|TestKilledWorker|TestMonth)$"},
		{"./db/...", "", "^(TestKilled|TestMonth)$"},
		{"./db/spool ./ops/lab/e2e/faults/", "Killed", "^(TestKilled|TestKilledWorker)$"},
		{"./...", "Month/of_bots", "^(TestMonth)$"},
		{"./d/...", "", "^()$"},
	} {
		got, err := matching(slices.Clone(tests), strings.Fields(c.packages), c.run)
		if run, packages := pattern(got); err != nil || run != c.want || len(packages) != len(got) {
			t.Errorf("%+v: %s in %v, %v", c, run, packages, err)
		}
	}
	if _, err := matching(tests, []string{"./..."}, "("); err == nil {
		t.Error("an invalid regular expression is accepted")
	}
}

// TestAtOnce: at most 32 tests run at the same time, and fewer on a machine with less than four processors.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	for processors, want := range map[int][2]int{1: {1, 2}, 2: {2, 4}, 4: {4, 8}, 8: {8, 4}, 16: {16, 2}, 64: {16, 2}} {
		if packages, tests := atOnce(processors); [2]int{packages, tests} != want {
			t.Errorf("%d processors: %d packages with %d tests each, want %v", processors, packages, tests, want)
		}
	}
}

func TestEveryPartHasTests(t *testing.T) {
	t.Parallel()
	for _, part := range parttest.Parts {
		if tests, err := find("../../..", part); err != nil || len(tests) == 0 {
			t.Errorf("the part %s has %d tests, want at least one: %v", part, len(tests), err)
		}
	}
}

// TestChoose: "e2e" stands for every part except "test", and a part that does not exist is refused.
func TestChoose(t *testing.T) {
	t.Parallel()
	all, err := choose([]string{"e2e"})
	if err != nil || len(all) != len(parttest.Parts)+1 || slices.Contains(all, plain) || !slices.Contains(all, race) {
		t.Errorf("e2e stands for %v, want every part except test: %v", all, err)
	}
	if got, err := choose([]string{"test", "browser"}); err != nil || !slices.Equal(got, []string{"test", "browser"}) {
		t.Errorf("the arguments test and browser choose %v, %v", got, err)
	}
	for _, args := range [][]string{nil, {"all"}, {"browser", "edges"}} {
		if got, err := choose(args); err == nil {
			t.Errorf("%v chooses %v, want an error", args, got)
		}
	}
}

// TestReport: the slowest tests come first, and skipped tests are listed, except tests of other parts. A test that began and did
// not end is an error.
func TestReport(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "timing.json")
	var text strings.Builder
	for _, line := range []string{
		`{"Action":"run","Package":"switchyard/db","Test":"TestQuick"}`,
		`{"Action":"run","Package":"switchyard/db","Test":"TestEndless"}`,
		`{"Action":"run","Package":"switchyard/db","Test":"TestQuick/part"}`,
		`{"Action":"pass","Package":"switchyard/db","Test":"TestQuick","Elapsed":0.5}`,
		`{"Action":"fail","Package":"switchyard/db","Test":"TestSlow","Elapsed":9}`,
		`{"Action":"pass","Package":"switchyard/db","Test":"TestSlow/part","Elapsed":8}`,
		`{"Action":"output","Package":"switchyard/db","Test":"TestSkipped","Output":"    a_test.go:7: there is no named: install bind9\n"}`,
		`{"Action":"output","Package":"switchyard/db","Test":"TestSkipped","Output":"--- SKIP: TestSkipped (7.00s)\n"}`,
		`{"Action":"skip","Package":"switchyard/db","Test":"TestSkipped","Elapsed":7}`,
		`{"Action":"output","Package":"switchyard/db","Test":"TestLater","Output":"--- SKIP: TestLater (0.00s)\n"}`,
		`{"Action":"output","Package":"switchyard/db","Test":"TestLater","Output":"    a_test.go:9: part of make e2e PART=edge\n"}`,
		`{"Action":"skip","Package":"switchyard/db","Test":"TestLater","Elapsed":0}`,
		`{"Action":"fail","Package":"switchyard/db","Elapsed":9.5}`,
		`{"Action":"pass","Package":"switchyard/api","Elapsed":1}`,
	} {
		text.WriteString(line + "\n")
	}
	text.WriteString(`{"Action":"pa`)
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printReport(&out, path); err == nil || err.Error() != "these tests did not end: db TestEndless" {
		t.Errorf("the error is %v, want TestEndless as the test that did not end", err)
	}
	const want = `
slowest packages:
     9.5 s  db
     1.0 s  api

slowest tests:
     9.0 s  db TestSlow
     0.5 s  db TestQuick

skipped:
  db TestSkipped: a_test.go:7: there is no named: install bind9
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
