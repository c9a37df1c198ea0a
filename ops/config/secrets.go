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

// SecretsFile is the file in DATA_DIR with the secrets that the install generated.
const SecretsFile = "secrets.json"

type secrets struct {
	EncryptionKey string `json:"ENCRYPTION_KEY"`
	OpsPassword   string `json:"OPS_PASSWORD"`
}

// EnsureSecrets fills in ENCRYPTION_KEY and OPS_PASSWORD if the environment does not set them. It generates the values once and
// stores them in a file in DATA_DIR that only its owner may read. It is for installs on one machine. Processes on several
// machines must be given the same values.
func (c *Config) EnsureSecrets() error {
	if len(c.EncryptionKey) > 0 && c.OpsPassword != "" {
		return nil
	}
	s, err := readSecrets(filepath.Join(c.DataDir, SecretsFile))
	if err != nil {
		return fmt.Errorf("config: stored secrets: %w", err)
	}
	if len(c.EncryptionKey) == 0 {
		if c.EncryptionKey, err = key(s.EncryptionKey); err != nil {
			return fmt.Errorf("config: %s: ENCRYPTION_KEY %w", SecretsFile, err)
		}
	}
	if c.OpsPassword == "" {
		c.OpsPassword = s.OpsPassword
	}
	return nil
}

// If two processes create the file at the same time, both read the file that was created first.
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // only the file in it is secret
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), SecretsFile+"-") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	_, err = temporary.Write(text)
	if err := errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err := os.Link(temporary.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
