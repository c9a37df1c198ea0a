package spool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/await"
)

// slowDisk blocks every sync until it is released.
type slowDisk struct {
	began   sync.WaitGroup // the first sync has begun
	once    sync.Once
	release chan struct{}
}

func newSlowDisk() *slowDisk {
	d := &slowDisk{release: make(chan struct{})}
	d.began.Add(1)
	return d
}

func (d *slowDisk) create(path string) (segmentFile, error) {
	f, err := realDisk{}.create(path)
	return slowFile{f, d}, err
}

type slowFile struct {
	segmentFile
	d *slowDisk
}

func (f slowFile) syncData() error {
	f.d.once.Do(f.d.began.Done)
	<-f.d.release
	return f.segmentFile.syncData()
}

// impatient returns a context that has ended already, for a caller that does not wait at all.
func impatient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func appendClick(ctx context.Context, s *Spool) (uuid.UUID, error) {
	id := models.NewClickID()
	return id, s.Append(ctx, Record{Click: &models.Click{ID: id}})
}

// TestSlowDisk appends clicks while the disk hangs in the sync of the first click. All clicks then wait. When the disk works again,
// all clicks are read once and in order.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Retry: true}} {
		d := newSlowDisk()
		o.disk = d
		s := open(t, t.TempDir(), o)
		var want []uuid.UUID
		for i := range 50 {
			id, err := appendClick(impatient(t), s)
			if !errors.Is(err, ErrWaiting) {
				t.Fatalf("click %d while the disk hangs: %v, want ErrWaiting", i, err)
			}
			want = append(want, id)
			d.began.Wait()
		}
		if st := s.Stats(); st.Waiting != 50 || st.Failed != 0 || st.Appended != 0 {
			t.Errorf("while the disk hangs: %+v, want 50 waiting records, none appended and none failed", st)
		}
		close(d.release)
		want = append(want, appendClicks(t, s, 1)...)
		if diff := cmp.Diff(want, readAll(t, s.Reader())); diff != "" {
			t.Errorf("records (-want +read): %s", diff)
		}
		if st := s.Stats(); st.Waiting != 0 || st.Failed != 0 || st.Appended != 51 {
			t.Errorf("after the disk works again: %+v, want 51 appended records, none waiting and none failed", st)
		}
	}
}

// TestRefusedRecordsAreRecordedLater: each subtest makes one operation of the disk fail. The callers get no error except ErrWaiting,
// and no record is lost.
func TestRefusedRecordsAreRecordedLater(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"create", "write", "sync", "truncate"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			d := &brokenDisk{}
			s := open(t, t.TempDir(), Options{disk: d, SegmentSize: 300, Retry: true})
			want := appendClicks(t, s, 5)
			d.set(part)
			late := 0
			for range 20 {
				id, err := appendClick(t.Context(), s)
				switch {
				case errors.Is(err, ErrWaiting):
					late++
				case err != nil:
					t.Fatal(err)
				}
				want = append(want, id)
			}
			if st := s.Stats(); late == 0 || st.Waiting != int64(late) || st.Failed != 0 {
				t.Errorf("ErrWaiting was returned for %d records, want as many waiting records and none failed: %+v", late, st)
			}
			d.set("")
			await.Until(t, "the waiting records are written", func() bool { return s.Stats().Waiting == 0 })
			want = append(want, appendClicks(t, s, 5)...)
			if diff := cmp.Diff(want, readAll(t, s.Reader())); diff != "" {
				t.Errorf("records (-want +read): %s", diff)
			}
			if st := s.Stats(); st.Failed != 0 || st.Appended != int64(len(want)) {
				t.Errorf("after the disk works again: %+v, want %d appended records and none failed", st, len(want))
			}
		})
	}
}

// TestWaitingIsBounded fills the memory for records that the disk refuses. Only two kinds of records are lost, and both are
// counted: records that find no room in memory, and records that the disk still refuses when the spool is closed.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	d := &brokenDisk{}
	d.set("write")
	const room = 1 << 20
	s := open(t, t.TempDir(), Options{disk: d, Retry: true, waiting: room})
	large := string(slices.Repeat([]byte{'x'}, maxRecord/8))
	lost, full := int64(0), false
	for range 2*room/len(large) + 10 {
		err := s.Append(t.Context(), Record{Click: &models.Click{ID: models.NewClickID(), Params: large}})
		full = full || errors.Is(err, errFull)
		if !errors.Is(err, ErrWaiting) {
			lost++
		}
	}
	st := s.Stats()
	if !full || st.Failed != lost || st.Waiting == 0 || st.Waiting*int64(len(large)) > 2*room {
		t.Errorf("%d records are lost (the memory was full: %v), and the stats are %+v, want as many failed records", lost, full, st)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if end := s.Stats(); end.Failed != lost+st.Waiting || end.Waiting != 0 {
		t.Errorf("after Close: %+v, want %d failed records and none waiting", end, lost+st.Waiting)
	}
}
