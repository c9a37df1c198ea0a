package jobs

import (
	"time"

	"switchyard/models"
)

// ConnectAIArgs are the arguments of ConnectAI. Key is the sealed key of the provider. If it is empty, the account's stored key
// is used.
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

// ConnectedAI is the answer of ConnectAI. The action determines which field is set: the provider's models, the saved connection,
// or the chosen model.
type ConnectedAI struct {
	Models     []AIModel            `json:"models,omitempty"`
	Connection *models.AIConnection `json:"connection,omitempty"`
	Model      string               `json:"model,omitempty"`
}

// ConnectAI requests from a provider the list of models that a key may use. Depending on the action, it also saves the
// connection or the chosen model. Errors: invalid, ai_error.
var ConnectAI = Define[ConnectAIArgs, ConnectedAI]("ai:connect", interactive(24*time.Second))
