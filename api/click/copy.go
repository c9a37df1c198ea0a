package click

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"switchyard/db/store"
)

// copyFormat stands first in the copy on disk. It changes with the meaning of the records, not with added fields.
const copyFormat = "switchyard routing 1"

// writeCopyTo replaces the copy on disk as a whole: a crash leaves the old one or the new one.
func writeCopyTo(path string, r *store.Routing) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("click: write routing copy: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	enc := gob.NewEncoder(w)
	if err = errors.Join(enc.Encode(copyFormat), enc.Encode(r), w.Flush(), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("click: write routing copy: %w", err)
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("click: write routing copy: %w", err)
	}
	return nil
}

func readCopy(path string) (*store.Routing, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("click: read routing copy: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was read only
	dec := gob.NewDecoder(bufio.NewReaderSize(f, 1<<16))
	var format string
	var r store.Routing
	if err := dec.Decode(&format); err != nil || format != copyFormat {
		return nil, fmt.Errorf("click: read routing copy: not one of this version (%q, %w)", format, err)
	}
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("click: read routing copy: %w", err)
	}
	return &r, nil
}
