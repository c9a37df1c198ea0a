package models

import (
	"time"

	"github.com/google/uuid"
)

// AIProvider is a provider of language models that the Copilot's chat can use.
type AIProvider struct {
	Name  string // the value of AIConnection.Provider
	Label string
}

// AIProviders lists all providers.
var AIProviders = []AIProvider{
	{"openai", "OpenAI"}, {"anthropic", "Anthropic"}, {"gemini", "Google Gemini"}, {"openrouter", "OpenRouter"},
}

// AIProviderNamed finds a provider by its name.
func AIProviderNamed(name string) (p AIProvider, ok bool) {
	return find(AIProviders, func(p AIProvider) bool { return p.Name == name })
}

// CheckAIKey refuses a key that could not be sent in a header.
func CheckAIKey(key string) error {
	if !printable.MatchString(key) {
		return Invalid("invalid", "a key of an AI provider has only letters, digits and signs, and no spaces or line breaks")
	}
	return nil
}

// The origins of the chat's key.
const (
	AIOfAccount = "account"
	AIOfInstall = "install"
	AINone      = "none"
)

// AIConnection is an account's own connection to an AI provider.
type AIConnection struct {
	AccountID uuid.UUID `db:"account_id"`
	Provider  string    `db:"provider"`
	Model     string    `db:"model"`
	SavedAt   time.Time `db:"saved_at"`
}

// AIBudget is the daily limit for the chat of an account.
type AIBudget struct {
	Questions int
	Tokens    int // tokens that models read and write
}

// AIBudgetOf returns the daily budget of an account. The budget is smaller with the install's key, because the install pays for
// it.
func AIBudgetOf(ownKey bool) AIBudget {
	if ownKey {
		return AIBudget{Questions: 500, Tokens: 10_000_000}
	}
	return AIBudget{Questions: 100, Tokens: 1_500_000}
}

// AIQuestionTokens is the number of tokens that a question may use. They are reserved until it is answered.
const AIQuestionTokens = 100_000

// The actions of POST /copilot/ai.
const (
	AIModels  = "models"
	AIConnect = "connect"
	AIModelOf = "model"
)

// AIExhausted is the message for an account that has used up its budget for the day.
const AIExhausted = "The chat has used up its budget for today. It is available again tomorrow, in the account's time zone."
