package matchkey

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

var isAddress = regexp.MustCompile(`^[^@\s<>()",:;\\]+@[^@\s<>()",:;\\]+\.[^@\s<>()",:;\\.]+$`)

const maxAddress = 254 // RFC 5321

func emailForms(value, _ string) ([]string, string) {
	address := lower(strings.Join(strings.Fields(value), ""))
	if len(address) > maxAddress || !isAddress.MatchString(address) {
		return nil, "it is no e-mail address"
	}
	user, domain, _ := strings.Cut(address, "@")
	plain, _, _ := strings.Cut(user, "+")
	dotless := strings.ReplaceAll(plain, ".", "")
	reddit := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, plain)
	if dotless == "" || reddit == "" {
		return nil, "it is no e-mail address"
	}
	google := address
	if domain == "gmail.com" || domain == "googlemail.com" {
		google = dotless + "@" + domain
	}
	return []string{address, google, dotless + "@" + domain, reddit + "@" + domain}, ""
}

// phoneForms adds the country code of the visitor's country to a number without one.
func phoneForms(value, country string) ([]string, string) {
	if number, ok := strings.CutPrefix(value, "00"); ok {
		value = "+" + number
	}
	if !strings.HasPrefix(value, "+") && country == "" {
		return nil, "it has no country code, and the country is not known"
	}
	n, err := phonenumbers.Parse(value, country)
	if err == nil && !phonenumbers.IsValidNumber(n) && !strings.HasPrefix(value, "+") { // a country code without its plus
		n, err = phonenumbers.Parse("+"+value, "")
	}
	if err != nil || !phonenumbers.IsValidNumber(n) {
		return nil, "it is no telephone number"
	}
	full := phonenumbers.Format(n, phonenumbers.E164)
	return []string{full, strings.TrimPrefix(full, "+")}, ""
}

func lower(s string) string { return norm.NFC.String(strings.ToLower(s)) }

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, lower(s))
}

func nameForm(value, _ string) ([]string, string) {
	name := letters(value)
	if strings.IndexFunc(name, unicode.IsLetter) < 0 {
		return nil, "it has no letters"
	}
	return []string{name}, ""
}

func streetForm(value, _ string) ([]string, string) {
	street := strings.Join(strings.Fields(lower(value)), " ")
	if letters(street) == "" {
		return nil, "it has no letters"
	}
	return []string{street}, ""
}

// regionForm returns a region. For the United States, platforms accept only the two letters of a state.
func regionForm(value, country string) ([]string, string) {
	region := letters(value)
	switch {
	case region == "":
		return nil, "it has no letters"
	case country == "US" && len(region) != 2:
		return nil, "a state of the United States is two letters, such as CA"
	}
	return []string{region}, ""
}

var isUSZip = regexp.MustCompile(`^[0-9]{5}`)

// zipForm returns a postal code without spaces and, except for the United Kingdom, without a hyphen and what follows the hyphen. A
// code of the United States is cut to its first five digits. A code of the United Kingdom loses its last two letters, which name
// the unit.
func zipForm(value, country string) ([]string, string) {
	code, tail, _ := strings.Cut(value, "-")
	zip := letters(code)
	switch country {
	case "US":
		if zip = isUSZip.FindString(zip); zip == "" {
			return nil, "a postal code of the United States begins with five digits"
		}
	case "GB":
		if zip = letters(code + tail); len(zip) < 5 {
			return nil, "it is no postal code of the United Kingdom"
		}
		zip = zip[:len(zip)-2]
	}
	if zip == "" {
		return nil, "it is no postal code"
	}
	return []string{zip}, ""
}

func countryForm(value, _ string) ([]string, string) {
	code := countryOf(value)
	if code == "" {
		return nil, "it is no country of ISO 3166, such as DE"
	}
	return []string{strings.ToLower(code)}, ""
}

func countryOf(text string) string {
	r, err := language.ParseRegion(strings.TrimSpace(text))
	if err != nil || !r.IsCountry() {
		return ""
	}
	return r.Canonicalize().String()
}
