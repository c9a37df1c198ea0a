package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"switchyard/models/parttest"
)

// TestFind reads which tests name a part. Subtests, helpers and comments name none.
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
		t.Errorf("found %s in %v", run, packages)
	}
}

// TestEveryPartHasTests reads the repository.
func TestEveryPartHasTests(t *testing.T) {
	t.Parallel()
	for _, part := range parttest.Parts {
		if tests, err := find("../../..", part); err != nil || len(tests) == 0 {
			t.Errorf("%s: %d tests, %v", part, len(tests), err)
		}
	}
}

// TestChoose: "e2e" is every part but make test, and a part that does not exist is refused.
func TestChoose(t *testing.T) {
	t.Parallel()
	all, err := choose([]string{"e2e"})
	if err != nil || len(all) != len(parttest.Parts)+1 || slices.Contains(all, plain) || !slices.Contains(all, race) {
		t.Errorf("e2e is %v, %v", all, err)
	}
	if got, err := choose([]string{"test", "browser"}); err != nil || !slices.Equal(got, []string{"test", "browser"}) {
		t.Errorf("chosen are %v, %v", got, err)
	}
	for _, args := range [][]string{nil, {"all"}, {"browser", "edges"}} {
		if got, err := choose(args); err == nil {
			t.Errorf("%v chooses %v", args, got)
		}
	}
}

// TestSlowest: the slowest come first, subtests count as their test, and what was skipped is left out.
func TestSlowest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "timing.json")
	var text strings.Builder
	for _, line := range []string{
		`{"Action":"pass","Package":"switchyard/db","Test":"TestQuick","Elapsed":0.5}`,
		`{"Action":"fail","Package":"switchyard/db","Test":"TestSlow","Elapsed":9}`,
		`{"Action":"pass","Package":"switchyard/db","Test":"TestSlow/part","Elapsed":8}`,
		`{"Action":"skip","Package":"switchyard/db","Test":"TestSkipped","Elapsed":7}`,
		`{"Action":"fail","Package":"switchyard/db","Elapsed":9.5}`,
		`{"Action":"pass","Package":"switchyard/api","Elapsed":1}`,
	} {
		text.WriteString(line + "\n")
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printSlowest(&out, path); err != nil {
		t.Fatal(err)
	}
	const want = `
slowest packages:
     9.5 s  db
     1.0 s  api

slowest tests:
     9.0 s  db TestSlow
     0.5 s  db TestQuick
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
