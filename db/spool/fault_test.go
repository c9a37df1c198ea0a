package spool

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/parttest"
)

// TestSpoolAfterCrash checks that a new process continues with the segments and the mark of a process that has ended.
func TestSpoolAfterCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	first := appendClicks(t, s, 5)
	q := s.Reader()
	if got := readAll(t, q); len(got) != len(first) {
		t.Fatalf("read %d records, want %d", len(got), len(first))
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	second := appendClicks(t, s, 5)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, Options{})
	third := appendClicks(t, again, 5)
	got := readAll(t, again.Reader())
	if diff := cmp.Diff(append(second, third...), got); diff != "" {
		t.Errorf("records (-want +read): %s", diff)
	}
	if again.dir.path != s.dir.path {
		t.Errorf("the new process opened %s, want the sub-directory %s of the ended process", again.dir.path, s.dir.path)
	}
}

// TestDamagedSegments changes bytes of segments and cuts segments off. A reader returns only the records that are still intact,
// in order.
func TestDamagedSegments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	ids := appendClicks(t, s, 60)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	list, _ := s.dir.segments()
	intact, err := os.ReadFile(s.dir.segment(list[0]))
	if err != nil {
		t.Fatal(err)
	}
	size := len(intact) / len(ids) // size of a frame
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		bytes := slices.Clone(intact)
		hit := map[int]bool{} // records that were damaged
		if rnd.IntN(2) == 0 {
			cut := rnd.IntN(len(bytes))
			for i := cut / size; i < len(ids); i++ {
				hit[i] = true
			}
			bytes = bytes[:cut]
		}
		for range rnd.IntN(4) {
			if len(bytes) == 0 {
				break
			}
			at := rnd.IntN(len(bytes))
			bytes[at] ^= 1 << rnd.IntN(8)
			hit[at/size] = true
		}
		var want []uuid.UUID
		for i, id := range ids {
			if !hit[i] {
				want = append(want, id)
			}
		}
		path := filepath.Join(t.TempDir(), "x")
		h, err := openDir(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(h.segment(1), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		q := newReader(&Spool{}, h, nil)
		got := readAll(t, q)
		// Two changes of the same bit restore a record.
		if len(got) < len(want) || !subsequence(want, got) || !subsequence(got, ids) {
			t.Fatalf("read %d records, want at least the %d intact records, in order", len(got), len(want))
		}
		if torn := len(bytes)%size != 0; (torn || len(got) < len(bytes)/size) && q.scan.skipped == 0 {
			t.Error("damage was not counted")
		}
	}
}

func subsequence(short, long []uuid.UUID) bool {
	for _, id := range long {
		if len(short) > 0 && short[0] == id {
			short = short[1:]
		}
	}
	return len(short) == 0
}

// brokenDisk fails in a chosen operation. A failed write still writes half of its bytes. If the operation is truncate, writes fail
// too, because a segment is truncated after a failed write.
type brokenDisk struct {
	mu   sync.Mutex
	part string // create, write, sync or truncate; empty: nothing fails
}

func (d *brokenDisk) set(part string) { d.mu.Lock(); d.part = part; d.mu.Unlock() }

func (d *brokenDisk) fails(part string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.part == part || d.part == "truncate" && part == "write" {
		return syscall.ENOSPC
	}
	return nil
}

func (d *brokenDisk) create(path string) (segmentFile, error) {
	if err := d.fails("create"); err != nil {
		return nil, err
	}
	f, err := realDisk{}.create(path)
	return brokenFile{f, d}, err
}

type brokenFile struct {
	segmentFile
	d *brokenDisk
}

func (f brokenFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.d.fails("write"); err != nil {
		n, _ := f.segmentFile.WriteAt(p[:len(p)/2], off)
		return n, err
	}
	return f.segmentFile.WriteAt(p, off)
}

func (f brokenFile) syncData() error {
	if err := f.d.fails("sync"); err != nil {
		return err
	}
	return f.segmentFile.syncData()
}

func (f brokenFile) Truncate(size int64) error {
	if err := f.d.fails("truncate"); err != nil {
		return err
	}
	return f.segmentFile.Truncate(size)
}

var parts = []string{"create", "write", "sync", "truncate"}

