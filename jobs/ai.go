package jobs

import (
	"time"

	"switchyard/models"
)

// ConnectAIArgs are the arguments of ConnectAI. Key is sealed; if it is empty, the stored key is used.
type ConnectAIArgs struct {
	Action   string `json:"action"` // the action of POST /copilot/ai
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Key      []byte `json:"key,omitempty"`
}

// AIModel is a model that a provider offers.
type AIModel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ConnectedAI is the answer of ConnectAI. The action decides which field is set.
type ConnectedAI struct {
	Models     []AIModel            `json:"models,omitempty"`
	Connection *models.AIConnection `json:"connection,omitempty"`
	Model      string               `json:"model,omitempty"`
}

// ConnectAI asks a provider which models a key may use. Depending on the action, it returns these models, saves the connection or
// saves the chosen model. Errors: invalid, ai_error.
var ConnectAI = Define[ConnectAIArgs, ConnectedAI]("ai:connect", interactive(24*time.Second))
