package chdb

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed package.json
var manifest []byte

const library = "@chdb/lib-linux-x64-gnu"

// installTimeout allows for a download of half a gigabyte over a slow connection.
const installTimeout = 10 * time.Minute

// Install returns the path of the engine's library in the user's cache, and installs the library there if it is missing. Before
// an installation it writes a line to out.
func Install(ctx context.Context, out io.Writer) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("chdb: there is no library for %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	var wanted struct{ Dependencies map[string]string }
	if err := json.Unmarshal(manifest, &wanted); err != nil {
		return "", fmt.Errorf("chdb: package.json: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("chdb: no directory to install in: %w", err)
	}
	home := filepath.Join(cache, "switchyard", "chdb-"+wanted.Dependencies[library])
	file := filepath.Join(home, "node_modules", filepath.FromSlash(library), "libchdb.so")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	_, _ = fmt.Fprintln(out, "  installing the library of ClickHouse with npm (half a gigabyte)")
	if err := install(ctx, home); err != nil {
		return "", fmt.Errorf("chdb: install %s by npm: %w", library, err)
	}
	_, err = os.Stat(file)
	return file, err
}

// install fills a directory next to home and renames it to home, so that home is either complete or missing.
func install(ctx context.Context, home string) error {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	if err := os.MkdirAll(filepath.Dir(home), 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(home), "chdb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // does nothing after the rename
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--silent")
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(text)))
	}
	if err := os.Rename(dir, home); err != nil && !errors.Is(err, os.ErrExist) { // ErrExist: another process was faster
		return err
	}
	return nil
}
