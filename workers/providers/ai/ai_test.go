package ai_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ai"
	"switchyard/workers/providers/ai/aitest"
	"switchyard/workers/providers/rest"
	"switchyard/workers/providers/rest/resttest"
)

// suite is a provider under test.
type suite struct {
	*testing.T

	name      string
	providers *aitest.Providers
	open      func(key string) *ai.Connection
}

func TestProviders(t *testing.T) {
	t.Parallel()
	for _, p := range models.AIProviders {
		for what, test := range map[string]func(suite){
			"models": suite.models, "conversation": suite.conversation, "malformed": suite.malformed, "stops": suite.stops,
			"faults": suite.faults, "retries": suite.retries, "keys": suite.keys, "refusals": suite.refusals,
		} {
			t.Run(p.Name+"/"+what, func(t *testing.T) {
				t.Parallel()
				s := suite{T: t, name: p.Name, providers: &aitest.Providers{}}
				server := aitest.Serve(t, s.providers)
				client := ai.New(ai.Options{
					Egress: egresstest.Client(t, server, egress.Options{MaxBody: 1 << 20}), URL: server.URL,
					Wait: func(context.Context, time.Duration) error { return nil },
				})
				s.open = func(key string) *ai.Connection {
					c, err := client.Open(p.Name, key)
					if err != nil {
						t.Fatal(err)
					}
					return c
				}
				test(s)
			})
		}
	}
}

func TestUnknownProvider(t *testing.T) {
	t.Parallel()
	if c, err := ai.New(ai.Options{}).Open("hal", "k"); err == nil {
		t.Error(c)
	}
}

var tools = []ai.Tool{{
	Name: "weather", Description: "tells the weather",
	Parameters: map[string]any{"type": "object", "properties": map[string]any{"place": map[string]any{"type": "string"}}},
}}

func (s suite) next(turns ...ai.Turn) (ai.Answer, error) {
	return s.open(aitest.Key).NextTurn(s.Context(), ai.Question{
		Model: aitest.Models[s.name], System: "Be brief.", Turns: turns, Tools: tools, MaxTokens: 100,
	})
}

// script sets the model's turns. The last one repeats.
func (s suite) script(list ...aitest.Turn) {
	s.providers.Reply = func(aitest.Received) aitest.Turn {
		turn := list[0]
		if len(list) > 1 {
			list = list[1:]
		}
		return turn
	}
}

// models: all pages are read. Only models that chat and call tools are listed, newest first.
func (s suite) models() {
	c := s.open(aitest.Key)
	list, err := c.Models(s.Context())
	ids := []string{}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	if err != nil || len(list) != 2 || !slices.Contains(ids, aitest.Models[s.name]) || list[0].Name == "" || c.UsualModel(list) != aitest.Models[s.name] {
		s.Errorf("%+v, %q, %v", list, c.UsualModel(list), err)
	}
	if s.name != "gemini" && ids[0] != aitest.Models[s.name] { // Gemini does not report the age of models
		s.Errorf("the first model is %s, which is not the newest", ids[0])
	}
	if got := c.UsualModel(nil); got != "" {
		s.Error(got)
	}
}

