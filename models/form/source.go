package form

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/subslot"
	"switchyard/models/template"
	"switchyard/models/token"
)

// SourceBody has the fields of a traffic source as the client sends them.
type SourceBody struct{ models.SourceFields }

const (
	maxMacros    = 50
	maxParamName = 100 // in characters
	maxMacroText = 255
	maxLinkQuery = 4000 // in characters of one byte each; many servers refuse a URL of 8,000 bytes
)

const maxMacro = 64 // maximum length of a single macro in characters

var loneMacro = regexp.MustCompile(`^[A-Za-z0-9${}\[\]#_@!%:().|-]{1,64}$`)

func checkMacro(name, macro string) error {
	switch {
	case macro == "" || loneMacro.MatchString(macro):
		return nil
	case utf8.RuneCountInString(macro) > maxMacro:
		return TooLong(name, maxMacro)
	}
	return models.Invalid("invalid_value", "%s may have only letters, digits and the signs of macros: $ { } [ ] # _ @ ! %% : ( ) . | -", name)
}

// Record returns the traffic source that the body describes.
func (b SourceBody) Record() (models.TrafficSource, error) {
	o := models.TrafficSource{SourceFields: b.SourceFields}
	if o.Name == "" {
		return o, models.Invalid("required", "name is required")
	}
	if o.CostMacro = strings.TrimSpace(o.CostMacro); !loneMacro.MatchString(o.CostMacro) {
		o.CostMacro = ""
	}
	if !template.IsPlatform(o.Platform) {
		o.Platform = ""
	}
	err := checkMacros(o.TokenMacros)
	if err == nil {
		err = subslot.Check(o.Subs)
	}
	if err == nil {
		err = checkMacro("external_id_macro", o.ExternalIDMacro)
	}
	if err == nil && len(token.LinkQuery(o.SourceLink)) > maxLinkQuery {
		err = models.Invalid("too_long", "the parameters and macros of a source may have at most %d characters in a link", maxLinkQuery)
	}
	return o, err
}

func checkMacros(list models.TokenMacros) error {
	if len(list) > maxMacros {
		return models.Invalid("invalid_input", "token_macros may have at most %d parameters", maxMacros)
	}
	for _, m := range list {
		if strings.TrimSpace(m.Param) == "" {
			return models.Invalid("invalid_input", "a parameter of token_macros needs a name")
		}
		if utf8.RuneCountInString(m.Param) > maxParamName {
			return TooLong("a parameter of token_macros", maxParamName)
		}
		if utf8.RuneCountInString(m.Macro) > maxMacroText {
			return TooLong("a macro of token_macros", maxMacroText)
		}
	}
	return nil
}
