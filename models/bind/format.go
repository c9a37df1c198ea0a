package bind

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/models/token"
)

// format is a rule for the form of texts. Limits of length are separate rules. Only uuid, iso_country, alias and slug refuse an
// empty text.
type format struct {
	code   string         // error code for a text of the wrong form, if the field has no code of its own
	schema map[string]any // the part of the rule that JSON Schema can express
	// read returns the text in its stored form. Its error is a sentence for people.
	read func(path, text string) (string, error)
}

var formats = map[string]*format{
	"uuid": {"invalid_id", map[string]any{"format": "uuid"}, readUUID},
	// An http or https address. {token} placeholders may be anywhere after the scheme. A host in letters of any script is stored
	// in its DNS form.
	"url": {"invalid_url", map[string]any{"format": "url"}, readURL},
	// An address to which visitors can be sent: its host has no placeholders.
	"routable": {"invalid_url", map[string]any{"format": "url"}, readRoutable},
	// A domain is stored in its DNS form. Any other text stays unchanged.
	"domain":  {read: readDomain},
	"country": {"invalid_country", map[string]any{"pattern": `^([A-Za-z]{2})?$`}, readCountry},
	// The code of an existing country. UK becomes GB.
	"iso_country": {"invalid_country", map[string]any{"pattern": `^[A-Za-z]{2}$`}, readVisitorCountry},
	"alias":       {"invalid_alias", map[string]any{"pattern": models.AliasForm.String()}, unchanged(models.CheckAlias)},
	"slug":        {"invalid_slug", map[string]any{"pattern": models.SlugForm.String()}, unchanged(models.CheckSlug)},
	"timezone":    {code: "invalid_timezone", read: readTimezone},
	// Three letters. Any other text becomes USD.
	"currency": {read: readCurrency},
}

func unchanged(check func(text string) error) func(path, text string) (string, error) {
	return func(_, text string) (string, error) { return text, check(text) }
}

func readUUID(path, text string) (string, error) {
	if _, ok := models.ParseID(text); !ok {
		return "", fmt.Errorf("%s must be a UUID", path)
	}
	return text, nil
}

func readURL(path, text string) (string, error) {
	text = token.ASCIIHost(text)
	if text != "" && !token.IsURL(text) {
		return "", fmt.Errorf("%s must be an http or https address", path)
	}
	return text, nil
}

func readRoutable(path, text string) (string, error) {
	text, err := readURL(path, text)
	if err != nil || text == "" {
		return text, err
	}
	if err := token.ValidURL(text); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

func readDomain(_, text string) (string, error) {
	if host, ok := models.HostOf(text); ok {
		return host, nil
	}
	return text, nil
}

// readTimezone accepts the IANA name of a time zone. It refuses "Local", the zone of the machine.
func readTimezone(path, text string) (string, error) {
	if zone, err := time.LoadLocation(text); err != nil || zone == time.Local {
		return "", fmt.Errorf("%s must be a time zone by its IANA name, such as Europe/Berlin", path)
	}
	return text, nil
}

var (
	country  = regexp.MustCompile(`^[A-Za-z]{2}$`)
	currency = regexp.MustCompile(`^[A-Za-z]{3}$`)
)

func readCountry(path, text string) (string, error) {
	if text != "" && !country.MatchString(text) {
		return "", fmt.Errorf("%s must be two letters", path)
	}
	return strings.ToUpper(text), nil
}

func readVisitorCountry(path, text string) (string, error) {
	if _, err := readCountry(path, text); err != nil {
		return "", err
	}
	if text == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	code, err := clickattr.Countries.Check(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return code, nil
}

func readCurrency(_, text string) (string, error) {
	if !currency.MatchString(text) {
		text = "USD"
	}
	return strings.ToUpper(text), nil
}
