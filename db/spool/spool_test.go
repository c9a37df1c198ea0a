package spool

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// fill sets every field of a struct to something that is not zero, so that a forgotten field shows.
func fill(v reflect.Value, seed *int) {
	*seed++
	switch x := v.Addr().Interface().(type) {
	case *uuid.UUID:
		*x = uuid.Must(uuid.NewV7())
		return
	case *netip.Addr:
		*x = netip.MustParseAddr("2001:db8::" + strconv.Itoa(*seed))
		return
	case *decimal.Decimal:
		*x = decimal.New(int64(*seed), -3)
		return
	case *[]byte:
		*x = []byte{0xff, 0, byte(*seed)}
		return
	case *map[string]string:
		*x = map[string]string{"payout": strconv.Itoa(*seed), "": "empty name", "x": ""}
		return
	}
	switch v.Kind() { //nolint:exhaustive // these are the kinds there are; the test fails on another
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), seed)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), seed)
		}
	case reflect.String:
		v.SetString("text " + strconv.Itoa(*seed))
	case reflect.Int:
		v.SetInt(int64(*seed))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*seed))
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("spool test: cannot fill " + v.Kind().String())
	}
}

func filled[T any]() *T {
	v, seed := new(T), 0
	fill(reflect.ValueOf(v).Elem(), &seed)
	return v
}

var byValue = cmp.Options{
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) }),
}

