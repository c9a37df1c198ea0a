package bind

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"switchyard/models/flow"
	"switchyard/models/token"
)

// RefuseDashboardLinks refuses a body with an address that would lead visitors to the dashboard at dashboardURL. A link to a form
// in the dashboard would act with the rights of the person who clicks the link. RefuseDashboardLinks checks every field with the
// format routable, and the paths of a flow. bodyType is a zero value of the body's type. The error has the code that the field uses
// for a wrong address. Values of the wrong form are accepted, because Decode refuses them.
func RefuseDashboardLinks(body []byte, bodyType any, dashboardURL string) error {
	if dashboardURL == "" || bodyType == nil || !hasVisitorAddress(reflect.TypeOf(bodyType)) {
		return nil
	}
	return dashboardLinks{dashboardURL}.value(withoutMark(body), reflect.TypeOf(bodyType), "")
}

// hasAddressByType caches for each type of body whether it has a field with an address for visitors. Other bodies are not parsed,
// because they may be large.
var hasAddressByType sync.Map

func hasVisitorAddress(t reflect.Type) bool {
	if known, ok := hasAddressByType.Load(t); ok {
		return known.(bool) //nolint:forcetypeassert // nothing else is stored
	}
	found := hasAddress(t, map[reflect.Type]bool{})
	hasAddressByType.Store(t, found)
	return found
}

// hasAddress reports whether a type can contain an address for visitors. seen has the types that were visited.
func hasAddress(t reflect.Type, seen map[reflect.Type]bool) bool {
	t = elemType(t)
	if t != nil && t.Kind() == reflect.Slice {
		t = elemType(t.Elem())
	}
	if t == nil || t.Kind() != reflect.Struct || seen[t] {
		return false
	}
	seen[t] = true
	return slices.ContainsFunc(fieldsOf(t), func(f field) bool {
		structField := t.FieldByIndex(f.index)
		return f.format == routable || isPaths(structField) || hasAddress(structField.Type, seen)
	})
}

// elemType returns the type inside an Opt or a pointer, or else t. It is nil for an Opt of the type any.
func elemType(t reflect.Type) reflect.Type {
	if o, ok := reflect.New(t).Interface().(interface{ OptValue() any }); ok {
		return reflect.TypeOf(o.OptValue())
	}
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func isPaths(f reflect.StructField) bool { return f.Tag.Get("is") == "paths" }

var routable = formats["routable"]

// dashboardLinks searches a body for addresses that lead to url, the address of the dashboard.
type dashboardLinks struct{ url string }

// value searches a value of type t. A value of the wrong form is left to Decode.
func (l dashboardLinks) value(raw json.RawMessage, t reflect.Type, path string) error {
	switch t = elemType(t); {
	case t == nil:
		return nil
	case t.Kind() == reflect.Struct:
		return l.fields(raw, t, path)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return l.items(raw, t.Elem(), path)
	}
	return nil
}

func (l dashboardLinks) fields(raw json.RawMessage, t reflect.Type, path string) error {
	var sent map[string]json.RawMessage
	fields := fieldsOf(t)
	if len(fields) == 0 || json.Unmarshal(raw, &sent) != nil {
		return nil
	}
	for _, f := range fields {
		fieldPath, raw := path+f.name, sent[f.name]
		if raw == nil {
			continue
		}
		structField := t.FieldByIndex(f.index)
		var err error
		switch {
		case f.format == routable:
			err = l.address(raw, fieldPath, cmp.Or(f.form, f.format.code))
		case isPaths(structField):
			err = l.paths(raw, fieldPath)
		default:
			err = l.value(raw, structField.Type, fieldPath+".")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l dashboardLinks) items(raw json.RawMessage, t reflect.Type, path string) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for i, item := range list {
		if err := l.value(item, t, strings.TrimSuffix(path, ".")+"["+strconv.Itoa(i)+"]."); err != nil {
			return err
		}
	}
	return nil
}

func (l dashboardLinks) address(raw json.RawMessage, path, code string) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	if text = token.ASCIIHost(strings.TrimSpace(text)); token.ValidURL(text) == nil && token.LeadsTo(text, l.url) {
		return refuse(code, "%s leads to the dashboard of this service, and visitors are never sent there", path)
	}
	return nil
}

func (l dashboardLinks) paths(raw json.RawMessage, path string) error {
	paths, err := flow.Parse(raw)
	if err != nil {
		return nil //nolint:nilerr // the handler reports this error
	}
	for _, p := range paths {
		for _, d := range p.Destinations {
			text, _ := json.Marshal(d.URL) // a text always marshals
			if err := l.address(text, path+": "+p.Name, "invalid_destination_url"); err != nil {
				return err
			}
		}
	}
	return nil
}
