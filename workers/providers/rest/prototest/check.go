package prototest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// checker collects the flaws of a JSON value.
type checker struct {
	Protos
	bound []string // fields of the outermost message that are in the path of the URL and not in the body
	flaws []string
}

func (c *checker) flaw(path, format string, args ...any) {
	c.flaws = append(c.flaws, strings.TrimPrefix(path, ".")+": "+fmt.Sprintf(format, args...))
}

// value checks that v has the type with the given name, which may be relative to the message in the parameter scope.
func (c *checker) value(path, scope, name string, v any) {
	if plain, known := scalars[name]; known {
		if !plain(v) {
			c.flaw(path, "%v is no %s", v, name)
		}
		return
	}
	full := c.resolve(scope, name)
	if known, ok := wellKnown[full]; ok {
		if !known(v) {
			c.flaw(path, "%v is no %s", v, full)
		}
		return
	}
	message := c.Protos[full]
	switch {
	case full == "google.protobuf.Any":
		c.any(path, v)
	case message == nil:
		c.flaw(path, "the type %s is not known", full)
	case message.Values != nil:
		if text, ok := v.(string); !ok || !has(message.Values, text) {
			c.flaw(path, "%v is no %s", v, full)
		}
	default:
		c.message(path, full, message, v)
	}
}

func has[V any](m map[string]V, name string) bool { _, ok := m[name]; return ok }

// any checks a message that names its type. Types that are not in Protos are not checked.
func (c *checker) any(path string, v any) {
	m, _ := v.(map[string]any)
	address, _ := m["@type"].(string)
	_, full, found := strings.Cut(address, "/")
	if !found {
		c.flaw(path, "has no @type")
		return
	}
	full = apiVersion.ReplaceAllString(full, "."+c.version()+".")
	if message := c.Protos[full]; message != nil {
		m = maps.Clone(m)
		delete(m, "@type")
		c.message(path, full, message, m)
	}
}

var apiVersion = regexp.MustCompile(`\.v\d+\.`)

// version returns the version of the Google Ads API whose messages are in Protos.
func (c *checker) version() string {
	for name := range c.Protos {
		if rest, ok := strings.CutPrefix(name, "google.ads.googleads."); ok {
			version, _, _ := strings.Cut(rest, ".")
			return version
		}
	}
	return ""
}

func (c *checker) message(path, full string, message *node, v any) {
	have, ok := v.(map[string]any)
	if !ok {
		c.flaw(path, "%v is no message %s", v, full)
		return
	}
	fields := map[string]*field{}
	for name, f := range message.Fields {
		fields[camel(name)] = f
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		f := fields[name]
		if f == nil {
			c.flaw(path, "%s has no field %q", full, name)
			continue
		}
		c.field(path+"."+name, full, f, have[name])
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if list, isList := have[name].([]any); fields[name].required() && (have[name] == nil || isList && len(list) == 0) &&
			(path != "" || !slices.Contains(c.bound, name)) {
			c.flaw(path, "%s needs %q", full, name)
		}
	}
	for group, fields := range message.Oneofs {
		n := 0
		for _, name := range fields.Oneof {
			if have[camel(name)] != nil {
				n++
			}
		}
		if n > 1 {
			c.flaw(path, "%d fields of %s", n, group)
		}
	}
}

func (c *checker) field(path, scope string, f *field, v any) {
	list, isList := v.([]any)
	switch {
	case v == nil: // null counts as no value
	case f.KeyType != "":
		entries, ok := v.(map[string]any)
		if !ok {
			c.flaw(path, "%v is no map", v)
		}
		for key, entry := range entries {
			c.value(path+"."+key, scope, f.Type, entry)
		}
	case f.Rule == "repeated" && !isList:
		c.flaw(path, "%v is no list", v)
	case f.Rule == "repeated":
		for i, item := range list {
			c.value(path+"["+strconv.Itoa(i)+"]", scope, f.Type, item)
		}
	default:
		c.value(path, scope, f.Type, v)
	}
}

func isText(v any) bool { _, ok := v.(string); return ok }

func isBool(v any) bool { _, ok := v.(bool); return ok }

// isInt accepts a whole number and the text of one, as the JSON form of protocol buffers does.
func isInt(v any) bool {
	_, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	return err == nil && (isText(v) || isNumber(v))
}

func isNumber(v any) bool { _, ok := v.(json.Number); return ok }

// isLong accepts only the text of a whole number. Google writes whole numbers of 64 bits as texts.
func isLong(v any) bool { return isInt(v) && isText(v) }

func isTime(v any) bool {
	_, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v))
	return err == nil && isText(v)
}

var scalars = map[string]func(any) bool{
	"string": isText, "bytes": isText, "bool": isBool, "double": isNumber, "float": isNumber, "int32": isInt, "uint32": isInt,
	"int64": isLong, "uint64": isLong,
}

// wellKnown has message types whose JSON form is not an object.
var wellKnown = map[string]func(any) bool{
	"google.protobuf.Timestamp": isTime, "google.protobuf.FieldMask": isText, "google.protobuf.Duration": isText,
	"google.protobuf.Int64Value": isLong, "google.protobuf.StringValue": isText, "google.protobuf.BoolValue": isBool, "google.protobuf.DoubleValue": isNumber,
}
