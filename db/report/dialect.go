package report

import (
	"strings"
	"time"

	"switchyard/db"
	"switchyard/models/measure"
)

// dialect writes the parts of a statement in the SQL of a database. Facts have the alias f in both dialects.
type dialect interface {
	// raw returns the expression by which facts are grouped. The time of the facts is in column at.
	raw(d dimension, at string) string
	// asText returns the expression of a raw value as a text.
	asText(d dimension, raw string) string
	// sortable returns an expression that sorts raw values in the order of PostgreSQL, with missing values last.
	sortable(d dimension, raw string) string
	// span returns the number of the span that contains the time %s, from 1, or the code of that span.
	span(b *builder, list []span, codes []int64) string
	// values returns the list of a filter's values. It leaves out values that no row can have.
	values(b *builder, d dimension, values []string) string
	// condition returns the SQL that keeps facts by their values. The time of the facts is in column at.
	condition(c condition, at string) string
	// quotient returns the SQL of a formula by which groups are sorted: over alone if under is empty. Its value is NULL if it divides
	// by zero.
	quotient(over, under measure.Sum) string
	// statement returns the whole statement.
	statement(b *builder) string
}

// postgres is the dialect of PostgreSQL.
type postgres struct{}

func (postgres) raw(d dimension, at string) string {
	if d.kind == timed || d.kind == local {
		return strings.ReplaceAll(d.expr, "%s", at)
	}
	return d.expr
}

func (postgres) asText(d dimension, raw string) string {
	switch d.kind {
	case id:
		return `coalesce(nullif(` + raw + `, '00000000-0000-0000-0000-000000000000')::text, '')`
	case number:
		return `coalesce(nullif(` + raw + `, 0)::text, '')`
	case addr:
		return `coalesce(host(` + raw + `), '')`
	case timed:
		return strings.ReplaceAll(d.format, "%s", raw)
	case local:
		return raw + "::text"
	case text:
	}
	return raw
}

func (postgres) sortable(_ dimension, raw string) string { return raw }

func (postgres) span(b *builder, list []span, codes []int64) string {
	number := "width_bucket(%s, " + b.arg(texts(starts(list))) + "::timestamptz[])"
	if codes == nil {
		return number
	}
	return "coalesce((" + b.arg(codes) + "::bigint[])[" + number + "], 0)"
}

func (postgres) values(b *builder, d dimension, values []string) string {
	switch d.kind {
	case id:
		return b.arg(uuids(values)) + `::uuid[]`
	case number:
		return b.arg(numbers(values)) + `::bigint[]`
	case local:
		return b.arg(b.chosen(d, values)) + `::bigint[]`
	case text, addr, timed:
	}
	return b.arg(values) + `::text[]`
}

func (p postgres) condition(c condition, at string) string {
	expr := p.raw(c.dimension, at)
	if c.kind == addr || c.kind == timed {
		expr = p.asText(c.dimension, expr)
	}
	if c.not {
		return expr + " <> ALL (" + c.values + ")"
	}
	return expr + " = ANY (" + c.values + ")"
}

func (postgres) quotient(over, under measure.Sum) string {
	if under.SQL == "" {
		return over.SQL
	}
	return "(" + over.SQL + ")::numeric / nullif(" + under.SQL + ", 0)"
}

func starts(list []span) []time.Time {
	return db.Map(list, func(s span) time.Time { return s.start })
}
