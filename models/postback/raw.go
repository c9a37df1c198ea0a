package postback

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// IsClick reports whether a text is a click id of this service whose time is possible: see oldestClick.
func IsClick(text string, now time.Time) bool {
	_, ok := clickOf(text, now)
	return ok
}

func clickOf(text string, now time.Time) (click uuid.UUID, ok bool) {
	click, err := models.ParseClickID(text)
	if at := models.ClickTime(click); err != nil || now.Sub(at) > oldestClick || at.Sub(now) > newestClick {
		return uuid.Nil, false
	}
	return click, true
}

// compressors holds unused compressors, because a new one needs a lot of memory.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return w
}}

// PackBody compresses the body of a message.
func PackBody(body []byte) []byte {
	var out bytes.Buffer
	w := compressors.Get().(*gzip.Writer) //nolint:forcetypeassert // New makes nothing else
	defer compressors.Put(w)
	w.Reset(&out)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// UnpackBody returns the body of a message that PackBody compressed. It returns an error if the body is longer than
// `limit` or damaged.
func UnpackBody(packed []byte, limit int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("postback: unpack body: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = io.ErrShortBuffer
	}
	if err != nil {
		return nil, fmt.Errorf("postback: unpack body: %w", err)
	}
	return body, nil
}
