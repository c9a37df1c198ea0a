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

// canary is the beginning of the secrets that the test sends.
const canary = "canary-4f1d96b2"

// canaryInClear is the name of the network, which the service stores in clear.
const canaryInClear = "bird-4f1d96b2"

// noSecretsInClear searches everything that the service writes for the secrets of postbacks: the files of PostgreSQL including
// its write-ahead log, the files of Redis, the spools, the logs of the processes and the metrics.
func noSecretsInClear(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	clear, encoded := []byte(canary), []byte(hex.EncodeToString([]byte(canary)))
	search := func(where string, text []byte) {
		t.Helper()
		if bytes.Contains(text, clear) || bytes.Contains(text, encoded) {
			t.Errorf("a secret is in %s", where)
		}
	}
	found := false // whether canaryInClear was found, which shows that the search works
	err := filepath.WalkDir(f.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // the servers delete files
		}
		text, err := os.ReadFile(path)
		if err == nil {
			found = found || bytes.Contains(text, []byte(canaryInClear))
			search(path, text)
		}
		return nil
	})
	if err != nil || !found {
		t.Errorf("the search did not find the network's name, which is stored in clear: %v", err)
	}
	search("the metrics", e2e.Metrics(t, f))
}
