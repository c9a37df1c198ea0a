package visitor

import (
	"cmp"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/clickattr"
)

// record is one entry of a database of IP addresses, under our own names.
type record struct {
	country, continent, region, city, timezone string
	isp, organization, connection, proxy       string
	asn                                        uint32
}

// read fills the record from an entry in the GeoIP2 form (nested objects with names by language) or in a flat form (ipinfo,
// ip-location-db, DB-IP).
func (rec *record) read(m map[string]any) {
	traits, _ := m["traits"].(map[string]any)
	text := func(keys ...string) string {
		for _, key := range keys {
			if s := clean(nameOf(m[key]), MaxText); s != "" {
				return s
			}
			if s := clean(nameOf(traits[key]), MaxText); s != "" {
				return s
			}
		}
		return ""
	}
	for _, key := range []string{"country_code", "country"} {
		if rec.country = codeOf(m[key], "iso_code", clickattr.Countries); rec.country != "" {
			break
		}
	}
	for _, key := range []string{"continent_code", "continent"} {
		if rec.continent = codeOf(m[key], "code", clickattr.Continents); rec.continent != "" {
			break
		}
	}
	if parts, ok := m["subdivisions"].([]any); ok && len(parts) > 0 {
		rec.region = clean(nameOf(parts[0]), MaxText)
	}
	rec.region = cmp.Or(rec.region, text("region", "region_name", "state1", "stateprov"))
	rec.city = text("city", "city_name")
	rec.timezone = text("timezone", "time_zone")
	if location, ok := m["location"].(map[string]any); ok {
		rec.timezone = cmp.Or(clean(nameOf(location["time_zone"]), MaxText), rec.timezone)
	}
	rec.asn = number(cmp.Or(m["autonomous_system_number"], traits["autonomous_system_number"], m["asn"]))
	rec.organization = text("organization", "autonomous_system_organization", "as_name", "as_organization",
		"asname", "name", "org")
	rec.isp = text("isp", "autonomous_system_organization", "as_name", "as_organization", "asname")
	rec.connection, _ = clickattr.ConnectionTypes.Find(text("connection_type", "usage_type"))
	rec.proxy = proxyKindOf(m, traits)
}

func (rec *record) fill(into *Description) {
	into.Country = cmp.Or(into.Country, rec.country)
	into.Continent = cmp.Or(into.Continent, rec.continent)
	into.Region = cmp.Or(into.Region, rec.region)
	into.City = cmp.Or(into.City, rec.city)
	into.Timezone = cmp.Or(into.Timezone, rec.timezone)
	into.ISP = cmp.Or(into.ISP, rec.isp)
	into.Organization = cmp.Or(into.Organization, rec.organization)
	into.ConnectionType = cmp.Or(into.ConnectionType, rec.connection)
	if into.ASN == 0 {
		into.ASN = models.ASN(rec.asn)
	}
	if rec.proxy != "" && into.ProxyKind == ProxyNone {
		into.ProxyKind = rec.proxy
	}
}

// proxyFlags lists the flags of proxies in databases of IP addresses, from the strongest statement to the weakest.
var proxyFlags = []struct{ key, kind string }{
	{"is_tor_exit_node", ProxyTor},
	{"tor", ProxyTor},
	{"is_tor", ProxyTor},
	{"relay", ProxyRelay},
	{"is_relay", ProxyRelay},
	{"is_anonymous_vpn", ProxyVPN},
	{"vpn", ProxyVPN},
	{"is_vpn", ProxyVPN},
	{"is_public_proxy", ProxyProxy},
	{"is_residential_proxy", ProxyProxy},
	{"proxy", ProxyProxy},
	{"is_proxy", ProxyProxy},
	{"is_hosting_provider", ProxyDatacenter},
	{"hosting", ProxyDatacenter},
	{"is_hosting", ProxyDatacenter},
	{"is_anonymous", ProxyProxy},
	{"is_anonymous_proxy", ProxyProxy},
}

func proxyKindOf(m, traits map[string]any) string {
	for _, f := range proxyFlags {
		if isSet(m[f.key]) || isSet(traits[f.key]) {
			return f.kind
		}
	}
	return ""
}

func isSet(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v == "1" || strings.EqualFold(v, "true") || strings.EqualFold(v, "yes")
	}
	return number(v) != 0
}

// nameOf returns a name that is given as a plain text, {names: {en: ...}} or {en: ...}.
func nameOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		if names, ok := v["names"].(map[string]any); ok {
			v = names
		}
		s, _ := v["en"].(string)
		return s
	}
	return ""
}

// codeOf reads a two-letter code from a text or from a member of an object, and returns it in the spelling of the known values. It
// returns "" for an unknown code.
func codeOf(v any, member string, values *clickattr.Values) string {
	if m, ok := v.(map[string]any); ok {
		v = m[member]
	}
	s, _ := v.(string)
	if len(s) != 2 {
		return ""
	}
	code, _ := values.Find(s)
	return code
}

// number reads an integer, or the text of an AS number such as "AS15169". Any other value is 0.
func number(v any) uint32 {
	switch v := v.(type) {
	case uint64:
		return uint32(min(v, 1<<32-1))
	case uint32:
		return v
	case uint16:
		return uint32(v)
	case int32:
		return uint32(max(v, 0))
	case string:
		n, _ := strconv.ParseUint(strings.TrimPrefix(strings.ToUpper(v), "AS"), 10, 32)
		return uint32(n)
	}
	return 0
}
