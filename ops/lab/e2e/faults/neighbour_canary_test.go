package faults

import (
	"bytes"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// canary is the beginning of the secrets that the attacker sends.
const canary = "canary-4f1d96b2"

// canaryControl is a name that the service stores in clear. Finding it shows that the search works.
const canaryControl = "bird-4f1d96b2"

func noSecretsInClear(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	notWritten(t, f, []string{canary}, canaryControl)
}

// notWritten checks that the service has written none of the texts, neither in clear nor in the hexadecimal form in which
// PostgreSQL shows bytes. It searches all files of the fleet and the metrics. control is a text that the service stores in clear.
func notWritten(t *testing.T, f *fleet.Fleet, texts []string, control string) {
	t.Helper()
	search := func(where string, content []byte) {
		t.Helper()
		content = bytes.ToLower(content)
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) || bytes.Contains(content, []byte(hex.EncodeToString([]byte(text)))) {
				t.Errorf("%q is in %s", text, where)
			}
		}
	}
	found := false
	err := filepath.WalkDir(f.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // the servers delete files
		}
		content, err := os.ReadFile(path)
		if err == nil {
			found = found || bytes.Contains(content, []byte(control))
			search(path, content)
		}
		return nil
	})
	if err != nil || !found {
		t.Errorf("the search did not find %q, which is stored in clear: %v", control, err)
	}
	search("the metrics", e2e.Metrics(t, f))
}
