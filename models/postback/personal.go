package postback

import (
	"maps"
	"slices"
	"strings"

	"switchyard/models/matchkey"
)

// TakePersonal removes the personal data from the parameters of a message, and returns them with the word for the person's
// consent. isField reports whether the account's networks send a field in a parameter, in lower case: such a parameter stays, because
// its account has chosen it for something else. Removed takes the place of each value. A city, region, postal code or country stays
// in a message that names neither a person nor a consent, because networks send the place of a click in such parameters.
func TakePersonal(params map[string]string, isField func(name string) bool) (p matchkey.Person, consent string) {
	p = matchkey.Person{}
	if !namesPerson(params) {
		return p, ""
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		lower, value := strings.ToLower(name), params[name]
		if lower == matchkey.ConsentParam {
			consent = value
			continue
		}
		key := matchkey.NameOf(lower)
		if key == "" || isField(lower) || cleanValue(value, MaxValue) == "" {
			continue
		}
		if p[key] == "" {
			p[key] = value
		}
		params[name] = Removed
	}
	return p, consent
}

// namesPerson reports whether a message has a consent, or personal data that are more than a place.
func namesPerson(params map[string]string) bool {
	for name, value := range params {
		key := matchkey.NameOf(name)
		place := slices.Contains([]string{"", matchkey.City, matchkey.Region, matchkey.Zip, matchkey.Country}, key)
		if strings.EqualFold(name, matchkey.ConsentParam) || !place && cleanValue(value, MaxValue) != "" {
			return true
		}
	}
	return false
}

// Removed takes the place of personal data in the parameters of a message.
const Removed = "(personal data)"

// MarkPersonal writes what became of each value that TakePersonal removed, for the log of postbacks.
func MarkPersonal(params map[string]string, keys matchkey.Hashes, dropped []matchkey.Dropped) {
	marks := map[string]string{}
	for _, name := range keys.Names() {
		marks[name] = "(hashed)"
	}
	for _, d := range dropped {
		marks[d.Key] = "(not kept: " + d.Reason + ")"
	}
	for name, value := range params {
		if mark := marks[matchkey.NameOf(name)]; value == Removed && mark != "" {
			params[name] = mark
		}
	}
}
