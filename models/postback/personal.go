package postback

import (
	"maps"
	"slices"
	"strings"

	"switchyard/models/matchkey"
	"switchyard/models/param"
)

// UnfoldPersons replaces a person's record, whose value is a JSON object, by its members: {"user": {"email": ...}} becomes user[email].
// The value of a member that is a list or an object is not kept. isField reports whether a network of the account sends a field of the
// postback, such as the payout, in the parameter with this lower-case name. Such a parameter stays unchanged.
func UnfoldPersons(list []param.Param, isField func(name string) bool) []param.Param {
	isRecord := func(p param.Param) bool {
		return strings.HasPrefix(p.Value, "{") && matchkey.KeyOf(p.Name+"["+matchkey.Email+"]") != "" && !isField(strings.ToLower(p.Name))
	}
	if !slices.ContainsFunc(list, isRecord) {
		return list
	}
	var out []param.Param
	for _, p := range list {
		texts, others, ok := map[string]string(nil), []string(nil), false
		if isRecord(p) {
			texts, others, ok = matchkey.Members([]byte(p.Value))
		}
		if !ok {
			out = append(out, p)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			out = append(out, param.Param{Name: p.Name + "[" + name + "]", Value: texts[name]})
		}
		for _, name := range others {
			out = append(out, param.Param{Name: p.Name + "[" + name + "]", Value: notText})
		}
	}
	return out
}

const notText = "(not kept: " + matchkey.NotText + ")"

// RemovePersonal removes the personal data from the parameters of a message. It returns these data, and the word that states the
// person's consent. removed says that the message had personal data. A value is replaced by the constant Removed; a parameter
// whose name contains an e-mail address is deleted.
//
// isField is the same function as for UnfoldPersons. A parameter that it names stays, because the account has chosen it for a
// field. A city, region, postal code or country stays in a message that names neither a person nor a consent, because networks
// send the place of a click in such parameters. An e-mail address is also removed from the click id and from any parameter that
// is not read as a field.
func RemovePersonal(params map[string]string, isField func(name string) bool) (p matchkey.Person, consent string, removed bool) {
	p = matchkey.Person{}
	hasPerson := namesPerson(params)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		lower, value := strings.ToLower(name), params[name]
		key := matchkey.KeyOf(lower)
		switch {
		case isField(lower):
		case value == notText:
			removed = true
		case hasPerson && lower == matchkey.ConsentParam:
			consent = value
		case hasPerson && key != "" && cleanValue(value, MaxValue) != "":
			if p[key] == "" {
				p[key] = value
			}
			params[name], removed = Removed, true
		case matchkey.HasAddress(name):
			delete(params, name)
			removed = true
		case mayHideAddress(lower) && matchkey.HasAddress(value):
			params[name], removed = matchkey.HideAddresses(value), true
		}
	}
	return p, consent, removed
}

// mayHideAddress reports whether e-mail addresses are removed from a parameter. They are removed from the click id too, because no
// click id is an e-mail address.
func mayHideAddress(name string) bool {
	_, field := fieldParams[name]
	return !field || slices.Contains(aliases["click_id"], name)
}

func namesPerson(params map[string]string) bool {
	for name, value := range params {
		key := matchkey.KeyOf(name)
		if strings.EqualFold(name, matchkey.ConsentParam) || key != "" && !matchkey.IsPlace(key) && cleanValue(value, MaxValue) != "" {
			return true
		}
	}
	return false
}

// Removed takes the place of personal data in the parameters of a message.
const Removed = matchkey.Hidden

// MarkPersonal puts a text in the place of each value that RemovePersonal removed. The text says what became of the value, for
// the log of postbacks.
func MarkPersonal(params map[string]string, keys matchkey.Hashes, dropped []matchkey.Dropped) {
	marks := map[string]string{}
	for _, name := range keys.Names() {
		marks[name] = "(hashed)"
	}
	for _, d := range dropped {
		marks[d.Key] = "(not kept: " + d.Reason + ")"
	}
	for name, value := range params {
		if mark := marks[matchkey.KeyOf(name)]; value == Removed && mark != "" {
			params[name] = mark
		}
	}
}
