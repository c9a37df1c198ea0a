package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the settings of a spool. A zero value means the default.
type Options struct {
	// SegmentSize is the number of bytes after which a new segment begins. The default is a 16th of the volume, at least 64 KiB and at
	// most 32 MiB.
	SegmentSize int64
	// AckPostgres makes Append wait until a Reader has committed the record. It is for a disk that does not outlive the
	// process (CLICK_ACK=postgres).
	AckPostgres bool
	// Retry is for records whose sender does not send them again. If the disk refuses such a record, the record stays in memory until
	// the disk accepts it, and Append returns ErrWaiting. Without Retry, a record that the disk refuses is not recorded.
	Retry bool
	// Pace is the minimum time between two writes. Set it when the senders can wait: it leaves more of the disk to other
	// programs. The default is zero. Even then, a busy spool waits up to busyPace between two writes.
	Pace time.Duration

	disk    disk
	waiting int           // default maxWaiting
	ahead   int64         // default aheadAfter
	age     time.Duration // default segmentAge
}

// Spool is a log on local disk in which records wait until they are in PostgreSQL.
type Spool struct {
	root string
	dir  *spoolDir
	o    Options

	mu       sync.Mutex
	open     *batch // collects the records that arrive while the flusher writes the previous batch
	writing  int64  // number of records that the flusher is writing
	refusing bool   // the disk has refused the records in open, and no caller waits for them any more
	closed   bool
	work     chan struct{} // has an item when open has records, or when the spool is being closed
	full     chan struct{} // has an item when open has as many records as the constant `enough`, so that flush does not wait for more
	done     chan struct{} // the flusher has ended

	file       segmentFile // flusher only
	filled     bool        // flusher only: file was prepared, so zeros follow the written bytes
	began      time.Time   // flusher only: when the first record was written to file
	aging      *time.Timer // flusher only: wakes the flusher when file is old
	active     position    // flusher only: position of the next batch
	ahead      *ahead      // flusher only
	lastLogged time.Time   // flusher only: when the last message about a refusing disk was logged

	tail    tail
	stored  progress
	written chan struct{} // has an item when a record was appended

	refusedAt atomic.Int64 // when the disk refused the last write, Unix milliseconds; 0: the last write succeeded

	appended, failed, skipped, rejected atomic.Int64
	lastStored                          atomic.Int64 // time of the newest stored record, Unix milliseconds
	adopted                             atomic.Int64 // bytes in adopted sub-directories that are not in PostgreSQL yet
}

// ErrWaiting means that a record is not on stable storage yet. The record is in memory and is written as soon as the disk
// accepts it. It is lost if the process ends before that or, without Retry, if the disk refuses the record. With AckPostgres,
// ErrWaiting may also mean that the record is on disk but not in PostgreSQL yet.
var ErrWaiting = errors.New("spool: the record waits for the disk")

// errFull means that a record was not recorded, because too many bytes already wait for the disk. The disk is full or too slow.
var errFull = errors.New("spool: too much waits for the disk")

// errClosed means that the spool was closed before the record could be written.
var errClosed = errors.New("spool: closed")

const (
	// maxWaiting is the number of bytes that may wait for the flusher. The batch that the flusher is writing does not count, and
	// may be as large again.
	maxWaiting = 32 << 20
	// retryPause is the time between two attempts to write records that the disk refuses.
	retryPause = 250 * time.Millisecond
	// segmentAge is the age at which a segment ends, however small it is. The reader deletes only complete segments. Records
	// contain personal data, which must not stay on disk longer than it may be kept.
	segmentAge = 24 * time.Hour
	// logPause is the minimum time between two messages about a disk that refuses records.
	logPause = 10 * time.Second
)

