package binom

import (
	"cmp"
	"strconv"
	"strings"

	"switchyard/models/clickattr"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// lists has our attributes for the criteria with a plain list of values.
var lists = map[string]string{
	"country": "country", "city": "city", "language": "language", "isp": "isp", "organization": "organization", "continent": "continent",
	"state": "region", "region": "region", "device_type": "device_type",
}

func (r *reader) criterion(t *moved.Test, c moved.Value, params []moved.Param) {
	name := strings.ToLower(cmp.Or(c.At("type").Text(), c.At("id").Text()))
	values := c.At("values").Texts()
	mode := cmp.Or(c.At("mode").Text(), c.At("operator").Text(), "include")
	reject := false
	switch strings.ToLower(mode) {
	case "include", "is", "in", "equals":
	case "exclude", "is_not", "not_in", "not_equals":
		reject = true
	default:
		t.Lose(name+" "+mode, values, false)
		return
	}
	if attribute := lists[name]; attribute != "" {
		t.Listed(name, attribute, values, reject)
		return
	}
	wanted := !reject
	if len(values) == 1 && (strings.EqualFold(values[0], "no") || strings.EqualFold(values[0], "false") || values[0] == "0") {
		wanted = reject
	}
	switch name {
	case "os_and_version":
		r.namesOnly(t, name, "os", clickattr.Systems, values, reject)
	case "browser_and_version":
		r.namesOnly(t, name, "browser", clickattr.Browsers, values, reject)
	case "referer":
		t.Masks(name, "referrer", values, reject)
	case "user_agent", "url":
		t.Masks(name, name, values, reject)
	case "ip":
		t.Networks(name, values, reject)
	case "ip_version":
		t.Add(name, "ip_version", choose(reject, "not_equals", "equals"), digits(values), reject)
	case "connection":
		t.Connections(name, values, reject)
	case "unique":
		t.Bool(name, "is_unique", wanted)
	case "bot":
		t.Bool(name, "is_bot", wanted)
	case "crawler":
		t.Add(name, "bot_reason", choose(!wanted, "not_equals", "equals"), []any{"declared_bot", "link_preview", "ai_crawler"}, !wanted)
	case "proxy_vpn":
		t.Proxies(name, wanted, "vpn", "proxy", "tor", "relay")
	case "datacenter":
		t.Proxies(name, wanted, "datacenter")
	case "day_of_week":
		t.Weekdays(name, values, reject)
	case "part_of_day":
		t.Times(name, values, reject)
	case "query_value":
		named(t, name, "param.", "=", values, reject)
	case "headers":
		named(t, name, "header.", ":", values, reject)
	case "binom_protect":
		t.LoseAs(trackerimport.NoCloaking)
	default:
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "token_")); err == nil && n > 0 && strings.HasPrefix(name, "token_") {
			t.Masks(name, moved.SubAttribute(n, params), values, reject)
			return
		}
		t.Lose(name, values, reject)
	}
}

func choose(reject bool, ifReject, ifAccept string) string {
	if reject {
		return ifReject
	}
	return ifAccept
}

// namesOnly adds a test of systems or browsers. An unknown name, such as one with a version, has no counterpart here.
func (r *reader) namesOnly(t *moved.Test, name, attribute string, known *clickattr.Values, values []string, reject bool) {
	for _, v := range values {
		if _, ok := known.Find(v); !ok {
			t.Lose(name, values, reject)
			return
		}
	}
	t.Listed(name, attribute, values, reject)
}

func digits(values []string) (out []any) {
	for _, v := range values {
		out = append(out, strings.TrimLeft(strings.ToLower(v), "ipv"))
	}
	return out
}

// named adds a test of one parameter or header. Each value is a name and a text with a sign between them, such as lang=de. Our
// attribute is `prefix` followed by the name. Values with different names have no counterpart here.
func named(t *moved.Test, name, prefix, between string, values []string, reject bool) {
	member, list := "", []string{}
	for _, v := range values {
		before, after, ok := strings.Cut(v, between)
		if before = strings.TrimSpace(before); !ok || before == "" || member != "" && before != member {
			t.Lose(name, values, reject)
			return
		}
		member = before
		list = append(list, strings.TrimSpace(after))
	}
	t.Masks(name, prefix+member, list, reject)
}
