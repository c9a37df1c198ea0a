package jobs

import (
	"time"

	"switchyard/models"
)

// ConnectAIArgs ask for the models of a provider, and may connect it. Key is sealed; without one it is the account's own.
type ConnectAIArgs struct {
	Action   string `json:"action"` // of POST /copilot/ai
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Key      []byte `json:"key,omitempty"`
}

// AIModel is a model that a provider offers.
type AIModel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ConnectedAI is the answer by the action: the models, the connection that was saved, or its model.
type ConnectedAI struct {
	Models     []AIModel            `json:"models,omitempty"`
	Connection *models.AIConnection `json:"connection,omitempty"`
	Model      string               `json:"model,omitempty"`
}

// ConnectAI asks a provider for the models that a key may use, and saves what was chosen. Errors: invalid, ai_error.
var ConnectAI = Define[ConnectAIArgs, ConnectedAI]("ai:connect", Policy{Queue: Interactive, Timeout: 24 * time.Second})