// conversation: two calls at once, their results, one more call, and the answer.
func (s suite) conversation() {
	s.script(
		aitest.Turn{Text: "I look.", Calls: []aitest.Call{{Name: "weather", Arguments: `{"place":"Rome"}`}, {Name: "weather", Arguments: `{"place":"Oslo"}`}}},
		aitest.Turn{Calls: []aitest.Call{{Name: "weather", Arguments: `{"place":"Bern"}`}}},
		aitest.Turn{Text: "It rains."},
	)
	turns := []ai.Turn{{Text: "Hello"}, {Assistant: true, Text: "Yes?"}, {Text: "How is the weather?"}}
	var a ai.Answer
	for range 2 {
		var err error
		if a, err = s.next(turns...); err != nil {
			s.Fatal(err)
		}
		results := ai.Turn{}
		for i, c := range a.Calls {
			results.Results = append(results.Results, ai.Result{Call: c, Text: c.Arguments, Failed: i == 1})
		}
		turns = append(turns, a.Turn, results)
	}
	turns[len(turns)-1].Results[0].Text = "rain"
	c := s.open(aitest.Key)
	a, err := c.NextTurn(s.Context(), ai.Question{
		Model: aitest.Models[s.name], System: "Be brief.", Turns: turns, Tools: tools, Final: true, MaxTokens: 50,
	})
	if err != nil || a.Text != "It rains." || len(a.Calls) > 0 || a.TokensIn != 82 || a.TokensOut != 17 || !a.Assistant {
		s.Fatalf("%+v, %v", a, err)
	}
	asked := s.providers.Questions()
	last := asked[len(asked)-1]
	if len(asked) != 3 || asked[0].Final || !last.Final || last.Limit != 50 || last.System != "Be brief." || last.Model != aitest.Models[s.name] ||
		!slices.Equal(last.Tools, []string{"weather"}) {
		s.Errorf("%+v", last)
	}
	if want := []string{"Hello", "Yes?", "How is the weather?", "I look."}; !slices.Equal(slices.DeleteFunc(last.Texts,
		func(t string) bool { return t == "" }), want) {
		s.Errorf("texts %q", last.Texts)
	}
	if r := last.Results; len(r) != 3 || !strings.Contains(r[0].Text, "Rome") || !strings.Contains(r[1].Text, "Oslo") || r[2].Text != "rain" {
		s.Errorf("results %+v", r)
	}
}

// malformed: a call whose arguments are not a JSON object reaches the caller. The conversation continues after the caller has
// answered that the arguments are wrong.
func (s suite) malformed() {
	for _, arguments := range []string{`{"place": `, `[]`, `"x"`, `7`, ``} {
		s.script(aitest.Turn{Calls: []aitest.Call{{Name: "weather", Arguments: arguments}}}, aitest.Turn{Text: "Sorry."})
		a, err := s.next(ai.Turn{Text: "?"})
		if err != nil || len(a.Calls) != 1 || a.Calls[0].Name != "weather" {
			s.Fatalf("%s: %+v, %v", arguments, a, err)
		}
		if strings.HasPrefix(a.Calls[0].Arguments, `{"place"`) && s.name != "openai" && s.name != "openrouter" {
			s.Errorf("arguments %s", a.Calls[0].Arguments)
		}
		again, err := s.next(ai.Turn{Text: "?"}, a.Turn, ai.Turn{Results: []ai.Result{{Call: a.Calls[0], Text: "wrong", Failed: true}}})
		if err != nil || again.Text != "Sorry." {
			s.Errorf("%s: %+v, %v", arguments, again, err)
		}
	}
}

// TestThinking: reasoning is switched off for an OpenAI model that accepts no tools while it reasons.
func TestThinking(t *testing.T) {
	t.Parallel()
	for _, thinks := range []bool{false, true} {
		w := &aitest.Providers{Thinks: thinks}
		server := aitest.Serve(t, w)
		c, err := ai.New(ai.Options{Egress: egresstest.Client(t, server, egress.Options{MaxBody: 1 << 20}), URL: server.URL}).Open("openai", aitest.Key)
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.NextTurn(t.Context(), ai.Question{Model: "gpt-5.6", System: "s", Turns: []ai.Turn{{Text: "?"}}, Tools: tools, MaxTokens: 9})
		asked := w.Questions()
		if err != nil || a.Text != "Hello" || len(asked) != 1 || strings.Contains(asked[0].Raw, "reasoning_effort") != thinks {
			t.Errorf("thinks %t: %+v, %v, %+v", thinks, a, err, asked)
		}
	}
}

