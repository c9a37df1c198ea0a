package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
)

// byteOrderMark tells spreadsheets that the text is UTF-8.
const byteOrderMark = "\uFEFF"

// chunkSize is the minimum number of compressed bytes in a chunk, except the last.
const chunkSize = 256 << 10

// file writes a CSV file to the database. It compresses and stores the text in chunks while the text is written, so that memory
// does not grow with the file.
type file struct {
	files store.Exports
	id    uuid.UUID
	fence int64

	line       []byte
	compressed bytes.Buffer
	gzip       *gzip.Writer
	chunks     int
	rows       int64
	bytes      int64
}

func newFile(files store.Exports, id uuid.UUID, fence int64) *file {
	f := &file{files: files, id: id, fence: fence}
	f.gzip, _ = gzip.NewWriterLevel(&f.compressed, gzip.BestSpeed) // no error: the level exists
	f.line = append(f.line, byteOrderMark...)
	return f
}

// tooLarge returns the error of a file beyond the limits.
func tooLarge() error {
	return models.Invalid("too_large", "the file would have more than %d rows or %d MB: use a shorter window",
		models.MaxExportRows, models.MaxExportBytes>>20)
}

func (f *file) head(ctx context.Context, names []string) error {
	for _, n := range names {
		f.cell(n, foreign) // people choose the names of sub-parameters
	}
	return f.end(ctx)
}

// cell adds a cell to the row. A foreign text, which a visitor, a platform or a user has chosen, gets an apostrophe in front if a
// spreadsheet would run it as a formula.
func (f *file) cell(text string, foreign bool) {
	if foreign && models.IsFormula(text) {
		text = "'" + text
	}
	if strings.ContainsAny(text, "\",\r\n") || strings.HasPrefix(text, " ") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	f.line = append(append(f.line, text...), ',')
}

// row ends a row of data. It returns too_large if the file exceeds its limits.
func (f *file) row(ctx context.Context) error {
	if f.rows++; f.rows > models.MaxExportRows {
		return tooLarge()
	}
	return f.end(ctx)
}

func (f *file) end(ctx context.Context) error {
	f.line[len(f.line)-1] = '\r' // replaces the last comma
	f.line = append(f.line, '\n')
	if f.bytes += int64(len(f.line)); f.bytes > models.MaxExportBytes {
		return tooLarge()
	}
	_, _ = f.gzip.Write(f.line) // a write to a buffer never fails
	f.line = f.line[:0]
	if f.compressed.Len() < chunkSize {
		return nil
	}
	return f.store(ctx)
}

func (f *file) store(ctx context.Context) error {
	err := f.files.AddChunk(ctx, f.id, f.fence, f.chunks, f.compressed.Bytes())
	f.chunks++
	f.compressed.Reset()
	return err
}

func (f *file) close(ctx context.Context) error {
	_ = f.gzip.Close() // a write to a buffer never fails
	return f.store(ctx)
}
