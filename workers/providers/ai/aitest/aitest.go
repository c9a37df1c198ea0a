// Package aitest has fakes of the AI providers. Each fake has the wire format of its provider. The test decides what the model
// says.
package aitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"switchyard/workers/providers/rest/resttest"
)

// Key is the key that the providers accept. It is a canary: a text that a test can find wherever it leaks.
const Key = "sk-9f2c71d04ab8Zq7"

// Models has the usual model of each provider, which the tests use.
var Models = map[string]string{
	"openai": "gpt-5.4", "anthropic": "claude-sonnet-5", "gemini": "gemini-2.5-flash", "openrouter": "openai/gpt-5.4",
}

// Call is a function call. Arguments is the text that the model writes. It need not be JSON.
type Call struct {
	Name      string
	Arguments string
}

// Turn is the model's next turn. The zero Turn is an answer without text and calls.
type Turn struct {
	Text    string
	Calls   []Call
	Refused bool           // the model declines, with Text
	Cut     bool           // the answer reaches the limit of tokens
	Broken  bool           // the provider answers 200 with an error that contains Text
	Fault   resttest.Fault // fault of the request
}

// Received is a question that a provider received.
type Received struct {
	Provider string
	Model    string
	System   string
	Texts    []string // texts of the user and of the model, in order
	Results  []Result
	Tools    []string // names
	Final    bool     // no further calls are allowed
	Limit    int      // maximum number of tokens
	Raw      string   // the whole body
}

// Result is the result of a call.
type Result struct {
	Name   string
	Text   string
	Failed bool // always false in OpenAI's format, which does not say whether a call failed
}

// Providers is the state shared by all providers. Its faults apply to all requests, including lists of models.
type Providers struct {
	resttest.Faults

	// Reply returns the model's next turn. nil: the model says "Hello".
	Reply func(Received) Turn
	// Thinks makes OpenAI's models reason unless a request switches this off.
	Thinks bool

	mu        sync.Mutex
	questions []Received
	flaws     []string
	calls     int
	refuse    *Refusal
}

// Questions returns all questions so far.
func (p *Providers) Questions() []Received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.questions)
}

type request struct {
	http.ResponseWriter

	providers *Providers
	r         *http.Request
	path      string
	body      []byte
	fake      fake
}

type fake struct {
	key    func(r *http.Request) string
	refuse func(c *request, status int, words string) // answers in the form of the provider's errors
	list   func(c *request)
	path   string
	read   func(c *request) (Received, error)
	write  func(c *request, t Turn)
	denied int // status for a wrong key
	busy   int // status for too many requests
}

var fakes = map[string]fake{"openai": openAI, "anthropic": anthropic, "gemini": gemini, "openrouter": openRouter}

// Serve starts a server that serves each provider at the paths that begin with its name. A request that does not have the provider's
// form fails the test.
func Serve(tb testing.TB, p *Providers) *httptest.Server {
	tb.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		f, ok := fakes[name]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		fault, ok := p.Next(r)
		if !ok {
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		(&request{rw, p, r, "/" + path, body, f}).serve(name, fault)
	}))
	tb.Cleanup(func() {
		server.Close()
		for _, what := range p.flaws {
			tb.Error(what)
		}
	})
	return server
}

func (c *request) serve(name string, fault resttest.Fault) {
	if flaw := c.flaw(name); flaw != "" {
		c.providers.mu.Lock()
		c.providers.flaws = append(c.providers.flaws, name+" "+c.path+": "+flaw)
		c.providers.mu.Unlock()
		c.fake.refuse(c, http.StatusBadRequest, flaw)
		return
	}
	if c.refused() {
		return
	}
	if c.fake.key(c.r) != Key && (name != "openrouter" || c.path != "/models") {
		c.fake.refuse(c, c.fake.denied, "no such API key: "+c.fake.key(c.r))
		return
	}
	if !c.mayServe(fault) {
		return
	}
	if c.r.Method == http.MethodGet {
		c.fake.list(c)
		return
	}
	asked, err := c.fake.read(c)
	if errors.Is(err, errThinks) {
		c.fake.refuse(c, http.StatusBadRequest, err.Error())
		return
	}
	if err != nil || c.fake.path != "" && c.path != c.fake.path {
		c.providers.mu.Lock()
		c.providers.flaws = append(c.providers.flaws, fmt.Sprintf("%s %s: %v: %s", name, c.path, err, c.body))
		c.providers.mu.Unlock()
		c.fake.refuse(c, http.StatusBadRequest, "the request does not have the provider's form")
		return
	}
	asked.Provider, asked.Raw = name, string(c.body)
	turn := c.providers.turn(asked)
	switch {
	case !c.mayServe(turn.Fault):
	case turn.Broken:
		c.fake.refuse(c, http.StatusOK, turn.Text)
	default:
		c.fake.write(c, turn)
	}
}

func (p *Providers) turn(a Received) Turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.questions = append(p.questions, a)
	if p.Reply == nil {
		return Turn{Text: "Hello"}
	}
	return p.Reply(a)
}

// mayServe answers with the fault, if there is one to answer with. It reports whether the request must still be served.
func (c *request) mayServe(fault resttest.Fault) bool {
	return c.providers.Answer(c, c.r, fault, resttest.FailureForms{
		Busy:   func() { c.fake.refuse(c, c.fake.busy, "too many requests") },
		Refuse: func(words string) { c.fake.refuse(c, http.StatusBadRequest, words) },
		Echo:   func(words string) { c.fake.refuse(c, http.StatusBadRequest, words) },
	})
}

type object = map[string]any

func (c *request) json(status int, v any) { resttest.JSON(c, status, v) }

func (c *request) id(prefix string) string {
	c.providers.mu.Lock()
	defer c.providers.mu.Unlock()
	c.providers.calls++
	return fmt.Sprintf("%s%d", prefix, c.providers.calls)
}

// pending maps the ids of calls without a result to the names of the functions.
type pending map[string]string

// answer removes a call and returns the function's name.
func (p pending) answer(id string) (name string, err error) {
	name, ok := p[id]
	if !ok {
		return "", fmt.Errorf("no call %q waits for a result", id)
	}
	delete(p, id)
	return name, nil
}

// wantNone returns an error if any call has no result yet.
func (p pending) wantNone() error {
	if len(p) > 0 {
		return fmt.Errorf("calls without a result: %v", p)
	}
	return nil
}

// arguments returns the arguments of a call as JSON, for wire formats that cannot carry any other text.
func (c Call) arguments() json.RawMessage {
	if !json.Valid([]byte(c.Arguments)) {
		raw, _ := json.Marshal(c.Arguments) // a text
		return raw
	}
	return json.RawMessage(c.Arguments)
}
