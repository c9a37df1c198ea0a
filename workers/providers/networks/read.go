package networks

import (
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/rest"
)

type text = rest.Text

type list[T any] = rest.List[T]

// zoned and bare are the accepted forms of times, with and without a zone.
var (
	zoned = []string{time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700"}
	bare  = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "02.01.2006 15:04:05", time.DateOnly}
)

// when reads a time. A time without a zone is in the connection's zone. It returns the zero time for a text that is not a
// time.
func (s *session) when(t text) time.Time {
	word := strings.TrimSpace(string(t))
	for _, form := range zoned {
		if at, err := time.Parse(form, word); err == nil {
			return at.UTC()
		}
	}
	for _, form := range bare {
		if at, err := time.ParseInLocation(form, word, s.zone); err == nil {
			return at.UTC()
		}
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && n > 0 {
		if n > 1e11 {
			return time.UnixMilli(n).UTC()
		}
		return time.Unix(n, 0).UTC()
	}
	return time.Time{}
}
