package ai

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"switchyard/workers/providers/rest"
)

// openAI is the chat completions API of OpenAI.
var openAI = provider{
	base: "https://api.openai.com/v1",
	sign: rest.Bearer,
	list: listOpenAI,
	ask: func(ctx context.Context, api rest.API, q Question) (Answer, error) {
		return complete(ctx, api, q, "max_completion_tokens")
	},
	usual: []string{"gpt-5", "gpt-4"},
}

// openRouter speaks the same format. Its list of models needs no key, so that the key is tried apart.
var openRouter = provider{
	base: "https://openrouter.ai/api/v1",
	sign: rest.Bearer,
	check: func(ctx context.Context, api rest.API) error {
		return api.Do(ctx, rest.Request{Method: http.MethodGet, Path: "/key"}, nil)
	},
	list: listOpenRouter,
	ask: func(ctx context.Context, api rest.API, q Question) (Answer, error) {
		return complete(ctx, api, q, "max_tokens")
	},
	usual: []string{"anthropic/claude-sonnet", "openai/gpt-5", "google/gemini"},
}

// chatModels are the beginnings of names of OpenAI's models that chat, notChat parts of names of those that do not. The
// list tells nothing else about a model.
var (
	chatModels = []string{"gpt-", "chatgpt-", "o1", "o3", "o4", "ft:gpt-"}
	notChat    = []string{"audio", "realtime", "image", "transcribe", "tts", "instruct", "search", "embedding", "moderation"}
)

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
	var chat, all []Model
	for _, m := range answer.Data {
		one := Model{ID: m.ID, created: m.Created}
		all = append(all, one)
		if containsOf(m.ID, chatModels, strings.HasPrefix) && !containsOf(m.ID, notChat, strings.Contains) {
			chat = append(chat, one)
		}
	}
	if len(chat) == 0 { // a gateway calls its models as it likes
		return all, nil
	}
	return chat, nil
}

func containsOf(id string, list []string, is func(s, part string) bool) bool {
	for _, part := range list {
		if is(id, part) {
			return true
		}
	}
	return false
}

func listOpenRouter(ctx context.Context, api rest.API) ([]Model, error) {
	var answer struct {
		Data []struct {
			ID        string   `json:"id"`
			Name      string   `json:"name"`
			Created   int64    `json:"created"`
			Supported []string `json:"supported_parameters"`
		} `json:"data"`
	}
	if err := api.Get(ctx, "/models", url.Values{"supported_parameters": {"tools"}}, &answer); err != nil {
		return nil, err
	}
	var out []Model
	for _, m := range answer.Data {
		if containsOf("tools", m.Supported, func(s, part string) bool { return s == part }) {
			out = append(out, Model{ID: m.ID, Name: m.Name, created: m.Created})
		}
	}
	return out, nil
}

// completion is the answer of a chat completion.
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

// complete asks for a chat completion. limit is what the API calls the largest number of tokens.
func complete(ctx context.Context, api rest.API, q Question, limit string) (out Answer, err error) {
	body := map[string]any{"model": q.Model, "messages": chatMessages(q), limit: q.MaxTokens}
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
	case "error": // of OpenRouter, with what came before
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
