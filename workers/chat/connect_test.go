package chat_test

import (
	"errors"
	"strings"
	"testing"

	"switchyard/db/copilot"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers/providers/ai/aitest"
	"switchyard/workers/providers/rest/resttest"
)

// TestConnect connects an account to each provider, chooses models, and disconnects.
func TestConnect(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	account := w.account.ID
	for _, p := range models.AIProviders {
		key := w.sealed(account, aitest.Key)
		got, err := do(w, jobs.ConnectAI, account, jobs.ConnectAIArgs{Action: models.AIModels, Provider: p.Name, Key: key})
		if err != nil || len(got.Models) != 2 || got.Models[0].Name == "" {
			t.Fatalf("%s: %+v, %v", p.Name, got, err)
		}
		got, err = do(w, jobs.ConnectAI, account, jobs.ConnectAIArgs{Action: models.AIConnect, Provider: p.Name, Key: key})
		if err != nil || got.Connection.Model != aitest.Models[p.Name] || got.Connection.Provider != p.Name {
			t.Fatalf("%s: %+v, %v", p.Name, got, err)
		}
		list, err := do(w, jobs.ConnectAI, account, jobs.ConnectAIArgs{Action: models.AIModels, Provider: p.Name})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list.Models {
			got, err := do(w, jobs.ConnectAI, account, jobs.ConnectAIArgs{Action: models.AIModelOf, Provider: p.Name, Model: m.ID})
			if err != nil || got.Model != m.ID {
				t.Errorf("%s: %+v, %v", p.Name, got, err)
			}
			if saved, err := copilot.NewAIConnections(w.store).Find(t.Context(), account); err != nil || saved.Model != m.ID {
				t.Errorf("%s: %+v, %v", p.Name, saved, err)
			}
		}
	}
	if ok, err := copilot.NewAIConnections(w.store).Delete(t.Context(), account); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, action := range []string{models.AIModels, models.AIModelOf} {
		_, err := do(w, jobs.ConnectAI, account, jobs.ConnectAIArgs{Action: action, Provider: "openai", Model: "gpt-5.4"})
		if !errors.Is(err, models.Invalid("invalid", "")) {
			t.Errorf("%s: %v", action, err)
		}
	}
}

// TestConnectRefused checks that a connection that fails is not saved, and that no error contains the key.
func TestConnectRefused(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	account, refused := w.account.ID, models.Errorf(models.KindBadGateway, "ai_error", "")
	for _, p := range models.AIProviders {
		for what, c := range map[string]struct {
			key, model string
			fault      resttest.Fault
			want       error
		}{
			"a wrong key":                            {key: "wrong-key-Zq7", want: refused},
			"a model that is not offered":            {key: aitest.Key, model: "gpt-0", want: models.Invalid("invalid", "")},
			"a provider that is down":                {key: aitest.Key, fault: resttest.Down, want: refused},
			"a provider whose error repeats the key": {key: aitest.Key, fault: resttest.Echo, want: refused},
		} {
			w.Providers.Fail(c.fault)
			_, err := do(w, jobs.ConnectAI, account, jobs.ConnectAIArgs{
				Action: models.AIConnect, Provider: p.Name, Key: w.sealed(account, c.key), Model: c.model,
			})
			if !errors.Is(err, c.want) || strings.Contains(err.Error(), c.key) {
				t.Errorf("%s, %s: %v", p.Name, what, err)
			}
		}
	}
	if _, err := copilot.NewAIConnections(w.store).Find(t.Context(), account); !errors.Is(err, models.NotFound("")) {
		t.Error(err)
	}
}
