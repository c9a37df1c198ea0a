package config

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// secretsFile is where an install that was given no secrets keeps the ones it made, below DATA_DIR.
const secretsFile = "secrets.json"

// secrets are what "up" makes for itself, by the names of the settings.
type secrets struct {
	EncryptionKey string `json:"ENCRYPTION_KEY"`
	OpsPassword   string `json:"OPS_PASSWORD"`
}

// KeepSecrets fills ENCRYPTION_KEY and OPS_PASSWORD where the environment has none, with values that are made once and
// kept in a file below DATA_DIR that only its owner may read. It is for an install that runs on one machine: process
// types on several machines have to be given the same values.
func (c *Config) KeepSecrets() error {
	if len(c.EncryptionKey) > 0 && c.OpsPassword != "" {
		return nil
	}
	s, err := readSecrets(filepath.Join(c.DataDir, secretsFile))
	if err != nil {
		return fmt.Errorf("config: kept secrets: %w", err)
	}
	if len(c.EncryptionKey) == 0 {
		if err := key(&c.EncryptionKey, s.EncryptionKey); err != nil {
			return fmt.Errorf("config: %s: ENCRYPTION_KEY %w", secretsFile, err)
		}
	}
	if c.OpsPassword == "" {
		c.OpsPassword = s.OpsPassword
	}
	return nil
}

// readSecrets reads the file, or makes it. Of two processes that make it at once, both read the one that was first.
func readSecrets(path string) (secrets, error) {
	var s secrets
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeSecrets(path); err != nil {
			return s, err
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

func makeSecrets(path string) error {
	seed := make([]byte, keyBytes)
	_, _ = rand.Read(seed) // never fails
	text, err := json.MarshalIndent(secrets{hex.EncodeToString(seed), rand.Text()}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // what is secret has a mode of its own
		return err
	}
	whole, err := os.CreateTemp(filepath.Dir(path), secretsFile+"-") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(whole.Name()) }() // linked under its own name by then
	_, err = whole.Write(text)
	if err := errors.Join(err, whole.Sync(), whole.Close()); err != nil {
		return err
	}
	if err := os.Link(whole.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
