package v1_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/api/v1"
)

// bodiesWith returns one body with the address for each field of the format routable, and for each list of paths, in a type. The key
// is the field's path, such as rules.url.
func bodiesWith(typ reflect.Type, address string) map[string]object {
	out := map[string]object{}
	if typ == nil || typ.Kind() != reflect.Struct {
		return out
	}
	if o, ok := reflect.Zero(typ).Interface().(interface{ OptValue() any }); ok {
		return bodiesWith(reflect.TypeOf(o.OptValue()), address)
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := func(typ reflect.Type, wrap func(object) any) {
			for field, body := range bodiesWith(typ, address) {
				out[name+"."+field] = object{name: wrap(body)}
			}
		}
		switch {
		case f.Anonymous:
			for field, body := range bodiesWith(f.Type, address) {
				out[field] = body
			}
		case f.Tag.Get("format") == "routable":
			out[name] = object{name: address}
		case f.Tag.Get("is") == "paths":
			out[name] = object{name: []object{{"name": "p", "destinations": []object{{"url": address}}}}}
		case f.Type.Kind() == reflect.Slice:
			inner(f.Type.Elem(), func(b object) any { return []object{b} })
		case name != "" && name != "-":
			inner(f.Type, func(b object) any { return b })
		}
	}
	return out
}

// TestNoVisitorToTheDashboard: no field of the format routable, and no list of paths, takes an address of the dashboard. Otherwise a
// link could call the dashboard with the rights of the signed-in person who clicks the link.
func TestNoVisitorToTheDashboard(t *testing.T) {
	t.Parallel()
	s := apitest.New(t) // at http://localhost
	tried := map[string]bool{}
	for _, row := range v1.Routes(v1.Deps{}) {
		row = row.WithDefaults()
		for field, body := range bodiesWith(reflect.TypeOf(row.Body), " http://LOCALHOST:80/api/v1/goals?x={clickid}") {
			tried[row.Method+" "+row.Path+" "+field] = true
			path := strings.ReplaceAll(row.Path, "{id}", "0190a5f0-0000-7000-8000-000000000000")
			got := s.Do(row.Method, path, body)
			if got.Status != 400 || !strings.Contains(got.Message, "dashboard") {
				t.Errorf("%s %s: answered %d %s %q, want 400 with a message about the dashboard", row.Method, fmt.Sprint(body), got.Status, got.Code, got.Message)
			}
		}
	}
	for _, want := range []string{
		"POST /offers url", "POST /landers url", "POST /campaigns streams", "PATCH /campaigns/{id} destination_url",
		"PUT /campaigns/{id}/flow streams", "POST /flows paths", "POST /short-links rules.url", "PATCH /landers protection.fallbackUrl",
		"POST /traffic-sources postback_url", "POST /domains index_page",
	} {
		if !tried[want] {
			t.Errorf("the test tried no address for %s", want)
		}
	}
	s.Do("POST", "/offers", object{"name": "o", "url": "http://links.localhost/x"}).Want(201, "")
}
