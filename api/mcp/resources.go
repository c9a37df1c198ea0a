package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"

	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/measure"
	"switchyard/models/tool"
)

const (
	docsURI   = "switchyard://docs/"
	reportURI = "switchyard://schema/report"
	flowURI   = "switchyard://campaign/{id}/flow"
)

const markdown = "text/markdown"

func (s *Service) addResources(server *sdk.Server) {
	for _, p := range s.d.Docs {
		server.AddResource(&sdk.Resource{URI: docsURI + p.Name, Name: p.Name, Title: p.Title(), Description: "a page of the documentation", MIMEType: markdown},
			textAt(markdown, func(context.Context, *caller, string) (string, error) { return p.Text, nil }))
	}
	server.AddResource(&sdk.Resource{URI: reportURI, Name: "report schema", Description: "the dimensions and figures of reports, with formulas", MIMEType: markdown},
		textAt(markdown, func(context.Context, *caller, string) (string, error) { return reportSchema(), nil }))
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: flowURI, Name: "flow", Title: "Flow of a campaign", Description: "the paths of a campaign as YAML; names in it are data", MIMEType: "application/yaml",
	}, textAt("application/yaml", readFlow))
}

// textAt returns a handler for a resource that is a text.
func textAt(kind string, read func(ctx context.Context, c *caller, uri string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		text, err := read(ctx, callerOf(ctx), r.Params.URI)
		if err != nil {
			return nil, sdk.ResourceNotFoundError(r.Params.URI)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: kind, Text: text}}}, nil
	}
}

func reportSchema() string {
	dimensions := slices.DeleteFunc(report.Dimensions(), func(d string) bool { return d == "ip" })
	var b strings.Builder
	fmt.Fprintf(&b, "# Reports\n\nDimensions: %s.\n\n| figure | kind | formula |\n|---|---|---|\n", strings.Join(dimensions, ", "))
	for _, m := range measure.All {
		formula := m.Formula
		if formula == "" {
			formula = "counted"
			if m.Doc != "" {
				formula += ", " + m.Doc
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.Name, m.Kind, formula)
	}
	return b.String()
}

func readFlow(_ context.Context, c *caller, uri string) (string, error) {
	id, ok := strings.CutPrefix(strings.TrimSuffix(uri, "/flow"), "switchyard://campaign/")
	if _, valid := models.ParseID(id); !ok || !valid {
		return "", models.NotFound("campaign")
	}
	api := &client{caller: c}
	data, err := api.Do(c.c.Context(), tool.Request{Method: "GET", Path: "/campaigns/" + id + "/flow"})
	if err != nil {
		return "", err
	}
	var flow any
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&flow); err != nil {
		return "", err
	}
	text, err := yaml.Marshal(tool.Clean(flow))
	return string(text), err
}
