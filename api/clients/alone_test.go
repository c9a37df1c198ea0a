package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientsStandAlone: a client imports nothing of the service.
func TestClientsStandAlone(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"go/*.go", "ts/*.ts"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s matches %d files, want at least one, error %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") && (strings.Contains(string(text), `"switchyard/`) || strings.Contains(string(text), `from "..`)) {
				t.Errorf("%s imports packages of the service", file)
			}
		}
	}
}
