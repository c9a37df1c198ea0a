package parttest_test

import (
	"testing"

	"switchyard/models/parttest"
)

type recorder struct {
	testing.TB
	name            string
	skipped, failed bool
}

func (r *recorder) Name() string          { return r.name }
func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.skipped = true }
func (r *recorder) Skipf(string, ...any)  { r.skipped = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

// TestParts checks which tests run. A test of a part runs only with that part, and its plain subtests run only without a part. With
// parttest.All, both run.
func TestParts(t *testing.T) {
	tests := []struct {
		running                       string
		only, also, plain, undeclared string
	}{
		{"", "skipped", "skipped", "runs", "failed"},
		{"faults", "runs", "runs", "skipped", "failed"},
		{"edge", "skipped", "skipped", "skipped", "failed"},
		{parttest.All, "runs", "runs", "runs", "failed"},
	}
	for _, tt := range tests {
		t.Setenv(parttest.Variable, tt.running)
		fate := func(name string, do func(r *recorder)) string {
			r := &recorder{TB: t, name: name}
			do(r)
			switch {
			case r.failed:
				return "failed"
			case r.skipped:
				return "skipped"
			}
			return "runs"
		}
		for _, c := range []struct{ what, got, want string }{
			{"Only", fate("TestOnly", func(r *recorder) { parttest.Faults.Only(r) }), tt.only},
			{"Also and a fixture", fate("TestAlso/sub", func(r *recorder) {
				parttest.Faults.Also(r)
				parttest.Needs(r, parttest.Edge, parttest.Faults)
			}), tt.also},
			{"Plain", fate("TestAlso/plain", func(r *recorder) { parttest.Plain(r) }), tt.plain},
			{"a fixture without a part", fate("TestNone", func(r *recorder) { parttest.Needs(r, parttest.Parts...) }), tt.undeclared},
		} {
			if c.got != c.want {
				t.Errorf("while %q runs, %s %s, want %s", tt.running, c.what, c.got, c.want)
			}
		}
	}
}
