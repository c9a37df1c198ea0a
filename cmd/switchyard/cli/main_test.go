package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"switchyard/ops/lab/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, Main, nil, nil) }

func try(t *testing.T, vars map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	e := &env{getenv: func(name string) string { return vars[name] }, stdout: &out, stderr: &errs}
	code = exitCode(&errs, run(t.Context(), e, args))
	return out.String(), errs.String(), code
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		vars           map[string]string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"no arguments", nil, nil, 0, "Usage: switchyard <command>", ""},
		{"help of a command", nil, []string{"config", "--help"}, 0, "--json", ""},
		{"unknown command", nil, []string{"fly"}, 2, "", "switchyard --help"},
		{"unknown flag", nil, []string{"config", "--fly"}, 2, "", "switchyard COMMAND --help"},
		{"settings", nil, []string{"config"}, 0, "PORT", ""},
		{"wrong settings", map[string]string{"PORT": "x", "LOG_LEVEL": "y"}, []string{"config"}, 1, "PORT", "LOG_LEVEL"},
		{"no geo databases set", nil, []string{"geo", "status"}, 0, "GEO_CITY_DB       not set", "set GEO_CITY_DB"},
		{"a file that is no geo database", map[string]string{"GEO_CITY_DB": "main_test.go"}, []string{"geo", "status"}, 1, "unreadable", "MaxMind format"},
		{"version", nil, []string{"version"}, 0, "switchyard ", ""},
		{"unknown queue", nil, []string{"jobs", "list", "--queue", "fly"}, 2, "", "interactive, webhooks, postbacks, conversions"},
		{"unknown kind", nil, []string{"jobs", "requeue", "--all", "--kind", "fly"}, 2, "", "webhook:deliver"},
		{"demo without visitors", nil, []string{"demo", "--clicks=0"}, 2, "", "--clicks must be 1 or more"},
		{"exec without a program", nil, []string{"devstack", "exec", "--"}, 2, "", "exec -- PROGRAM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := try(t, tt.vars, tt.args...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("code %d\nstdout %s\nstderr %s\nwant %d, %q, %q", code, stdout, stderr, tt.code, tt.stdout, tt.stderr)
			}
		})
	}
}

// TestJSON: --json prints one JSON value.
func TestJSON(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"config", "--json"}, {"version", "--json"}} {
		stdout, stderr, code := try(t, map[string]string{"OPS_PASSWORD": "not to be seen"}, args...)
		if code != 0 || stderr != "" || !json.Valid([]byte(stdout)) {
			t.Errorf("%v ended with code %d and the message %q, want 0, no message and one JSON value:\n%s", args, code, stderr, stdout)
		}
		if strings.Contains(stdout, "not to be seen") {
			t.Errorf("%v prints the password in OPS_PASSWORD", args)
		}
	}
}

// TestExec: devstack exec runs a program, starts no servers if the environment names them, and exits with the program's code.
func TestExec(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // servers started by root run as another user
		t.Fatal(err)
	}
	vars := map[string]string{"DATA_DIR": dir, "DATABASE_URL": "postgres://h/d", "REDIS_URL": "redis://h"}
	stdout, stderr, code := try(t, vars, "devstack", "exec", "--", "sh", "-c", "echo out; exit 7")
	if stdout != "out\n" || stderr != "" || code != 7 {
		t.Errorf("stdout %q, stderr %q, code %d, want out and 7", stdout, stderr, code)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "servers")); err != nil || len(entries) > 3 {
		t.Errorf("%d files in the servers' directory (%v), want at most 3, because no server was started", len(entries), err)
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		code int
		said string
	}{
		{nil, 0, ""},
		{errors.New("no room"), 1, "switchyard: no room\n"},
		{usageError{errors.New("what?")}, 2, "switchyard: what?\n"},
		{errors.Join(exitError(9)), 9, ""},
	}
	for _, tt := range tests {
		var said bytes.Buffer
		if code := exitCode(&said, tt.err); code != tt.code || said.String() != tt.said {
			t.Errorf("for the error %v the code is %d with the message %q, want %d and %q", tt.err, code, said.String(), tt.code, tt.said)
		}
	}
}

func TestShellQuoted(t *testing.T) {
	t.Parallel()
	if got, want := shellQuoted(`A=b'c d`), `A='b'\''c d'`; got != want {
		t.Errorf("the value is quoted as %s, want %s", got, want)
	}
}
