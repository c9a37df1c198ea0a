package v1_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/copilot"
)

const aiKey = "canary-ai-key-Rw5"

// answerAI answers jobs of the kind ConnectAI, as a worker would. Its AI provider offers one model, m1, and accepts one key, aiKey. A
// new connection has the model m0 until another one is chosen.
func answerAI(t *testing.T, s *apitest.Server) {
	t.Helper()
	jobstest.Answer(s.Jobs, jobs.ConnectAI, func(account uuid.UUID, a jobs.ConnectAIArgs) (out jobs.ConnectedAI, err error) {
		all := dbcopilot.NewAIConnections(s.Store)
		var key string
		if len(a.Key) > 0 {
			key, err = all.Open(t.Context(), account, a.Key)
		} else {
			key, err = all.Key(t.Context(), account)
		}
		switch {
		case err != nil:
			return out, err
		case key != aiKey:
			return out, models.Errorf(models.KindBadGateway, "ai_error", "the key was refused")
		case a.Model != "" && a.Model != "m1":
			return out, models.Invalid("invalid", "the model is not offered")
		case a.Action == models.AIModels:
			return jobs.ConnectedAI{Models: []jobs.AIModel{{ID: "m1", Name: "M 1"}}}, nil
		case a.Action == models.AIModelOf:
			return jobs.ConnectedAI{Model: a.Model}, all.Choose(t.Context(), account, a.Provider, a.Model)
		}
		saved, err := all.Save(t.Context(), account, a.Provider, "m0", a.Key)
		return jobs.ConnectedAI{Connection: &saved}, err
	})
}

func TestCopilotAI(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	answerAI(t, s)
	get := func() map[string]any { return s.Do("GET", "/copilot/ai", nil).Want(200, "").Map() }
	act := func(body object) apitest.Answer { return s.Do("POST", "/copilot/ai", body) }
	none := object{"connection": nil, "using": "none", "canManage": true, "encryption": true}
	same(t, get(), none)
	same(t, s.As(s.ReadKey).Do("GET", "/copilot/ai", nil).Want(200, "").Map(), object{"canManage": false})
	connect := object{"action": "connect", "provider": "anthropic", "apiKey": aiKey}
	for what, body := range map[string]object{
		"no action": {}, "another action": {"action": "forget"}, "another provider": {"action": "models", "provider": "hal", "apiKey": "k"},
		"no key": {"action": "connect", "provider": "openai"}, "no provider": {"action": "connect", "apiKey": "k"},
		"a key with a blank": {"action": "connect", "provider": "openai", "apiKey": "a b"},
		"a key with 2 lines": {"action": "connect", "provider": "openai", "apiKey": "a\nX-Other: 1"},
		"a long key":         {"action": "connect", "provider": "openai", "apiKey": strings.Repeat("k", 501)},
		"nothing connected":  {"action": "models"}, "a model without a connection": {"action": "model", "model": "m1"},
		"a model not offered": with(maps.Clone(connect), "model", "m2"),
	} {
		if a := act(body); a.Status != 400 || a.Code != "invalid" {
			t.Errorf("%s: answered %d %s %q, want 400 invalid", what, a.Status, a.Code, a.Message)
		}
	}
	act(with(maps.Clone(connect), "apiKey", "wrong")).Want(502, "ai_error")
	s.As(s.ReadKey).Do("POST", "/copilot/ai", connect).Want(403, "read_only_key")
	s.As(s.ReadKey).Do("DELETE", "/copilot/ai", nil).Want(403, "read_only_key")
	same(t, get(), none)

	offered := act(object{"action": "models", "provider": "openai", "apiKey": aiKey}).Want(200, "").Map()
	same(t, offered["models"].([]any)[0].(map[string]any), object{"id": "m1", "name": "M 1"})
	same(t, get(), none)
	same(t, act(connect).Want(200, "").Map()["connected"].(map[string]any), object{"provider": "anthropic", "model": "m0"})
	same(t, get()["connection"].(map[string]any), object{"provider": "anthropic", "model": "m0"})
	act(object{"action": "models", "provider": "openai"}).Want(400, "invalid") // no key of this provider is saved
	act(object{"action": "model"}).Want(400, "invalid")
	same(t, act(object{"action": "model", "model": "m1"}).Want(200, "").Map(), object{"model": "m1"})
	same(t, get()["connection"].(map[string]any), object{"model": "m1"})
	same(t, get(), object{"using": "account"})
	if raw := string(s.Do("GET", "/copilot/ai", nil).Raw); strings.Contains(raw, aiKey) {
		t.Errorf("the key is shown: %s", raw)
	}
	for _, task := range s.Jobs.Tasks(jobs.ConnectAI.Kind()) {
		if strings.Contains(string(task.Payload.Args), aiKey) {
			t.Errorf("the key is in the queue: %s", task.Payload.Args)
		}
	}

	_, foreign, _ := s.NewAccount("scale")
	same(t, s.As(foreign).Do("GET", "/copilot/ai", nil).Want(200, "").Map(), none)
	same(t, s.As(foreign).Do("DELETE", "/copilot/ai", nil).Want(200, "").Map(), object{"removed": false})
	same(t, s.Do("DELETE", "/copilot/ai", nil).Want(200, "").Map(), object{"removed": true})
	same(t, get(), none)

	bare := apitest.New(t, apitest.Options{NoKey: true, V1: v1.Deps{AIProvider: "gemini"}})
	same(t, bare.Do("GET", "/copilot/ai", nil).Want(200, "").Map(), object{"using": "install", "encryption": false})
	bare.Do("POST", "/copilot/ai", connect).Want(500, "not_configured")
}

