package dev

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLoop: a change is built, and the result replaces the running service. If the build fails, the service keeps running. A change
// of a test is not built.
func TestLoop(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var done []string
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	broken := false
	l := &loop{
		root: root, out: io.Discard, stop: func() {},
		build: func(context.Context) error {
			done = append(done, "build")
			if broken {
				return errors.New("does not build")
			}
			return nil
		},
		start: func(context.Context) (func(), error) {
			done = append(done, "start")
			return func() { done = append(done, "stop") }, nil
		},
	}
	rebuildOnce := func() {
		t.Helper()
		if err := l.rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "one")
	rebuildOnce()
	rebuildOnce()
	write("a_test.go", "no part of it")
	rebuildOnce()
	write("a.go", "longer")
	rebuildOnce()
	broken = true
	write("b.sql", "new")
	rebuildOnce()
	rebuildOnce()
	broken = false
	if err := os.Remove(filepath.Join(root, "b.sql")); err != nil {
		t.Fatal(err)
	}
	rebuildOnce()
	l.stop()
	want := []string{"build", "start", "build", "stop", "start", "build", "build", "stop", "start", "stop"}
	if !slices.Equal(done, want) {
		t.Errorf("did %v, want %v", done, want)
	}
}
