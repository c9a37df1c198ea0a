package v1_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/api/route"
	"switchyard/api/v1"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/bind"
)

// bounds returns valid bodies by operation.
func (e env) bounds() map[string]object {
	out := e.bodies()
	page := object{"name": "x", "url": "https://l.test"}
	out["POST /campaigns"]["streams"] = []object{e.path()}
	out["POST /corrections/cost/set"]["sub"] = 1
	out["POST /config/plan"] = object{"document": "version: 1"}
	out["POST /config/checks/compare"] = object{"answers": "x"}
	out["POST /config/history"] = object{"tracker": "redtrack", "key": "k", "from": "2026-11-01", "to": "2026-11-02"}
	out["POST /config/import"] = object{"tracker": "keitaro", "url": "https://tracker.example", "key": "k"}
	maps.Copy(out, map[string]object{
		"POST /landers": page, "POST /traffic-sources": {"name": "x"}, "POST /networks": {"name": "x"},
		"PATCH /landers":          {"id": e.ids["lander"], "protection": object{}},
		"POST /domains":           {"domain": "limits.test"},
		"PUT /bot-detection":      {},
		"POST /alerts/channels":   channel("slack", object{"url": "https://hooks.slack.com/x"}),
		"PATCH /settings":         {},
		"PUT /old-tracker":        {"tracker": "voluum", "url": "https://old.example.com"},
		"POST /sites":             {"name": "y"},
		"PUT /geo-database":       {"provider": "ipinfo"},
		"PUT /integrations":       rfc2136(nil),
		"POST /integrations/test": {"id": e.ids["dns account"]},
		"POST /copilot/chat":      {"messages": []object{{"role": "user", "content": "x"}}},
		"POST /copilot/ai":        {"action": "models", "provider": "openai", "apiKey": "k"},
		"POST /copilot/rules":     copilotRule(), "POST /copilot/rules/replay": copilotRule(),
		"PATCH /domains":        {"id": e.ids["domain"]},
		"POST /webhooks":        {"url": "https://hooks.example.com/y", "events": []string{"link.broken"}},
		"POST /tools/simulate":  {"streams": []object{e.path()}},
		"POST /reports/exports": {"kind": "clicks"},
		"POST /traffic-sources/{id}/integration/conversion-actions": {},
		"POST /campaigns/{id}/flow/replay":                          {"streams": []object{e.path()}},
		"POST /network-templates":                                   {"name": "x"},
		"POST /traffic-sources/import":                              {"kind": "traffic_source", "version": 1, "template": object{"name": "x"}},
		"POST /networks/import":                                     {"kind": "network", "version": 1, "template": object{"name": "x", "click_param": "s"}},
		"DELETE /reports/orphaned":                                  {"campaign_ids": []string{e.ids["stream"]}},
		"POST /corrections/look":                                    {"csv": "click id\nx\n"},
		"POST /corrections/conversions":                             {"csv": "click id\nx\n"},
		"POST /corrections/cost":                                    {"csv": "day,source,spend\n2026-01-01,x,1\n"},
	})
	return out
}

// probe is a value for a field, and the code with which it must be refused. Without a code, an error must not be about the field.
type probe struct {
	what  string
	value any
	code  string
}

// limited is a field of a body with its tags. The test reads the tags on its own, to notice a rule that the package bind ignores.
type limited struct {
	name     string
	tag      reflect.StructTag
	typ      reflect.Type // for an Opt, the type of the value in it
	optional bool         // the field is an Opt
}

// members returns the fields of a body and of its embedded structs.
func members(typ reflect.Type) (out []limited) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			out = append(out, members(f.Type)...)
		case name != "" && name != "-":
			out = append(out, limited{name, f.Tag, inner(f.Type), isOpt(f.Type)})
		}
	}
	return out
}

func inner(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Pointer {
		return typ.Elem()
	}
	if isOpt(typ) {
		f, _ := typ.FieldByName("Value")
		return f.Type
	}
	return typ
}

func isOpt(typ reflect.Type) bool { return strings.HasPrefix(typ.Name(), "Opt[") }

