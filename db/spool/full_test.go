package spool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/await"
)

// smallDisk has room for a limited number of bytes. If a write does not fit, its first bytes are still written, as on a real disk.
type smallDisk struct{ room int64 }

func (d smallDisk) create(path string) (segmentFile, error) {
	f, err := realDisk{}.create(path)
	if err != nil {
		return nil, err
	}
	return smallFile{f.(realFile), d, filepath.Dir(path)}, nil
}

func (d smallDisk) free(dir string) int64 {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	free := d.room
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			free -= info.Size()
		}
	}
	return free
}

type smallFile struct {
	realFile
	d   smallDisk
	dir string
}

func (f smallFile) WriteAt(p []byte, off int64) (int, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	free := max(f.d.free(f.dir), 0)
	if fits := info.Size() + free - off; fits < int64(len(p)) {
		n, _ := f.realFile.WriteAt(p[:max(fits, 0)], off)
		return n, syscall.ENOSPC
	}
	return f.realFile.WriteAt(p, off)
}

// fillDisk appends clicks with parameters of the given size until the disk has refused some of them. It returns the ids of all
// clicks.
func fillDisk(t *testing.T, s *Spool, size, refusals int) []uuid.UUID {
	t.Helper()
	params := strings.Repeat("x", size)
	var ids []uuid.UUID
	for refused := 0; refused < refusals; {
		id := models.NewClickID()
		err := s.Append(t.Context(), Record{Click: &models.Click{ID: id, Params: params}})
		if err != nil && !errors.Is(err, ErrWaiting) {
			t.Fatal(err)
		}
		if err != nil {
			refused++
		}
		ids = append(ids, id)
	}
	return ids
}

// storeAll reads and commits records as an ingester does, until no record waits.
func storeAll(t *testing.T, s *Spool, q *Reader) []uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	await.Until(t, "everything is stored", func() bool {
		for {
			items, err := q.Read(100)
			if err != nil {
				t.Fatal(err)
			}
			if len(items) == 0 {
				return s.Stats().Waiting == 0 && s.Stats().PendingBytes == 0
			}
			for _, it := range items {
				ids = append(ids, it.Record.id())
			}
			if err := q.Commit(); err != nil {
				t.Fatal(err)
			}
		}
	})
	return ids
}

// TestFullDiskRecovers fills a disk that is smaller than the records waiting in memory. When PostgreSQL stores records again, all
// waiting records are written to the disk. They are read once and in order.
func TestFullDiskRecovers(t *testing.T) {
	t.Parallel()
	for _, segment := range []int64{15 << 10, 3 << 10, 100} {
		for _, ahead := range []int64{0, 1} { // 1: the next segment is prepared while the current one is written
			s := open(t, t.TempDir(), Options{disk: smallDisk{room: 20 << 10}, SegmentSize: segment, Retry: true, ahead: ahead})
			want := fillDisk(t, s, 300, 200)
			if s.Stats().RefusedAt.IsZero() {
				t.Error("the full disk has refused no write")
			}
			q := s.Reader()
			got := storeAll(t, s, q)
			want = append(want, appendClicks(t, s, 3)...)
			if diff := cmp.Diff(want, append(got, storeAll(t, s, q)...)); diff != "" {
				t.Errorf("segments of %d bytes: records (-want +read): %s", segment, diff)
			}
			if st := s.Stats(); st.Failed != 0 || st.Appended != int64(len(want)) || !st.RefusedAt.IsZero() {
				t.Errorf("segments of %d bytes: %+v, want %d appended records and none failed", segment, st, len(want))
			}
		}
	}
}

// TestFullDiskRefusesWholeRecords checks that without Retry no part of a refused record stays on a full disk. When PostgreSQL
// stores records again, the next records are written to the disk.
func TestFullDiskRefusesWholeRecords(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{disk: smallDisk{room: 20 << 10}})
	var want []uuid.UUID
	for {
		id, err := appendClick(t.Context(), s)
		if errors.Is(err, syscall.ENOSPC) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	q := s.Reader()
	got := storeAll(t, s, q)
	want = append(want, appendClicks(t, s, 3)...)
	if diff := cmp.Diff(want, append(got, storeAll(t, s, q)...)); diff != "" {
		t.Errorf("records (-want +read): %s", diff)
	}
}

// TestSmallVolumeRecovers fills a real volume of 20 MB and checks that the spool recovers.
func TestSmallVolumeRecovers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a volume")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=20m"); err != nil {
		t.Skipf("no volume can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	for _, segment := range []int64{0, maxSegment} {
		s := open(t, dir, Options{SegmentSize: segment, Retry: true})
		want := fillDisk(t, s, 5000, 1000)
		if free, size, err := Volume(dir); err != nil || free >= size || size != 20<<20 {
			t.Errorf("the volume has %d free bytes of %d, %v, want a size of %d and fewer free bytes", free, size, err, 20<<20)
		}
		q := s.Reader()
		got := storeAll(t, s, q)
		want = append(want, appendClicks(t, s, 3)...)
		if diff := cmp.Diff(want, append(got, storeAll(t, s, q)...)); diff != "" {
			t.Errorf("records (-want +read): %s", diff)
		}
		if s.dir.readMark() == (position{}) {
			t.Error("the mark is missing")
		}
		if err := errors.Join(q.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}
