// Package chat answers questions about an account with a language model.
//
// The model can read the account and the documentation, and cannot change anything. It can propose a change, which a person
// applies or not.
package chat

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/copilot"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/tool"
	"switchyard/workers"
	"switchyard/workers/providers/ai"
)

// Options of Register.
type Options struct {
	Client *ai.Client
	// Install is the connection for accounts without their own key. If it has no provider, these accounts cannot chat.
	Install Install
	// Reads returns a handler that serves the API's read operations as the given account. The chat reaches no other operation.
	Reads func(account uuid.UUID) http.Handler
	// Docs is the documentation that the model may search. It may be nil.
	Docs *tool.Library
	Now  func() time.Time // default time.Now
}

// Install is the connection of the install.
type Install struct{ Provider, Key, Model string }

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	w := &worker{o: o, store: s}
	workers.Register(r, jobs.ConnectAI, w.connect)
	workers.Register(r, jobs.AnswerChat, w.answer)
	workers.RegisterTick(r, jobs.DeleteAIUsage, func(ctx context.Context) error {
		return copilot.NewAIConnections(s).DeleteExpiredUsage(ctx, o.Now().Add(-usageRetention), deletedAtOnce)
	})
}

const (
	usageRetention = 90 * 24 * time.Hour
	deletedAtOnce  = 100_000 // rows
)

type worker struct {
	o     Options
	store *store.Store
}

// connect asks the provider for the models that a key may use. Depending on the action, it also saves the connection or the
// chosen model.
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
		model = c.UsualModel(list)
	}
	switch {
	case a.Action == models.AIModels:
		out.Models = db.Map(list, func(m ai.Model) jobs.AIModel { return jobs.AIModel{ID: m.ID, Name: m.Name} })
		return out, nil
	case !offered(model):
		return out, models.Invalid("invalid", "the provider does not offer the model %.100q to this key: the action \"models\" lists the models that it offers", model)
	case a.Action == models.AIConnect:
		saved, err := copilot.NewAIConnections(w.store).Save(ctx, account, a.Provider, model, a.Key)
		out.Connection = &saved
		return out, err
	}
	out.Model = model
	err = copilot.NewAIConnections(w.store).Choose(ctx, account, a.Provider, model)
	if errors.Is(err, models.NotFound("AI connection")) {
		return out, models.Invalid("invalid", "the AI provider was disconnected meanwhile")
	}
	return out, err
}

func (w *worker) key(ctx context.Context, account uuid.UUID, a jobs.ConnectAIArgs) (string, error) {
	if len(a.Key) > 0 {
		return copilot.NewAIConnections(w.store).Open(ctx, account, a.Key)
	}
	key, err := copilot.NewAIConnections(w.store).Key(ctx, account)
	if errors.Is(err, models.NotFound("AI connection")) {
		return "", models.Invalid("invalid", "no AI provider is connected")
	}
	return key, err
}

// aiError converts a provider's error to the error for the client. While the worker stops, it returns err unchanged, so that
// another worker takes over the job.
func aiError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	return models.Errorf(models.KindBadGateway, "ai_error", "the AI provider gave no usable answer: %s", err)
}
