package copilot

import (
	"strings"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	dbcopilot "switchyard/db/copilot"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/copilot"
)

// chatRoutes returns the routes of /copilot/chat.
func chatRoutes(d Deps) []route.Route {
	const group = "Copilot"
	return []route.Route{
		route.New("GET", "/copilot/chat", group, "whether the chat is available", route.Handle(d.findChat)),
		route.New("POST", "/copilot/chat", group, "ask a question about the account", route.HandleBody(d.answerChat),
			route.Codes("400 invalid", "502 ai_error")).Asks().Awaits(answerChatJob.Answer()),
	}
}

// ChatState tells whether the chat is available.
type ChatState struct {
	Available bool   `json:"available"`
	Using     string `json:"using" enum:"account,install,none" doc:"whose key the chat uses"`
	Message   string `json:"message"`
}

func (d Deps) findChat(c *route.Call) (out ChatState, err error) {
	own, err := accountAI(c)
	if err != nil {
		return out, err
	}
	if out.Using, out.Message = d.describeKey(own); out.Using == models.AINone {
		return out, nil
	}
	day := dbcopilot.AIDay{Account: c.Account.ID, Day: c.Account.DayStart(time.Now()), OwnKey: own != nil}
	exhausted, err := dbcopilot.NewAIConnections(c.Store).Exhausted(c.Context(), day, models.AIQuestionTokens, models.AIBudgetOf(day.OwnKey))
	if exhausted {
		out.Message = models.AIExhausted
	}
	out.Available = !exhausted
	return out, err
}

// chatTurns is the maximum number of turns of a conversation that the chat uses.
const chatTurns = 12

// ChatBody is the body of POST /copilot/chat.
type ChatBody struct {
	Messages []ChatMessageBody `json:"messages" bad:"invalid" required:"invalid" maxItems:"200" doc:"the conversation, ending with the question; the last 12 turns are used"`
}

// ChatMessageBody is a turn of a conversation.
type ChatMessageBody struct {
	Role    string `json:"role" bad:"invalid" required:"invalid" enum:"user,assistant"`
	Content string `json:"content" bad:"invalid" required:"invalid" maxLength:"8000"`
}

// ChatAnswer is the answer of POST /copilot/chat.
type ChatAnswer struct {
	ChatState

	Answer    string         `json:"answer" doc:"the answer as text; if it contains figures that no look-up confirms, they are listed at its end"`
	Lookups   []ChatLookup   `json:"lookups" doc:"the data that were read for the answer"`
	Proposals []ChatProposal `json:"proposals" doc:"changes for a person to apply by POST /copilot; none for a read-only key"`
}

// ChatLookup is a request with which the chat read data of the account.
type ChatLookup struct {
	Operation string            `json:"operation" doc:"such as GET /reports/performance"`
	Query     map[string]string `json:"query"`
	Rows      int               `json:"rows" doc:"how many rows the model has read"`
	Error     *string           `json:"error" doc:"why there are no rows; null: the request succeeded"`
}

// ChatProposal is a change that the chat, a key or an assistant has proposed.
type ChatProposal struct {
	copilot.Proposal

	ExpiresAt string `json:"expires_at"`
}

var answerChatJob = slow.New(jobs.AnswerChat, func(a jobs.ChatReply) ChatAnswer {
	return ChatAnswer{
		ChatState: ChatState{a.Available, a.Using, a.Message}, Answer: a.Answer,
		Lookups: answer.Each(a.Lookups, func(l jobs.Lookup) ChatLookup {
			return ChatLookup{l.Operation, l.Query, l.Rows, answer.OrNull(l.Error)}
		}),
		Proposals: answer.Each(a.Proposals, func(p jobs.Proposed) ChatProposal {
			p.Proposal.ExpiresAt = p.ExpiresAt
			return proposalAnswer(p.Proposal)
		}),
	}
})

func (d Deps) answerChat(c *route.Call, b ChatBody) (out ChatAnswer, err error) {
	list := b.Messages[max(len(b.Messages)-chatTurns, 0):]
	last := list[len(list)-1]
	if last.Role != "user" || strings.TrimSpace(last.Content) == "" {
		return out, models.Invalid("invalid", "the conversation does not end with a question of the user")
	}
	args := jobs.ChatArgs{ReadOnly: !c.MayWrite()}
	for _, m := range list {
		// Providers require that the first turn is the user's.
		if assistant := m.Role == "assistant"; len(args.Turns) > 0 || !assistant {
			args.Turns = append(args.Turns, jobs.ChatTurn{Assistant: assistant, Text: m.Content})
		}
	}
	return answerChatJob.Run(c, d.Jobs, args)
}
