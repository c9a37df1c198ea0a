package ai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"switchyard/workers/providers/rest"
)

// gemini is the Gemini API of Google. It refuses a wrong key with status 400.
var gemini = provider{
	base: "https://generativelanguage.googleapis.com",
	sign: func(key string) rest.Signer { return rest.Header("X-Goog-Api-Key", key) },
	open: func(api *rest.API) {
		api.Denied = func(f *rest.FailureError) bool {
			return isUnpaid(f) || f.Code == "UNAUTHENTICATED" || f.Code == "INVALID_ARGUMENT" && strings.Contains(strings.ToLower(f.Text), "api key")
		}
		api.Busy = func(f *rest.FailureError) bool { return f.Code == "RESOURCE_EXHAUSTED" && !isUnpaid(f) }
		api.Explain = explainUnpaid
	},
	list:     listGemini,
	nextTurn: requestGemini,
	usual:    compiled(`^gemini-2\.5-flash$`, `^gemini-flash-latest$`, `^gemini-[\d.]+-flash`, `^gemini-[\d.]+-pro`),
}

func listGemini(ctx context.Context, api rest.API) ([]Model, error) {
	var out []Model
	token := ""
	for range maxPages {
		query := url.Values{"pageSize": {"1000"}}
		if token != "" {
			query.Set("pageToken", token)
		}
		var answer struct {
			Models []struct {
				Name    string   `json:"name"`
				Display string   `json:"displayName"`
				Methods []string `json:"supportedGenerationMethods"`
			} `json:"models"`
			Next string `json:"nextPageToken"`
		}
		if err := api.Get(ctx, "/v1beta/models", query, &answer); err != nil {
			return nil, err
		}
		for _, m := range answer.Models {
			if slices.Contains(m.Methods, "generateContent") {
				out = append(out, Model{ID: strings.TrimPrefix(m.Name, "models/"), Name: m.Display})
			}
		}
		if answer.Next == "" || answer.Next == token {
			break
		}
		token = answer.Next
	}
	return geminiModels.filter(out), nil
}

type geminiPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
}

// geminiStops are the finish reasons with which the provider declines to answer.
var geminiStops = []string{"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}

func requestGemini(ctx context.Context, api rest.API, q Question) (out Answer, err error) {
	body := map[string]any{
		"systemInstruction": map[string]any{"parts": []any{map[string]any{"text": q.System}}},
		"contents":          geminiContents(q.Turns),
		"generationConfig":  map[string]any{"maxOutputTokens": q.MaxTokens},
	}
	if len(q.Tools) > 0 {
		functions := make([]any, len(q.Tools))
		for i, t := range q.Tools {
			functions[i] = map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters}
		}
		body["tools"] = []any{map[string]any{"functionDeclarations": functions}}
		body["toolConfig"] = map[string]any{"functionCallingConfig": map[string]any{"mode": map[bool]string{false: "AUTO", true: "NONE"}[q.Final]}}
	}
	var answer struct {
		Candidates []struct {
			Content json.RawMessage `json:"content"`
			Finish  string          `json:"finishReason"`
		} `json:"candidates"`
		Feedback struct {
			Block string `json:"blockReason"`
		} `json:"promptFeedback"`
		Usage struct {
			In      int `json:"promptTokenCount"`
			Out     int `json:"candidatesTokenCount"`
			Thought int `json:"thoughtsTokenCount"`
		} `json:"usageMetadata"`
	}
	if err := send(ctx, api, "/v1beta/models/"+url.PathEscape(q.Model)+":generateContent", body, &answer); err != nil {
		return out, err
	}
	out.TokensIn, out.TokensOut = answer.Usage.In, answer.Usage.Out+answer.Usage.Thought
	switch {
	case answer.Feedback.Block != "":
		out.Refused = true
		return out, nil
	case len(answer.Candidates) == 0:
		return out, rest.ErrForm
	}
	finish := answer.Candidates[0].Finish
	out.Cut, out.Refused = finish == "MAX_TOKENS", slices.Contains(geminiStops, finish)
	if len(answer.Candidates[0].Content) == 0 && (out.Cut || out.Refused) {
		return out, nil
	}
	return out, readGemini(answer.Candidates[0].Content, &out)
}

func readGemini(raw json.RawMessage, out *Answer) error {
	var content struct {
		Parts []geminiPart `json:"parts"`
	}
	if len(raw) == 0 || rest.Decode(raw, &content) != nil {
		return rest.ErrForm
	}
	for _, p := range content.Parts {
		switch {
		case p.Call != nil:
			out.Calls = append(out.Calls, Call{p.Call.ID, p.Call.Name, cmp.Or(string(p.Call.Args), "{}")})
		case !p.Thought:
			out.Text += p.Text
		}
	}
	for i := range out.Calls {
		if out.Calls[i].ID == "" { // an older model gives no ids to calls, and matches results by their order
			out.Calls[i].ID = fmt.Sprintf("%s%d", unnamed, i+1)
		}
	}
	out.raw = raw
	return nil
}

// unnamed is the prefix of the id of a call to which the provider gave no id.
const unnamed = "unnamed call "

func geminiContents(turns []Turn) []any {
	out := make([]any, 0, len(turns))
	content := func(role string, parts ...any) { out = append(out, map[string]any{"role": role, "parts": parts}) }
	for _, t := range turns {
		switch {
		case t.Assistant && t.raw != nil:
			out = append(out, t.raw)
		case t.Assistant:
			content("model", map[string]any{"text": t.Text})
		case len(t.Results) > 0:
			parts := make([]any, len(t.Results))
			for i, r := range t.Results {
				response := map[string]any{"name": r.Call.Name, "response": map[string]any{
					map[bool]string{false: "result", true: "error"}[r.Failed]: r.Text,
				}}
				if !strings.HasPrefix(r.Call.ID, unnamed) {
					response["id"] = r.Call.ID
				}
				parts[i] = map[string]any{"functionResponse": response}
			}
			content("user", parts...)
		default:
			content("user", map[string]any{"text": t.Text})
		}
	}
	return out
}
