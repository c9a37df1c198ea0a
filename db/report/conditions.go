package report

import (
	"strings"
	"time"

	"switchyard/db/click"
)

// Conditions returns the conditions of filters on the clicks of a window: here for PostgreSQL, and there for the copy in
// ClickHouse.
func Conditions(filters []Filter, zone *time.Location, from, to time.Time) (here, there click.Condition, err error) {
	if here, err = conditionsIn(postgres{}, filters, zone, from, to); err == nil {
		there, err = conditionsIn(clickHouse{}, filters, zone, from, to)
	}
	return here, there, err
}

func conditionsIn(in dialect, filters []Filter, zone *time.Location, from, to time.Time) (out click.Condition, err error) {
	q := Query{Filters: filters, Zone: zone, From: from, To: to}
	if err := checkSize(q); err != nil {
		return out, err
	}
	b := &builder{dialect: in, args: make([]any, click.LogArgs)}
	if err := b.choose(&q, from, to); err != nil {
		return out, err
	}
	var s strings.Builder
	for _, c := range b.filters {
		s.WriteString(" AND " + in.condition(c, "f.at"))
	}
	return click.Condition{SQL: s.String(), Args: b.args[click.LogArgs:]}, nil
}