func (l limited) number(tag string) (int, bool) {
	n, err := strconv.Atoi(bind.Expand(l.tag.Get(tag)))
	return n, err == nil
}

// codes returns the codes for a wrong format and for a value beyond a limit, as the package bind documents them.
func (l limited) codes(usual string) (form, beyond string) {
	form, beyond, two := strings.Cut(l.tag.Get("bad"), ",")
	if !two {
		beyond = form
	}
	if beyond == "" {
		beyond = usual
	}
	return form, beyond
}

// text returns a value of n characters in the field's format.
func (l limited) text(n int) string {
	switch {
	case strings.Contains(l.name, "url") || l.tag.Get("format") == "routable" || strings.HasSuffix(l.name, "Url") || l.name == "index_page":
		const address = "https://limits.example.com/"
		return address + strings.Repeat("x", n-len(address))
	case l.tag.Get("format") != "" || l.name == "postback_secret" || l.name == "answer_text":
		return strings.Repeat("x", n)
	}
	return strings.Repeat("ä", n)
}

// items returns n items for a list.
func (l limited) items(n int, sample any) []any {
	out := make([]any, n)
	for i := range out {
		switch {
		case l.name == "subs":
			out[i] = object{"sub": min(i+1, models.Subs), "param": fmt.Sprint("zone", i)}
		case sample != nil:
			out[i] = sample
		case l.tag.Get("format") == "country":
			out[i] = string(rune('A'+i/26%26)) + string(rune('A'+i%26))
		case l.typ.Elem().Kind() == reflect.Array: // ids
			out[i] = fmt.Sprintf("6ba7b810-9dad-11d1-80b4-%012d", i)
		default:
			out[i] = fmt.Sprint("item", i)
		}
	}
	return out
}

// wrongForms has a wrong text for each format, and the code of the error.
var wrongForms = map[string]struct{ text, code string }{
	"routable": {"https://{sub1}.example", "invalid_url"}, "url": {"ftp://x.example", "invalid_url"},
	"country": {"DEU", "invalid_country"}, "iso_country": {"XX", "invalid_country"}, "uuid": {"x", "invalid_id"}, "alias": {"a b c d", "invalid_alias"},
	"slug": {"a b", "invalid_slug"},
}

// probes returns values at and beyond each limit of a field. sample is an item for a list of objects.
func (l limited) probes(sample any) (out []probe) {
	form, _ := l.codes("")
	isList := l.typ.Kind() == reflect.Slice && l.typ.Elem().Kind() != reflect.Uint8
	one := func(text any) any {
		if isList {
			return []any{text}
		}
		return text
	}
	if n, ok := l.number("maxLength"); ok {
		_, code := l.codes("too_long")
		out = append(out, probe{"longest", l.text(n), ""}, probe{"too long", l.text(n + 1), code})
	}
	if n, ok := l.number("itemLength"); ok || l.name == "tags" {
		_, code := l.codes("too_long")
		if !ok {
			n = 64
		}
		out = append(out, probe{"longest item", one(l.text(n)), ""}, probe{"item too long", one(l.text(n + 1)), code})
	}
	// A list of ISO countries cannot get too long: there are fewer countries than its limit.
	if n, ok := l.number("maxItems"); (ok || l.name == "tags") && l.tag.Get("format") != "iso_country" {
		_, code := l.codes("invalid_input")
		if !ok {
			n = 20
		}
		out = append(out, probe{"most items", l.items(n, sample), ""}, probe{"too many items", l.items(n+1, sample), code})
	}
	_, code := l.codes("out_of_range")
	step := decimal.New(1, -2) // a cent
	if l.typ.Kind() == reflect.Int {
		step = decimal.NewFromInt(1)
	}
	for tag, beyond := range map[string]decimal.Decimal{"min": step.Neg(), "max": step} {
		if limit, err := decimal.NewFromString(bind.Expand(l.tag.Get(tag))); err == nil {
			out = append(out, probe{tag, json.Number(limit.String()), ""},
				probe{"beyond " + tag, json.Number(limit.Add(beyond).String()), code})
		}
	}
	if form == "" {
		form = "invalid_input"
	}
	if enum := bind.Expand(l.tag.Get("enum")); enum != "" {
		for value := range strings.SplitSeq(enum, ",") {
			if l.typ.Kind() == reflect.Int {
				out = append(out, probe{value, json.Number(value), ""})
				continue
			}
			out = append(out, probe{value, one(value), ""})
		}
		if l.typ.Kind() == reflect.Int {
			out = append(out, probe{"no choice", 1, form})
		} else {
			out = append(out, probe{"no choice", one("no-such"), form})
		}
	}
	if l.tag.Get("pattern") != "" {
		out = append(out, probe{"pattern", "!", form})
	}
	if f := l.tag.Get("format"); f != "" {
		if l.tag.Get("bad") == "" {
			form = wrongForms[f].code
		}
		out = append(out, probe{"format", one(wrongForms[f].text), form})
	}
	if l.tag.Get("null") == "refused" {
		out = append(out, probe{"null", json.RawMessage("null"), form})
	}
	if code := l.tag.Get("required"); code != "" {
		if code == "true" {
			code = "required"
		}
		out = append(out, probe{"left out", nil, code})
		if l.typ.Kind() == reflect.String && !l.optional {
			out = append(out, probe{"blank", "  ", code})
		}
	}
	if code := l.tag.Get("empty"); isList && code != "" {
		out = append(out, probe{"empty", []any{}, code})
	} else if code != "" {
		out = append(out, probe{"empty", "", code})
	}
	return out
}

