package jobs

import (
	"time"

	"switchyard/models/copilot"
)

// ChatTurn is one message of a conversation with the Copilot, from the person or from the Copilot.
type ChatTurn struct {
	Assistant bool   `json:"assistant,omitempty"`
	Text      string `json:"text"`
}

// ChatArgs are a conversation that ends with a question.
type ChatArgs struct {
	Turns    []ChatTurn `json:"turns"`
	ReadOnly bool       `json:"read_only,omitempty"` // the caller's API key may only read, so the answer proposes no changes
}

// ChatReply is the answer to a question. If the chat is not available, only Using and Message are set.
type ChatReply struct {
	Available bool       `json:"available"`
	Using     string     `json:"using"`
	Message   string     `json:"message"`
	Answer    string     `json:"answer"`
	Lookups   []Lookup   `json:"lookups"`
	Proposals []Proposed `json:"proposals"`
}

// Proposed is a proposal that was stored for a person to decide on.
type Proposed struct {
	copilot.Proposal

	ExpiresAt time.Time `json:"expires_at"`
}

// Lookup is a look-up that was made for an answer.
type Lookup struct {
	Operation string            `json:"operation"`
	Query     map[string]string `json:"query"`
	Rows      int               `json:"rows"`
	Error     string            `json:"error,omitempty"` // why the look-up returned no rows
}

// AnswerChat answers a question about an account. It is not retried, because each request to a model costs money. Errors:
// ai_error.
var AnswerChat = Define[ChatArgs, ChatReply]("copilot:ask", interactive(24*time.Second))

// DeleteAIUsage deletes old records of how many tokens the models used.
var DeleteAIUsage = tickWithin("ai:forget", time.Minute)