// TestBrokenDisk checks that Append fails while the disk fails in an operation that the record needs. A reader finds exactly the
// acknowledged records.
func TestBrokenDisk(t *testing.T) {
	t.Parallel()
	for i, part := range slices.Concat(parts, parts) {
		d, ahead := &brokenDisk{}, int64(0)
		if i >= len(parts) {
			ahead = 1 // the next segment is prepared while one is written
		}
		s := open(t, t.TempDir(), Options{disk: d, SegmentSize: 300, ahead: ahead})
		var want []uuid.UUID
		for range 3 {
			want = append(want, appendClicks(t, s, 5)...)
			d.set(part)
			refused := 0
			for range 10 {
				id := models.NewClickID()
				err := s.Append(t.Context(), Record{Click: &models.Click{ID: id}})
				switch {
				case err == nil && part == "create":
					want = append(want, id) // records are written to the current segment until it is full
				case errors.Is(err, syscall.ENOSPC):
					refused++
				default:
					t.Fatalf("%s: %v", part, err)
				}
			}
			if refused == 0 && (part != "create" || ahead == 0) { // a prepared segment needs no create
				t.Errorf("while %s failed, no record was refused", part)
			}
			d.set("")
		}
		want = append(want, appendClicks(t, s, 5)...)
		q := s.Reader()
		if diff := cmp.Diff(want, readAll(t, q)); diff != "" {
			t.Errorf("after %s had failed, records (-want +read): %s", part, diff)
		}
		const appended = 3*(5+10) + 5
		if st := s.Stats(); st.Failed+st.Appended != appended || st.Appended != int64(len(want)) || q.scan.skipped != 0 {
			t.Errorf("after %s had failed: %+v and %d stretches of damaged bytes, want %d appended and %d failed records, and no damage",
				part, st, q.scan.skipped, len(want), appended-len(want))
		}
	}
}

// TestFullDiskFreesSegments checks that segments whose records are stored are deleted even if the disk has no room for the mark.
func TestFullDiskFreesSegments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{SegmentSize: 100})
	appendClicks(t, s, 10)
	mark := filepath.Join(s.dir.path, "mark") // a directory in its place makes writing the mark fail
	if err := errors.Join(os.Remove(mark), os.Mkdir(mark, 0o700)); err != nil {
		t.Fatal(err)
	}
	q := s.Reader()
	readAll(t, q)
	if err := q.mark(true); err == nil {
		t.Error("the failed mark is not reported")
	}
	if list, _ := s.dir.segments(); len(list) > 1 {
		t.Errorf("stored segments were not deleted: %v", list)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, Options{})
	want := appendClicks(t, again, 3)
	// Without a mark, the last segment is read again. The ingester still stores its records only once.
	if got := readAll(t, again.Reader()); !subsequence(want, got) || len(got) > len(want)+2 {
		t.Errorf("read %d records, want the %d new records after at most 2 old ones", len(got), len(want))
	}
}

const crashDir = "SWITCHYARD_TEST_SPOOL"

// TestMain also runs the test binary as the process that TestKilledProcess kills. That process appends records from many
// goroutines and prints the id of each acknowledged record.
func TestMain(m *testing.M) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Open(dir, Options{SegmentSize: 8 << 10, ahead: 1})
	if err != nil {
		panic(err)
	}
	for range 16 {
		go func() {
			for {
				id := models.NewClickID()
				if err := s.Append(context.Background(), Record{Click: &models.Click{ID: id}}); err != nil {
					panic(err)
				}
				_, _ = os.Stdout.WriteString(id.String() + "\n")
			}
		}()
	}
	select {}
}

// TestKilledProcess checks that a process that is killed repeatedly loses no acknowledged record, and that no record is read
// twice.
func TestKilledProcess(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	dir := t.TempDir()
	acked := map[uuid.UUID]bool{}
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), crashDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if id, err := uuid.Parse(lines.Text()); err == nil {
				acked[id] = true
			}
			if n == 300 {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
	}
	s := open(t, dir, Options{})
	seen := map[uuid.UUID]bool{}
	for _, id := range readAll(t, s.Reader()) {
		if seen[id] {
			t.Errorf("record %s was read twice", id)
		}
		seen[id] = true
		delete(acked, id)
	}
	if len(acked) > 0 || len(seen) < 5*300 {
		t.Errorf("%d acknowledged records are lost, want none; %d records were read, want at least %d", len(acked), len(seen), 5*300)
	}
}