// sendProbes sends a body for each probe of a field and returns their number. path is the field's path in the body. The function
// `with` returns the body with a value of the field.
func sendProbes(t *testing.T, e env, row route.Route, path string, l limited, sample any, with func(any) object) int {
	t.Helper()
	probes := l.probes(sample)
	for _, p := range probes {
		// No worker runs, so the call must not wait for a job.
		a := e.Do(row.Method, ownPath(e, row), with(p.value), "Prefer", "respond-async")
		rest, namesField := strings.CutPrefix(a.Message, path)
		namesField = namesField && a.Status == http.StatusBadRequest && strings.ContainsAny(rest[:1], " [:")
		// The messages of these two codes do not name the field.
		namesField = namesField || a.Code == "invalid_alias" || a.Code == "invalid_slug"
		if p.code == "" && namesField || p.code != "" && (!namesField || a.Code != p.code) {
			t.Errorf("%s, %s: %d %s %s, want %q", path, p.what, a.Status, a.Code, a.Message, p.code)
		}
		if a.Status == http.StatusTooManyRequests || a.Code == "bad_body" && p.code != "bad_body" {
			t.Fatalf("%s, %s: the call was refused with %s before the field was checked: %s", path, p.what, a.Code, a.Message)
		}
	}
	return len(probes)
}

// TestLimits tests values at and beyond the limits in the tags of bodies.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"localhost"}); err != nil {
		t.Fatal(err)
	}
	for _, row := range v1.Routes(v1.Deps{}) {
		if row = row.WithDefaults(); row.Body == nil {
			continue
		}
		t.Run(row.Method+row.Path, func(t *testing.T) {
			t.Parallel()
			// Each route gets its own account, because the number of an account's calls per minute is limited.
			checkLimits(t, newEnv(t, s.In(t)), row)
		})
	}
}

