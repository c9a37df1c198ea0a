// Package check holds the rules that many records share: texts, addresses, numbers, tags. A check returns the error
// that a client sees, with the code that the contract gives to that mistake, or nil.
package check

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Limits that the contract leaves open.
const (
	MaxURL  = 4000 // characters of an address
	MaxTag  = 64   // characters of a tag
	MaxTags = 20
)

// First gives the first error of several checks.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Required refuses an empty text: required.
func Required(field, value string) error {
	if strings.TrimSpace(value) == "" {
		return models.Invalid("required", "%s is required", field)
	}
	return nil
}

// Text refuses a text over max characters: too_long.
func Text(field, value string, limit int) error {
	if utf8.RuneCountInString(value) > limit {
		return models.Invalid("too_long", "%s may have at most %d characters", field, limit)
	}
	return nil
}

// Name is Required and Text with the 255 characters of every name.
func Name(field, value string) error {
	return First(Required(field, value), Text(field, value, 255))
}

var placeholder = regexp.MustCompile(`\{[^{}\s]*\}`)

// URL refuses what is not an http or https address with a host; {token} placeholders may stand anywhere after the
// scheme. An empty value passes. The code is invalid_url, and too_long over MaxURL.
func URL(field, value string) error { return CodedURL("invalid_url", field, value) }

// CodedURL is URL with another code for the wrong form.
func CodedURL(code, field, value string) error {
	if value == "" {
		return nil
	}
	if err := Text(field, value, MaxURL); err != nil {
		return err
	}
	if !IsURL(value) {
		return models.Invalid(code, "%s must be an http or https address", field)
	}
	return nil
}

// IsURL tells whether value is an http or https address with a host, placeholders allowed.
func IsURL(value string) bool {
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return false
	}
	u, err := url.Parse(placeholder.ReplaceAllString(value, "x"))
	if err != nil || u.Hostname() == "" {
		return false
	}
	return strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")
}

// Range refuses a number outside low to high, both included: out_of_range.
func Range(field string, value decimal.Decimal, low, high int64) error {
	if value.LessThan(decimal.NewFromInt(low)) || value.GreaterThan(decimal.NewFromInt(high)) {
		return models.Invalid("out_of_range", "%s must be from %d to %d", field, low, high)
	}
	return nil
}

// IntRange is Range for whole numbers.
func IntRange(field string, value, low, high int) error {
	return Range(field, decimal.NewFromInt(int64(value)), int64(low), int64(high))
}

// OneOf refuses a value that is not a choice, with the code the endpoint documents for it. An empty value passes.
func OneOf(code, field, value string, choices ...string) error {
	if value == "" {
		return nil
	}
	for _, c := range choices {
		if value == c {
			return nil
		}
	}
	return models.Invalid(code, "%s must be one of %s", field, strings.Join(choices, ", "))
}

var (
	country  = regexp.MustCompile(`^[A-Za-z]{2}$`)
	currency = regexp.MustCompile(`^[A-Za-z]{3}$`)
)

// Country gives the two letters as capitals, or invalid_country. An empty value passes.
func Country(value string) (string, error) {
	value = strings.TrimSpace(value)
	if value != "" && !country.MatchString(value) {
		return "", models.Invalid("invalid_country", "country must be two letters")
	}
	return strings.ToUpper(value), nil
}

// Currency gives three capital letters; anything else is read as USD, as the contract says.
func Currency(value string) string {
	if !currency.MatchString(value) {
		return "USD"
	}
	return strings.ToUpper(value)
}

// Tags trims tags, drops empty and repeated ones, and refuses more than 20 (invalid_input) or a long one (too_long).
// The answer is never nil.
func Tags(tags []string) ([]string, error) {
	out, seen := []string{}, map[string]bool{}
	for _, t := range tags {
		t = strings.TrimSpace(t)
		if t == "" || seen[strings.ToLower(t)] {
			continue
		}
		if err := Text("a tag", t, MaxTag); err != nil {
			return nil, err
		}
		seen[strings.ToLower(t)] = true
		out = append(out, t)
	}
	if len(out) > MaxTags {
		return nil, models.Invalid("invalid_input", "a record may have at most %d tags", MaxTags)
	}
	return out, nil
}
