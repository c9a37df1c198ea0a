package routing

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"switchyard/db/store"
)

// copyFormat is the first value in the copy on disk. It changes when the meaning of the records changes, but not when fields are
// added.
const copyFormat = "switchyard routing 4"

// copyBatch is the number of rows that are encoded at once. The encoder holds a whole batch in memory.
const copyBatch = 64

// WriteDiskCache replaces the whole copy on disk atomically: after a crash there is either the old copy or the new one.
func WriteDiskCache(path string, s *Snapshot) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("routing: write routing copy: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = errors.Join(encodeCopy(gob.NewEncoder(w), s), w.Flush(), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("routing: write routing copy: %w", err)
	}
	return nil
}

// encodeCopy writes the format, then the secret, then the rows in batches. The last batch is empty.
func encodeCopy(enc *gob.Encoder, s *Snapshot) error {
	if err := errors.Join(enc.Encode(copyFormat), enc.Encode(store.Routing{LanderSecret: s.secret})); err != nil {
		return err
	}
	batch := make([]store.RoutingRow, 0, copyBatch)
	for k := range kindCount {
		for r := range each[record](s, k) {
			row := r.row()
			if full, ok := r.(interface{ fullRow() store.RoutingRow }); ok {
				row = full.fullRow()
			}
			if row != nil {
				batch = append(batch, row)
			}
			if len(batch) == copyBatch {
				if err := enc.Encode(store.Routing{Rows: batch}); err != nil {
					return err
				}
				batch = batch[:0]
			}
		}
	}
	if len(batch) > 0 {
		if err := enc.Encode(store.Routing{Rows: batch}); err != nil {
			return err
		}
	}
	return enc.Encode(store.Routing{})
}

// ReadDiskCache returns the records that WriteDiskCache wrote.
func ReadDiskCache(path string) (*store.Routing, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("routing: read routing copy: %w", err)
	}
	defer f.Close() //nolint:errcheck // the file was only read
	dec := gob.NewDecoder(bufio.NewReaderSize(f, 1<<16))
	var format string
	if err := dec.Decode(&format); err != nil {
		return nil, fmt.Errorf("routing: read routing copy: %w", err)
	}
	if format != copyFormat {
		return nil, fmt.Errorf("routing: read routing copy: its format is %q, and this version reads only %q", format, copyFormat)
	}
	var r store.Routing
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("routing: read routing copy: %w", err)
	}
	for {
		var part store.Routing
		if err := dec.Decode(&part); err != nil {
			return nil, fmt.Errorf("routing: read routing copy: %w", err)
		}
		if len(part.Rows) == 0 {
			return &r, nil
		}
		r.Rows = append(r.Rows, part.Rows...)
	}
}
