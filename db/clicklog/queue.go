package clicklog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// queue reads the records of one home in order. It belongs to one goroutine.
type queue struct {
	home *home
	tail *tail // nil for an adopted home, which nobody writes to
	scan scanner
	pos  position // behind what has been read
	done position // behind what is in PostgreSQL

	file     *os.File
	marked   position // what the mark on disk says
	markedAt time.Time
	buf      []byte
}

// chunk holds at least one record of any size.
const chunk = 1 << 20

func newQueue(h *home, t *tail) *queue {
	p := h.readMark()
	return &queue{home: h, tail: t, pos: p, done: p, marked: p}
}

// item is one record as read; raw stays valid until the next call of read.
type item struct {
	raw []byte
	rec Record
	err error // it cannot be decoded
}

// read gives up to limit records, none when everything was read. Damaged stretches are skipped.
func (q *queue) read(limit int) ([]item, error) {
	for {
		size, final, err := q.locate()
		if err != nil || size < 0 {
			return nil, err
		}
		n := min(size-q.pos.off, chunk)
		if n <= 0 {
			if final {
				q.leave()
				continue
			}
			return nil, nil
		}
		if q.buf == nil {
			q.buf = make([]byte, chunk)
		}
		got, err := q.file.ReadAt(q.buf[:n], q.pos.off)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("clicklog: read segment: %w", err)
		}
		if got == 0 { // somebody cut the file
			q.leave()
			continue
		}
		if items := q.parse(q.buf[:got], q.pos.off+n >= size, limit); len(items) > 0 {
			return items, nil
		}
	}
}

// leave goes on behind the current segment. The stored place follows only if all that was read is stored.
func (q *queue) leave() {
	_ = q.file.Close()
	q.file = nil
	stored := q.done == q.pos
	q.pos = position{seq: q.pos.seq + 1}
	if stored {
		q.done = q.pos
	}
}

// rewind goes back to what is not stored.
func (q *queue) rewind() {
	if q.file != nil && q.pos.seq != q.done.seq {
		_ = q.file.Close()
		q.file = nil
	}
	q.pos = q.done
}

func (q *queue) parse(buf []byte, last bool, limit int) []item {
	start := q.pos
	var items []item
	for off := 0; len(items) < limit; {
		payload, n := q.scan.next(buf[off:], last)
		off += n
		q.pos.off += int64(n)
		if payload == nil {
			break
		}
		it := item{raw: payload}
		it.rec, it.err = decodeRecord(payload)
		items = append(items, it)
	}
	if len(items) == 0 && q.done == start { // nothing but damage
		q.done = q.pos
	}
	return items
}

// locate opens the segment to read and tells how many of its bytes may be read and whether that is all it will ever
// have. A size below zero means that there is no segment (yet).
func (q *queue) locate() (size int64, final bool, err error) {
	if q.file == nil {
		if err := q.openNext(); err != nil || q.file == nil {
			return -1, false, err
		}
	}
	if q.tail != nil {
		if size, growing, known := q.tail.size(q.pos.seq); known {
			return size, !growing, nil
		}
	}
	info, err := q.file.Stat()
	if err != nil {
		return 0, false, fmt.Errorf("clicklog: read segment: %w", err)
	}
	return info.Size(), true, nil
}

func (q *queue) openNext() error {
	list, err := q.home.segments()
	if err != nil {
		return err
	}
	for _, seq := range list {
		if seq < q.pos.seq {
			continue
		}
		f, err := os.Open(q.home.segment(seq))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("clicklog: open segment: %w", err)
		}
		if seq != q.pos.seq {
			stored := q.done == q.pos
			q.pos = position{seq: seq}
			if stored {
				q.done = q.pos
			}
		}
		q.file = f
		return nil
	}
	return nil
}

// markEvery is how often the mark is written. A crash replays what was stored since, which stores nothing twice.
const markEvery = time.Second

// mark remembers on disk what is stored, now and then, and at once when that frees a segment.
func (q *queue) mark(now bool) error {
	if q.done == q.marked {
		return nil
	}
	frees := q.done.seq != q.marked.seq
	if !now && !frees && time.Since(q.markedAt) < markEvery {
		return nil
	}
	err := q.home.writeMark(q.done)
	if err == nil {
		q.marked, q.markedAt = q.done, time.Now()
	}
	if q.tail != nil {
		q.tail.forget(q.done.seq)
	}
	// Segments that are stored go even if the mark could not be written, because that may be for want of their room.
	// A mark in a segment that is gone means the next one there is.
	return errors.Join(err, q.home.removeBefore(q.done.seq))
}

func (q *queue) close() error {
	err := q.mark(true)
	if q.file != nil {
		err = errors.Join(err, q.file.Close())
		q.file = nil
	}
	return err
}
