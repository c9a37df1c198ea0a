package click

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models/parttest"
)

// runtimeFiles are the edge's script and the files that make it a test server.
var runtimeFiles = [...]string{"../../ops/deploy/edge/*.js", "testdata/edge/entry.js", "testdata/edge/config.capnp"}

// edgeRuntime is the edge's script running in its real runtime.
type edgeRuntime struct {
	url    string
	client *http.Client
}

// startEdge starts the edge's script. bundles is the address of the httptest server from which the script reads its bundles. origin is
// the address of the httptest server that stands for this service. The test is skipped if the runtime cannot be installed.
func startEdge(t *testing.T, bundles, origin string) *edgeRuntime {
	t.Helper()
	program := workerd(t)
	dir := t.TempDir()
	for _, pattern := range runtimeFiles {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no file matches %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = []byte(strings.NewReplacer(`"BUNDLES", http`, `"`+hostOf(t, bundles)+`", http`, `"ORIGIN", http`, `"`+hostOf(t, origin)+`", http`,
				`text = "SECRET"`, `text = "`+hex.EncodeToString(edgeSecret)+`"`).Replace(string(text)))
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	controlRead, controlWrite, err := os.Pipe() // the runtime reports its port on file descriptor 3
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "serve", filepath.Join(dir, "config.capnp"), "--control-fd=3")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stderr, os.Stderr, []*os.File{controlWrite}
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = controlWrite.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = controlRead.Close()
	})
	lines := bufio.NewScanner(controlRead)
	for lines.Scan() {
		var event struct {
			Event string
			Port  json.Number
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		if event.Event == "listen" {
			transport := &http.Transport{MaxIdleConnsPerHost: 16}
			t.Cleanup(transport.CloseIdleConnections)
			return &edgeRuntime{url: "http://127.0.0.1:" + event.Port.String(), client: &http.Client{
				Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			}}
		}
	}
	t.Fatal("the runtime did not start: ", lines.Err())
	return nil
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

var installing sync.Mutex

// workerd returns the path of the runtime's program in the user's cache directory. If the program is missing there, workerd first
// installs the version that testdata names.
func workerd(t *testing.T) string {
	t.Helper()
	parttest.Needs(t, parttest.Edge)
	installing.Lock()
	defer installing.Unlock()
	text, err := os.ReadFile("testdata/edge/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var wanted struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &wanted); err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no directory to install the edge's runtime in: ", err)
	}
	home := filepath.Join(cache, "switchyard", "workerd-"+wanted.Dependencies["workerd"])
	if program, err := installed(home); err == nil {
		return program
	}
	if err := installWorkerd(t, home, text); err != nil {
		t.Skip("the edge's runtime cannot be installed by npm: ", err)
	}
	program, err := installed(home)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// installed returns the program in the directory of an installation.
func installed(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", "@cloudflare", "workerd-*", "bin", "workerd"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d programs in %s", len(found), dir)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

func installWorkerd(t *testing.T, home string, manifest []byte) error {
	t.Helper()
	dir := home + "-" + uuid.NewString() // next to home, so that it can be renamed
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--silent")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(err.Error() + ": " + string(out))
	}
	program, err := installed(dir)
	if err != nil {
		return err
	}
	if err := exec.CommandContext(t.Context(), program, "--version").Run(); err != nil {
		return err // for example because the program needs a newer system
	}
	// Another process may have installed the runtime at the same time.
	if err := os.Rename(dir, home); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, statErr := os.Stat(home); statErr != nil {
			return err
		}
	}
	return nil
}
