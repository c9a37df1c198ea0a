package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"switchyard/ops/config"
)

// TestEnsureSecrets checks that processes that start at the same time get the same secrets. A later start gets them too, except for
// a secret that is already set.
func TestEnsureSecrets(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	made := make([]config.Config, 8)
	var all sync.WaitGroup
	for i := range made {
		made[i].DataDir = dir
		all.Go(func() {
			if err := made[i].EnsureSecrets(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, c := range made {
		if len(c.EncryptionKey) != 32 || len(c.OpsPassword) < 20 || c.OpsPassword != made[0].OpsPassword ||
			!bytes.Equal(c.EncryptionKey, made[0].EncryptionKey) {
			t.Errorf("the key has %d bytes, the password has %d characters, or they differ from those of the first process", len(c.EncryptionKey), len(c.OpsPassword))
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("the directory has %d files, want only the secrets: %v", len(files), err)
	}
	info, err := files[0].Info()
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the secrets has the mode %v, want 0600", info.Mode())
	}
	given := config.Config{DataDir: dir, EncryptionKey: []byte(strings.Repeat("k", 32))}
	if err := given.EnsureSecrets(); err != nil || given.EncryptionKey[0] != 'k' || given.OpsPassword != made[0].OpsPassword {
		t.Errorf("the key is %q, want the set key; the stored password is used: %t, want true; error %v", given.EncryptionKey, given.OpsPassword == made[0].OpsPassword, err)
	}
}
