// Package docs holds the pages of the documentation that customers and their assistants read.
package docs

import (
	"embed"
	"path"
	"strings"

	"switchyard/models/tool"
)

//go:embed assistants.md rules.md platforms.md difference.md sy.md
var files embed.FS

// Pages returns all pages, sorted by name.
func Pages() (pages []tool.Page, err error) {
	list, err := files.ReadDir(".")
	for _, f := range list {
		text, readErr := files.ReadFile(f.Name())
		if readErr != nil {
			return nil, readErr
		}
		pages = append(pages, tool.Page{Name: strings.TrimSuffix(f.Name(), path.Ext(f.Name())), Text: string(text)})
	}
	return pages, err
}
