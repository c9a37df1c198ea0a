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

// CheckAIKey refuses a key that no provider issues, before anybody is asked: it would not even be a header.
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
