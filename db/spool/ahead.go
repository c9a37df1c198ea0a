package spool

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Each sync of a growing file costs a file system transaction, which waits for the writes of other programs. Overwriting
// existing bytes of a file costs no transaction. So a busy spool fills its next segment with zeros beforehand.
const (
	// aheadAfter is the number of bytes that a process writes before it begins to prepare segments. A process that writes less
	// loses more by preparing than it gains.
	aheadAfter = 1 << 20
	// aheadPiece is the number of bytes that are written to a prepared segment in one piece.
	aheadPiece = 1 << 20
	// aheadRest makes the preparation pause after each piece, 9 times as long as it took to write the piece. This leaves the
	// disk free for clicks.
	aheadRest = 9
	// aheadRetry is the pause before the next preparation if a segment could not be prepared or renamed.
	aheadRetry = time.Minute
)

// ahead prepares one segment at a time. Only the flusher calls begin, claim and close.
type ahead struct {
	disk  disk
	path  string // path of the prepared file, until it is renamed to a segment
	size  int64
	ready chan segmentFile // receives the prepared file, or nil if the disk refused to write it
	stop  chan struct{}
	again time.Time // time before which no preparation begins
	busy  bool      // a segment is being prepared, or is prepared and not claimed yet
}

func newAhead(d disk, dir string, size int64) *ahead {
	return &ahead{disk: d, path: filepath.Join(dir, "next"), size: size, ready: make(chan segmentFile, 1), stop: make(chan struct{})}
}

// begin starts to prepare a segment.
func (a *ahead) begin() {
	if a.busy || time.Now().Before(a.again) {
		return
	}
	a.busy = true
	go func() {
		f, err := a.fill()
		if err != nil {
			slog.Warn("spool: no segment is prepared", "error", err)
		}
		a.ready <- f
	}()
}

// fill creates the file and fills it with zeros.
func (a *ahead) fill() (segmentFile, error) {
	_ = os.Remove(a.path) // left by a process that ended while preparing it
	f, err := a.disk.create(a.path)
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, aheadPiece)
	for off := int64(0); off < a.size; off += aheadPiece {
		start := time.Now()
		_, err := f.WriteAt(zeros[:min(aheadPiece, a.size-off)], off)
		if err == nil {
			err = f.syncData()
		}
		if err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(a.path))
		}
		select {
		case <-a.stop: // close is waiting, so write the rest without pauses
		case <-time.After(aheadRest * time.Since(start)):
		}
	}
	return f, nil
}

// claim returns the prepared segment under its new name, or nil if none is ready or its file cannot be
// renamed.
func (a *ahead) claim(name string) segmentFile {
	select {
	case f := <-a.ready:
		a.busy = false
		if f == nil {
			a.again = time.Now().Add(aheadRetry)
			return nil
		}
		if err := a.rename(name); err != nil {
			a.again = time.Now().Add(aheadRetry)
			slog.Warn("spool: the prepared segment is not used", "error", errors.Join(err, f.Close(), os.Remove(a.path)))
			return nil
		}
		return f
	default:
		return nil
	}
}

// rename durably turns the prepared file into a segment. It never replaces an existing file.
func (a *ahead) rename(name string) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	if err := os.Rename(a.path, name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// close waits until a running preparation ends, and removes the prepared file if it was not used.
func (a *ahead) close() {
	close(a.stop)
	if !a.busy {
		return
	}
	if f := <-a.ready; f != nil {
		_ = errors.Join(f.Close(), os.Remove(a.path))
	}
}
