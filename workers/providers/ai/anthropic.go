package ai

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"switchyard/workers/providers/rest"
)

// anthropic is the messages API of Anthropic.
var anthropic = provider{
	base: "https://api.anthropic.com",
	sign: func(key string) rest.Signer {
		return func(r *http.Request, _ []byte) {
			r.Header.Set("X-Api-Key", key)
			r.Header.Set("Anthropic-Version", "2023-06-01")
		}
	},
	open: func(api *rest.API) {
		api.Busy = func(f *rest.FailureError) bool { return f.Status == statusOverloaded }
		api.Denied = func(f *rest.FailureError) bool { return f.Status == http.StatusPaymentRequired }
	},
	list:     listAnthropic,
	nextTurn: requestAnthropic,
	usual:    compiled(`^claude-sonnet-`, `^claude-[\d-]+-sonnet-`, `^claude-haiku-`, `^claude-opus-`),
}

// statusOverloaded is Anthropic's own status for "overloaded".
const statusOverloaded = 529

func listAnthropic(ctx context.Context, api rest.API) ([]Model, error) {
	var out []Model
	after := ""
	for range maxPages {
		query := url.Values{"limit": {"1000"}}
		if after != "" {
			query.Set("after_id", after)
		}
		var answer struct {
			Data []struct {
				ID      string    `json:"id"`
				Name    string    `json:"display_name"`
				Created time.Time `json:"created_at"`
			} `json:"data"`
			More bool   `json:"has_more"`
			Last string `json:"last_id"`
		}
		if err := api.Get(ctx, "/v1/models", query, &answer); err != nil {
			return nil, err
		}
		for _, m := range answer.Data {
			out = append(out, Model{ID: m.ID, Name: m.Name, created: m.Created.Unix()})
		}
		if !answer.More || answer.Last == "" || answer.Last == after {
			break
		}
		after = answer.Last
	}
	return out, nil
}

func requestAnthropic(ctx context.Context, api rest.API, q Question) (out Answer, err error) {
	body := map[string]any{"model": q.Model, "max_tokens": q.MaxTokens, "system": q.System, "messages": anthropicMessages(q.Turns)}
	if len(q.Tools) > 0 {
		tools := make([]any, len(q.Tools))
		for i, t := range q.Tools {
			tools[i] = map[string]any{"name": t.Name, "description": t.Description, "input_schema": t.Parameters}
		}
		body["tools"], body["tool_choice"] = tools, map[string]any{"type": map[bool]string{false: "auto", true: "none"}[q.Final]}
	}
	var answer struct {
		Content json.RawMessage `json:"content"`
		Stop    string          `json:"stop_reason"`
		Usage   struct {
			In  int `json:"input_tokens"`
			Out int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := send(ctx, api, "/v1/messages", body, &answer); err != nil {
		return out, err
	}
	var blocks []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	if rest.Decode(answer.Content, &blocks) != nil {
		return out, rest.ErrForm
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			out.Text += b.Text
		case "tool_use":
			out.Calls = append(out.Calls, Call{b.ID, b.Name, string(b.Input)})
		}
	}
	out.raw, out.TokensIn, out.TokensOut = answer.Content, answer.Usage.In, answer.Usage.Out
	out.Cut = answer.Stop == "max_tokens" || answer.Stop == "model_context_window_exceeded"
	out.Refused = answer.Stop == "refusal"
	return out, nil
}

func anthropicMessages(turns []Turn) []any {
	out := make([]any, 0, len(turns))
	for _, t := range turns {
		switch {
		case t.Assistant && t.raw != nil:
			out = append(out, map[string]any{"role": "assistant", "content": t.raw})
		case t.Assistant:
			out = append(out, map[string]any{"role": "assistant", "content": t.Text})
		case len(t.Results) > 0:
			blocks := make([]any, len(t.Results))
			for i, r := range t.Results {
				blocks[i] = map[string]any{
					"type": "tool_result", "tool_use_id": r.Call.ID, "content": r.Text, "is_error": r.Failed,
				}
			}
			out = append(out, map[string]any{"role": "user", "content": blocks})
		default:
			out = append(out, map[string]any{"role": "user", "content": t.Text})
		}
	}
	return out
}
