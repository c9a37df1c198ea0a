package floorplan

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// TestRepository checks the repository against the plan.
func TestRepository(t *testing.T) {
	t.Parallel()
	files, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d Go files found, the root is wrong", len(files))
	}
	for _, breach := range Check(files) {
		t.Error(breach)
	}
	for _, breach := range CheckTop(topNames(t)) {
		t.Error(breach)
	}
}

// topNames returns the names at the root that git tracks. Without a git checkout, it returns all names except the build output.
func topNames(t *testing.T) []string {
	t.Helper()
	var names []string
	out, err := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "-C", root, "ls-files").Output()
	if err == nil && len(out) > 0 {
		for line := range strings.Lines(string(out)) {
			names = append(names, floor(strings.TrimSpace(line)))
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "bin" {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestCheck: each kind of forbidden import is reported, and allowed imports are not.
func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		gin = "github.com/gin-gonic/gin"
		rds = "github.com/redis/go-redis/v9"
	)
	tests := []struct {
		file, imported string
		want           string // empty: allowed
	}{
		{"cmd/switchyard/cli/web.go", "switchyard/api/v1", ""},
		{"api/v1/offers.go", "switchyard/db/store", ""},
		{"api/v1/offers.go", "switchyard/api/route", ""},
		{"workers/webhook/send.go", "switchyard/jobs", ""},
		{"db/store/offers.go", "switchyard/models", ""},
		{"models/flow/pick.go", "switchyard/models/cond", ""},
		{"api/v1/offers.go", "switchyard/workers/webhook", "api must not import workers/webhook"},
		{"api/v1/offers_test.go", "switchyard/ops/devstack", "api must not import ops/devstack"},
		{"workers/webhook/send.go", "switchyard/api/route", "workers must not import api/route"},
		{"ops/admin/keys.go", "switchyard/api/route", "ops must not import api/route"},
		{"db/store/offers.go", "switchyard/jobs", "db must not import jobs"},
		{"jobs/submit.go", "switchyard/db", "jobs must not import db"},
		{"jobs/submit.go", "switchyard/cmd/switchyard", "jobs must not import cmd/switchyard"},
		{"models/offer.go", "switchyard/db", "models must not import db"},
		{"cmd/switchyard/main.go", "switchyard/cmd/switchyard/cli", ""},
		{"cmd/lab/main.go", "switchyard/cmd/switchyard/cli", "cmd must not import cmd/switchyard/cli"},
		{"api/v1/offers.go", "switchyard/tools/x", "api must not import tools/x"},

		{"api/route/router.go", gin, ""},
		{"ops/monitor/pages.go", gin, ""},
		{"db/store/offers.go", gin + "/binding", "gin belongs in api, ops only"},
		{"cmd/switchyard/cli/web.go", gin, "gin belongs in api, ops only"},
		{"workers/serve.go", "github.com/hibiken/asynq", ""},
		{"api/v1/jobs.go", "github.com/hibiken/asynq", "asynq belongs in jobs, workers, ops only"},
		{"jobs/jobs.go", "github.com/hibiken/asynqmon", "asynqmon belongs in ops only"},
		{"db/db.go", "github.com/jmoiron/sqlx", ""},
		{"ops/admin/keys.go", "github.com/jmoiron/sqlx", "sqlx belongs in db only"},
		{"workers/retention/run.go", "github.com/lib/pq/pqerror", "pq belongs in db only"},
		{"jobs/jobs.go", rds, ""},
		{"db/kv/rate.go", rds, ""},
		{"api/middleware/rate.go", rds, "go-redis belongs in db, jobs only"},
		{"ops/config/config.go", "github.com/alecthomas/kong", "kong belongs in cmd only"},
		{"api/v1/offers.go", gin + "nery", ""},
		{"api/dashboard/bundle/main.go", "github.com/evanw/esbuild/pkg/api", ""},
		{"api/dashboard/pages.go", "github.com/evanw/esbuild/pkg/api", "esbuild belongs in api/dashboard/bundle, api/click/tag only"},

		{"api/mcp/mcp.go", "github.com/modelcontextprotocol/go-sdk/mcp", ""},
		{"api/v1/offers.go", "github.com/modelcontextprotocol/go-sdk/mcp", "go-sdk belongs in api/assistants, api/mcp, ops/lab/e2e only"},

		{"models/offer.go", "net/netip", ""},
		{"models/offer.go", "net/http", "must not import net/http"},
		{"models/offer.go", "os", "must not import os"},
		{"models/offer_test.go", "os", ""},
		{"models/longtest/longtest.go", "os", ""},

		{"cmd/lab/bench.go", "switchyard/ops/lab/bench", ""},
		{"ops/lab/bench/bench.go", "switchyard/ops/lab/fleet", ""},
		{"cmd/switchyard/cli/replica_test.go", "switchyard/ops/lab/e2e", ""},
		{"ops/lab/e2e/api/edge_test.go", "switchyard/cmd/switchyard/cli", ""},
		{"ops/lab/e2e/service.go", "switchyard/api/apitest", ""},
		{"ops/lab/bench/bench.go", "switchyard/api/apitest", "ops must not import api/apitest"},
		{"cmd/switchyard/cli/bench.go", "switchyard/ops/lab/bench", "the service must not import ops/lab/bench"},
		{"ops/demo/traffic.go", "switchyard/ops/lab", "the service must not import ops/lab"},

		{"workers/webhook/send.go", "switchyard/workers/egress", ""},
		{"workers/domain/dns.go", "switchyard/workers/providers/dns", ""},
		{"workers/all.go", "switchyard/workers/webhook", ""},
		{"workers/webhook/send.go", "switchyard/workers", ""},
		{"workers/webhook/sign/x.go", "switchyard/workers/webhook", ""},
		{"workers/webhook/send.go", "switchyard/workers/retention", "workers/webhook must not import workers/retention"},
		{"workers/egress/client.go", "switchyard/workers/retention", "workers/egress must not import workers/retention"},
	}
	for _, tt := range tests {
		t.Run(tt.file+" "+tt.imported, func(t *testing.T) {
			t.Parallel()
			got := Check([]File{{Path: tt.file, Imports: []string{"fmt", tt.imported}, Lines: MaxLines - 1}})
			if tt.want == "" {
				if len(got) > 0 {
					t.Errorf("an allowed import is refused: %q", got)
				}
				return
			}
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.file+": ") || !strings.Contains(got[0], tt.want) {
				t.Errorf("got %q, want %q once", got, tt.want)
			}
		})
	}
}

