package copilot

import (
	"cmp"
	"errors"
	"fmt"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/copilot"
	"switchyard/db/seal"
	"switchyard/jobs"
	"switchyard/models"
)

// aiRoutes returns the routes of /copilot/ai.
func aiRoutes(d Deps) []route.Route {
	const group = "Copilot"
	return []route.Route{
		route.New("GET", "/copilot/ai", group, "the AI connection", route.Handle(d.findAI)),
		route.New("POST", "/copilot/ai", group, "list models, connect an AI provider, or choose a model; a new key is tried first",
			route.HandleBody(d.runAIAction), route.Codes("400 invalid", "500 not_configured", "502 ai_error")).Awaits(connectAIJob.Answer()),
		route.New("DELETE", "/copilot/ai", group, "remove your own AI key", route.Handle(deleteAI)),
	}
}

// AIConnection is the answer of GET /copilot/ai.
type AIConnection struct {
	Connection *AIConnected `json:"connection" doc:"the account's own connection, without its key; null: the account has none"`
	Using      string       `json:"using" enum:"account,install,none" doc:"whose key the chat uses"`
	Message    string       `json:"message"`
	CanManage  bool         `json:"canManage" doc:"whether the caller may connect and disconnect"`
	Encryption bool         `json:"encryption" doc:"whether this install can store keys"`
}

// AIConnected is the connection of an account to an AI provider.
type AIConnected struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	SavedAt  string `json:"savedAt"`
}

func aiAnswer(c models.AIConnection) *AIConnected {
	return &AIConnected{c.Provider, c.Model, answer.Stamp(c.SavedAt)}
}

// accountAI returns the account's own AI connection, or nil.
func accountAI(c *route.Call) (*models.AIConnection, error) {
	own, err := copilot.NewAIConnections(c.Store).Find(c.Context(), c.Account.ID)
	if errors.Is(err, models.NotFound("AI connection")) {
		return nil, nil //nolint:nilnil // a missing connection is not an error here
	}
	return &own, err
}

func (d Deps) describeKey(own *models.AIConnection) (whose, message string) {
	label := func(name string) string {
		p, _ := models.AIProviderNamed(name)
		return cmp.Or(p.Label, name)
	}
	switch {
	case own != nil:
		return models.AIOfAccount, fmt.Sprintf("The chat uses your own key of %s, with the model %s.", label(own.Provider), own.Model)
	case d.AIProvider != "":
		return models.AIOfInstall, fmt.Sprintf("The chat uses this install's key of %s.", label(d.AIProvider))
	}
	return models.AINone, "No AI provider is connected: connect one by POST /copilot/ai."
}

func (d Deps) findAI(c *route.Call) (out AIConnection, err error) {
	own, err := accountAI(c)
	out.CanManage, out.Encryption = c.MayWriteAs(models.RoleMember), c.Store.Box().HasKey()
	out.Using, out.Message = d.describeKey(own)
	if own != nil {
		out.Connection = aiAnswer(*own)
	}
	return out, err
}

// AIBody is the body of POST /copilot/ai.
type AIBody struct {
	Action   string `json:"action" bad:"invalid" required:"invalid" enum:"models,connect,model"`
	Provider string `json:"provider" bad:"invalid" case:"lower" enum:"openai,anthropic,gemini,openrouter" doc:"default: the connected provider; required with a new key"`
	Model    string `json:"model" bad:"invalid" trim:"true" maxLength:"200" doc:"required for the action model; for the action connect, the default is a common model of the provider"`
	APIKey   string `json:"apiKey" bad:"invalid" trim:"true" maxLength:"500" doc:"required for the action connect; for the action models, the default is the saved key"`
}

// AIActed is the answer of POST /copilot/ai. Only the field of the requested action is set.
type AIActed struct {
	Models    []jobs.AIModel `json:"models,omitempty" doc:"set for the action models"`
	Connected *AIConnected   `json:"connected,omitempty" doc:"set for the action connect"`
	Model     string         `json:"model,omitempty" doc:"set for the action model"`
}

var connectAIJob = slow.New(jobs.ConnectAI, func(a jobs.ConnectedAI) AIActed {
	out := AIActed{Models: a.Models, Model: a.Model}
	if a.Connection != nil {
		out.Connected = aiAnswer(*a.Connection)
	}
	return out
})

func (d Deps) runAIAction(c *route.Call, b AIBody) (out AIActed, err error) {
	args := jobs.ConnectAIArgs{Action: b.Action, Provider: b.Provider, Model: b.Model}
	switch {
	case b.APIKey != "" && b.Action != models.AIModelOf:
		if args.Key, err = sealAI(c, b); err != nil {
			return out, err
		}
	case b.Action == models.AIConnect:
		return out, models.Invalid("invalid", "apiKey is required to connect a provider")
	default:
		if args.Provider, err = savedAI(c, b); err != nil {
			return out, err
		}
	}
	return connectAIJob.Run(c, d.Jobs, args)
}

// sealAI checks the API key in a body and returns it encrypted.
func sealAI(c *route.Call, b AIBody) ([]byte, error) {
	if b.Provider == "" {
		return nil, models.Invalid("invalid", "provider is required with apiKey")
	}
	if err := models.CheckAIKey(b.APIKey); err != nil {
		return nil, err
	}
	sealed, err := copilot.NewAIConnections(c.Store).Seal(c.Account.ID, b.APIKey)
	if errors.Is(err, seal.ErrNoKey) {
		return nil, models.Errorf(models.KindInternal, "not_configured", "this install cannot store keys yet: it has no encryption key")
	}
	return sealed, err
}

// savedAI returns the provider of the saved connection. It serves bodies whose action uses the saved key.
func savedAI(c *route.Call, b AIBody) (string, error) {
	own, err := accountAI(c)
	switch {
	case err != nil:
		return "", err
	case own == nil:
		return "", models.Invalid("invalid", "no AI provider is connected: send provider and apiKey")
	case b.Provider != "" && b.Provider != own.Provider:
		return "", models.Invalid("invalid", "no key of this provider is saved: send apiKey")
	case b.Action == models.AIModelOf && b.Model == "":
		return "", models.Invalid("invalid", "model is required")
	}
	return own.Provider, nil
}

// AIRemoved is the answer of DELETE /copilot/ai.
type AIRemoved struct {
	Removed bool `json:"removed" doc:"false: there was no connection"`
}

func deleteAI(c *route.Call) (AIRemoved, error) {
	ok, err := copilot.NewAIConnections(c.Store).Delete(c.Context(), c.Account.ID)
	return AIRemoved{ok}, err
}
