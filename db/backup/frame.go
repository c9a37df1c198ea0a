package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Kinds of frames.
const (
	frameHeader = 'H'
	frameTable  = 'T'
	frameRows   = 'D'
	frameEnd    = 'E'
	frameLast   = 'Z'
)

// maxFrame is the largest size of a frame. A frame has whole rows, and a field in PostgreSQL may have up to 1 GB.
const maxFrame = 2 << 30

// frameWriter writes frames.
type frameWriter struct {
	buffered *bufio.Writer
	zip      *gzip.Writer
}

func newFrameWriter(w io.Writer) (*frameWriter, error) {
	b := bufio.NewWriterSize(w, 1<<20)
	zip, err := gzip.NewWriterLevel(b, gzip.BestSpeed)
	return &frameWriter{b, zip}, err
}

func (w *frameWriter) write(kind byte, content []byte) error {
	var head [5]byte
	head[0] = kind
	if len(content) > maxFrame {
		return fmt.Errorf("backup: a row of %d bytes is larger than a frame may be", len(content))
	}
	binary.BigEndian.PutUint32(head[1:], uint32(len(content))) //nolint:gosec // at most maxFrame
	if _, err := w.zip.Write(head[:]); err != nil {
		return err
	}
	_, err := w.zip.Write(content)
	return err
}

func (w *frameWriter) writeJSON(kind byte, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.write(kind, raw)
}

func (w *frameWriter) close() error {
	if err := w.zip.Close(); err != nil {
		return err
	}
	return w.buffered.Flush()
}

// frameReader reads frames. Its errors are ErrNotBackup and ErrDamaged.
type frameReader struct {
	zip     *gzip.Reader
	content bytes.Buffer
}

func newFrameReader(r io.Reader) (*frameReader, error) {
	zip, err := gzip.NewReader(bufio.NewReaderSize(r, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotBackup, err)
	}
	return &frameReader{zip: zip}, nil
}

// next reads a frame. Its content is valid until the next call.
func (r *frameReader) next() (kind byte, content []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r.zip, head[:]); err != nil {
		return 0, nil, damaged(err)
	}
	n := int64(binary.BigEndian.Uint32(head[1:]))
	if n > maxFrame {
		return 0, nil, damaged(fmt.Errorf("a frame of %d bytes", n))
	}
	r.content.Reset()
	// CopyN reads no more than the file has, so a wrong length does not use up the memory.
	if _, err := io.CopyN(&r.content, r.zip, n); err != nil {
		return 0, nil, damaged(err)
	}
	return head[0], r.content.Bytes(), nil
}

// end checks gzip's checksum, and that the file has no further bytes.
func (r *frameReader) end() error {
	if n, err := io.Copy(io.Discard, r.zip); err != nil || n > 0 {
		return damaged(errors.Join(err, fmt.Errorf("%d bytes after the end", n)))
	}
	return nil
}

func decode(content []byte, v any) error {
	if err := json.Unmarshal(content, v); err != nil {
		return damaged(err)
	}
	return nil
}

func damaged(err error) error { return fmt.Errorf("%w: %w", ErrDamaged, err) }
