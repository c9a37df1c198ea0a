package form

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/notification"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// NetworkBody has the fields of a network as the client sends them.
type NetworkBody struct {
	models.NetworkFields
	PostbackSecret string `json:"postback_secret" trim:"true" maxLength:"255" doc:"a blank secret in a PUT does not change the secret"`
}

// Limits of a network that struct tags cannot express.
const (
	maxSecret      = 255 // maximum length of a secret in bytes
	maxStatusWords = 100 // maximum number of words for each status
	maxStatusWord  = 255 // maximum length of a word in characters
)

// Record returns the network that the body describes.
func (b NetworkBody) Record() (models.Network, error) {
	n := models.Network{NetworkFields: b.NetworkFields, PostbackSecret: b.PostbackSecret}
	if n.Name == "" {
		return n, models.Invalid("required", "name is required")
	}
	err := checkSecret(n)
	if err == nil && !postback.ValidAnswer(n.AnswerText) {
		err = models.Invalid("invalid_input", "answer_text may have only printable ASCII characters, without < and >")
	}
	if err == nil {
		n.PostbackParams, err = fieldTexts("postback_params", n.PostbackParams, postback.MaxName)
	}
	if err == nil {
		n.Macros, err = fieldTexts("macros", n.Macros, maxMacroText)
	}
	if err == nil {
		n.StatusMap, err = StatusMap(n.StatusMap)
	}
	return n, err
}

// TooLong returns an error with the code too_long.
func TooLong(what string, limit int) error {
	return models.Invalid("too_long", "%s may have at most %d characters", what, limit)
}

// checkSecret refuses a secret that no postback could contain. A value in a postback is cut to 255 bytes and loses its control
// characters, and a value that looks like a macro counts as empty. If a platform signs its notifications with the secret, the
// secret is not in the postback, so it may look like a macro.
func checkSecret(n models.Network) error {
	secret := n.PostbackSecret
	s, signs := notification.Find(n.PostbackScheme)
	signs = signs && !s.SecretInAddress
	switch {
	case len(secret) > maxSecret:
		return models.Invalid("too_long", "postback_secret may have at most %d bytes", maxSecret)
	case strings.ContainsFunc(secret, unicode.IsControl):
		return models.Invalid("invalid_input", "postback_secret must not hold control characters")
	case !signs && token.LooksLikeMacro(secret):
		return models.Invalid("invalid_input", "postback_secret must not look like a macro")
	}
	return nil
}

// fieldTexts checks the texts for the fields of a postback and removes empty texts.
func fieldTexts(name string, texts map[string]string, limit int) (map[string]string, error) {
	out := map[string]string{}
	for _, field := range slices.Sorted(maps.Keys(texts)) {
		if !slices.Contains(models.PostbackFields, field) {
			return nil, models.Invalid("invalid_input", "%s may have only the members %s", name,
				strings.Join(models.PostbackFields, ", "))
		}
		text := strings.TrimSpace(texts[field])
		if utf8.RuneCountInString(text) > limit {
			return nil, TooLong(name+"."+field, limit)
		}
		if text != "" {
			out[field] = text
		}
	}
	return out, nil
}

var networkStatuses = []string{
	models.StatusApproved, models.StatusPending, models.StatusRejected, models.StatusChargeback,
}

// StatusMap checks a network's words for the four statuses. A word can stand for only one status.
func StatusMap(words map[string][]string) (map[string][]string, error) {
	out, meaning := map[string][]string{}, map[string]string{}
	for _, status := range slices.Sorted(maps.Keys(words)) {
		if !slices.Contains(networkStatuses, status) {
			return nil, models.Invalid("invalid_input", "status_map may have only the members %s",
				strings.Join(networkStatuses, ", "))
		}
		list := []string{}
		for _, word := range words[status] {
			word = strings.TrimSpace(word)
			if utf8.RuneCountInString(word) > maxStatusWord {
				return nil, TooLong("a word of status_map", maxStatusWord)
			}
			folded := strings.ToLower(word)
			if other, known := meaning[folded]; known && other != status {
				return nil, models.Invalid("invalid_input", "a word of status_map stands for %s and for %s", other, status)
			} else if known || word == "" {
				continue
			}
			meaning[folded] = status
			list = append(list, word)
		}
		if len(list) > maxStatusWords {
			return nil, models.Invalid("invalid_input", "status_map may have at most %d words for a status", maxStatusWords)
		}
		out[status] = list
	}
	return out, nil
}
