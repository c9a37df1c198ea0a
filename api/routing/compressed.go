package routing

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

// compressed is the text of a flow. Unless the text is short, it is compressed if that makes it shorter. It is decompressed only
// when the campaign is recompiled or copied to disk. Without compression, the snapshot would need 26% more memory.
type compressed struct {
	bytes []byte
	size  int // length of the original text
}

const compressFrom = 512

var flateWriters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // NewWriter fails only for an invalid level
	return w
}}

func compress(text []byte) compressed {
	if len(text) < compressFrom {
		return compressed{text, len(text)}
	}
	var b bytes.Buffer
	w, _ := flateWriters.Get().(*flate.Writer)
	defer flateWriters.Put(w)
	w.Reset(&b)
	_, err := w.Write(text)
	if err != nil || w.Close() != nil || b.Len() >= len(text) {
		return compressed{text, len(text)}
	}
	return compressed{bytes.Clone(b.Bytes()), len(text)}
}

func (p compressed) text() []byte {
	if len(p.bytes) == p.size {
		return p.bytes
	}
	text := make([]byte, p.size)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(p.bytes)), text); err != nil {
		panic("routing: a compressed text is broken: " + err.Error()) // only compress makes these texts
	}
	return text
}
