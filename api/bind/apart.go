package bind

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"switchyard/models/flow"
	"switchyard/models/token"
)

// Apart refuses a body that sends visitors to the dashboard, whose address is own: a link that posts a form there would act as
// the person who clicks it. It looks at every field of the form routable, and at the paths of a flow. of is a zero value of the
// body's type. The code is that of a wrong address in the field. A body that Decode refuses passes.
func Apart(body []byte, of any, own string) error {
	if own == "" || of == nil {
		return nil
	}
	return apart{own}.value(withoutMark(body), reflect.TypeOf(of), "")
}

// apart looks for addresses of own.
type apart struct{ own string }

// value looks through a value of a type. What has another form is left to Decode.
func (a apart) value(raw json.RawMessage, t reflect.Type, path string) error {
	if o, ok := reflect.New(t).Interface().(interface{ OptValue() any }); ok {
		t = reflect.TypeOf(o.OptValue())
	}
	if t == nil {
		return nil // of any type
	}
	switch t.Kind() {
	case reflect.Pointer:
		return a.value(raw, t.Elem(), path)
	case reflect.Struct:
		return a.fields(raw, t, path)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return a.items(raw, t.Elem(), path)
		}
	}
	return nil
}

func (a apart) fields(raw json.RawMessage, t reflect.Type, path string) error {
	var sent map[string]json.RawMessage
	fields := fieldsOf(t)
	if len(fields) == 0 || json.Unmarshal(raw, &sent) != nil {
		return nil
	}
	for _, f := range fields {
		at, raw := path+f.name, sent[f.name]
		if raw == nil {
			continue
		}
		in := t.FieldByIndex(f.index)
		var err error
		switch {
		case f.format == formats["routable"]:
			err = a.address(raw, at, cmp.Or(f.form, f.format.code))
		case in.Tag.Get("is") == "paths":
			err = a.paths(raw, at)
		default:
			err = a.value(raw, in.Type, at+".")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a apart) items(raw json.RawMessage, t reflect.Type, path string) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for i, item := range list {
		if err := a.value(item, t, strings.TrimSuffix(path, ".")+"["+strconv.Itoa(i)+"]."); err != nil {
			return err
		}
	}
	return nil
}

func (a apart) address(raw json.RawMessage, path, code string) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	if text = strings.TrimSpace(text); token.ValidURL(text) == nil && token.LeadsTo(text, a.own) {
		return refuse(code, "%s leads to the dashboard of this service, where no visitor is sent", path)
	}
	return nil
}

func (a apart) paths(raw json.RawMessage, path string) error {
	paths, err := flow.Parse(raw)
	if err != nil {
		return nil //nolint:nilerr // the handler reports it
	}
	for _, p := range paths {
		for _, d := range p.Destinations {
			text, _ := json.Marshal(d.URL) // a text always marshals
			if err := a.address(text, path+": "+p.Name, "invalid_destination_url"); err != nil {
				return err
			}
		}
	}
	return nil
}
