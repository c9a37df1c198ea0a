package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/jobs/jobstest"
)

// TestJobsCommandMistakes: a mistake gives an exit code and one line on standard error that says what to do. Only the
// requeue of an unknown id has an answer on standard output: an empty list.
func TestJobsCommandMistakes(t *testing.T) {
	t.Parallel()
	_, migrated := dbtest.NewURL(t)
	old, behind := dbtest.NewURL(t)
	dbtest.Exec(t, old, `DELETE FROM goose_db_version WHERE version_id = 4`)
	queues, unknown, dir := jobstest.RedisURL(t), uuid.NewString(), t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // servers started by root run as another user
		t.Fatal(err)
	}
	const nowhere = "127.0.0.1:1"
	for name, c := range map[string]struct {
		database, redis string
		args            []string
		stdout, stderr  string
	}{
		"no postgres":       {"postgres://u:secret@" + nowhere + "/d", queues, []string{"list"}, "", "DATABASE_URL right?"},
		"not migrated":      {behind, queues, []string{"list"}, "", "run `switchyard migrate`"},
		"no redis":          {migrated, "redis://:secret@" + nowhere, []string{"list"}, "", "REDIS_URL right?"},
		"REDIS_URL not set": {migrated, "", []string{"list"}, "", "REDIS_URL is not set"},
		"unknown id": {
			migrated, queues,
			[]string{"requeue", unknown},
			`{"requeued":[]}`,
			"nothing to run for " + unknown + ": unknown, done, or being done; `switchyard jobs list`",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vars := map[string]string{"DATABASE_URL": c.database, "REDIS_URL": c.redis, "DATA_DIR": dir}
			stdout, stderr, code := try(t, vars, append([]string{"jobs"}, append(c.args, "--json")...)...)
			if code != 1 || !strings.Contains(stderr, c.stderr) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("code %d, stderr\n%s\nwant 1 and one line with %s", code, stderr, c.stderr)
			}
			if strings.Join(strings.Fields(stdout), "") != c.stdout || strings.Contains(stderr, "secret") {
				t.Errorf("standard output is %q, want %q, and no secret on standard error: %q", stdout, c.stdout, stderr)
			}
		})
	}
	t.Cleanup(func() {
		for _, server := range []string{"postgres", "redis"} {
			if _, err := os.Stat(filepath.Join(dir, "servers", server)); err == nil {
				t.Errorf("the command made a private %s, want no server", server)
			}
		}
	})
}
