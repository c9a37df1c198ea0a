package networks

import (
	"errors"
	"strings"
	"time"

	"switchyard/models/timetext"
	"switchyard/workers/providers/rest"
)

type text = rest.Text

type list[T any] = rest.List[T]

type record = rest.Record

// clickIn returns the first value of the named fields that is one of our click ids, else the first value that is not empty.
func clickIn(r record, names ...string) string {
	texts := make([]text, len(names))
	for i, name := range names {
		texts[i] = r[name]
	}
	return clickOf(texts...)
}

// Moment is the time of an order.
type Moment struct {
	time.Time        // zero: the platform gave no time, or its text could not be read
	Unread    string // the platform's text, if it could not be read
}

// maxUnread is the maximum length of the text of a time that was not read, in bytes.
const maxUnread = 100

// when reads a time. A time without a zone is in the connection's zone.
func (s *session) when(t text) Moment {
	at, err := timetext.Read(string(t), s.zone)
	switch {
	case err == nil:
		return Moment{Time: at.At.UTC()}
	case errors.Is(err, timetext.ErrEmpty):
		return Moment{}
	}
	return Moment{Unread: strings.ToValidUTF8(string(t[:min(len(t), maxUnread)]), "")}
}
