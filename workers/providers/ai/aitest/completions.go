package aitest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

var openAI = fake{
	key: bearer, path: "/chat/completions", denied: http.StatusUnauthorized, busy: http.StatusTooManyRequests,
	refuse: func(c *request, status int, words string) {
		c.json(status, object{"error": object{"message": words, "type": "invalid_request_error", "param": nil, "code": "x"}})
	},
	list: func(c *request) {
		c.json(http.StatusOK, object{"object": "list", "data": []object{
			{"id": "text-embedding-3", "object": "model", "created": 1900000000, "owned_by": "openai"},
			{"id": "gpt-4-old", "object": "model", "created": 1500000000, "owned_by": "openai"},
			{"id": "gpt-5-audio", "object": "model", "created": 1900000001, "owned_by": "openai"},
			{"id": "gpt-5.4-pro", "object": "model", "created": 1900000002, "owned_by": "system"},
			{"id": "gpt-5.3-codex", "object": "model", "created": 1900000003, "owned_by": "system"},
			{"id": Models["openai"], "object": "model", "created": 1700000000, "owned_by": "openai"},
		}})
	},
	read:  func(c *request) (Received, error) { return readCompletion(c, "max_completion_tokens") },
	write: writeCompletion,
}

// openRouter lists its models without a key. If a turn is Broken, it reports a failure of the model behind it with status 200.
var openRouter = fake{
	key: bearer, path: "/chat/completions", denied: http.StatusUnauthorized, busy: http.StatusTooManyRequests,
	refuse: func(c *request, status int, words string) {
		c.json(status, object{"error": object{"code": status, "message": words, "metadata": object{"provider_name": "X"}}})
	},
	list: func(c *request) {
		if c.path == "/key" {
			c.json(http.StatusOK, object{"data": object{"label": "sk-or-...", "usage": 1.5, "limit": nil}})
			return
		}
		c.json(http.StatusOK, object{"data": []object{
			{"id": "a/no-tools", "name": "No tools", "created": 1900000000, "supported_parameters": []string{"max_tokens"}},
			{
				"id": "openai/gpt-5-image", "name": "Image", "created": 1900000001, "supported_parameters": []string{"tools"},
				"architecture": object{"output_modalities": []string{"image", "text"}},
			},
			{"id": "a/old", "name": "Old", "created": 1500000000, "supported_parameters": []string{"tools"}},
			{"id": Models["openrouter"], "name": "GPT", "created": 1700000000, "supported_parameters": []string{"tools", "max_tokens"}},
		}})
	},
	read:  func(c *request) (Received, error) { return readCompletion(c, "max_tokens") },
	write: writeCompletion,
}

// completion is a request to /chat/completions.
type completion struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		CallID  string `json:"tool_call_id"`
		Calls   []struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string  `json:"name"`
				Arguments *string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Parameters  object `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Choice   string `json:"tool_choice"`
	Limit    int    `json:"max_completion_tokens"`
	OldLimit int    `json:"max_tokens"`
	Effort   string `json:"reasoning_effort"`
}

// errThinks is OpenAI's refusal of tools while a model reasons.
var errThinks = errors.New("Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. " + //nolint:staticcheck // OpenAI's own words
	"To use function tools, use /v1/responses or set reasoning_effort to 'none'.")

// readCompletion reads a request. limitName is the provider's name for the limit of tokens.
func readCompletion(c *request, limitName string) (a Received, err error) {
	var in completion
	if err := strict(c.body, &in); err != nil {
		return a, err
	}
	if c.providers.Thinks && limitName != "max_tokens" && len(in.Tools) > 0 && in.Effort != "none" {
		return a, errThinks
	}
	a.Model, a.Final, a.Limit = in.Model, in.Choice == "none", in.Limit
	if limitName == "max_tokens" {
		a.Limit = in.OldLimit
	}
	for _, t := range in.Tools {
		a.Tools = append(a.Tools, t.Function.Name)
		if t.Type != "function" || t.Function.Parameters["type"] != "object" {
			return a, errors.New("a tool is not a function, or its parameters are not an object")
		}
	}
	waiting := pending{}
	for i, m := range in.Messages {
		switch {
		case m.Role == "system" && i == 0:
			a.System = m.Content
		case m.Role == "tool":
			name, err := waiting.answer(m.CallID)
			if err != nil {
				return a, err
			}
			a.Results = append(a.Results, Result{Name: name, Text: m.Content})
		case m.Role == "user" || m.Role == "assistant":
			if err := waiting.wantNone(); err != nil {
				return a, err
			}
			a.Texts = append(a.Texts, m.Content)
			for _, call := range m.Calls {
				if call.Type != "function" || call.Function.Arguments == nil {
					return a, errors.New("a call is not a function call, or has no arguments")
				}
				waiting[call.ID] = call.Function.Name
			}
		default:
			return a, errors.New("a message of " + m.Role)
		}
	}
	if a.Limit == 0 || a.System == "" {
		return a, errors.New("the limit or the instructions are missing")
	}
	return a, waiting.wantNone()
}

func writeCompletion(c *request, t Turn) {
	message, finish := object{"role": "assistant", "content": t.Text, "refusal": nil}, "stop"
	if t.Text == "" {
		message["content"] = nil
	}
	if t.Refused {
		message["content"], message["refusal"] = nil, t.Text
	}
	var calls []object
	for _, call := range t.Calls {
		calls = append(calls, object{"id": c.id("call_"), "type": "function", "function": object{
			"name": call.Name, "arguments": call.Arguments,
		}})
	}
	if calls != nil {
		message["tool_calls"], finish = calls, "tool_calls"
	}
	if t.Cut {
		finish = "length"
	}
	c.json(http.StatusOK, object{
		"id": "chatcmpl-1", "object": "chat.completion", "model": Models["openai"],
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   object{"prompt_tokens": 82, "completion_tokens": 17, "total_tokens": 99},
	})
}

// strict decodes JSON and returns an error for unknown members.
func strict(body []byte, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}
