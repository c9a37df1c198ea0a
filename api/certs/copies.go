package certs

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"switchyard/db/certstore"
)

// A copy is a file named after its host. It holds the version, a line break, and the certificate sealed exactly as in the
// database. A copy that cannot be opened stays where it is: the process may have been started with a wrong ENCRYPTION_KEY while
// PostgreSQL is down, and the copy may be the only one left.

const maxCopy = 1 << 20

func (c *Certificates) readCopies(ctx context.Context) {
	if c.options.Dir == "" {
		return
	}
	if err := os.MkdirAll(c.options.Dir, 0o700); err != nil {
		slog.ErrorContext(ctx, "no copies of certificates are kept: their directory cannot be made", "error", err)
		return
	}
	files, err := os.ReadDir(c.options.Dir)
	if err != nil {
		slog.ErrorContext(ctx, "copies of certificates cannot be read", "error", err)
	}
	var unusable unusable
	for _, f := range files {
		if halfWritten(f.Name()) {
			continue
		}
		s, err := readCopy(c.options.Dir, f)
		if err == nil {
			err = c.install(ctx, s)
		}
		if err != nil {
			unusable.add(f.Name(), err)
		}
	}
	if unusable.count > 0 {
		slog.WarnContext(ctx, "copies of certificates on disk are not usable", "dir", c.options.Dir, "unusable", unusable)
	}
}

// halfWritten reports whether a file is an unfinished copy: a process is writing it now, or died while it wrote it.
func halfWritten(name string) bool { return strings.Contains(name, "~") }

// pruneCopies removes the copies of hosts that no longer have a certificate.
func (c *Certificates) pruneCopies(ctx context.Context, versions map[string]int64) {
	if c.options.Dir == "" {
		return
	}
	files, err := os.ReadDir(c.options.Dir)
	if err != nil {
		slog.WarnContext(ctx, "copies of certificates cannot be listed", "error", err)
	}
	for _, f := range files {
		if _, ok := versions[f.Name()]; !ok && !halfWritten(f.Name()) {
			c.removeCopy(ctx, f.Name())
		}
	}
}

func readCopy(dir string, f fs.DirEntry) (s certstore.Sealed, err error) {
	if info, err := f.Info(); err != nil || info.Size() > maxCopy || !info.Mode().IsRegular() {
		return s, errors.Join(err, errors.New("certs: not a copy"))
	}
	text, err := os.ReadFile(filepath.Join(dir, f.Name()))
	if err != nil {
		return s, err
	}
	head, sealed, _ := bytes.Cut(text, []byte("\n"))
	s = certstore.Sealed{Host: f.Name(), Sealed: sealed}
	s.Version, err = strconv.ParseInt(string(head), 10, 64)
	return s, err
}

// writeCopy writes the copy of a host under another name and then renames it, so that the copy is never half written.
func (c *Certificates) writeCopy(ctx context.Context, s certstore.Sealed) {
	if c.options.Dir == "" {
		return
	}
	path := filepath.Join(c.options.Dir, s.Host)
	text := append(strconv.AppendInt(nil, s.Version, 10), '\n')
	unfinished := path + "~" + strconv.Itoa(os.Getpid()) // another process may use the same directory
	err := os.WriteFile(unfinished, append(text, s.Sealed...), 0o600)
	if err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		slog.WarnContext(ctx, "copy of a certificate not written", "host", s.Host, "error", err)
	}
}

func (c *Certificates) removeCopy(ctx context.Context, host string) {
	if c.options.Dir == "" {
		return
	}
	if err := os.Remove(filepath.Join(c.options.Dir, host)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		slog.WarnContext(ctx, "copy of a certificate not removed", "host", host, "error", err)
	}
}