// stops: the answer says whether the model refused and whether the text is cut. Zero bytes are removed from the text.
func (s suite) stops() {
	s.script(aitest.Turn{Text: "I will not.", Refused: true})
	if a, err := s.next(ai.Turn{Text: "?"}); err != nil || !a.Refused || a.Text != "I will not." {
		s.Errorf("refused: %+v, %v", a, err)
	}
	s.script(aitest.Turn{Text: "It rai", Cut: true})
	if a, err := s.next(ai.Turn{Text: "?"}); err != nil || !a.Cut || a.Refused || a.Text != "It rai" {
		s.Errorf("cut: %+v, %v", a, err)
	}
	s.script(aitest.Turn{Text: "a\x00b"})
	if a, err := s.next(ai.Turn{Text: "?"}); err != nil || a.Text != "ab" {
		s.Errorf("odd text: %q, %v", a.Text, err)
	}
}

// faults: each fault gives an error for a person, without the key.
func (s suite) faults() {
	for fault, want := range map[resttest.Fault]string{
		resttest.Busy: "too many requests", resttest.Swamped: "too many requests", resttest.Down: "500", resttest.Cut: "ended early",
		resttest.Strange: rest.ErrForm.Error(), resttest.Echo: "cannot serve", resttest.Elsewhere: "307", resttest.Refusal: resttest.RefusalText,
	} {
		s.providers.Fail(fault)
		a, asked := s.next(ai.Turn{Text: "?"})
		list, listed := s.open(aitest.Key).Models(s.Context())
		for _, err := range []error{asked, listed} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), aitest.Key) {
				s.Errorf("fault %d: %+v, %v, %v", fault, a, list, err)
			}
			if errors.Is(err, rest.ErrBusy) != (want == "too many requests") || errors.Is(err, rest.ErrRefused) {
				s.Errorf("fault %d: %v", fault, err)
			}
		}
	}
	s.providers.Fail()
	for want, turn := range map[string]aitest.Turn{"said nothing": {}, "is gone": {Broken: true, Text: "the model is gone"}} {
		s.script(turn)
		if a, err := s.next(ai.Turn{Text: "?"}); err == nil || !strings.Contains(err.Error(), want) {
			s.Errorf("%+v, %v", a, err)
		}
	}
}

// retries: a question that fails at first is sent again.
func (s suite) retries() {
	for _, fault := range []resttest.Fault{resttest.Swamped, resttest.Down, resttest.Cut} {
		s.providers.Fail(fault, resttest.None)
		if a, err := s.next(ai.Turn{Text: "?"}); err != nil || a.Text != "Hello" {
			s.Errorf("fault %d: %+v, %v", fault, a, err)
		}
	}
}

// keys: a wrong key is refused for lists and questions, and no error contains it.
func (s suite) keys() {
	c := s.open("wrong-canary-Kp3")
	_, listed := c.Models(s.Context())
	_, asked := c.NextTurn(s.Context(), ai.Question{Model: "m", System: "s", Turns: []ai.Turn{{Text: "?"}}, MaxTokens: 1})
	for _, err := range []error{listed, asked} {
		if !errors.Is(err, rest.ErrRefused) || strings.Contains(err.Error(), "Kp3") {
			s.Error(err)
		}
	}
}

// refusals: an error of the provider is returned in the provider's words.
func (s suite) refusals() {
	if len(aitest.Refusals[s.name]) == 0 {
		s.Errorf("%s has no refusals", s.name)
	}
	for _, r := range aitest.Refusals[s.name] {
		s.providers.Refuse(&r)
		_, ofTurn := s.next(ai.Turn{Text: "Hello"})
		_, ofList := s.open(aitest.Key).Models(s.Context())
		for _, err := range []error{ofTurn, ofList} {
			if err == nil || !strings.Contains(err.Error(), r.Words) || errors.Is(err, rest.ErrRefused) != r.Refused || errors.Is(err, rest.ErrBusy) != r.Busy {
				s.Errorf("%d %q: %v", r.Status, r.Words, err)
			}
		}
	}
}
