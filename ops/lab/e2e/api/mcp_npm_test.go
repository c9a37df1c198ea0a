package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models/parttest"
)

// scenarios lists the scenarios of the official conformance tests that apply to every server. The others of version 0.1.13 are left
// out, because they need something that this server does not have:
//
//   - tools-call-*, json-schema-2020-12, elicitation-*, resources-read-*, resources-templates-read and prompts-get-* call tools,
//     resources and prompts of the suite's own example server, such as test_simple_text;
//   - server-sse-polling and server-sse-multiple-streams need sessions and event streams. Each answer here is one JSON document;
//   - logging-set-level, completion-complete, resources-subscribe and resources-unsubscribe test optional capabilities, which this
//     server does not announce.
//
// Later versions of the tests need Node.js 22.
var scenarios = []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"}

// The test is skipped if Node.js is missing or older than 20, or if npm is missing or cannot install the packages.
func npmPrograms(t *testing.T) (dir string) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	version, err := exec.CommandContext(t.Context(), "node", "--version").Output()
	if major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), "."); err != nil || len(major) < 2 || major < "20" {
		t.Skipf("node is %s, and the conformance tests need 20", version)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/npm")); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install here: %v\n%s", err, out)
	}
	return dir
}

func runNode(t *testing.T, dir string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", args...)
	var out, failure bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &failure
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	err := cmd.Run()
	if err != nil {
		out.Write(failure.Bytes())
	}
	return out.Bytes(), err
}

// TestMCPPrograms connects programs from npm to /mcp: the official conformance tests of the protocol, and the official client.
func TestMCPPrograms(t *testing.T) {
	parttest.Clients.Only(t)
	t.Parallel()
	dir := npmPrograms(t)
	x := newMCP(t)
	t.Run("conformance", func(t *testing.T) {
		t.Parallel()
		address := withKey(t, x.Server)
		for _, name := range scenarios {
			out, err := runNode(t, dir, filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
				"server", "--url", address+"/mcp", "--scenario", name)
			if err != nil {
				t.Errorf("%s: %v\n%.4000s", name, err, out)
			}
		}
	})
	t.Run("full key", func(t *testing.T) {
		t.Parallel()
		got := runNPMClient(t, x, dir, x.Key)
		if !slices.Contains(got.names(), "set_active") || !strings.Contains(got.Refused, "not_found") {
			t.Errorf("tools %v, and pausing a campaign that does not exist is answered with %q", got.names(), got.Refused)
		}
	})
	t.Run("read-only key", func(t *testing.T) {
		t.Parallel()
		got := runNPMClient(t, x, dir, x.ReadKey)
		for _, listed := range got.Tools {
			if !listed.Annotations.ReadOnlyHint {
				t.Errorf("a read-only key is offered %s", listed.Name)
			}
		}
		if !strings.Contains(got.Refused, "set_active") {
			t.Errorf("pausing a campaign is answered with %q", got.Refused)
		}
	})
}

type npmAnswer struct {
	Server string `json:"server"`
	Tools  []struct {
		Name        string `json:"name"`
		Annotations struct {
			ReadOnlyHint bool `json:"readOnlyHint"`
		} `json:"annotations"`
	} `json:"tools"`
	Report  object `json:"report"`
	IsError bool   `json:"isError"`
	Refused string `json:"refused"`
}

func (a npmAnswer) names() (out []string) {
	for _, listed := range a.Tools {
		out = append(out, listed.Name)
	}
	return out
}

func runNPMClient(t *testing.T, x *exampleEnv, dir, key string) (got npmAnswer) {
	t.Helper()
	out, err := runNode(t, dir, "client.js", x.URL+"/mcp", key, x.today.AddDate(0, 0, -30).Format(time.DateOnly))
	if err == nil {
		err = json.Unmarshal(out, &got)
	}
	if err != nil {
		t.Fatalf("%v\n%.4000s", err, out)
	}
	clicks := dbtest.Get[string](t, x.DB, `SELECT count(*)::text FROM clicks WHERE account_id = $1 AND NOT is_bot`, x.Account.ID)
	totals, _ := got.Report["totals"].(map[string]any)
	if got.Server != "switchyard" || got.IsError || len(got.Tools) < 10 || totals["clicks"] != clicks || clicks == "0" {
		t.Errorf("the server %q with %d tools reports %v, and the rows have %s clicks", got.Server, len(got.Tools), got.Report, clicks)
	}
	return got
}

// withKey starts a proxy that adds the key to each request, because the conformance tests cannot send one.
func withKey(t *testing.T, s *apitest.Server) (address string) {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+s.Key)
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL
}
