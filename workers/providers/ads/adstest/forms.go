package adstest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// forms has the messages and enumerations of the platforms: see source.md. An enumeration is a line with its name, an equals
// sign and its values. A message is a line with its name and an indented line for each field: name, type and rules. A type is
// string, text (a string that is not empty), int, number, bool, time, sha256, any, a message or an enumeration, with [] for a
// list. The rules are "required" and "one:NAME". Exactly one of the fields with the same NAME must have a value.
//
//go:embed forms/*.txt
var forms embed.FS

// field is a field of a message.
type field struct {
	kind     string
	list     bool
	required bool
	one      string
}

type form struct {
	messages map[string]map[string]field
	values   map[string][]string
}

// flaw is a part of a message that the platform refuses.
type flaw struct {
	path string // such as events[0].adIdentifiers.gclid; for an unknown field, the path of its message; empty: the whole message
	name string // the field, without its path; for a message that is no object, the name of the message
	what string // unknown, missing or type
}

var readForms = sync.OnceValue(func() map[string]form {
	out := map[string]form{}
	files, _ := forms.ReadDir("forms")
	for _, file := range files {
		raw, _ := forms.ReadFile("forms/" + file.Name())
		out[strings.TrimSuffix(file.Name(), ".txt")] = readForm(string(raw))
	}
	return out
})

func readForm(text string) form {
	f := form{map[string]map[string]field{}, map[string][]string{}}
	message := ""
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case !strings.HasPrefix(line, " ") && len(words) > 1:
			f.values[words[0]] = words[2:] // the second word is an equals sign
		case !strings.HasPrefix(line, " "):
			message = words[0]
			f.messages[message] = map[string]field{}
		default:
			kind, list := strings.CutSuffix(words[1], "[]")
			v := field{kind: kind, list: list}
			for _, rule := range words[2:] {
				v.required = v.required || rule == "required"
				if one, ok := strings.CutPrefix(rule, "one:"); ok {
					v.one = one
				}
			}
			f.messages[message][words[0]] = v
		}
	}
	return f
}

// flaws returns the parts of a JSON text that differ from a message of a platform's form.
func flaws(platform, message string, raw []byte) []flaw {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return []flaw{{"", "", "type"}}
	}
	f, ok := readForms()[platform]
	if !ok {
		panic("there is no form of " + platform)
	}
	return f.check("", message, v)
}

// check returns the flaws of a value of a message, an enumeration or a simple type.
func (f form) check(path, kind string, v any) []flaw {
	fields, ok := f.messages[kind]
	if !ok {
		if !f.fits(kind, v) {
			return []flaw{{path, path[strings.LastIndexByte(path, '.')+1:], "type"}}
		}
		return nil
	}
	have, ok := v.(map[string]any)
	if !ok {
		return []flaw{{path, kind, "type"}}
	}
	var out []flaw
	oneCounts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		place := strings.TrimPrefix(path+"."+name, ".")
		rule, known := fields[name]
		list, isList := have[name].([]any)
		switch {
		case !known:
			out = append(out, flaw{path, name, "unknown"})
		case have[name] == nil: // null counts as no value
			continue
		case rule.list && isList:
			for i, item := range list {
				out = append(out, f.check(fmt.Sprintf("%s[%d]", place, i), rule.kind, item)...)
			}
		case rule.list:
			out = append(out, flaw{place, name, "type"})
		default:
			out = append(out, f.check(place, rule.kind, have[name])...)
		}
		oneCounts[rule.one]++
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list, isList := have[name].([]any)
		if rule := fields[name]; rule.required && (have[name] == nil || isList && len(list) == 0) || rule.one != "" && oneCounts[rule.one] != 1 {
			out = append(out, flaw{strings.TrimPrefix(path+"."+name, "."), name, "missing"})
		}
	}
	return out
}

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// fits reports whether a value is of a simple type or an enumeration.
func (f form) fits(kind string, v any) bool {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch kind {
	case "any":
		return true
	case "string":
		return isText
	case "text":
		return text != ""
	case "sha256":
		return hexDigest.MatchString(text)
	case "time":
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	case "bool":
		_, ok := v.(bool)
		return ok
	case "int":
		return isNumber && !strings.ContainsAny(number.String(), ".eE")
	case "number":
		return isNumber
	}
	values, known := f.values[kind]
	if !known {
		panic("the form has no " + kind)
	}
	return slices.Contains(values, text)
}
