package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"
)

// maxPiece is the maximum number of bytes that a spool with Retry writes and syncs in one piece.
const maxPiece = 1 << 20

// write makes the batch durable. A spool with Retry writes it in pieces, each as soon as there is space. After an error, the
// batch holds the records that are not written yet. A spool without Retry writes the whole batch or nothing, because the senders
// send all of its records again.
func (s *Spool) write(b *batch) error {
	for b.count > 0 {
		size, records := len(b.buf), b.count
		if s.o.Retry {
			size, records = firstFrames(b.buf, min(s.o.SegmentSize, maxPiece))
		}
		end, err := s.writePiece(b.buf[:size])
		if err != nil {
			s.refusedAt.Store(time.Now().UnixMilli())
			return err
		}
		b.buf, b.count, b.end = b.buf[size:], b.count-records, end
		s.refusedAt.Store(0)
		s.appended.Add(records)
		signal(s.written)
	}
	return nil
}

// writePiece makes frames durable and returns the position after them. After a failed write or sync it cuts the segment off after
// the earlier frames. The next piece begins a new segment, because the disk may be full, and the reader frees space only by
// deleting complete segments. Only a segment that is still empty after a failed write is used again.
func (s *Spool) writePiece(buf []byte) (end position, err error) {
	if err := s.ready(); err != nil {
		return end, err
	}
	if _, err := s.file.WriteAt(buf, s.active.off); err != nil {
		truncateErr := s.file.Truncate(s.active.off)
		if truncateErr != nil || s.active.off > 0 { // if the segment is still empty, it is used again
			s.seal()
		}
		return end, fmt.Errorf("spool: write segment: %w", errors.Join(err, truncateErr))
	}
	if err := s.file.syncData(); err != nil {
		err = errors.Join(err, s.file.Truncate(s.active.off))
		s.seal()
		return end, fmt.Errorf("spool: sync segment: %w", err)
	}
	n := int64(len(buf))
	s.active.off += n
	end = s.active
	s.tail.grow(end)
	if end.off >= s.o.SegmentSize {
		s.seal()
	}
	s.o.ahead -= n
	if s.o.ahead <= 0 {
		s.ahead.begin()
	}
	return end, nil
}

func (s *Spool) ready() error {
	const filled = true
	if s.filled {
		return nil
	}
	next := s.active.seq
	if s.file != nil {
		next++
	}
	if f := s.ahead.claim(s.dir.segment(next)); f != nil {
		s.seal()
		s.use(f, filled)
		return nil
	}
	if s.file != nil {
		return nil
	}
	f, err := s.o.disk.create(s.dir.segment(s.active.seq))
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			s.skip()
		}
		return fmt.Errorf("spool: new segment: %w", err)
	}
	s.use(f, !filled)
	return nil
}

// use makes a file the active segment. filled says whether the file was prepared. A prepared file has zeros
// after the written bytes.
func (s *Spool) use(f segmentFile, filled bool) {
	if s.aging != nil {
		s.aging.Stop()
	}
	s.file, s.filled, s.began = f, filled, time.Now()
	s.aging = time.AfterFunc(s.o.age, s.wake)
}

// sealOld closes the active segment if it is old, so that the reader deletes it once its records are stored.
func (s *Spool) sealOld() {
	if s.file == nil || s.active.off == 0 || time.Since(s.began) < s.o.age {
		return
	}
	s.seal()
	signal(s.written)
}

func (s *Spool) seal() {
	if s.file == nil {
		return
	}
	var err error
	if s.filled {
		err = s.file.Truncate(s.active.off)
	}
	if err = errors.Join(err, s.file.Close()); err != nil {
		slog.Warn("a segment of the spool cannot be closed", "error", err)
	}
	s.file, s.filled = nil, false
	s.skip()
}

func (s *Spool) skip() {
	s.active = position{seq: s.active.seq + 1}
	s.tail.begin(s.active)
}
