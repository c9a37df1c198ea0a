package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
)

// byteOrderMark tells spreadsheets that the text is UTF-8.
const byteOrderMark = "\uFEFF"

// chunkSize is about how many compressed bytes one row of the database holds.
const chunkSize = 256 << 10

// file is a CSV file on its way into the database: text is compressed as it comes and stored piece by piece, so that
// memory is the same for any length.
type file struct {
	files store.Exports
	id    uuid.UUID
	fence int64

	line   []byte // the row being written
	packed bytes.Buffer
	gzip   *gzip.Writer
	chunks int
	rows   int64
	bytes  int64
}

func newFile(files store.Exports, id uuid.UUID, fence int64) *file {
	f := &file{files: files, id: id, fence: fence}
	f.gzip, _ = gzip.NewWriterLevel(&f.packed, gzip.BestSpeed) // a level that exists
	f.line = append(f.line, byteOrderMark...)
	return f
}

// tooLarge is the documented refusal.
func tooLarge() error {
	return models.Invalid("too_large", "the file would have more than %d rows or %d MB: use a shorter window",
		models.MaxExportRows, models.MaxExportBytes>>20)
}

// head writes the headings.
func (f *file) head(ctx context.Context, names []string) error {
	for _, n := range names {
		f.cell(n, false)
	}
	return f.end(ctx)
}

// cell adds a cell to the row. One that was decided outside the service and that a spreadsheet would run as a formula
// is shown as a text.
func (f *file) cell(text string, foreign bool) {
	if foreign && isFormula(text) {
		text = "'" + text
	}
	if strings.ContainsAny(text, "\",\r\n") || strings.HasPrefix(text, " ") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	f.line = append(append(f.line, text...), ',')
}

// isFormula tells whether a spreadsheet would take a cell for a formula, also after it has trimmed it.
func isFormula(text string) bool {
	if strings.IndexAny(text, "\t\r\n") == 0 {
		return true
	}
	text = strings.TrimLeft(text, " \u00A0\uFEFF")
	for _, sign := range []string{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20", "\t", "\r", "\n"} {
		if strings.HasPrefix(text, sign) {
			return true
		}
	}
	return false
}

// row ends a row of data; more rows than a file may have are too_large.
func (f *file) row(ctx context.Context) error {
	if f.rows++; f.rows > models.MaxExportRows {
		return tooLarge()
	}
	return f.end(ctx)
}

func (f *file) end(ctx context.Context) error {
	f.line[len(f.line)-1] = '\r' // in the place of the last comma
	f.line = append(f.line, '\n')
	if f.bytes += int64(len(f.line)); f.bytes > models.MaxExportBytes {
		return tooLarge()
	}
	_, _ = f.gzip.Write(f.line) // memory takes everything
	f.line = f.line[:0]
	if f.packed.Len() < chunkSize {
		return nil
	}
	return f.store(ctx)
}

func (f *file) store(ctx context.Context) error {
	err := f.files.AddChunk(ctx, f.id, f.fence, f.chunks, f.packed.Bytes())
	f.chunks++
	f.packed.Reset()
	return err
}

// close stores what is left.
func (f *file) close(ctx context.Context) error {
	_ = f.gzip.Close() // as above
	return f.store(ctx)
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }
