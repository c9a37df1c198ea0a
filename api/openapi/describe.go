package openapi

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"switchyard/api/route"
)

// operations is operations.md. It describes each operation under a heading that consists of the method and the path.
//
//go:embed operations.md
var operations string

// Operations returns the descriptions of all operations, in Markdown.
func Operations() string { return operations }

// descriptions returns the texts of operations.md by method and path.
var descriptions = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	parts := strings.Split(operations, "\n## ")
	for _, part := range parts[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		out[heading] = strings.Join(strings.Fields(text), " ")
	}
	return out
})

// describe returns the description of a row. It is empty for a row that only a test has.
func describe(row route.Route) string {
	text := descriptions()[row.Method+" "+row.Path]
	if d := row.Deprecated; d != nil {
		return strings.TrimSpace(fmt.Sprintf("Deprecated; may stop working from %s. See %s\n\n%s",
			d.Sunset.UTC().Format("2006-01-02"), d.Link, text))
	}
	return text
}
