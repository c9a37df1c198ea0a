package spool

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// spoolDir is a sub-directory of the spool. A process holds it with a file lock, which the system releases when the process
// ends.
type spoolDir struct {
	path string
	lock *os.File
}

const (
	dirPrefix     = "web-"
	segmentSuffix = ".seg"
	maxDirs       = 1000
)

var errLocked = errors.New("spool: held by another process")

// openDir creates and locks a directory. The error is errLocked if another process holds it.
func openDir(path string) (*spoolDir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, fmt.Errorf("spool: lock spool: %w", err)
	}
	return &spoolDir{path: path, lock: lock}, nil
}

// claimDir claims the first sub-directory that no process holds.
func claimDir(root string) (*spoolDir, error) {
	for n := 1; n <= maxDirs; n++ {
		d, err := openDir(filepath.Join(root, dirPrefix+strconv.Itoa(n)))
		if errors.Is(err, errLocked) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return d, syncDir(root)
	}
	return nil, fmt.Errorf("spool: %d processes share the spool %s already", maxDirs, root)
}

// claimOrphans claims the sub-directories that have segments but no process.
func claimOrphans(root string) ([]*spoolDir, error) {
	names, err := filepath.Glob(filepath.Join(root, dirPrefix+"*", "*"+segmentSuffix))
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var orphans []*spoolDir
	last := ""
	for _, name := range names {
		path := filepath.Dir(name)
		if path == last {
			continue
		}
		last = path
		if d, err := openDir(path); err == nil {
			orphans = append(orphans, d)
		} else if !errors.Is(err, errLocked) {
			return orphans, err
		}
	}
	return orphans, nil
}

func (d *spoolDir) release() error { return d.lock.Close() }

func (d *spoolDir) segment(seq uint64) string {
	return filepath.Join(d.path, fmt.Sprintf("%016x%s", seq, segmentSuffix))
}

// segments returns the sequence numbers of the existing segments, oldest first.
func (d *spoolDir) segments() ([]uint64, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var list []uint64
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), segmentSuffix)
		if !ok {
			continue
		}
		if seq, err := strconv.ParseUint(name, 16, 64); err == nil {
			list = append(list, seq)
		}
	}
	slices.Sort(list)
	return list, nil
}

// position is a place in the segments of one directory.
type position struct {
	seq uint64
	off int64
}

func (p position) before(o position) bool { return p.seq < o.seq || p.seq == o.seq && p.off < o.off }

// readMark returns the position up to which all records are stored in PostgreSQL. If the mark is missing or damaged, it returns
// the start.
func (d *spoolDir) readMark() position {
	text, err := os.ReadFile(filepath.Join(d.path, "mark"))
	if err != nil {
		return position{}
	}
	var p position
	var sum uint32
	_, err = fmt.Sscanf(string(text), "%d %d %d\n", &p.seq, &p.off, &sum)
	if err != nil || sum != p.sum() || p.off < 0 {
		return position{}
	}
	return p
}

func (p position) sum() uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%d %d", p.seq, p.off), castagnoli)
}

// writeMark overwrites the mark. All marks have the same length, so a new mark can be written even when the disk is full.
func (d *spoolDir) writeMark(p position) error {
	f, err := os.OpenFile(filepath.Join(d.path, "mark"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("spool: mark: %w", err)
	}
	_, err = fmt.Fprintf(f, "%020d %020d %010d\n", p.seq, p.off, p.sum())
	if err = errors.Join(err, realFile{f}.syncData(), f.Close()); err != nil {
		return fmt.Errorf("spool: mark: %w", err)
	}
	return nil
}

// backlog returns the number of bytes in segments after p. The function written returns the number of bytes written to a segment.
// If it is nil or does not know the segment, the size of the file counts, which may include zeros at the end.
func (d *spoolDir) backlog(p position, written func(seq uint64) (size int64, growing, known bool)) int64 {
	list, err := d.segments()
	if err != nil {
		return 0
	}
	var sum int64
	for _, seq := range list {
		if seq < p.seq {
			continue
		}
		size := d.size(seq)
		if written != nil {
			if n, _, known := written(seq); known {
				size = n
			}
		}
		if seq == p.seq {
			size = max(size-p.off, 0)
		}
		sum += size
	}
	return sum
}

// size returns the size of a segment, or 0 if the segment is gone.
func (d *spoolDir) size(seq uint64) int64 {
	info, err := os.Stat(d.segment(seq))
	if err != nil {
		return 0
	}
	return info.Size()
}

func (d *spoolDir) removeBefore(seq uint64) error {
	list, err := d.segments()
	if err != nil {
		return err
	}
	for _, s := range list {
		if s >= seq {
			break
		}
		if err := os.Remove(d.segment(s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("spool: remove segment: %w", err)
		}
	}
	return nil
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("spool: sync directory: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("spool: sync directory: %w", err)
	}
	return nil
}