func checkLimits(t *testing.T, e env, row route.Route) {
	t.Helper()
	op := row.Method + " " + row.Path
	// This route does not refuse templates that break a limit, but leaves them out. Its error for a call without a template does not
	// begin with the field's name.
	if op == "POST /network-templates" {
		return
	}
	base := e.bounds()[op]
	set := func(body object, field string) func(any) object {
		return func(v any) object {
			out := maps.Clone(body)
			if out[field] = v; v == nil {
				delete(out, field)
			}
			return out
		}
	}
	n := 0
	defer func() { t.Logf("%d probes", n) }()
	for _, l := range members(reflect.TypeOf(row.Body)) {
		elem := l.typ
		if elem.Kind() == reflect.Slice {
			elem = elem.Elem()
		}
		var sample any
		switch {
		case l.name == "rules" && strings.HasSuffix(elem.Name(), "Body"):
			sample = object{"url": "https://r.test", "conditions": []object{germans}}
		case l.name == "conditions" && elem == reflect.TypeFor[autorule.Comparison]():
			sample = copilotRule()["conditions"].([]object)[0]
		case l.name == "messages":
			sample = object{"role": "user", "content": "x"}
		case l.name == "postback_goals":
			sample = object{"goal": "lead"}
		case l.name == "subs":
			sample = object{"sub": 1, "param": "zone"}
		}
		if l.name == "destinations" {
			sample = object{"id": e.ids["offer"], "weight": 1}
		}
		if base == nil && len(l.probes(sample)) > 0 {
			t.Fatalf("%s has a limit on %s, but bounds has no body for it", op, l.name)
		}
		n += sendProbes(t, e, row, l.name, l, sample, set(base, l.name))
		if !strings.HasSuffix(elem.Name(), "Body") && sample == nil {
			continue
		}
		for _, m := range members(elem) { // of an object in the body, or of each object in a list
			path := l.name + "." + m.name
			place := set(base, l.name)
			deep := func(v any) object { return place(set(object{}, m.name)(v)) }
			var condition any
			if sample != nil {
				path = l.name + "[0]." + m.name
				deep = func(v any) object { return place([]any{set(sample.(object), m.name)(v)}) }
				if m.name == "conditions" {
					condition = germans
				}
			}
			n += sendProbes(t, e, row, path, m, condition, deep)
		}
	}
}

// TestLimitsInTheDocument: the OpenAPI document has the limits of the tags.
func TestLimitsInTheDocument(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(s.Do("GET", "/openapi.json", nil).Raw, &doc); err != nil {
		t.Fatal(err)
	}
	seen := 0
	var checkSchema func(typ reflect.Type)
	checkSchema = func(typ reflect.Type) {
		schema, ok := doc.Components.Schemas[typ.Name()+"Body"]
		if !ok {
			schema = doc.Components.Schemas[typ.Name()]
		}
		for _, l := range members(typ) {
			property := schema.Properties[l.name]
			items, _ := property["items"].(map[string]any)
			for tag, key := range map[string]string{
				"maxLength": "maxLength", "min": "minimum", "max": "maximum", "maxItems": "maxItems", "minItems": "minItems",
			} {
				if want := bind.Expand(l.tag.Get(tag)); want != "" {
					seen++
					if fmt.Sprint(asTag(property[key])) != want {
						t.Errorf("%s.%s: %s is %v, want %s", typ.Name(), l.name, key, property[key], want)
					}
				}
			}
			if want := l.tag.Get("itemLength"); want != "" && fmt.Sprint(items["maxLength"]) != want {
				t.Errorf("%s.%s: %v, want items of %s", typ.Name(), l.name, items, want)
			}
			if want := bind.Expand(l.tag.Get("enum")); want != "" {
				have := property["enum"]
				if items != nil {
					have = items["enum"]
				}
				if fmt.Sprint(have) != fmt.Sprint(strings.Split(want, ",")) {
					t.Errorf("%s.%s: enum is %v, want %s", typ.Name(), l.name, have, want)
				}
			}
			if want := l.tag.Get("pattern"); want != "" && property["pattern"] != want {
				t.Errorf("%s.%s: pattern is %v, want %s", typ.Name(), l.name, property["pattern"], want)
			}
			if l.tag.Get("required") != "" && !slices.Contains(schema.Required, l.name) {
				t.Errorf("%s.%s is not required", typ.Name(), l.name)
			}
			elem := l.typ
			if elem.Kind() == reflect.Slice {
				elem = elem.Elem()
			}
			if strings.HasSuffix(elem.Name(), "Body") {
				checkSchema(elem)
			}
		}
	}
	for _, row := range v1.Routes(v1.Deps{}) {
		if row = row.WithDefaults(); row.Body != nil && row.Path != "/network-templates" {
			checkSchema(reflect.TypeOf(row.Body))
		}
	}
	if seen < 50 {
		t.Errorf("the document has only %d limits, want at least 50", seen)
	}
}

// asTag returns a number of the document in the form of a tag.
func asTag(v any) any {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return v
}
