package spool

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// disk makes segment files. Tests replace it by one that fails.
type disk interface {
	create(path string) (segmentFile, error)
}

// segmentFile is what the spool asks of an open segment.
type segmentFile interface {
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	syncData() error
}

type realDisk struct{}

// create makes the file and makes its directory entry durable. Otherwise a power failure could lose a segment with
// acknowledged records.
func (realDisk) create(path string) (segmentFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return realFile{f}, nil
}

type realFile struct{ *os.File }
