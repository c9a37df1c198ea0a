package ai

import (
	"slices"
	"strings"
	"testing"
)

// lists has models as the providers list them. chatting has the models that chat and accept tools, the usual one first.
var lists = []struct {
	provider         string
	chats            names
	chatting, others string
}{
	{
		"openai", openAIModels,
		`gpt-5.4 gpt-5.4-mini gpt-5-nano gpt-5-2025-08-07 gpt-4.1 gpt-4o-2024-08-06 gpt-4-turbo gpt-3.5-turbo-16k o1 o1-2024-12-17 o3-mini
		o4-mini ft:gpt-4o-mini-2024-07-18:pro-audio::9xyz`,
		`gpt-5.4-pro gpt-5-pro-2025-10-06 gpt-5.3-codex gpt-5.1-codex-max gpt-5-chat-latest chatgpt-4o-latest chatgpt-image-latest
		gpt-5-search-api gpt-4o-search-preview gpt-4o-mini-tts gpt-4o-transcribe-diarize gpt-4o-realtime-preview gpt-realtime gpt-audio-mini
		gpt-image-1 gpt-3.5-turbo-instruct-0914 o1-pro o3-deep-research o1-mini-2024-09-12 o1-preview sora-2 dall-e-3 whisper-1
		text-embedding-3-small omni-moderation-latest davinci-002 tts-1-hd codex-mini-latest computer-use-preview ft:davinci-002:acme::9`,
	},
	{
		"openai", openAIModels, `gpt-4o gpt-4`, `gpt-5.4-pro`,
	},
	{
		"gemini", geminiModels,
		`gemini-2.5-flash gemini-2.5-pro gemini-2.5-flash-lite gemini-2.0-flash-001 gemini-flash-latest gemini-3-flash-preview`,
		`gemini-2.5-flash-preview-tts gemini-2.5-flash-image gemini-2.0-flash-preview-image-generation gemini-3-pro-image-preview
		gemini-2.5-flash-native-audio-latest gemini-live-2.5-flash-preview gemini-embedding-001 gemini-robotics-er-1.5-preview
		gemini-2.5-computer-use-preview-10-2025 gemma-3-27b-it nano-banana-pro-preview learnlm-2.0-flash-experimental`,
	},
	{"gemini", geminiModels, `gemini-3-flash-preview gemini-3-pro-preview`, `gemini-3-pro-image-preview`},
	{"anthropic", names{}, `claude-sonnet-4-5-20250929 claude-opus-4-5 claude-haiku-4-5`, ``},
	{"anthropic", names{}, `claude-3-7-sonnet-20250219 claude-3-opus-20240229`, ``},
	{"openrouter", names{}, `anthropic/claude-sonnet-4.5 anthropic/claude-3.7-sonnet:thinking openai/gpt-5-pro openrouter/auto`, ``},
	{"openrouter", names{}, `openai/gpt-5.4 openai/gpt-5-codex openai/gpt-5-pro`, ``},
}

// TestNames: if a provider has patterns, they recognize exactly the models in chatting. UsualModel chooses the first of these models.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, l := range lists {
		chats, others := strings.Fields(l.chatting), strings.Fields(l.others)
		var list []Model
		for _, id := range slices.Concat(others, chats) {
			if l.chats.chat != nil && l.chats.chats(id) != slices.Contains(chats, id) {
				t.Errorf("%s: the patterns say that %s can chat: %t", l.provider, id, l.chats.chats(id))
			}
			if slices.Contains(chats, id) {
				list = append(list, Model{ID: id})
			}
		}
		c := Connection{provider: providers[l.provider]}
		for range 2 {
			if got := c.UsualModel(list); got != chats[0] {
				t.Errorf("%s: the usual model is %s, want %s", l.provider, got, chats[0])
			}
			if l.provider != "openai" { // OpenAI's list is read with the newest first
				slices.Reverse(list)
			}
		}
	}
}
