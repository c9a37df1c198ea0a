package openapi

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"switchyard/api/route"
)

// operations describes each operation under a heading with its method and path.
//
//go:embed operations.md
var operations string

// descriptions are the texts of operations.md, by method and path.
var descriptions = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	parts := strings.Split(operations, "\n## ")
	for _, part := range parts[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		out[heading] = strings.Join(strings.Fields(text), " ")
	}
	return out
})

// describe returns the description of a row. It is empty for a row that only a test has. The description of a deprecated row
// says so first.
func describe(row route.Route) string {
	text := descriptions()[row.Method+" "+row.Path]
	if d := row.Deprecated; d != nil {
		return strings.TrimSpace(fmt.Sprintf("Deprecated; may stop working from %s. See %s\n\n%s",
			d.Sunset.UTC().Format("2006-01-02"), d.Link, text))
	}
	return text
}
