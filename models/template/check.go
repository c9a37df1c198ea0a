package template

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"switchyard/models"
	"switchyard/models/token"
)

const (
	maxName        = 255 // characters
	maxMacros      = 50
	maxParam       = 100  // characters of a parameter's name
	maxMacro       = 255  // characters of a macro
	maxLoneMacro   = 64   // characters of a macro for the click id or the cost
	maxPostbackURL = 4000 // characters
)

var errName = invalid("a template needs a name of at most %d characters, without control characters", maxName)

func invalid(format string, args ...any) error {
	return models.Invalid("invalid_template", format, args...)
}

// Check reports the first mistake in a template.
func (s Source) Check(now time.Time) error {
	params := map[string]bool{}
	list := append(models.TokenMacros{{Param: s.ExternalIDParam, Macro: s.ExternalIDMacro}, {Param: s.CostParam, Macro: s.CostMacro}},
		s.TokenMacros...)
	for i, m := range list {
		name := strings.ToLower(m.Param)
		isLone := i < 2 // the click id or the cost: they are first in the list, and may be missing
		switch {
		case isLone && m.Param == "" && m.Macro == "":
			continue
		case !plain(m.Param, maxParam):
			return invalid("%q is no name of a parameter", m.Param)
		case params[name]:
			return invalid("the parameter %s appears twice", m.Param)
		case !plain(m.Macro, maxMacro) && m.Macro != "":
			return invalid("the macro of %s must be a text of at most %d characters, without control characters", m.Param, maxMacro)
		case (m.Macro != "" || !isLone) && !token.LooksLikeMacro(m.Macro):
			return invalid("%s is not recognized as a macro", m.Macro)
		case isLone && (utf8.RuneCountInString(m.Macro) > maxLoneMacro || strings.Contains(m.Macro, " ")):
			return invalid("the macro of %s must have at most %d characters and no spaces", m.Param, maxLoneMacro)
		}
		params[name] = true
	}
	switch {
	case !plain(s.Name, maxName):
		return errName
	case !IsPlatform(s.Key):
		return invalid("there is no platform %q: a template of your own has the platform %q", s.Key, custom)
	case !slices.Contains([]string{"cpc", "cpm", "cpa", "manual"}, s.CostModel):
		return invalid("cost_model must be cpc, cpm, cpa or manual")
	case len(s.TokenMacros) > maxMacros:
		return invalid("token_macros may have at most %d parameters", maxMacros)
	}
	if err := checkPostback(s.PostbackURL); err != nil {
		return err
	}
	return s.checkOrigin(now)
}

func plain(text string, limit int) bool {
	return strings.TrimSpace(text) != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= limit &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

func checkPostback(address string) error {
	if address == "" {
		return nil
	}
	if utf8.RuneCountInString(address) > maxPostbackURL {
		return invalid("postback_url may have at most %d characters", maxPostbackURL)
	}
	if err := token.ValidURL(address); err != nil {
		return invalid("postback_url: %s", err)
	}
	if text := token.Unknown(address); text != "" {
		return invalid("postback_url has %.100s, which is no token", text)
	}
	return nil
}

// Check reports the first mistake in a template.
func (n Network) Check(now time.Time) error {
	if !plain(n.Name, maxName) {
		return errName
	}
	if n.ClickParam == "" && len(n.Macros) == 0 {
		return invalid("a template of a network needs click_param or macros")
	}
	for _, field := range models.PostbackFields {
		if macro := n.Macros[field]; macro != "" && field != secretField && !token.LooksLikeMacro(macro) {
			return invalid("macros.%s: %.100s is not recognized as a macro", field, macro)
		}
	}
	if _, err := currency.ParseISO(n.Currency); err != nil && n.Currency != "" {
		return invalid("%.20q is no currency: write its three letters", n.Currency)
	}
	if n.Macros[secretField] != "" {
		return invalid("macros.secret is not allowed: a template never contains a secret")
	}
	return n.checkOrigin(now)
}

// checkOrigin refuses a page that is not an https address, and a day that cannot be read or that has not come yet.
func (o Origin) checkOrigin(now time.Time) error {
	if o == (Origin{}) {
		return nil
	}
	u, err := url.Parse(o.Page)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return invalid("page must be an https address")
	}
	day, err := time.Parse(time.DateOnly, o.ReadOn)
	if err != nil {
		return invalid("read_on must be a day, YYYY-MM-DD")
	}
	if day.After(now.UTC().Add(models.AheadOfUTC)) {
		return invalid("read_on, %s, has not come yet", o.ReadOn)
	}
	return nil
}
