package chat

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/copilot"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/figurecheck"
	"switchyard/workers"
	"switchyard/workers/providers/ai"
	"switchyard/workers/providers/rest"
)

const (
	answerTime = 22 * time.Second // shorter than the API's wait for the answer
	finalTime  = 9 * time.Second  // reserved for the last turn of the model
	maxRounds  = 6                // turns of the model
	maxLookups = 8
	maxTokens  = 2000   // that the model may write in one turn
	maxAnswer  = 20_000 // characters
	maxListed  = 20     // unconfirmed figures that an answer lists
)

func (w *worker) answer(ctx context.Context, a jobs.ChatArgs) (out jobs.ChatReply, err error) {
	out = jobs.ChatReply{Lookups: []jobs.Lookup{}}
	account, err := w.store.FindAccount(ctx, workers.Account(ctx))
	if err != nil {
		return out, err
	}
	c, model, using, err := w.connection(ctx, account.ID)
	if out.Using = using; err != nil || c == nil {
		out.Message = noProvider
		return out, err
	}
	day := copilot.AIDay{Account: account.ID, Day: account.DayStart(w.o.Now()), OwnKey: using == models.AIOfAccount}
	ok, err := copilot.NewAIConnections(w.store).Reserve(ctx, day, models.AIQuestionTokens, models.AIBudgetOf(day.OwnKey))
	if err != nil || !ok {
		out.Message = models.AIExhausted
		return out, err
	}
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	s := w.session(account, a)
	defer func() { // a failed question has used tokens too
		if err := copilot.NewAIConnections(w.store).Charge(context.WithoutCancel(ctx), day, models.AIQuestionTokens, s.tokens); err != nil {
			slog.WarnContext(ctx, "used tokens of a question not recorded", "account_id", account.ID, "error", err)
		}
	}()
	if model == "" {
		if model, err = usualModel(limited, c); err != nil {
			return out, aiError(ctx, err)
		}
	}
	text, err := s.converse(limited, c, model)
	if err != nil {
		return out, aiError(ctx, err)
	}
	out.Available, out.Answer, out.Lookups = true, s.checked(text), s.lookups
	for _, p := range s.proposals {
		out.Proposals = append(out.Proposals, jobs.Proposed{Proposal: p.Proposal, ExpiresAt: p.ExpiresAt})
	}
	return out, nil
}

const noProvider = "No AI provider is connected: connect one by POST /copilot/ai."

// connection opens the account's own AI connection, or else the install's. It returns nil if there is neither.
func (w *worker) connection(ctx context.Context, account uuid.UUID) (c *ai.Connection, model, using string, err error) {
	own, err := copilot.NewAIConnections(w.store).Find(ctx, account)
	switch {
	case err == nil:
		key, err := copilot.NewAIConnections(w.store).Key(ctx, account)
		if err != nil {
			return nil, "", models.AIOfAccount, err
		}
		c, err := w.o.Client.Open(own.Provider, key)
		return c, own.Model, models.AIOfAccount, err
	case !errors.Is(err, models.NotFound("")):
		return nil, "", models.AINone, err
	case w.o.Install.Provider == "":
		return nil, "", models.AINone, nil
	}
	c, err = w.o.Client.Open(w.o.Install.Provider, w.o.Install.Key)
	return c, w.o.Install.Model, models.AIOfInstall, err
}

// usualModel returns the model for a connection that names none.
func usualModel(ctx context.Context, c *ai.Connection) (string, error) {
	list, err := c.Models(ctx)
	if err == nil && len(list) == 0 {
		err = errors.New("it offers no model")
	}
	return c.UsualModel(list), err
}

// session is the state of a question that is being answered.
type session struct {
	*worker

	account  models.Account
	readOnly bool
	turns    []ai.Turn
	system   string
	mark     string // marks the data in the text that the model reads
	tokens   int

	used      int           // look-ups that the model has made
	lookups   []jobs.Lookup // calls of the API that the look-ups made
	read      []figurecheck.Lookup
	proposals []proposal
}

