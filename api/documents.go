package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"switchyard/api/mcp"
	"switchyard/api/openapi"
	"switchyard/models/tool"
)

// Pages returns the pages of the documentation that are served as Markdown: tracking, operations, then the given pages.
func Pages(more []tool.Page) []tool.Page {
	return slices.Concat([]tool.Page{
		{Name: "tracking", Text: string(openapi.Tracking())}, {Name: "operations", Text: openapi.Operations()},
	}, more)
}

const markdown = "text/markdown; charset=utf-8"

// documents serves the pages of the documentation at /docs/NAME.md.
func documents(list []tool.Page, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, isMarkdown := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/docs/"), ".md")
		i := slices.IndexFunc(list, func(p tool.Page) bool { return p.Name == name })
		if !isMarkdown || i < 0 {
			next.ServeHTTP(w, r)
			return
		}
		plain(w, markdown, list[i].Text)
	})
}

func plain(w http.ResponseWriter, kind, text string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write([]byte(text)) // a client that has disconnected is not an error
}

// llms serves /llms.txt, the list of the documentation's pages for programs (llmstxt.org).
func llms(baseURL string, list []tool.Page, withMCP bool) http.Handler {
	base := strings.TrimSuffix(baseURL, "/")
	var b strings.Builder
	fmt.Fprint(&b, "# Switchyard\n\n> Click tracking and traffic routing: campaigns route visitors by paths to landing pages and offers, and count clicks, conversions, cost and revenue.\n\n## API\n\n")
	fmt.Fprintf(&b, "- [OpenAPI document](%s%s/openapi.json): every call that a key can make\n- [Operations](%s/docs): the same calls on web pages\n", base, openapi.Prefix, base)
	if withMCP {
		fmt.Fprintf(&b, "- [MCP](%s%s): tools for assistants; an API key as bearer token, or OAuth\n", base, mcp.Path)
	}
	fmt.Fprint(&b, "\n## Documentation\n\n")
	for _, p := range list {
		fmt.Fprintf(&b, "- [%s](%s/docs/%s.md)\n", p.Title(), base, p.Name)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { plain(w, "text/plain; charset=utf-8", b.String()) })
}
