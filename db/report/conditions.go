package report

import (
	"strings"
	"time"
)

// Conditions gives the SQL by which filters choose among the clicks of a window, which have the alias f. It begins with
// AND, unless there are no filters. Its placeholders follow those of the first arguments, of which there are so many.
func Conditions(filters []Filter, zone *time.Location, from, to time.Time, first int) (sql string, args []any, err error) {
	q := Query{Filters: filters, Zone: zone, From: from, To: to}
	if err := checkSize(q); err != nil {
		return "", nil, err
	}
	b := &builder{args: make([]any, first)}
	if err := b.choose(&q, from, to); err != nil {
		return "", nil, err
	}
	var s strings.Builder
	for _, c := range b.filters {
		s.WriteString(" AND " + c.sql("f.at"))
	}
	return s.String(), b.args[first:], nil
}
