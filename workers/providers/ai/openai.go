package ai

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"switchyard/workers/providers/rest"
)

// openAI is the chat completions API of OpenAI.
var openAI = provider{
	base:     "https://api.openai.com/v1",
	sign:     rest.Bearer,
	open:     openOpenAI,
	list:     listOpenAI,
	nextTurn: requestOpenAI,
	usual:    compiled(`^gpt-5(\.\d+)?(-20[\d-]+)?$`, `^gpt-5(\.\d+)?-mini`, `^gpt-4(\.1|o)(-20[\d-]+)?$`, `^gpt-4(\.1|o)-mini`),
}

const noCredit = "the account at the provider has no credit left"

// isUnpaid reports whether the account at the provider has no credit.
func isUnpaid(f *rest.FailureError) bool { return f.Status == http.StatusPaymentRequired }

func explainUnpaid(f *rest.FailureError) string {
	if isUnpaid(f) {
		return noCredit
	}
	return ""
}

// openOpenAI explains an empty account and a spent budget. OpenAI reports both with status 429, like too many requests.
func openOpenAI(api *rest.API) {
	api.Explain = func(f *rest.FailureError) string {
		switch f.Code {
		case "insufficient_quota", "credit_balance_exhausted":
			return noCredit
		case "organization_spend_limit_exceeded", "project_spend_limit_exceeded", "organization_usage_limit_exceeded":
			return "the account at the provider has reached its spending or usage limit"
		}
		return ""
	}
}

// openRouter uses the format of OpenAI. Its list of models needs no key, so check tries the key with a separate request.
var openRouter = provider{
	base:  "https://openrouter.ai/api/v1",
	sign:  rest.Bearer,
	open:  func(api *rest.API) { api.Denied, api.Explain = isUnpaid, explainUnpaid },
	check: func(ctx context.Context, api rest.API) error { return api.Get(ctx, "/key", nil, nil) },
	list:  listOpenRouter,
	nextTurn: func(ctx context.Context, api rest.API, q Question) (Answer, error) {
		return complete(ctx, api, q, "max_tokens", nil)
	},
	usual: compiled(`^anthropic/claude-sonnet-[\d.]+$`, `^openai/gpt-[\d.]+$`, `^google/gemini-[\d.]+-flash$`),
}

func listOpenAI(ctx context.Context, api rest.API) ([]Model, error) {
	var answer struct {
		Data []struct {
			ID      string `json:"id"`
			Created int64  `json:"created"`
		} `json:"data"`
	}
	if err := api.Get(ctx, "/models", nil, &answer); err != nil {
		return nil, err
	}
	var out []Model
	for _, m := range answer.Data {
		out = append(out, Model{ID: m.ID, created: m.Created})
	}
	return openAIModels.filter(out), nil
}

func listOpenRouter(ctx context.Context, api rest.API) ([]Model, error) {
	var answer struct {
		Data []struct {
			ID        string   `json:"id"`
			Name      string   `json:"name"`
			Created   int64    `json:"created"`
			Supported []string `json:"supported_parameters"`
			Output    struct {
				Kinds []string `json:"output_modalities"`
			} `json:"architecture"`
		} `json:"data"`
	}
	if err := api.Get(ctx, "/models", url.Values{"supported_parameters": {"tools"}}, &answer); err != nil {
		return nil, err
	}
	var out []Model
	for _, m := range answer.Data {
		hasOtherOutput := slices.ContainsFunc(m.Output.Kinds, func(kind string) bool { return kind != "text" })
		if slices.Contains(m.Supported, "tools") && !hasOtherOutput {
			out = append(out, Model{ID: m.ID, Name: m.Name, created: m.Created})
		}
	}
	return out, nil
}

type completion struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
			Calls   []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		In  int `json:"prompt_tokens"`
		Out int `json:"completion_tokens"`
	} `json:"usage"`
}

// requestOpenAI asks for a chat completion. Newer models reason by default, and the API then refuses a request with tools. Such a
// request is repeated with reasoning switched off. The first request does not have this setting, because older models do not know it.
func requestOpenAI(ctx context.Context, api rest.API, q Question) (Answer, error) {
	const limit, effort = "max_completion_tokens", "reasoning_effort"
	out, err := complete(ctx, api, q, limit, nil)
	f, refused := errors.AsType[*rest.FailureError](err)
	if refused && f.Status == http.StatusBadRequest && len(q.Tools) > 0 && strings.Contains(f.Text, effort) {
		return complete(ctx, api, q, limit, map[string]any{effort: "none"})
	}
	return out, err
}

// complete asks for a chat completion. limit is the API's name for the maximum number of tokens. The map `more`
// has further members of the request.
func complete(ctx context.Context, api rest.API, q Question, limit string, more map[string]any) (out Answer, err error) {
	body := map[string]any{"model": q.Model, "messages": chatMessages(q), limit: q.MaxTokens}
	maps.Copy(body, more)
	if len(q.Tools) > 0 {
		tools := make([]any, len(q.Tools))
		for i, t := range q.Tools {
			tools[i] = map[string]any{"type": "function", "function": map[string]any{
				"name": t.Name, "description": t.Description, "parameters": t.Parameters,
			}}
		}
		body["tools"], body["tool_choice"] = tools, map[bool]string{false: "auto", true: "none"}[q.Final]
	}
	var answer completion
	if err := send(ctx, api, "/chat/completions", body, &answer); err != nil {
		return out, err
	}
	if len(answer.Choices) == 0 {
		return out, rest.ErrForm
	}
	choice := answer.Choices[0]
	out.Text, out.TokensIn, out.TokensOut = choice.Message.Content, answer.Usage.In, answer.Usage.Out
	for _, c := range choice.Message.Calls {
		out.Calls = append(out.Calls, Call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	switch choice.Finish {
	case "length":
		out.Cut = true
	case "content_filter":
		out.Refused = true
	case "error": // OpenRouter sends this with the part of the answer that came before the failure
		return Answer{}, rest.ErrForm
	}
	if choice.Message.Refusal != "" {
		out.Refused, out.Text = true, choice.Message.Refusal
	}
	return out, nil
}

func chatMessages(q Question) []any {
	out := []any{map[string]any{"role": "system", "content": q.System}}
	for _, t := range q.Turns {
		switch {
		case t.Assistant && len(t.Calls) > 0:
			calls := make([]any, len(t.Calls))
			for i, c := range t.Calls {
				calls[i] = map[string]any{
					"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments},
				}
			}
			out = append(out, map[string]any{"role": "assistant", "content": t.Text, "tool_calls": calls})
		case t.Assistant:
			out = append(out, map[string]any{"role": "assistant", "content": t.Text})
		case len(t.Results) > 0:
			for _, r := range t.Results {
				out = append(out, map[string]any{"role": "tool", "tool_call_id": r.Call.ID, "content": r.Text})
			}
		default:
			out = append(out, map[string]any{"role": "user", "content": t.Text})
		}
	}
	return out
}
