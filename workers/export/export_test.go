package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

func newStore(t *testing.T) (*store.Store, uuid.UUID) {
	t.Helper()
	d := dbtest.New(t)
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(d, box)
	account, err := s.CreateAccount(t.Context(), "A", "scale")
	if err != nil {
		t.Fatal(err)
	}
	return s, account.ID
}

// TestFormulas checks that only foreign text that a spreadsheet could run as a formula gets an apostrophe.
func TestFormulas(t *testing.T) {
	t.Parallel()
	f := &file{}
	for _, text := range []string{"=1+1", "\u200B=cmd()", "\u00AD\uFEFF@x", "\t=1", "a,b"} {
		f.cell(text, foreign)
	}
	f.cell("-5", !foreign)
	want := "'=1+1,'\u200B=cmd(),'\u00AD\uFEFF@x,'\t=1,\"a,b\",-5,"
	if string(f.line) != want {
		t.Errorf("%q, want %q", f.line, want)
	}
}

// TestFileIsReadBack: a file in several chunks is read back unchanged. The worker of an earlier attempt can no
// longer finish the file.
func TestFileIsReadBack(t *testing.T) {
	t.Parallel()
	s, account := newStore(t)
	x := models.Export{ID: uuid.New(), AccountID: account, Kind: "clicks", Name: "n", CreatedAt: time.Now()}
	rnd := rand.New(rand.NewPCG(1, 2))
	var want [][]string
	write := func(fence int64, rows int) *file {
		f := newFile(s.Exports(), x.ID, fence)
		want = [][]string{{"a", "b"}}
		if err := f.head(t.Context(), want[0]); err != nil {
			t.Fatal(err)
		}
		for range rows {
			var noise [150]rune
			for i := range noise {
				noise[i] = []rune("abcdefghijklmnopqrstuvwxyzäöü,;\"\n 0123456789ABCDEFGHIJKLMNOPQ")[rnd.IntN(60)]
			}
			row := []string{string(noise[:]), "-5"}
			f.cell("x"+row[0], foreign)
			f.cell(row[1], !foreign)
			row[0] = "x" + row[0]
			if err := f.row(t.Context()); err != nil {
				t.Fatal(err)
			}
			want = append(want, row)
		}
		if err := f.close(t.Context()); err != nil {
			t.Fatal(err)
		}
		return f
	}
	dead := write(1, 3) // of a worker that was killed before Finish
	f := write(2, 6000)
	x.RowCount, x.ByteSize = f.rows, f.bytes
	if _, _, err := s.Exports().Open(t.Context(), account, x.ID); !errors.Is(err, models.NotFound("")) {
		t.Errorf("an unfinished file can be opened: %v", err)
	}
	if err := s.Exports().Finish(t.Context(), x, f.fence); err != nil {
		t.Fatal(err)
	}
	if err := dead.files.Finish(t.Context(), x, dead.fence); err == nil {
		t.Error("the dead worker could finish the file too")
	}
	_, unpack, err := s.Exports().Open(t.Context(), account, x.ID)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := unpack(t.Context(), &text); err != nil || int64(text.Len()) != x.ByteSize || f.chunks < 2 {
		t.Fatalf("%d bytes, want %d, in %d pieces, %v", text.Len(), x.ByteSize, f.chunks, err)
	}
	got, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text.String(), byteOrderMark))).ReadAll()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %.500s", err, diff)
	}
}

func TestFileIsTooLarge(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	f := newFile(s.Exports(), uuid.New(), 1)
	f.rows = models.MaxExportRows - 1
	for i, want := range []error{nil, tooLarge()} {
		f.cell("x", foreign)
		if err := f.row(t.Context()); !errors.Is(err, want) {
			t.Errorf("row %d: %v", i, err)
		}
	}
	f = newFile(s.Exports(), uuid.New(), 1)
	for i, want := range []error{nil, tooLarge()} {
		f.cell(strings.Repeat("x", models.MaxExportBytes*2/3), foreign)
		if err := f.row(t.Context()); !errors.Is(err, want) {
			t.Errorf("text %d: %v", i, err)
		}
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	s, account := newStore(t)
	m := &maker{store: s}
	ids := map[string]uuid.UUID{}
	for name, days := range map[string]int{"old": 31, "young": 29} {
		ids[name] = uuid.New()
		f := newFile(s.Exports(), ids[name], 1)
		if err := errors.Join(f.head(t.Context(), []string{"x"}), f.close(t.Context())); err != nil {
			t.Fatal(err)
		}
		err := s.Exports().Finish(t.Context(), models.Export{
			ID: ids[name], AccountID: account, CreatedAt: time.Now().AddDate(0, 0, -days),
		}, 1)
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, days := range map[string]int{"dead": 2, "being made": 0} {
		ids[name] = uuid.New()
		if err := s.Exports().AddChunk(t.Context(), ids[name], 1, 0, []byte("x")); err != nil {
			t.Fatal(err)
		}
		const age = `UPDATE export_chunks SET created_at = created_at - make_interval(days => $2) WHERE export_id = $1`
		if _, err := s.Conn().ExecContext(t.Context(), age, ids[name], days); err != nil {
			t.Fatal(err)
		}
	}
	checkFiles := func(when string) {
		t.Helper()
		files, _, err := s.Exports().List(t.Context(), account, store.Page{Limit: 9})
		if err != nil || len(files) != 1 || files[0].ID != ids["young"] {
			t.Errorf("%s the sweep: %v, %v", when, files, err)
		}
		notFound := models.NotFound("file")
		if _, _, err := s.Exports().Open(t.Context(), account, ids["old"]); !errors.Is(err, notFound) {
			t.Errorf("%s the sweep an old file is opened: %v", when, err)
		}
		if err := s.Exports().Delete(t.Context(), account, ids["old"]); !errors.Is(err, notFound) {
			t.Errorf("%s the sweep an old file is deleted: %v", when, err)
		}
	}
	checkFiles("before")
	for range 2 {
		if err := m.sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	checkFiles("after")
	for name, want := range map[string]int{"old": 0, "young": 1, "dead": 0, "being made": 1} {
		var n int
		const q = `SELECT count(*) FROM export_chunks WHERE export_id = $1`
		if err := s.Conn().QueryRowxContext(t.Context(), q, ids[name]).Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d pieces, want %d, %v", name, n, want, err)
		}
	}
}
