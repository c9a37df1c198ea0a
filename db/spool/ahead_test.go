package spool

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func largestSegment(t *testing.T, s *Spool) (size int64) {
	t.Helper()
	list, err := s.dir.segments()
	if err != nil {
		t.Fatal(err)
	}
	for _, seq := range list {
		size = max(size, s.dir.size(seq))
	}
	return size
}

// TestPreparedSegments checks that a busy spool writes into segments that were filled with zeros before. The remaining zeros
// count neither as records nor as damage or backlog. This holds for the spool's own reader, and for a process that adopts the
// segments after the first process was killed.
func TestPreparedSegments(t *testing.T) {
	t.Parallel()
	const size = 256 << 10
	s := open(t, t.TempDir(), Options{SegmentSize: size, ahead: 1}) // prepares a segment after the first byte
	want := appendClicks(t, s, 1)
	for largestSegment(t, s) < size {
		if len(want) > 100_000 {
			t.Fatal("no segment was prepared")
		}
		want = append(want, appendClicks(t, s, 1)...)
	}
	const least = 40 // minimum bytes of a record
	if n := s.Stats().PendingBytes; n < least*int64(len(want)) || n >= size {
		t.Errorf("%d bytes are pending with %d records, want at least %d per record and less than a segment", n, len(want), least)
	}

	killed := filepath.Join(t.TempDir(), "web-1")
	if err := os.CopyFS(killed, os.DirFS(s.dir.path)); err != nil {
		t.Fatal(err)
	}
	d, err := openDir(killed)
	if err != nil {
		t.Fatal(err)
	}
	adopted := newReader(&Spool{}, d, nil)
	reader := s.Reader()
	for name, q := range map[string]*Reader{"the spool's reader": reader, "a reader of the adopted directory": adopted} {
		if diff := cmp.Diff(want, readAll(t, q)); diff != "" || q.scan.skipped != 0 {
			t.Errorf("%s: %d stretches of damaged bytes, want none; records (-want +read): %s", name, q.scan.skipped, diff)
		}
	}
	if diff := cmp.Diff([]uuid.UUID(nil), readAll(t, reader)); diff != "" {
		t.Errorf("records read from the zeros after the last record: %s", diff)
	}

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := largestSegment(t, s); n >= size {
		t.Errorf("a closed segment has %d bytes, want less than %d, because its zeros were removed", n, size)
	}
	if _, err := os.Stat(filepath.Join(s.dir.path, "next")); !os.IsNotExist(err) {
		t.Errorf("the prepared file is still there: %v", err)
	}
}
