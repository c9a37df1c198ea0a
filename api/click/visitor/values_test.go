package visitor

import (
	"slices"
	"testing"

	"switchyard/models/clickattr"
)

// TestVisitorsHaveKnownValues: each value that can be measured for a visitor is a known value of its attribute, in the canonical
// form. A condition on any other value could not be saved.
func TestVisitorsHaveKnownValues(t *testing.T) {
	t.Parallel()
	measured := map[string][]string{
		"device_type":     {Desktop, Mobile, Tablet, Console, TV, Wearable, Car, Bot, Unknown},
		"proxy_kind":      {ProxyNone, ProxyVPN, ProxyProxy, ProxyTor, ProxyDatacenter, ProxyRelay},
		"connection_type": {Cellular},
	}
	add := func(name, value string) { measured[name] = append(measured[name], value) }
	for _, m := range systemMarks {
		add("os", m.name)
	}
	for _, name := range hintSystems {
		add("os", name)
	}
	for _, m := range slices.Concat(appMarks, browserMarks) {
		add("browser", m.name)
	}
	for _, b := range hintBrowsers {
		add("browser", b.name)
	}
	for _, m := range deviceMarks {
		add("device_type", m.device)
	}
	for _, f := range proxyFlags {
		add("proxy_kind", f.kind)
	}
	for name, values := range measured {
		for _, value := range values {
			if canonical, ok := clickattr.Find(name).Values.Find(value); !ok || canonical != value {
				t.Errorf("the %s %q is known as %q, %v, want the same text", name, value, canonical, ok)
			}
		}
	}
}

// TestForeignWords: the names that geo databases and the user-agent parser use are translated to the names of this service.
func TestForeignWords(t *testing.T) {
	t.Parallel()
	rec := &record{}
	rec.read(map[string]any{
		"country": map[string]any{"iso_code": "de"}, "continent_code": "eu", "connection_type": "Cable/DSL",
	})
	if rec.country != "DE" || rec.continent != "EU" || rec.connection != "cable_dsl" {
		t.Errorf("the place is read as %+v, want DE, EU and cable_dsl", rec)
	}
	unknownRecord := &record{}
	unknownRecord.read(map[string]any{"country": "AP", "continent": "XX", "connection_type": "-"})
	if unknownRecord.country != "" || unknownRecord.continent != "" || unknownRecord.connection != "" {
		t.Errorf("the place is read as %+v, want all fields empty", unknownRecord)
	}
	parser, err := slowParser()
	if err != nil {
		t.Fatal(err)
	}
	a := classify("MyApp/1.0 CFNetwork/1410.0.3 Darwin/22.6.0")
	parser.complete("MyApp/1.0 CFNetwork/1410.0.3 Darwin/22.6.0", a)
	if system, ok := clickattr.Systems.Find(a.os); a.os != "" && (!ok || system != a.os) {
		t.Errorf("the system %q is not in the list", a.os)
	}
}
