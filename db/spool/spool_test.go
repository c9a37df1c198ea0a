package spool

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/await"
)

func open(t *testing.T, dir string, o Options) *Spool {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func appendClicks(t *testing.T, s *Spool, n int) []uuid.UUID {
	t.Helper()
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = models.NewClickID()
		if err := s.Append(t.Context(), Record{Click: &models.Click{ID: ids[i], Visitor: models.Visitor{UserAgent: "Mozilla/5.0"}}}); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// readAll reads all records in small batches. It counts each batch as stored at once, like an ingester whose batches never fail. It
// does not store the position for the next start.
func readAll(t *testing.T, q *Reader) []uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	for {
		items, err := q.Read(7) // a small number, so that calls can end in the middle of a segment
		if err != nil {
			t.Fatal(err)
		}
		q.done = q.pos
		if len(items) == 0 {
			return ids
		}
		for _, it := range items {
			if it.Err != nil {
				t.Fatal(it.Err)
			}
			ids = append(ids, it.Record.id())
		}
	}
}

func TestSpoolKeepsOrderOverSegments(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{SegmentSize: 200})
	q := s.Reader()
	want := appendClicks(t, s, 20)
	got := readAll(t, q)
	more := appendClicks(t, s, 20)
	got = append(got, readAll(t, q)...)
	if diff := cmp.Diff(append(want, more...), got); diff != "" {
		t.Errorf("records (-want +read): %s", diff)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if list, _ := s.dir.segments(); len(list) > 1 {
		t.Errorf("finished segments were not deleted: %v", list)
	}
	if n := s.Stats().PendingBytes; n != s.dir.backlog(q.done, nil) && n == 0 {
		t.Error("no bytes are pending, although segments are left on disk")
	}
}

// TestOldSegmentsEnd checks that a segment that reaches the maximum age ends even if no further record arrives, so that stored
// records do not stay on disk.
func TestOldSegmentsEnd(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{age: time.Millisecond})
	q := s.Reader()
	var got []uuid.UUID
	read := func() {
		got = append(got, readAll(t, q)...)
	}
	want := appendClicks(t, s, 1)
	for range 2 {
		await.Until(t, "the segment is deleted", func() bool {
			read()
			list, err := s.dir.segments()
			return err == nil && len(list) == 0
		})
		want = append(want, appendClicks(t, s, 1)...)
	}
	read()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +read): %s", diff)
	}
}

func TestSpoolManyWriters(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{SegmentSize: 16 << 10})
	var wg sync.WaitGroup
	var mu sync.Mutex
	want := map[uuid.UUID]bool{}
	for range 32 {
		wg.Go(func() {
			for range 30 {
				id := models.NewClickID()
				if err := s.Append(t.Context(), Record{Click: &models.Click{ID: id}}); err != nil {
					t.Error(err)
				}
				mu.Lock()
				want[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	got := readAll(t, s.Reader())
	if len(got) != len(want) {
		t.Fatalf("read %d of %d records", len(got), len(want))
	}
	for _, id := range got {
		if !want[id] {
			t.Errorf("record %s was read twice or never appended", id)
		}
		delete(want, id)
	}
}

func TestTwoProcessesNeverShare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := open(t, dir, Options{}), open(t, dir, Options{})
	if a.dir.path == b.dir.path {
		t.Fatal("both processes use the sub-directory " + a.dir.path)
	}
	want := appendClicks(t, b, 3)
	if orphans, err := claimOrphans(dir); err != nil || len(orphans) != 0 {
		t.Fatalf("while both processes run, the adopted sub-directories are %v, %v, want none", orphans, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	orphans, err := claimOrphans(dir)
	if err != nil || len(orphans) != 1 {
		t.Fatalf("after one process has ended, the adopted sub-directories are %v, %v, want one", orphans, err)
	}
	if diff := cmp.Diff(want, readAll(t, newReader(&Spool{}, orphans[0], nil))); diff != "" {
		t.Errorf("records of the adopted sub-directory (-want +read): %s", diff)
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{})
	if err := s.Append(t.Context(), Record{}); err == nil {
		t.Error("the spool accepted an empty record")
	}
	big := &models.Click{ID: models.NewClickID(), Params: string(make([]byte, maxRecord))}
	if err := s.Append(t.Context(), Record{Click: big}); err == nil {
		t.Error("the spool accepted a record that is too large for readers")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), Record{Click: &models.Click{ID: models.NewClickID()}}); !errors.Is(err, errClosed) {
		t.Errorf("appending after Close: %v, want errClosed", err)
	}
}

// TestAckPostgres checks that with AckPostgres a record is acknowledged only after a reader has committed it.
func TestAckPostgres(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{AckPostgres: true})
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := s.Append(short, Record{Click: &models.Click{ID: models.NewClickID()}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a record that is not committed: %v, want DeadlineExceeded", err)
	}
	acked := make(chan error, 1)
	go func() { acked <- s.Append(t.Context(), Record{Click: &models.Click{ID: models.NewClickID()}}) }()
	q := s.Reader()
	for read := 0; read < 2; { // the record of the caller that stopped waiting is on disk too
		<-s.written
		read += len(readAll(t, q))
	}
	s.stored.advance(q.done)
	if err := <-acked; err != nil {
		t.Error(err)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64, 256} {
		b.Run(strconv.Itoa(writers), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			r := Record{Click: filled[models.Click]()}
			b.SetParallelism(max(writers/2, 1)) // goroutines for each processor; on two processors there are as many goroutines as writers
			b.ResetTimer()
			if writers == 1 {
				for b.Loop() {
					if err := s.Append(b.Context(), r); err != nil {
						b.Fatal(err)
					}
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := s.Append(context.Background(), r); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
