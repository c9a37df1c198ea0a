package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	switchyard "switchyard/api/clients/go"
)

// apiCmd calls a path of the API.
type apiCmd struct {
	Method string            `arg:"" help:"GET, POST, PUT, PATCH or DELETE."`
	Path   string            `arg:"" help:"Path such as /offers or /api/v1/offers?limit=10."`
	Body   string            `short:"b" help:"Body: JSON, @file, or - for standard input."`
	Query  map[string]string `short:"q" help:"Parameters, such as -q limit=10."`
	Key    string            `name:"idempotency-key" help:"Idempotency key: a POST with it is done once, however often the command runs within a day."`
	DryRun bool              `help:"Print the request and do not send it."`
}

// Run implements the command. An answer that is not JSON with a field data is written unchanged.
func (c *apiCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	path, rest, _ := strings.Cut(c.Path, "?")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if !strings.HasPrefix(path, "/api/") {
		path = "/api/v1" + path
	}
	query, err := url.ParseQuery(rest)
	if err != nil {
		return err
	}
	for name, value := range c.Query {
		query.Set(name, value)
	}
	body, err := c.body(e)
	if err != nil {
		return err
	}
	method := strings.ToUpper(c.Method)
	if c.DryRun {
		address := strings.TrimSuffix(client.URL, "/") + path
		if len(query) > 0 {
			address += "?" + query.Encode()
		}
		_, err := fmt.Fprintf(e.stdout, "%s %s\n%s", method, address, body)
		return err
	}
	var options []switchyard.Option
	if c.Key != "" {
		options = append(options, switchyard.IdempotencyKey(c.Key))
	}
	var sent any
	if body != nil {
		sent = body
	}
	var raw []byte
	if err := client.Do(ctx, method, path, query, sent, &raw, options...); err != nil {
		return err
	}
	var whole struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &whole) != nil || whole.Data == nil {
		_, err := e.stdout.Write(raw)
		return err
	}
	if e.Output == "table" || e.Output == "csv" {
		e.Output = "json"
	}
	return e.printRaw(whole.Data)
}

func (c *apiCmd) body(e *env) (json.RawMessage, error) {
	text := []byte(c.Body)
	var err error
	if name, file := strings.CutPrefix(c.Body, "@"); file || c.Body == "-" {
		text, err = e.readFile(name)
	}
	if err != nil || len(text) == 0 {
		return nil, err
	}
	var body json.RawMessage
	if err := json.Unmarshal(text, &body); err != nil {
		return nil, fmt.Errorf("the body is not JSON (%w): put it in single quotes, or name a file as @FILE", err)
	}
	return body, nil
}
