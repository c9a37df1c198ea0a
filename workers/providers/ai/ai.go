// Package ai sends questions to language models of four providers. Each provider has an entry in the table providers. README.md
// names the source of each format, and what is not verified.
//
// No error contains a key. Treat the text of a model as untrusted input.
package ai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Model is a model that a provider offers to the owner of a key.
type Model struct {
	ID   string
	Name string

	created int64 // Unix time; 0: not known
}

// Tool is a function that a model may call.
type Tool struct {
	Name        string
	Description string
	// Parameters is a JSON schema of an object, with type, properties, required, items, enum and description only: all
	// providers understand these.
	Parameters map[string]any
}

// Call is a function call that a model asks for. Arguments is the text that the model wrote, which may not be valid JSON.
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// Result answers a Call.
type Result struct {
	Call   Call
	Text   string
	Failed bool
}

// Turn is a turn of a conversation: a text of the user, an answer of the model with its calls, or the results of calls.
type Turn struct {
	Assistant bool
	Text      string
	Calls     []Call
	Results   []Result

	raw json.RawMessage // an answer in the provider's own form, which is sent back unchanged; nil for OpenAI and OpenRouter
}

// Question is the conversation so far and the settings for the model's next turn.
type Question struct {
	Model  string
	System string
	Turns  []Turn
	Tools  []Tool
	// Final forbids further calls. Earlier turns may contain calls, so the tools are still sent.
	Final     bool
	MaxTokens int // maximum length of the answer
}

// Answer is the next turn of a conversation.
type Answer struct {
	Turn
	// Cut says that the answer ended at MaxTokens, or at the size of the model's context.
	Cut bool
	// Refused says that the model or its provider declines to answer. Text may say why.
	Refused bool
	// TokensIn and TokensOut are the tokens that the provider counted; 0: it reported none.
	TokensIn, TokensOut int
}

// Options of a Client.
type Options struct {
	Egress *egress.Client
	// URL replaces the addresses of all providers, for tests and gateways; empty: each provider's own address.
	URL  string
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
}

// Client opens connections. Safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{o}
}

// provider describes how to call a provider of models.AIProviders.
type provider struct {
	base string // address of its API, without a slash at the end
	sign func(key string) rest.Signer
	// open changes how failures are read; nil: nothing to change.
	open func(api *rest.API)
	// check makes a cheap request that fails with a wrong key; nil: list is such a request.
	check    func(ctx context.Context, api rest.API) error
	list     func(ctx context.Context, api rest.API) ([]Model, error)
	nextTurn func(ctx context.Context, api rest.API, q Question) (Answer, error)
	// usual are patterns of the models to use if no model was chosen, the best first.
	usual []*regexp.Regexp
}

var providers = map[string]provider{
	"anthropic":  anthropic,
	"gemini":     gemini,
	"openai":     openAI,
	"openrouter": openRouter,
}

const (
	// timeout is the limit of one request. A model answers slowly.
	timeout = 20 * time.Second
	// retryTime is how long one request waits for a provider that is busy or fails.
	retryTime = 3 * time.Second
)

// Connection sends requests to a provider with a key.
type Connection struct {
	provider

	api rest.API
}

// Open makes a connection. It sends no request yet.
func (c *Client) Open(name, key string) (*Connection, error) {
	p, ok := providers[name]
	if _, known := models.AIProviderNamed(name); !known || !ok {
		return nil, fmt.Errorf("ai: there is no provider %q", name)
	}
	api := rest.API{
		Out: c.o.Egress, Base: p.base, Now: c.o.Now, Sign: p.sign(key), RetryTime: retryTime, Wait: c.o.Wait,
		Timeout: func() time.Duration { return timeout },
		Failed:  failure, Coded: rest.Member("error.status", "error.code", "error.type"),
	}.WithSecrets(key)
	if p.open != nil {
		p.open(&api)
	}
	if c.o.URL != "" {
		api.Base = c.o.URL + "/" + name
	}
	return &Connection{p, api}, nil
}

// failure returns the error text of an answer, or "".
func failure(body []byte) string {
	var answer struct {
		Error *struct {
			Message rest.Text `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error == nil {
		return ""
	}
	return cmp.Or(string(answer.Error.Message), "no reason given")
}

const (
	maxModels = 1000
	maxPages  = 10
	maxName   = 200 // characters of a name; a model with a longer id is left out
)

// Models lists the models that can be asked, newest first if the provider reports when they were created. It returns
// rest.ErrRefused for a wrong key and rest.ErrBusy if the provider is too busy. Other errors are texts for a person.
func (c *Connection) Models(ctx context.Context) ([]Model, error) {
	if c.check != nil {
		if err := c.check(ctx, c.api); err != nil {
			return nil, c.api.PublicError(err)
		}
	}
	all, err := c.list(ctx, c.api)
	if err != nil {
		return nil, c.api.PublicError(err)
	}
	all = slices.DeleteFunc(all, func(m Model) bool {
		return m.ID == "" || len(m.ID) > maxName || strings.ContainsFunc(m.ID, func(r rune) bool { return r <= ' ' || r > '~' })
	})
	slices.SortStableFunc(all, func(a, b Model) int { return int(min(max(b.created-a.created, -1), 1)) })
	for i := range all {
		all[i].Name = cmp.Or(nameText(all[i].Name), all[i].ID)
	}
	return all[:min(len(all), maxModels)], nil
}

// nameText returns the name of a model on one line, at most maxName characters long.
func nameText(name string) string {
	name = strings.Join(strings.Fields(strings.ReplaceAll(name, "\x00", "")), " ")
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return name
}

// UsualModel chooses a model from the list that Models returned. It returns the provider's usual model, or else the first, or ""
// for an empty list.
func (c *Connection) UsualModel(list []Model) string {
	for _, name := range c.usual {
		for _, m := range list {
			if name.MatchString(m.ID) {
				return m.ID
			}
		}
	}
	if len(list) > 0 {
		return list[0].ID
	}
	return ""
}

// NextTurn asks a model for its next turn. It returns rest.ErrRefused for a wrong key and rest.ErrBusy if the provider is too
// busy. Other errors are texts for a person.
func (c *Connection) NextTurn(ctx context.Context, q Question) (Answer, error) {
	a, err := c.nextTurn(ctx, c.api, q)
	if err == nil && !a.Refused && !a.Cut && a.Text == "" && len(a.Calls) == 0 {
		err = errors.New("the model said nothing")
	}
	if err != nil {
		return Answer{}, c.api.PublicError(err)
	}
	a.Assistant = true
	a.Text = strings.ReplaceAll(a.Text, "\x00", "") // PostgreSQL cannot store NUL characters
	return a, nil
}

// send posts a question, and posts it again if the provider was busy or failed.
func send(ctx context.Context, api rest.API, path string, body, into any) error {
	return api.Do(ctx, rest.Request{Method: http.MethodPost, Path: path, Body: body, Repeat: true}, into)
}
