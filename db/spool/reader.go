package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// Reader reads the segments of one directory in order. It belongs to one goroutine. If the process dies before a Commit is on
// disk, the same records are read again.
type Reader struct {
	spool *Spool
	dir   *spoolDir
	tail  *tail // nil for an adopted directory, which no process writes to
	scan  scanner
	pos   position  // position after the last record read
	done  position  // position after the last record stored
	last  uuid.UUID // id of the last record read; zero if that record is stored

	file     *os.File
	marked   position // position in the mark on disk
	markedAt time.Time
	buf      []byte
	backlog  int64 // pending bytes of an adopted directory, which Spool.adopted includes
}

// chunk is the number of bytes that are read in one piece. The largest possible record fits into it.
const chunk = 1 << 20

func newReader(s *Spool, d *spoolDir, t *tail) *Reader {
	p := d.readMark()
	return &Reader{spool: s, dir: d, tail: t, pos: p, done: p, marked: p}
}

// Reader returns the reader of the records that this process appends. There must be only one.
func (s *Spool) Reader() *Reader { return newReader(s, s.dir, &s.tail) }

// Adopt takes over the directories of processes that have ended, and returns a reader for each. If it fails, it returns the error
// and the readers of the directories that it could take over. Closing a reader releases its directory.
func (s *Spool) Adopt() ([]*Reader, error) {
	dirs, err := claimOrphans(s.root)
	readers := make([]*Reader, len(dirs))
	for i, d := range dirs {
		r := newReader(s, d, nil)
		if r.countBacklog(); r.backlog > 0 {
			slog.Info("spool adopted", "path", d.path, "bytes", r.backlog)
		}
		readers[i] = r
	}
	return readers, err
}

// Item is one record that a Reader read.
type Item struct {
	Record Record
	Err    error  // why the record cannot be decoded, or nil
	raw    []byte // valid until the next Read
}

// Read returns up to limit records, or none when all were read. The records stay valid after the next Read, but Reject accepts
// only items of the last Read.
func (r *Reader) Read(limit int) ([]Item, error) {
	before := r.scan.skipped
	items, err := r.read(limit)
	if lost := r.scan.skipped - before; lost > 0 {
		r.spool.skipped.Add(lost)
		slog.Error("damaged bytes of the spool are skipped", "stretches", lost, "path", r.dir.path)
	}
	if n := len(items); n > 0 {
		r.last = items[n-1].Record.id()
	} else if r.done.seq != r.marked.seq {
		_ = r.mark(false) // deletes the segments before r.done; if this fails, the next Commit reports it
	}
	return items, err
}

// read returns the next records, at most limit.
func (r *Reader) read(limit int) ([]Item, error) {
	for {
		size, final, err := r.locate()
		if err != nil || size < 0 {
			return nil, err
		}
		n := min(size-r.pos.off, chunk)
		if n <= 0 {
			if final {
				r.finishSegment()
				continue
			}
			return nil, nil
		}
		if r.buf == nil {
			r.buf = make([]byte, chunk)
		}
		got, err := r.file.ReadAt(r.buf[:n], r.pos.off)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("spool: read segment: %w", err)
		}
		if got == 0 { // another program has truncated the file
			r.finishSegment()
			continue
		}
		if items := r.parse(r.buf[:got], r.pos.off+n >= size, limit); len(items) > 0 {
			return items, nil
		}
	}
}

// finishSegment closes the current segment and continues with the next.
func (r *Reader) finishSegment() {
	_ = r.file.Close()
	r.file = nil
	r.jump(position{seq: r.pos.seq + 1})
}

// jump moves the reading position. The stored position moves with it if everything before is stored.
func (r *Reader) jump(to position) {
	stored := r.done == r.pos
	r.pos = to
	if stored {
		r.done = to
	}
}

// parse decodes at most limit records from buf. If the parameter last is true, no more data of the segment follows buf.
func (r *Reader) parse(buf []byte, last bool, limit int) []Item {
	start := r.pos
	var items []Item
	for off := 0; len(items) < limit; {
		payload, n := r.scan.next(buf[off:], last)
		off += n
		r.pos.off += int64(n)
		if payload == nil {
			break
		}
		it := Item{raw: payload}
		it.Record, it.Err = decodeRecord(payload)
		items = append(items, it)
	}
	if len(items) == 0 && r.done == start { // only damaged data
		r.done = r.pos
	}
	return items
}

