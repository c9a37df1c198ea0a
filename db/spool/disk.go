package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

const (
	maxSegment = 32 << 20
	minSegment = 64 << 10
	// segmentsOfVolume is the minimum number of segments that must fit on a volume. Only whole segments are deleted to free
	// space, so a segment must be small in comparison with the volume.
	segmentsOfVolume = 16
)

func segmentSize(dir string) int64 {
	_, size, err := Volume(dir)
	if err != nil {
		return maxSegment
	}
	return min(max(size/segmentsOfVolume, minSegment), maxSegment)
}

// Volume returns the free bytes and the size of the volume that holds a directory.
func Volume(dir string) (free, size int64, err error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("spool: volume of %s: %w", dir, err)
	}
	block := int64(st.Bsize)                                       //nolint:unconvert // its type differs by system
	return int64(st.Bavail) * block, int64(st.Blocks) * block, nil //nolint:gosec // no volume is that large
}

// disk creates segment files. Tests replace it with a disk that fails.
type disk interface {
	create(path string) (segmentFile, error)
}

// segmentFile has the operations that the spool uses on an open segment.
type segmentFile interface {
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	syncData() error
}

type realDisk struct{}

// create creates the file and makes its directory entry durable. Without this, a power failure could lose a segment with
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
