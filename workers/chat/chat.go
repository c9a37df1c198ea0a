// Package chat answers questions about an account by a language model: it connects accounts to AI providers, has the model
// look up what the API shows, and checks the figures that it states.
//
// What the model can do is read: the look-ups have no way to write and none to another account. A change is a proposal,
// which a person applies.
package chat

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/providers/ai"
)

// Options of Register.
type Options struct {
	Client *ai.Client
	// Install is how accounts without a key of their own chat. Without a provider they do not.
	Install Install
	// Reads reads the API as an account. What it serves is all that the chat can do.
	Reads func(account uuid.UUID) http.Handler
	Now   func() time.Time // default time.Now
}

// Install is the connection of the install.
type Install struct{ Provider, Key, Model string }

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	if o.Now == nil {
		o.Now = time.Now
	}
	w := &worker{o: o, store: s}
	workers.Register(r, jobs.ConnectAI, w.connect)
	workers.Register(r, jobs.AskCopilot, w.ask)
	workers.RegisterTick(r, jobs.ForgetAIUsage, func(ctx context.Context) error {
		return s.AIConnections().ForgetUsage(ctx, o.Now().Add(-keepUsage), forgottenAtOnce)
	})
}

const (
	keepUsage       = 90 * 24 * time.Hour
	forgottenAtOnce = 100_000 // rows
)

type worker struct {
	o     Options
	store *store.Store
}

// connect asks for the models of a key, and saves what was chosen.
func (w *worker) connect(ctx context.Context, a jobs.ConnectAIArgs) (out jobs.ConnectedAI, err error) {
	account := workers.Account(ctx)
	key, err := w.key(ctx, account, a)
	if err != nil {
		return out, err
	}
	c, err := w.o.Client.Open(a.Provider, key)
	if err != nil {
		return out, err
	}
	list, err := c.Models(ctx)
	if err != nil {
		return out, aiError(ctx, err)
	}
	offered := func(id string) bool { return slices.ContainsFunc(list, func(m ai.Model) bool { return m.ID == id }) }
	model := a.Model
	if a.Action == models.AIConnect && model == "" {
		model = c.Usual(list)
	}
	switch {
	case a.Action == models.AIModels:
		out.Models = make([]jobs.AIModel, len(list))
		for i, m := range list {
			out.Models[i] = jobs.AIModel{ID: m.ID, Name: m.Name}
		}
		return out, nil
	case !offered(model):
		return out, models.Invalid("invalid", "the provider does not offer the model %.100q to this key: the action models lists those that it does", model)
	case a.Action == models.AIConnect:
		saved, err := w.store.AIConnections().Save(ctx, account, a.Provider, model, a.Key)
		out.Connection = &saved
		return out, err
	}
	out.Model = model
	err = w.store.AIConnections().Choose(ctx, account, a.Provider, model)
	if errors.Is(err, models.NotFound("AI connection")) {
		return out, models.Invalid("invalid", "the AI provider was disconnected meanwhile")
	}
	return out, err
}

func (w *worker) key(ctx context.Context, account uuid.UUID, a jobs.ConnectAIArgs) (string, error) {
	if len(a.Key) > 0 {
		return w.store.AIConnections().Open(ctx, account, a.Key)
	}
	key, err := w.store.AIConnections().Key(ctx, account)
	if errors.Is(err, models.NotFound("AI connection")) {
		return "", models.Invalid("invalid", "no AI provider is connected")
	}
	return key, err
}

// aiError is what a client hears of an error of a provider. While the worker stops the job is another worker's.
func aiError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	return models.Errorf(models.KindBadGateway, "ai_error", "the AI provider did not answer as asked: %s", err)
}
