package route

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
)

// Static is an answer that is made once and sent unchanged, with or without compression.
type Static struct {
	Type string
	Body []byte
	Gzip []byte
	ETag string // weak, because Body and Gzip have the same tag
}

// NewStatic returns an answer with a body and its compressed form.
func NewStatic(contentType string, body []byte) (Static, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return Static{}, err
	}
	if _, err := w.Write(body); err != nil {
		return Static{}, err
	}
	if err := w.Close(); err != nil {
		return Static{}, err
	}
	sum := sha256.Sum256(body)
	tag := `W/"` + hex.EncodeToString(sum[:16]) + `"`
	return Static{Type: contentType, Body: body, Gzip: packed.Bytes(), ETag: tag}, nil
}