func TestCheckLength(t *testing.T) {
	t.Parallel()
	files := []File{
		{Path: "db/short.go", Lines: MaxLines - 1},
		{Path: "db/long.go", Lines: MaxLines},
		{Path: "db/long_test.go", Lines: 2 * MaxLines},
		{Path: "api/clients/go/api.gen.go", Lines: 2 * MaxLines},
	}
	got := Check(files)
	if len(got) != 1 || !strings.HasPrefix(got[0], "db/long.go: 600 lines") {
		t.Errorf("got %q, want db/long.go alone", got)
	}
}

// TestPackageLength checks the length of every package of the repository.
func TestPackageLength(t *testing.T) {
	t.Parallel()
	files, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, breach := range CheckPackages(files) {
		t.Error(breach)
	}
}

func TestCheckPackages(t *testing.T) {
	t.Parallel()
	files := []File{
		{Path: "db/short/a.go", Lines: MaxPackageLines - 1},
		{Path: "db/short/a_test.go", Lines: MaxPackageLines},
		{Path: "db/short/a.gen.go", Lines: MaxPackageLines},
		{Path: "db/short/below/a.go", Lines: 1},
		{Path: "db/long/a.go", Lines: MaxPackageLines - 1},
		{Path: "db/long/b.go", Lines: 1},
	}
	got := CheckPackages(files)
	if len(got) != 1 || !strings.HasPrefix(got[0], "db/long: the package has 8000 lines") {
		t.Errorf("got %q, want db/long alone", got)
	}
}

func TestCheckTop(t *testing.T) {
	t.Parallel()
	got := CheckTop([]string{"api", ".gitignore", "go.mod", "pkg", "docker-compose.yml"})
	if len(got) != 2 || !strings.HasPrefix(got[0], "pkg: ") || !strings.HasPrefix(got[1], "docker-compose.yml: ") {
		t.Errorf("got %q, want pkg and docker-compose.yml", got)
	}
}

// TestRead checks which files are read and which are left out.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"api/a.go":              "package a\n\nimport (\n\t\"fmt\"\n\tx \"switchyard/db\"\n)\n\nvar _ = x.Y\n",
		"api/testdata/b.go":     "not Go",
		".data/c.go":            "not Go",
		"bin/d.go":              "not Go",
		"ops/tools/go.mod":      "module tools\n",
		"ops/tools/tools.go":    "not Go",
		"ops/notes.txt":         "text",
		"ops/floorplan/e.go":    "package e\n",
		"models/flow/f_test.go": "package f\n",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	if want := []string{"api/a.go", "models/flow/f_test.go", "ops/floorplan/e.go"}; !slices.Equal(paths, want) {
		t.Errorf("read %v, want %v", paths, want)
	}
	if want := []string{"fmt", "switchyard/db"}; !slices.Equal(files[0].Imports, want) || files[0].Lines != 8 {
		t.Errorf("read %+v, want imports %v and 8 lines", files[0], want)
	}
}
