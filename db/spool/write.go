package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"
)

// maxPiece is how many bytes of a batch are written and synced at once by a spool that retries.
const maxPiece = 1 << 20

// write makes the batch durable. A spool that retries writes it in pieces, so that a batch that is larger than the free
// space is written as space becomes free. After an error the batch has what is not written yet. A spool that does not
// retry writes all of it or nothing, because its records are sent again.
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
		select {
		case s.written <- struct{}{}:
		default:
		}
	}
	return nil
}

// writePiece makes frames durable and returns where they end. It truncates what a failed write left. After a failed
// write or sync the next piece begins a new segment. After a sync it is unknown what the kernel holds of the segment.
// After a write the disk may be full: the reader deletes a segment only when it is complete.
func (s *Spool) writePiece(buf []byte) (end position, err error) {
	if err := s.ready(); err != nil {
		return end, err
	}
	if _, err := s.file.WriteAt(buf, s.active.off); err != nil {
		cut := s.file.Truncate(s.active.off)
		if cut != nil || s.active.off > 0 { // an empty segment is used again
			s.seal()
		}
		return end, fmt.Errorf("spool: write segment: %w", errors.Join(err, cut))
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
	if s.o.ahead -= n; s.o.ahead <= 0 {
		s.ahead.begin()
	}
	return end, nil
}

// ready opens a segment for the next batch: a prepared one if there is one and the active one is not, else the active
// one, else a new one.
func (s *Spool) ready() error {
	if s.filled {
		return nil
	}
	next := s.active.seq
	if s.file != nil {
		next++
	}
	if f := s.ahead.take(s.dir.segment(next)); f != nil {
		s.seal()
		s.file, s.filled = f, true
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
	s.file = f
	return nil
}

// seal ends the active segment; the next batch begins another.
func (s *Spool) seal() {
	if s.file == nil {
		return
	}
	var err error
	if s.filled {
		err = s.file.Truncate(s.active.off)
	}
	if err = errors.Join(err, s.file.Close()); err != nil {
		slog.Warn("spool close", "error", err)
	}
	s.file, s.filled = nil, false
	s.skip()
}

func (s *Spool) skip() {
	s.active = position{seq: s.active.seq + 1}
	s.tail.begin(s.active)
}
