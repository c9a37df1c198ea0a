package accountconfig

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"switchyard/models"
)

// Kind is a kind of record, by its name in a document.
type Kind string

// The kinds of records that a document may have.
const (
	Domains    Kind = "domains"
	Networks   Kind = "networks"
	Sources    Kind = "sources"
	Landers    Kind = "landers"
	Offers     Kind = "offers"
	Sites      Kind = "sites"
	Rules      Kind = "rules"
	Campaigns  Kind = "campaigns"
	Flows      Kind = "flows"
	Smartlinks Kind = "smartlinks"
	BotLists   Kind = "bot_lists"
	// CopilotRules are the rules by which the Copilot changes campaigns. Rules, in contrast, are saved conditions.
	CopilotRules Kind = "copilot_rules"
	// BotDetection has the settings of bot detection. It has one record, whose key is SettingsKey.
	BotDetection Kind = "bot_detection"
)

// Kinds lists the kinds in the order in which their records are written: a record comes after the records to which it refers.
// Campaigns also refer to each other.
var Kinds = []Kind{Domains, Networks, Sources, Landers, Offers, Sites, Rules, Campaigns, Flows, Smartlinks, BotLists, CopilotRules, BotDetection}

// Noun returns the name of one record of the kind, for messages.
func (k Kind) Noun() string {
	switch k { //nolint:exhaustive // the nouns of the other kinds follow from the names of the kinds
	case BotLists:
		return "bot list entry"
	case CopilotRules:
		return "Copilot rule"
	case BotDetection:
		return "bot detection"
	}
	return strings.TrimSuffix(string(k), "s")
}

// SharedDomain is the key of the shared link domain of an install. A document refers to it without containing it.
const SharedDomain = "shared"

// SettingsKey is the key of the only record of a kind of settings. A document leaves the record out if all settings have their
// defaults.
const SettingsKey = "account"

// MaxKey is the maximum number of characters of a key.
const MaxKey = 100

var keyForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

// ValidKey reports whether a text can be the key of a record: lower-case letters, digits, dots, _ and -, beginning with a letter
// or a digit.
func ValidKey(key string) bool { return keyForm.MatchString(key) }

// NewKey returns a key for a record with a name, such as nutra-de for "Nutra DE". taken reports whether another record of the
// kind already has the key. Without an allowed letter or digit in the name, the key is made from the noun of the kind.
func NewKey(kind Kind, name string, taken func(string) bool) string {
	base := slug(name)
	if base == "" {
		base = slug(kind.Noun())
	}
	key := base
	for n := 2; taken(key); n++ {
		ending := "-" + strconv.Itoa(n)
		key = strings.TrimRight(models.Cut(base, MaxKey-len(ending)), "-.") + ending
	}
	return key
}

func slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLower(r) || unicode.IsDigit(r)):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		default:
			gap = true
		}
		if b.Len() >= MaxKey {
			break
		}
	}
	return models.Cut(b.String(), MaxKey)
}

// Known reports whether a document may have the kind.
func (k Kind) Known() bool { return slices.Contains(Kinds, k) }
