package openapi_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/db/store"
	"switchyard/models/parttest"
)

// env is a directory with the OpenAPI document, in which clients are generated from the document.
type env struct {
	t      *testing.T
	dir    string
	server *apitest.Server
}

// newEnv starts a server with a campaign. It copies the sources of a client from testdata and writes the served document next to
// them.
func newEnv(t *testing.T, from string) env {
	t.Helper()
	w := env{t, t.TempDir(), apitest.New(t)}
	if err := store.EnsureSharedDomains(t.Context(), w.server.DB, []string{"links.example.com"}); err != nil {
		t.Fatal(err)
	}
	w.server.Do(http.MethodPost, "/campaigns", map[string]any{
		"name": "Spring", "alias": "spring-sale",
		"streams": []any{map[string]any{"action": "redirect", "destinations": []any{map[string]any{"url": "https://shop.example"}}}},
	}).Want(201, "")
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("testdata", "clients", from))); err != nil {
		t.Fatal(err)
	}
	document := w.server.As("").Do(http.MethodGet, "/openapi.json", nil)
	if err := os.WriteFile(filepath.Join(w.dir, "openapi.json"), document.Raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w env) run(name string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	var printed bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.dir, &printed, &printed
	cmd.Env = append(os.Environ(), "BASE_URL="+w.server.URL, "API_KEY="+w.server.Key, "GOFLAGS=-mod=mod", "NO_COLOR=1",
		"REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s %s: %v\n%.4000s", name, strings.Join(args, " "), err, printed.String())
	}
	return printed.String()
}

// TestGoClient: oapi-codegen generates a client from the document. The client compiles unchanged and lists campaigns.
func TestGoClient(t *testing.T) {
	parttest.Clients.Only(t)
	t.Parallel()
	w := newEnv(t, "go")
	if err := os.Rename(filepath.Join(w.dir, "main.go.txt"), filepath.Join(w.dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	tools, err := filepath.Abs(filepath.Join("..", "..", "ops", "tools", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	generator := filepath.Join(w.dir, "generator")
	build := exec.CommandContext(t.Context(), "go", "build", "-modfile="+tools, "-o", generator,
		"github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("oapi-codegen: %v\n%s", err, out)
	}
	w.run(generator, "-config", "config.yaml", "openapi.json")
	if got := w.run("go", "run", "."); !strings.Contains(got, "Spring 0\n") {
		t.Errorf("the client prints\n%swant the campaign Spring with 0 clicks", got)
	}
}

// TestTypeScriptClient: openapi-typescript generates types from the document. They compile unchanged, and a client can use them.
// The client in api/clients/ts works too. Redocly's linter finds no error in the document.
func TestTypeScriptClient(t *testing.T) {
	parttest.Clients.Only(t)
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	version, err := exec.CommandContext(t.Context(), "node", "--version").Output()
	if major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), "."); err != nil || len(major) < 2 || major < "20" {
		t.Skipf("node is %s, and openapi-typescript and redocly need 20", version)
	}
	w := newEnv(t, "npm")
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	install.Dir = w.dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install here: %v\n%s", err, out)
	}
	bin := func(name string) string { return filepath.Join(w.dir, "node_modules", ".bin", name) }
	w.run(bin("openapi-typescript"), "openapi.json", "-o", "api.ts")
	if err := os.CopyFS(filepath.Join(w.dir, "kept"), os.DirFS(filepath.Join("..", "clients", "ts"))); err != nil {
		t.Fatal(err)
	}
	webhook, err := os.ReadFile(filepath.Join("..", "..", "ops", "lab", "e2e", "api", "testdata", "webhook.txt"))
	if err == nil {
		err = os.WriteFile(filepath.Join(w.dir, "webhook.txt"), webhook, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.run(bin("tsc"), "-p", ".")
	if got := w.run("node", "list.js"); !strings.Contains(got, "Spring 0\n") || !strings.Contains(got, "By TypeScript 0\n") {
		t.Errorf("the client prints\n%swant the campaigns Spring and By TypeScript with 0 clicks", got)
	}
	if got := w.run("node", "kept.js"); got != "By TypeScript\nSpring\ninvalid_id\nconversion.created\nrefused\n" {
		t.Errorf("the client in api/clients/ts prints other lines than expected:\n%s", got)
	}
	w.run(bin("redocly"), "lint", "openapi.json", "--format", "stylish")
}
