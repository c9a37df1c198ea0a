package notification

import (
	"net/url"
	"strings"

	"switchyard/models/matchkey"
)

// fullName is a key of Scheme.buyer. The members that it names contain both the first and the last name.
const fullName = "name"

// buyer returns the personal data of the buyer. A full name counts only if no other member has a part of the name, and if the full
// name has two words. In a longer name it is not clear where the last name begins.
func (d document) buyer(members map[string][]string) matchkey.Person {
	p := matchkey.Person{}
	for key, paths := range members {
		if text := d.text(paths...); text != "" && key != fullName {
			p[key] = text
		}
	}
	words := strings.Fields(d.text(members[fullName]...))
	if len(words) == 2 && p[matchkey.FirstName] == "" && p[matchkey.LastName] == "" {
		p[matchkey.FirstName], p[matchkey.LastName] = words[0], words[1]
	}
	return p
}

// findConsent searches for the word about the buyer's consent in the places where a click id can be.
func (m *message) findConsent(named []field, texts []string) {
	for _, f := range named {
		if strings.EqualFold(f.name, matchkey.ConsentParam) && m.consent == "" {
			m.consent = f.value
		}
	}
	for _, text := range texts {
		if _, query, ok := strings.Cut(text, "?"); ok {
			text = query
		}
		text, _, _ = strings.Cut(text, "#")
		values, _ := url.ParseQuery(text)
		if word := values.Get(matchkey.ConsentParam); word != "" && m.consent == "" {
			m.consent = word
		}
	}
}