// locate opens the segment to read. It returns the number of the segment's bytes that may be read, and whether that number is
// final. A negative size means that there is no segment (yet).
func (r *Reader) locate() (size int64, final bool, err error) {
	if r.file == nil {
		if err := r.openNext(); err != nil || r.file == nil {
			return -1, false, err
		}
	}
	if r.tail != nil {
		if size, growing, known := r.tail.size(r.pos.seq); known {
			return size, !growing, nil
		}
	}
	info, err := r.file.Stat()
	if err != nil {
		return 0, false, fmt.Errorf("spool: read segment: %w", err)
	}
	return info.Size(), true, nil
}

// openNext opens the segment at the reading position. If that segment no longer exists, it opens the next existing segment.
func (r *Reader) openNext() error {
	list, err := r.dir.segments()
	if err != nil {
		return err
	}
	for _, seq := range list {
		if seq < r.pos.seq {
			continue
		}
		f, err := os.Open(r.dir.segment(seq))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("spool: open segment: %w", err)
		}
		if seq != r.pos.seq {
			r.jump(position{seq: seq})
		}
		r.file = f
		return nil
	}
	return nil
}

// Commit notes that everything read so far is stored. It wakes the callers of Append that wait for PostgreSQL.
func (r *Reader) Commit() error {
	r.done = r.pos
	if r.last != uuid.Nil {
		r.spool.lastStored.Store(models.ClickTime(r.last).UnixMilli())
		r.last = uuid.Nil
	}
	if r.tail != nil {
		r.spool.stored.advance(r.done)
	} else {
		r.countBacklog()
	}
	return r.mark(false)
}

// Rewind goes back to the first record that is not stored.
func (r *Reader) Rewind() {
	if r.file != nil && r.pos.seq != r.done.seq {
		_ = r.file.Close()
		r.file = nil
	}
	r.pos, r.last = r.done, uuid.Nil
}

func (r *Reader) countBacklog() {
	n := r.dir.backlog(r.done, nil)
	r.spool.adopted.Add(n - r.backlog)
	r.backlog = n
}

const markEvery = time.Second

// mark deletes the stored segments and writes the mark, if the stored position has changed. It does so at most once in
// markEvery, unless `now` is true or a segment becomes free.
func (r *Reader) mark(now bool) error {
	if r.done == r.marked {
		return nil
	}
	frees := r.done.seq != r.marked.seq
	if !now && !frees && time.Since(r.markedAt) < markEvery {
		return nil
	}
	// Stored segments are deleted before the mark is written, because they may be what fills the disk. If the mark is not written
	// after that, the mark on disk points into a deleted segment. Such a mark means the start of the next segment.
	err := r.dir.removeBefore(r.done.seq)
	if r.tail != nil {
		r.tail.evict(r.done.seq)
	}
	marked := r.dir.writeMark(r.done)
	if marked == nil {
		r.marked, r.markedAt = r.done, time.Now()
	}
	return errors.Join(err, marked)
}

// Reject keeps a record that PostgreSQL does not accept: it appends a line to the file "rejected" in the record's directory. The
// line is JSON with the reason and the encoded record. It is on stable storage when Reject returns.
func (r *Reader) Reject(ctx context.Context, it Item, why error) error {
	line, err := json.Marshal(struct {
		At     time.Time `json:"at"`
		Error  string    `json:"error"`
		Record []byte    `json:"record"`
	}{time.Now().UTC(), why.Error(), it.raw})
	if err != nil {
		return fmt.Errorf("spool: reject: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(r.dir.path, "rejected"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("spool: reject: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("spool: reject: %w", err)
	}
	r.spool.rejected.Add(1)
	slog.ErrorContext(ctx, "a record of the spool is rejected", "error", why, "path", r.dir.path)
	return nil
}

// Close writes the mark and releases an adopted directory.
func (r *Reader) Close() error {
	err := r.mark(true)
	if r.file != nil {
		err = errors.Join(err, r.file.Close())
		r.file = nil
	}
	if r.tail == nil {
		err = errors.Join(err, r.dir.release())
	}
	return err
}
