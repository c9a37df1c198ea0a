package cli

import (
	"switchyard/api"
)

// openapiCmd prints the answer of GET /api/v1/openapi.json.
type openapiCmd struct {
	JSON bool `help:"Has no effect: the command always prints one JSON value."`
}

// Run implements the command.
func (c *openapiCmd) Run(e *env) error {
	cfg, err := e.config()
	if err != nil {
		return err
	}
	return e.printJSON(api.Document(api.Deps{BaseURL: cfg.BaseURL, Version: readBuild().Version}))
}