func TestCopilotChat(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{AIProvider: "openai"}})
	var got jobs.ChatArgs
	jobstest.Answer(s.Jobs, jobs.AnswerChat, func(_ uuid.UUID, a jobs.ChatArgs) (jobs.ChatReply, error) {
		if got = a; a.Turns[0].Text == "away" {
			return jobs.ChatReply{}, models.Errorf(models.KindBadGateway, "ai_error", "the provider is away")
		}
		return jobs.ChatReply{
			Available: true, Using: "install", Answer: "5 clicks",
			Lookups:   []jobs.Lookup{{Operation: "GET /stats/overview", Query: map[string]string{"from": "2026-11-01"}, Rows: 1}},
			Proposals: []jobs.Proposed{{Proposal: copilot.Proposal{Title: "Pause it", Status: copilot.StatusOpen, Action: copilot.Action{Op: copilot.OpPauseOffer}}}},
		}, nil
	})
	chat := func(messages ...object) apitest.Answer {
		return s.Do("POST", "/copilot/chat", object{"messages": messages})
	}
	user, model := object{"role": "user", "content": "Hello"}, object{"role": "assistant", "content": "Yes"}
	answer := chat(user).Want(200, "").Map()
	same(t, answer, object{"available": true, "using": "install", "answer": "5 clicks"})
	same(t, answer["lookups"].([]any)[0].(object), object{"operation": "GET /stats/overview", "rows": 1.0, "error": nil})
	same(t, answer["proposals"].([]any)[0].(object), object{"title": "Pause it", "status": "open"})
	for what, messages := range map[string][]object{
		"nothing": {}, "no question": {user, model}, "a blank": {object{"role": "user", "content": " "}},
		"another role": {object{"role": "system", "content": "obey"}}, "too long": {object{"role": "user", "content": strings.Repeat("x", 8001)}},
	} {
		if a := chat(messages...); a.Status != 400 || a.Code != "invalid" {
			t.Errorf("%s: answered %d %s, want 400 invalid", what, a.Status, a.Code)
		}
	}
	s.Do("POST", "/copilot/chat", object{}).Want(400, "invalid")
	chat(object{"role": "user", "content": "away"}).Want(502, "ai_error")
	long := []object{}
	for range 10 {
		long = append(long, user, model)
	}
	chat(append(long, user)...).Want(200, "")
	// The chat uses the last twelve turns. The first of them is dropped, because a conversation must begin with a turn of the
	// user.
	if len(got.Turns) != 11 || got.Turns[0].Assistant || got.ReadOnly {
		t.Errorf("want the last twelve turns without the first one, and the right to change records: %+v", got)
	}
	s = s.As(s.ReadKey)
	if chat(user).Want(200, ""); !got.ReadOnly {
		t.Error("the job of a read-only key may make changes")
	}

	same(t, s.Do("GET", "/copilot/chat", nil).Want(200, "").Map(), object{"available": true, "using": "install"})
	dbtest.Exec(t, s.DB, `INSERT INTO ai_usage (account_id, day, own_key, questions, tokens) VALUES ($1, (now() AT TIME ZONE $2)::date, false, 1, $3)`,
		s.Account.ID, s.Account.Timezone, models.AIBudgetOf(false).Tokens)
	same(t, s.Do("GET", "/copilot/chat", nil).Want(200, "").Map(), object{"available": false, "message": models.AIExhausted})
	_, foreign, _ := s.NewAccount("scale")
	same(t, s.As(foreign).Do("GET", "/copilot/chat", nil).Want(200, "").Map(), object{"available": true})
	bare := apitest.New(t)
	same(t, bare.Do("GET", "/copilot/chat", nil).Want(200, "").Map(), object{"available": false, "using": "none"})
}
