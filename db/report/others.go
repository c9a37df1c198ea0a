package report

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/measure"
)

// maxPassedGroups limits the groups of facts that are sent from PostgreSQL to ClickHouse.
const maxPassedGroups = 100_000

// factsOutsideCopy returns the facts of a query that are not in ClickHouse, grouped and in the format of query.postgresFacts.
func (r Reader) factsOutsideCopy(ctx context.Context, q *query) (string, error) {
	b := q.write(postgres{})
	var out strings.Builder
	n, width := 0, len(b.dims)+len(measure.Counters)
	if b.Compare != nil {
		width++
	}
	err := db.EachRow(ctx, r.Conn, "facts outside the copy", func(rows *sqlx.Rows) error {
		cells, into := make([]string, width), make([]any, width)
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		n++
		if n > maxPassedGroups {
			return models.Invalid("invalid_input", "the answer has too many groups: choose fewer days or dimensions")
		}
		for i := range into {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(tabEscaper.Replace(cells[i]))
		}
		out.WriteByte('\n')
		return nil
	}, b.grouped(), b.args...)
	return out.String(), err
}

var tabEscaper = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// grouped returns the statement that sums up facts by raw values. All columns of its rows are texts.
func (b *builder) grouped() string {
	var list, keys []string
	for i, d := range b.dims {
		shown := group(i) + "::text"
		if d.kind == addr {
			shown = "coalesce(host(" + group(i) + "), '::')"
		}
		list, keys = append(list, shown), append(keys, strconv.Itoa(i+1))
	}
	if b.Compare != nil {
		list, keys = append(list, "before::text"), append(keys, strconv.Itoa(len(keys)+1))
	}
	for _, m := range measure.Counters {
		list = append(list, "coalesce(sum("+m.Name+"::numeric), 0)::text")
	}
	query := "SELECT " + strings.Join(list, ", ") + " FROM (\n" + strings.Join(b.parts, "\nUNION ALL\n") + "\n) facts"
	if len(keys) == 0 {
		return query
	}
	return fmt.Sprintf("%s\nGROUP BY %s LIMIT %d", query, strings.Join(keys, ", "), maxPassedGroups+1)
}