// converse lets the model make look-ups until it answers, and returns the answer.
func (s *session) converse(ctx context.Context, c *ai.Connection, model string) (string, error) {
	q := ai.Question{Model: model, System: s.system, Tools: s.tools(), MaxTokens: maxTokens}
	for round := 1; ; round++ {
		q.Turns, q.Final = s.turns, round == maxRounds || s.mustEnd(ctx)
		a, err := c.NextTurn(ctx, q)
		if err != nil {
			s.countFailed(err)
			if ctx.Err() != nil {
				err = errors.New("there was no answer in time")
			}
			return "", err
		}
		s.count(a)
		switch {
		case a.Refused:
			return shortened(strings.TrimSpace("The model declined to answer. " + a.Text)), nil
		case q.Final || len(a.Calls) == 0:
			return finalText(a)
		}
		s.turns = append(s.turns, a.Turn, ai.Turn{Results: s.results(ctx, a.Calls)})
	}
}

// finalText returns the text of the last turn. A text that was cut off ends with "…".
func finalText(a ai.Answer) (string, error) {
	text := strings.TrimSpace(a.Text)
	switch {
	case text == "" && a.Cut:
		return "", errors.New("the answer was too long")
	case text == "":
		return "", errors.New("the model gave no answer")
	case a.Cut:
		text += " …"
	}
	return shortened(text), nil
}

// shortened cuts a text to maxAnswer characters, because a provider can send a text of any length.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxAnswer {
		return string(runes[:maxAnswer]) + " …"
	}
	return text
}

// mustEnd reports whether the next turn of the model must be the last, because no time, look-ups or tokens are left for more.
func (s *session) mustEnd(ctx context.Context) bool {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline) < finalTime || s.used >= maxLookups ||
		s.tokens+2*(s.estimate()+maxTokens) > models.AIQuestionTokens
}

// estimate returns about how many tokens the model reads. It counts a token for every three bytes. Most languages have more bytes
// per token, so the estimate is rather too high.
func (s *session) estimate() int {
	n := len(s.system) + toolBytes
	for _, t := range s.turns {
		n += len(t.Text)
		for _, c := range t.Calls {
			n += len(c.Arguments)
		}
		for _, r := range t.Results {
			n += len(r.Text)
		}
	}
	return n / bytesPerToken
}

const bytesPerToken = 3

// count adds the tokens that a turn has used. If the provider does not report them, they are estimated.
func (s *session) count(a ai.Answer) {
	if a.TokensIn+a.TokensOut > 0 {
		s.tokens += a.TokensIn + a.TokensOut
		return
	}
	s.tokens += s.estimate() + len(a.Text)/bytesPerToken
}

// countFailed charges a turn without an answer as if the model had written as much as it may, because the provider may charge
// that. If the provider refused the key or was too busy, nothing is charged.
func (s *session) countFailed(err error) {
	if !errors.Is(err, rest.ErrRefused) && !errors.Is(err, rest.ErrBusy) {
		s.tokens += s.estimate() + maxTokens
	}
}

// results carries out the tool calls of a turn. Look-ups end early enough to leave time for the last turn of the model.
func (s *session) results(ctx context.Context, calls []ai.Call) []ai.Result {
	deadline, _ := ctx.Deadline()
	early, cancel := context.WithDeadline(ctx, deadline.Add(-finalTime))
	defer cancel()
	out := make([]ai.Result, len(calls))
	for i, c := range calls {
		var text string
		var err error
		if c.Name == proposeTool && !s.readOnly {
			text, err = s.propose(ctx, c.Arguments)
		} else {
			text, err = s.lookUp(early, c)
		}
		if out[i] = (ai.Result{Call: c, Text: text}); err != nil {
			out[i].Text, out[i].Failed = s.errorText(ctx, err), true
		}
	}
	return out
}

// errorText returns the text of an error for the model: the message of a *models.Error, which a client may see too, or a general
// text.
func (s *session) errorText(ctx context.Context, err error) string {
	if e, ok := models.AsError(err); ok {
		return s.wrapped(e.Message)
	}
	slog.WarnContext(ctx, "look-up of the chat failed", "account_id", s.account.ID, "error", err)
	return "this could not be looked up"
}

// checked returns the answer, followed by a list of the figures in it that no look-up confirms.
func (s *session) checked(text string) string {
	facts := s.read
	for _, p := range s.proposals { // a figure that the model proposes need not be in a report
		facts = append(facts, figurecheck.Lookup{Beside: p.raw})
	}
	missing := figurecheck.Unconfirmed(text, facts)
	if len(missing) == 0 {
		return text
	}
	more := ""
	if len(missing) > maxListed {
		missing, more = missing[:maxListed], "; and more"
	}
	return text + "\n\nNot confirmed by what was looked up: " + strings.Join(missing, "; ") + more + "."
}
