package models

import (
	"time"

	"github.com/google/uuid"
)

// AIProvider is a provider of language models that the Copilot's chat can use.
type AIProvider struct {
	Name  string // as AIConnection.Provider
	Label string
}

// AIProviders are all of them.
var AIProviders = []AIProvider{
	{"openai", "OpenAI"}, {"anthropic", "Anthropic"}, {"gemini", "Google Gemini"}, {"openrouter", "OpenRouter"},
}

// AIProviderNamed finds a provider by its name.
func AIProviderNamed(name string) (p AIProvider, ok bool) {
	for _, p := range AIProviders {
		if p.Name == name {
			return p, true
		}
	}
	return AIProvider{}, false
}

// CheckAIKey returns an error for a key that no provider could have issued, before any provider is called. Such a key would not
// even be a valid header.
func CheckAIKey(key string) error {
	if !token.MatchString(key) {
		return Invalid("invalid", "a key of an AI provider has letters, digits and signs, without blanks and line breaks")
	}
	return nil
}

// Whose key the chat uses.
const (
	AIOfAccount = "account"
	AIOfInstall = "install"
	AIOfNobody  = "none"
)

// AIConnection is an account's own connection to an AI provider.
type AIConnection struct {
	AccountID uuid.UUID `db:"account_id"`
	Provider  string    `db:"provider"`
	Model     string    `db:"model"`
	SavedAt   time.Time `db:"saved_at"`
}

// AIBudget is what the chat of an account may use in a day.
type AIBudget struct {
	Questions int
	Tokens    int // what models read and write
}

// AIBudgetOf is the budget with the account's own key, or with the install's, which the install pays for.
func AIBudgetOf(ownKey bool) AIBudget {
	if ownKey {
		return AIBudget{Questions: 500, Tokens: 10_000_000}
	}
	return AIBudget{Questions: 100, Tokens: 1_500_000}
}

// AIQuestionTokens is how many tokens a question may use. They are reserved while it is answered.
const AIQuestionTokens = 100_000

// The actions of POST /copilot/ai.
const (
	AIModels  = "models"
	AIConnect = "connect"
	AIModelOf = "model"
)

// AIExhausted says that the budget of a day is used.
const AIExhausted = "What the chat may use in a day is used up: it is available again tomorrow, in the account's time zone."
