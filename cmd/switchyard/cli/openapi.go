package cli

import (
	"switchyard/api"
)

// openapiCmd prints the description of the API, the same as GET /api/v1/openapi.json.
type openapiCmd struct {
	JSON bool `help:"Print one JSON value, which it always does."`
}

// Run implements the command.
func (c *openapiCmd) Run(e *env) error {
	cfg, err := e.config()
	if err != nil {
		return err
	}
	return e.printJSON(api.Document(api.Deps{BaseURL: cfg.BaseURL, Version: readBuild().Version}))
}