// batch holds the records that one write and one sync make durable.
type batch struct {
	buf   []byte
	count int64
	done  chan struct{}
	end   position
	err   error
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

// Open claims a free sub-directory of root. It creates both directories if they are missing. Records that a crashed process left
// in the sub-directory are read like the spool's own records.
func Open(root string, o Options) (*Spool, error) {
	o.waiting = cmp.Or(o.waiting, maxWaiting)
	o.ahead = cmp.Or(o.ahead, aheadAfter)
	o.age = cmp.Or(o.age, segmentAge)
	if o.disk == nil {
		o.disk = realDisk{}
	}
	d, err := claimDir(root)
	if err != nil {
		return nil, err
	}
	o.SegmentSize = cmp.Or(o.SegmentSize, segmentSize(root))
	list, err := d.segments()
	if err != nil {
		return nil, errors.Join(err, d.release())
	}
	s := &Spool{
		root: root, dir: d, o: o, open: newBatch(), work: make(chan struct{}, 1), full: make(chan struct{}, 1), done: make(chan struct{}),
		written: make(chan struct{}, 1), ahead: newAhead(o.disk, d.path, o.SegmentSize),
	}
	mark := d.readMark()
	if err := d.writeMark(mark); err != nil { // write the mark while there is room: overwriting it later needs no more space
		slog.Warn("spool: the mark cannot be written", "error", err)
	}
	last := mark.seq
	if n := len(list); n > 0 {
		last = max(last, list[n-1])
	}
	// An old segment is never written to again, because its last record may be incomplete.
	s.active = position{seq: last + 1}
	s.tail.begin(s.active)
	s.stored.advance(mark)
	go s.flush()
	return s, nil
}

// Append returns nil when the record is on stable storage or, with AckPostgres, in PostgreSQL. It returns ErrWaiting if ctx ended
// first, or if the disk refused the record and the spool will try again. After any other error the record is not recorded. Append
// is safe for concurrent use.
func (s *Spool) Append(ctx context.Context, r Record) error {
	scratch := scratches.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	defer scratches.Put(scratch)
	frame, err := appendRecord(openFrame((*scratch)[:0]), r)
	*scratch = frame
	if err != nil {
		return err
	}
	if len(frame) > frameHeader+maxRecord {
		return fmt.Errorf("spool: a record of %d bytes is too large", len(frame))
	}
	closeFrame(frame)
	b, err := s.join(frame)
	if err != nil {
		return err
	}
	select {
	case <-b.done:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrWaiting, ctx.Err())
	}
	if b.err != nil || !s.o.AckPostgres {
		return b.err
	}
	return s.stored.wait(ctx, b.end)
}

var scratches = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// join adds the frame to the open batch and returns that batch. While the disk refuses records, join returns ErrWaiting instead of
// the batch.
func (s *Spool) join(frame []byte) (*batch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	b := s.open
	if len(b.buf)+len(frame) > s.o.waiting {
		s.failed.Add(1)
		return nil, errFull
	}
	b.buf = append(b.buf, frame...)
	b.count++
	if b.count == 1 {
		s.wake()
	}
	if s.refusing {
		return nil, ErrWaiting
	}
	if b.count == enough && s.o.Pace == 0 {
		signal(s.full)
	}
	return b, nil
}

// wake makes the flusher check the open batch.
func (s *Spool) wake() { signal(s.work) }

