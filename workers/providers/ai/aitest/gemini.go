package aitest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// gemini gives a tool call an id only if the turn has several tool calls. It refuses a wrong key with status 400. It signs each
// tool call, and the client must send the signature back with the call.
var gemini = fake{
	key:    func(r *http.Request) string { return r.Header.Get("X-Goog-Api-Key") },
	denied: http.StatusBadRequest, busy: http.StatusTooManyRequests,
	refuse: func(c *request, status int, words string) {
		c.json(status, object{"error": object{"code": status, "message": words, "status": "INVALID_ARGUMENT"}})
	},
	list: func(c *request) {
		methods := []string{"generateContent", "countTokens"}
		if c.r.URL.Query().Get("pageToken") == "" {
			c.json(http.StatusOK, object{"models": []object{
				{"name": "models/embedding-001", "displayName": "Embedding", "supportedGenerationMethods": []string{"embedContent"}},
				{"name": "models/gemini-2.5-flash-image", "displayName": "Nano Banana", "supportedGenerationMethods": methods},
				{"name": "models/gemma-3-27b-it", "displayName": "Gemma 3", "supportedGenerationMethods": methods},
				{"name": "models/gemini-old", "displayName": "Old", "supportedGenerationMethods": methods},
			}, "nextPageToken": "p2"})
			return
		}
		c.json(http.StatusOK, object{"models": []object{
			{"name": "models/" + Models["gemini"], "displayName": "Flash", "supportedGenerationMethods": methods},
		}})
	},
	read: readContents,
	write: func(c *request, s Turn) {
		parts, finish := []object{{"text": "let me think", "thought": true}}, "STOP"
		if s.Text != "" {
			parts = append(parts, object{"text": s.Text})
		}
		for _, call := range s.Calls {
			f := object{"name": call.Name, "args": call.arguments()}
			if len(s.Calls) > 1 {
				f["id"] = c.id("f")
			}
			parts = append(parts, object{"functionCall": f, "thoughtSignature": "signed"})
		}
		if s.Refused {
			finish = "SAFETY"
		}
		if s.Cut {
			finish = "MAX_TOKENS"
		}
		c.json(http.StatusOK, object{
			"candidates":    []object{{"content": object{"role": "model", "parts": parts}, "finishReason": finish, "index": 0}},
			"usageMetadata": object{"promptTokenCount": 82, "candidatesTokenCount": 10, "thoughtsTokenCount": 7, "totalTokenCount": 99},
			"modelVersion":  Models["gemini"],
		})
	},
}

type part struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Signed  string `json:"thoughtSignature"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string            `json:"id"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	} `json:"functionResponse"`
}

func readContents(c *request) (a Received, err error) {
	type content struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	var in struct {
		System   content   `json:"systemInstruction"`
		Contents []content `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Parameters  object `json:"parameters"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			Calling struct {
				Mode string `json:"mode"`
			} `json:"functionCallingConfig"`
		} `json:"toolConfig"`
		Generation struct {
			Max int `json:"maxOutputTokens"`
		} `json:"generationConfig"`
	}
	if err := strict(c.body, &in); err != nil {
		return a, err
	}
	model, isQuestion := strings.CutSuffix(strings.TrimPrefix(c.path, "/v1beta/models/"), ":generateContent")
	if !isQuestion || len(in.System.Parts) != 1 || in.Generation.Max == 0 {
		return a, errors.New("the path does not end in :generateContent, or the instructions or the limit are missing")
	}
	a.Model, a.System, a.Final, a.Limit = model, in.System.Parts[0].Text, in.Config.Calling.Mode == "NONE", in.Generation.Max
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			a.Tools = append(a.Tools, f.Name)
		}
	}
	waiting := pending{}
	for _, turn := range in.Contents {
		for _, p := range turn.Parts {
			if err := a.part(p, turn.Role, waiting); err != nil {
				return a, err
			}
		}
		if turn.Role == "user" {
			if err := waiting.wantNone(); err != nil {
				return a, err
			}
		}
	}
	return a, waiting.wantNone()
}

func (a *Received) part(p part, role string, waiting pending) error {
	switch {
	case p.Thought:
	case p.Call != nil && role == "model" && p.Signed == "signed":
		waiting[p.Call.ID+p.Call.Name] = p.Call.Name
	case p.Response != nil && role == "user":
		name, err := waiting.answer(p.Response.ID + p.Response.Name)
		if err != nil {
			return err
		}
		text, ok := p.Response.Response["result"]
		if !ok {
			text = p.Response.Response["error"]
		}
		a.Results = append(a.Results, Result{name, text, !ok})
	case p.Text != "":
		a.Texts = append(a.Texts, p.Text)
	default:
		return errors.New("a part is neither a text, a signed call nor a result, or has the wrong role")
	}
	return nil
}