func TestRecordsKeepEveryField(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Record{
		"click":          {Click: filled[models.Click]()},
		"click-out":      {Out: filled[models.ClickOut]()},
		"postback":       {Postback: filled[models.Postback]()},
		"smartlink":      {Smart: filled[models.SmartlinkClick]()},
		"click, id only": {Click: &models.Click{ID: models.NewClickID()}},
		"IPv4":           {Click: &models.Click{ID: models.NewClickID(), Visitor: models.Visitor{IP: netip.MustParseAddr("8.8.8.8")}}},
	} {
		p, err := appendRecord(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeRecord(p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(r, got, byValue); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestUnknownFieldsAreSkipped(t *testing.T) {
	t.Parallel()
	c := filled[models.Click]()
	p, _ := appendRecord(nil, Record{Click: c})
	p = append(appendBytes(p[:1:1], 250, "of a later version"), p[1:]...)
	p = appendBytes(p, 251, "another")
	got, err := decodeRecord(p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got.Click, byValue); diff != "" {
		t.Error(diff)
	}
}

func TestTextsAreCleaned(t *testing.T) {
	t.Parallel()
	c := &models.Click{ID: models.NewClickID(), Visitor: models.Visitor{UserAgent: "a\x00b\xffc"}}
	p, _ := appendRecord(nil, Record{Click: c})
	got, err := decodeRecord(p)
	if err != nil || got.Click.UserAgent != "ab\uFFFDc" {
		t.Errorf("got %q, %v", got.Click.UserAgent, err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	for _, r := range []Record{{Click: filled[models.Click]()}, {Postback: filled[models.Postback]()}} {
		p, _ := appendRecord(nil, r)
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		r, err := decodeRecord(p)
		if err != nil {
			return
		}
		again, err := appendRecord(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeRecord(again); err != nil {
			t.Fatal(err)
		}
	})
}

// Whatever bytes lie on the disk, the scanner comes to an end, and gives only frames whose sums are right.
func FuzzScanner(f *testing.F) {
	frame := openFrame(nil)
	frame = append(frame, "payload"...)
	closeFrame(frame)
	f.Add(frame, true)
	f.Add(append(append([]byte("rubbish"), frame...), frame[:9]...), false)
	f.Add(append(append([]byte(nil), frame[:15]...), frame...), true)
	f.Fuzz(func(t *testing.T, buf []byte, last bool) {
		var s scanner
		for off := 0; off < len(buf); {
			payload, n := s.next(buf[off:], last)
			if payload == nil {
				if last && off+n != len(buf) {
					t.Fatal("bytes are left")
				}
				return
			}
			if n < frameHeader+len(payload) || len(payload) == 0 {
				t.Fatal("stands still")
			}
			whole := buf[off+n-len(payload)-frameHeader : off+n]
			if _, state := checkFrame(whole); state != frameSound {
				t.Fatal("gave a damaged frame")
			}
			off += n
		}
	})
}

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

// readAll reads to the end, as an ingester whose every batch is stored.
func readAll(t *testing.T, q *Reader) []uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	for {
		items, err := q.Read(7)
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
		t.Error(diff)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if list, _ := s.dir.segments(); len(list) > 1 {
		t.Errorf("finished segments stay: %v", list)
	}
	if n := s.Stats().PendingBytes; n != s.dir.backlog(q.done) && n == 0 {
		t.Errorf("pending %d", n)
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
		t.Fatalf("%d of %d", len(got), len(want))
	}
	for _, id := range got {
		if !want[id] {
			t.Errorf("%s twice or unknown", id)
		}
		delete(want, id)
	}
}

// A process that dies leaves its segments and a lock that is free again; a mark that was written holds.
func TestSpoolAfterCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	first := appendClicks(t, s, 5)
	q := s.Reader()
	if got := readAll(t, q); len(got) != len(first) {
		t.Fatalf("read %d", len(got))
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
		t.Error(diff)
	}
	if again.dir.path != s.dir.path {
		t.Errorf("took %s, not the free %s", again.dir.path, s.dir.path)
	}
}

func TestTwoProcessesNeverShare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := open(t, dir, Options{}), open(t, dir, Options{})
	if a.dir.path == b.dir.path {
		t.Fatal("both hold " + a.dir.path)
	}
	want := appendClicks(t, b, 3)
	if orphans, err := claimOrphans(dir); err != nil || len(orphans) != 0 {
		t.Fatalf("took a living process's spool: %v, %v", orphans, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	orphans, err := claimOrphans(dir)
	if err != nil || len(orphans) != 1 {
		t.Fatalf("orphans: %v, %v", orphans, err)
	}
	if diff := cmp.Diff(want, readAll(t, newReader(&Spool{}, orphans[0], nil))); diff != "" {
		t.Error(diff)
	}
}

// Whatever happens to the bytes of a segment, the records that are still whole come out, in order, and nothing else.
func TestDamagedSegments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	ids := appendClicks(t, s, 60)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	list, _ := s.dir.segments()
	whole, err := os.ReadFile(s.dir.segment(list[0]))
	if err != nil {
		t.Fatal(err)
	}
	size := len(whole) / len(ids)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		bytes := append([]byte(nil), whole...)
		hit := map[int]bool{} // records that were touched
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
		// Two flips of the same bit restore a record.
		if len(got) < len(want) || !subsequence(want, got) || !subsequence(got, ids) {
			t.Fatalf("want %d, got %d", len(want), len(got))
		}
		if torn := len(bytes)%size != 0; (torn || len(got) < len(bytes)/size) && q.scan.dropped == 0 {
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

// brokenDisk fails where it is told to; a write that fails has left half of its bytes.
type brokenDisk struct {
	mu   sync.Mutex
	part string // create, write, sync or truncate; empty is a sound disk
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

func (f brokenFile) Write(p []byte) (int, error) {
	if err := f.d.fails("write"); err != nil {
		n, _ := f.segmentFile.Write(p[:len(p)/2])
		return n, err
	}
	return f.segmentFile.Write(p)
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

// While the disk refuses, every Append says so at once; what was acknowledged before and after is all there is.
func TestBrokenDisk(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"create", "write", "sync", "truncate"} {
		d := &brokenDisk{}
		s := open(t, t.TempDir(), Options{disk: d, SegmentSize: 300})
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
					want = append(want, id) // the segment in use goes on until it is full
				case errors.Is(err, syscall.ENOSPC):
					refused++
				default:
					t.Fatalf("%s: %v", part, err)
				}
			}
			if refused == 0 {
				t.Errorf("%s: nothing was refused", part)
			}
			d.set("")
		}
		want = append(want, appendClicks(t, s, 5)...)
		q := s.Reader()
		if diff := cmp.Diff(want, readAll(t, q)); diff != "" {
			t.Errorf("%s: %s", part, diff)
		}
		if st := s.Stats(); st.Failed+st.Appended != 50 || st.Appended != int64(len(want)) || q.scan.dropped != 0 {
			t.Errorf("%s: %+v, dropped %d", part, st, q.scan.dropped)
		}
	}
}

// A disk so full that not even the mark can be written must not keep the segments that fill it.
func TestFullDiskFreesSegments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{SegmentSize: 100})
	appendClicks(t, s, 10)
	if err := os.Mkdir(filepath.Join(s.dir.path, "mark.new"), 0o700); err != nil {
		t.Fatal(err)
	}
	q := s.Reader()
	readAll(t, q)
	if err := q.mark(true); err == nil {
		t.Error("nobody hears of the mark")
	}
	if list, _ := s.dir.segments(); len(list) > 1 {
		t.Errorf("segments stay: %v", list)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, Options{})
	want := appendClicks(t, again, 3)
	// Without a mark the last segment is read again, which stores nothing twice.
	if got := readAll(t, again.Reader()); !subsequence(want, got) || len(got) > len(want)+2 {
		t.Errorf("read %d records", len(got))
	}
}

const crashDir = "SWITCHYARD_TEST_SPOOL"

// TestMain lets the test binary be the process that is killed: it appends from many goroutines and prints the id of
// each record that was acknowledged.
func TestMain(m *testing.M) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Open(dir, Options{SegmentSize: 8 << 10})
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

// A process that is killed again and again loses no record that it acknowledged and leaves none twice.
func TestKilledProcess(t *testing.T) {
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
			t.Errorf("%s twice", id)
		}
		seen[id] = true
		delete(acked, id)
	}
	if len(acked) > 0 || len(seen) < 1500 {
		t.Errorf("%d acknowledged records lost, %d found", len(acked), len(seen))
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{})
	if err := s.Append(t.Context(), Record{}); err == nil {
		t.Error("took an empty record")
	}
	big := &models.Click{ID: models.NewClickID(), Params: string(make([]byte, maxRecord))}
	if err := s.Append(t.Context(), Record{Click: big}); err == nil {
		t.Error("took a record that no reader takes")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), Record{Click: &models.Click{ID: models.NewClickID()}}); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// With AckPostgres a record is acknowledged when its place was stored, not before.
func TestAckPostgres(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{AckPostgres: true})
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := s.Append(short, Record{Click: &models.Click{ID: models.NewClickID()}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("acknowledged without a commit: %v", err)
	}
	acked := make(chan error, 1)
	go func() { acked <- s.Append(t.Context(), Record{Click: &models.Click{ID: models.NewClickID()}}) }()
	q := s.Reader()
	for read := 0; read < 2; {
		<-s.written
		read += len(readAll(t, q))
	}
	s.stored.advance(q.done)
	if err := <-acked; err != nil {
		t.Error(err)
	}
}

func BenchmarkEncode(b *testing.B) {
	r := Record{Click: filled[models.Click]()}
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = appendRecord(openFrame(buf[:0]), r)
		closeFrame(buf)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecode(b *testing.B) {
	p, _ := appendRecord(nil, Record{Click: filled[models.Click]()})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeRecord(p); err != nil {
			b.Fatal(err)
		}
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
			b.SetParallelism(max(writers/2, 1))
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
