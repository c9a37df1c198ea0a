package main

import (
	"switchyard/api"
	"switchyard/ops/config"
)

// openapiCmd prints the API's description, as GET /api/v1/openapi.json answers it.
type openapiCmd struct {
	JSON bool `help:"Print one JSON value, which it always does."`
}

// Run implements the command.
func (c *openapiCmd) Run(e *env) error {
	cfg, err := config.Load(e.getenv)
	if err != nil {
		return err
	}
	return e.printJSON(api.Document(api.Deps{BaseURL: cfg.BaseURL, Version: readBuild().Version}))
}
