package clicklog

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

// home is one sub-directory of the spool, held by one process through a lock that ends with the process.
type home struct {
	path string
	lock *os.File
}

const (
	homePrefix    = "web-"
	segmentSuffix = ".seg"
	maxHomes      = 1000
)

var errHeld = errors.New("clicklog: held by another process")

func openHome(path string) (*home, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("clicklog: spool: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("clicklog: spool: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { //nolint:gosec // a descriptor
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, fmt.Errorf("clicklog: lock spool: %w", err)
	}
	return &home{path: path, lock: lock}, nil
}

// takeHome takes the first sub-directory that nobody holds.
func takeHome(dir string) (*home, error) {
	for n := 1; n <= maxHomes; n++ {
		h, err := openHome(filepath.Join(dir, homePrefix+strconv.Itoa(n)))
		if errors.Is(err, errHeld) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return h, syncDir(dir)
	}
	return nil, fmt.Errorf("clicklog: %d processes share the spool %s already", maxHomes, dir)
}

// takeOrphans takes the sub-directories that hold segments and whose process is gone.
func takeOrphans(dir string) ([]*home, error) {
	names, err := filepath.Glob(filepath.Join(dir, homePrefix+"*", "*"+segmentSuffix))
	if err != nil {
		return nil, fmt.Errorf("clicklog: spool: %w", err)
	}
	var orphans []*home
	last := ""
	for _, name := range names {
		path := filepath.Dir(name)
		if path == last {
			continue
		}
		last = path
		if h, err := openHome(path); err == nil {
			orphans = append(orphans, h)
		} else if !errors.Is(err, errHeld) {
			return orphans, err
		}
	}
	return orphans, nil
}

func (h *home) release() error { return h.lock.Close() }

func (h *home) segment(seq uint64) string {
	return filepath.Join(h.path, fmt.Sprintf("%016x%s", seq, segmentSuffix))
}

// segments lists the sequence numbers of the segments there are, oldest first.
func (h *home) segments() ([]uint64, error) {
	entries, err := os.ReadDir(h.path)
	if err != nil {
		return nil, fmt.Errorf("clicklog: spool: %w", err)
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

// position is a place in the spool of one home: everything before it is done with.
type position struct {
	seq uint64
	off int64
}

func (p position) before(o position) bool { return p.seq < o.seq || p.seq == o.seq && p.off < o.off }

// readMark gives the place up to which everything is in PostgreSQL. A mark that is missing or damaged is the very
// beginning: what is read again is stored once all the same.
func (h *home) readMark() position {
	text, err := os.ReadFile(filepath.Join(h.path, "mark"))
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

// writeMark replaces the mark so that a crash leaves the old one or the new one.
func (h *home) writeMark(p position) error {
	name := filepath.Join(h.path, "mark")
	f, err := os.OpenFile(name+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("clicklog: mark: %w", err)
	}
	_, err = fmt.Fprintf(f, "%d %d %d\n", p.seq, p.off, p.sum())
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("clicklog: mark: %w", err)
	}
	return syncDir(h.path)
}

// backlog is how many bytes of segments lie behind p.
func (h *home) backlog(p position) int64 {
	list, err := h.segments()
	if err != nil {
		return 0
	}
	var sum int64
	for _, seq := range list {
		info, err := os.Stat(h.segment(seq))
		switch {
		case err != nil || seq < p.seq:
		case seq == p.seq:
			sum += max(info.Size()-p.off, 0)
		default:
			sum += info.Size()
		}
	}
	return sum
}

// removeBefore deletes the segments older than seq.
func (h *home) removeBefore(seq uint64) error {
	list, err := h.segments()
	if err != nil {
		return err
	}
	for _, s := range list {
		if s >= seq {
			break
		}
		if err := os.Remove(h.segment(s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clicklog: remove segment: %w", err)
		}
	}
	return nil
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("clicklog: sync directory: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("clicklog: sync directory: %w", err)
	}
	return nil
}
