package aitest

import (
	"encoding/json"
	"errors"
	"net/http"
)

// anthropic lists its models on two pages.
var anthropic = fake{
	key:  func(r *http.Request) string { return r.Header.Get("X-Api-Key") },
	path: "/v1/messages", denied: http.StatusUnauthorized, busy: 529,
	refuse: func(c *request, status int, words string) {
		c.json(status, object{"type": "error", "error": object{"type": "authentication_error", "message": words}, "request_id": "req_1"})
	},
	list: func(c *request) {
		if c.r.URL.Query().Get("after_id") == "" {
			c.json(http.StatusOK, object{"data": []object{
				{"type": "model", "id": "old-haiku", "display_name": "Old", "created_at": "2024-01-01T00:00:00Z"},
			}, "has_more": true, "first_id": "old-haiku", "last_id": "old-haiku"})
			return
		}
		c.json(http.StatusOK, object{"data": []object{
			{"type": "model", "id": Models["anthropic"], "display_name": "New", "created_at": "2026-01-01T00:00:00Z"},
		}, "has_more": false, "first_id": Models["anthropic"], "last_id": Models["anthropic"]})
	},
	read: readMessages,
	write: func(c *request, s Turn) {
		content, stop := []object{}, "end_turn"
		if s.Text != "" {
			content = append(content, object{"type": "text", "text": s.Text})
		}
		for _, call := range s.Calls {
			stop = "tool_use"
			content = append(content, object{"type": "tool_use", "id": c.id("toolu_"), "name": call.Name, "input": call.arguments()})
		}
		if s.Refused {
			stop = "refusal"
		}
		if s.Cut {
			stop = "max_tokens"
		}
		c.json(http.StatusOK, object{
			"id": "msg_1", "type": "message", "role": "assistant", "model": Models["anthropic"], "content": content, "stop_reason": stop,
			"stop_sequence": nil, "usage": object{"input_tokens": 82, "output_tokens": 17},
		})
	},
}

type block struct {
	Type   string          `json:"type"`
	Text   string          `json:"text"`
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	CallID string          `json:"tool_use_id"`
	Result string          `json:"content"`
	Failed bool            `json:"is_error"`
}

func readMessages(c *request) (a Received, err error) {
	var in struct {
		Model    string `json:"model"`
		Max      int    `json:"max_tokens"`
		System   string `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Schema      object `json:"input_schema"`
		} `json:"tools"`
		Choice struct {
			Type string `json:"type"`
		} `json:"tool_choice"`
	}
	if err := strict(c.body, &in); err != nil {
		return a, err
	}
	if c.r.Header.Get("Anthropic-Version") != "2023-06-01" || in.Max == 0 || in.System == "" {
		return a, errors.New("the version is wrong, or the limit or the instructions are missing")
	}
	a.Model, a.System, a.Final, a.Limit = in.Model, in.System, in.Choice.Type == "none", in.Max
	for _, t := range in.Tools {
		a.Tools = append(a.Tools, t.Name)
	}
	waiting := pending{}
	for i, m := range in.Messages {
		if i == 0 && m.Role != "user" {
			return a, errors.New("the first message is not the user's")
		}
		var blocks []block
		if m.Content[0] == '"' {
			blocks = []block{{Type: "text"}}
			_ = json.Unmarshal(m.Content, &blocks[0].Text)
		} else if err := strict(m.Content, &blocks); err != nil {
			return a, err
		}
		for _, b := range blocks {
			if err := a.block(b, m.Role, waiting); err != nil {
				return a, err
			}
		}
		if m.Role == "user" { // one message must contain all results
			if err := waiting.wantNone(); err != nil {
				return a, err
			}
		}
	}
	return a, waiting.wantNone()
}

func (a *Received) block(b block, role string, waiting pending) error {
	switch {
	case b.Type == "text" && b.Text != "":
		a.Texts = append(a.Texts, b.Text)
	case b.Type == "tool_use" && role == "assistant":
		waiting[b.ID] = b.Name
	case b.Type == "tool_result" && role == "user":
		name, err := waiting.answer(b.CallID)
		if err != nil {
			return err
		}
		a.Results = append(a.Results, Result{name, b.Result, b.Failed})
	default:
		return errors.New("a block of type " + b.Type)
	}
	return nil
}
