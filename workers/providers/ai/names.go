package ai

import (
	"regexp"
	"slices"
	"strings"
)

// names decides by a model's id whether it can chat and use tools, for providers whose lists do not say so.
type names struct{ chat, noChat *regexp.Regexp }

func (n names) chats(id string) bool {
	if tuned, ok := strings.CutPrefix(id, "ft:"); ok { // a customer's fine-tuned model: the base model's name follows
		id, _, _ = strings.Cut(tuned, ":")
	}
	return n.chat.MatchString(id) && !n.noChat.MatchString(id)
}

// filter returns the models that can chat and use tools. If it recognizes none, it returns all, because a gateway may use other
// names.
func (n names) filter(all []Model) []Model {
	chat := slices.DeleteFunc(slices.Clone(all), func(m Model) bool { return !n.chats(m.ID) })
	if len(chat) == 0 {
		return all
	}
	return chat
}

// word returns a pattern for names that have one of the given words as a whole part. Hyphens separate the parts of a name, and |
// separates the given words.
func word(list string) string { return `(^|-)(` + list + `)(-|$)` }

var (
	// OpenAI's pro, codex and research models need another API. Models with "chat" in their name, the ChatGPT models and the
	// first models of the o series accept no tools.
	openAIModels = names{
		regexp.MustCompile(`^(gpt-|o\d)`),
		regexp.MustCompile(word("audio|realtime|image|transcribe|tts|instruct|search|embedding|moderation|translate|pro|codex|research|chat") +
			`|^o1-(mini|preview)`),
	}
	geminiModels = names{
		regexp.MustCompile(`^gemini-`),
		regexp.MustCompile(word("tts|image|audio|live|embedding|robotics|computer|transcribe|research")),
	}
)

func compiled(patterns ...string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		out[i] = regexp.MustCompile(p)
	}
	return out
}