// signal puts an item into a channel of size one, unless the channel has an item already.
func signal(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// flush writes the batches. No other goroutine does. While it syncs a batch, the next batch collects records. A single record is
// written at once, unless writes are paced.
func (s *Spool) flush() {
	defer close(s.done)
	var spare []byte
	var last time.Time
	paces := pacer{least: s.o.Pace}
	pace := s.o.Pace
	for range s.work {
		if wait := pace - time.Since(last); wait > 0 {
			select {
			case <-time.After(wait):
			case <-s.full:
			}
		}
		last = time.Now()
		b, closed := s.swap(spare)
		pace, spare = paces.recordWrite(b.count, last), b.buf
		if b.count > 0 {
			b.err = s.write(b)
			if b.err != nil && s.o.Retry && !closed {
				s.requeue(b)
				pace, spare = retryPause, nil
				continue
			}
			s.count(b)
			close(b.done)
		}
		s.sealOld()
		if cap(spare) > 1<<20 {
			spare = nil
		}
		if closed {
			s.seal()
			s.ahead.close()
			return
		}
	}
}

// swap returns the open batch, which the caller writes, and opens a new batch. closed reports whether the spool was closed.
func (s *Spool) swap(spare []byte) (b *batch, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b = s.open
	select {
	case <-s.full: // removes the signal for b, so that it does not count for the new batch
	default:
	}
	s.writing, s.refusing = b.count, false
	s.open = newBatch()
	s.open.buf = spare[:0]
	return b, s.closed
}

// requeue puts a batch that the disk refused in front of the records that came after it. The callers that wait for any of these
// records get ErrWaiting.
func (s *Spool) requeue(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logThrottled(b.err, b.count)
	b.err = fmt.Errorf("%w: %w", ErrWaiting, b.err)
	next := newBatch()
	next.buf, next.count = slices.Concat(b.buf, s.open.buf), b.count+s.open.count
	s.open.err = b.err
	close(b.done)
	close(s.open.done)
	s.open, s.writing, s.refusing = next, 0, true
	s.wake()
}

// logThrottled logs that the disk refuses records, at most once per logPause.
func (s *Spool) logThrottled(cause error, records int64) {
	if time.Since(s.lastLogged) < logPause {
		return
	}
	s.lastLogged = time.Now()
	slog.Error("the disk refuses records of the spool", "error", cause, "records", records)
}

// count is called at the end of a batch. If the batch failed, it counts and logs the batch's records as failed.
func (s *Spool) count(b *batch) {
	s.mu.Lock()
	s.writing = 0
	s.mu.Unlock()
	if b.err != nil {
		s.failed.Add(b.count)
		s.logThrottled(b.err, b.count)
	}
}

// Close writes the appended records and releases the sub-directory. Records that the disk refuses now are lost and count as
// Failed. Close the Reader first.
func (s *Spool) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.wake()
	<-s.done
	return s.dir.release()
}

// Stats holds the figures of a spool for metrics.
type Stats struct {
	Appended     int64         // records made durable since the start
	Failed       int64         // records that were lost because the disk refused them or too many bytes waited
	Waiting      int64         // records in memory that are not on disk yet; a kill would lose them
	Skipped      int64         // stretches of damaged bytes that the readers skipped
	Rejected     int64         // records that PostgreSQL refuses, kept in the file "rejected"
	PendingBytes int64         // bytes on disk that are not in PostgreSQL yet
	RefusedAt    time.Time     // when the disk refused the last write; zero if the last write succeeded
	Lag          time.Duration // age of the newest stored record while other records wait
}

// Stats returns the current figures. It reads the directory, so call it for a metrics scrape, not for every click.
func (s *Spool) Stats() Stats {
	st := Stats{
		Appended: s.appended.Load(), Failed: s.failed.Load(), Skipped: s.skipped.Load(),
		Rejected: s.rejected.Load(), PendingBytes: s.dir.backlog(s.stored.at(), s.tail.size) + s.adopted.Load(),
	}
	s.mu.Lock()
	st.Waiting = s.open.count + s.writing
	s.mu.Unlock()
	if at := s.refusedAt.Load(); at > 0 {
		st.RefusedAt = time.UnixMilli(at)
	}
	if last := s.lastStored.Load(); st.PendingBytes > 0 && last > 0 {
		st.Lag = max(time.Since(time.UnixMilli(last)), 0)
	}
	return st
}

// Written has an item if a record was appended since the last receive.
func (s *Spool) Written() <-chan struct{} { return s.written }

// AckPostgres reports whether Append waits until its record is stored in PostgreSQL.
func (s *Spool) AckPostgres() bool { return s.o.AckPostgres }
