package ai

import (
	"regexp"
	"strings"
)

// names decides by its name whether a model chats and takes tools. It is for providers whose lists tell nothing else.
type names struct{ is, isNot *regexp.Regexp }

func (n names) chats(id string) bool {
	if tuned, ok := strings.CutPrefix(id, "ft:"); ok { // a customer's own, of a base model
		id, _, _ = strings.Cut(tuned, ":")
	}
	return n.is.MatchString(id) && !n.isNot.MatchString(id)
}

// word returns a pattern for the words of a list within a model's name. Words are joined by hyphens.
func word(list string) string { return `(^|-)(` + list + `)(-|$)` }

var (
	// OpenAI's pro, codex and research models need another API. Models with chat in their name, the ChatGPT models and the
	// first of the o series take no tools.
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

func named(patterns ...string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		out[i] = regexp.MustCompile(p)
	}
	return out
}
