package keitaro

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// test is a filter as our conditions: one must hold if the field `or` is true, otherwise all.
type test struct {
	or   bool
	list []models.Condition
	// cap is the daily cap of a path.
	cap int
	// lost says what has no counterpart here. The path is then paused.
	lost []string
	// changed says what is written differently here but decides in the same way.
	changed string
}

func one(attribute, operator string, value any) test {
	return test{list: []models.Condition{{Attribute: attribute, Operator: operator, Value: value}}}
}

func (t *test) add(attribute, operator string, value any) {
	t.list = append(t.list, models.Condition{Attribute: attribute, Operator: operator, Value: value})
}

// filters translates the filters of a stream. It pauses the path if a filter has no counterpart.
func (w *pathWriter) filters(p *path, s *stream) {
	var own, rules []any
	or := bool(s.FilterOr)
	if or {
		p.m["logic"] = "or"
	}
	for i := range s.Filters {
		f := &s.Filters[i]
		t, ok := w.filter(f)
		switch {
		case !ok || !valid(t.list) || t.cap > 0 && or:
			w.loseFilter(p, f)
			continue
		case t.cap > 0:
			p.m["daily_cap"] = json.Number(strconv.Itoa(t.cap))
		}
		for _, sentence := range t.lost {
			w.lose(p, sentence)
		}
		if t.changed != "" {
			w.change(p, t.changed)
		}
		switch {
		case len(t.list) == 0:
		case (len(t.list) == 1 || t.or == or) && len(own)+len(t.list) <= cond.MaxConditions:
			own = append(own, written(t.list)...)
		case len(rules) < flow.MaxRules && len(t.list) <= cond.MaxConditions:
			rules = append(rules, w.rule(f, t))
		default:
			w.loseFilter(p, f)
		}
	}
	if len(own) > 0 {
		p.m["filters"] = own
	}
	if len(rules) > 0 {
		p.m["rules"] = rules
	}
}

func (w *pathWriter) rule(f *filter, t test) members {
	name, _ := w.rules.Unique(strings.TrimSpace(string(f.Name)+" "+string(f.ID)), "filter")
	rule := members{"name": name, "conditions": written(t.list)}
	if t.or {
		rule["logic"] = "or"
	}
	return rule
}

// valid reports whether every condition can be used and has values that visitors can have.
func valid(list []models.Condition) bool {
	for _, c := range list {
		if cond.Validate(c) != nil {
			return false
		}
	}
	return cond.CheckValues(list, nil) == nil
}

func written(list []models.Condition) (out []any) {
	for _, c := range list {
		c = cond.Canonical(c)
		out = append(out, members{"attribute": c.Attribute, "operator": c.Operator, "value": c.Value})
	}
	return out
}

func (w *pathWriter) loseFilter(p *path, f *filter) {
	if f.Name.is("imklo_detect", "hide_click_detect") {
		w.lose(p, trackerimport.NoCloaking)
		return
	}
	name := string(f.Name)
	if f.Mode.is("reject") {
		name = "not " + name
	}
	w.lose(p, trackerimport.FilterLost(name, payloadTexts(f.Payload)))
}

// payloadTexts accepts any form of payload.
func payloadTexts(raw json.RawMessage) []string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return flatten(v, 0)
}

func flatten(v any, depth int) (out []string) {
	const deepest = 5
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if depth < deepest {
				out = append(out, flatten(item, depth+1)...)
			}
		}
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		isList := !slices.ContainsFunc(names, func(name string) bool { return strings.Trim(name, "0123456789") != "" })
		if isList { // after the first member of a list was removed, PHP writes the list as an object
			slices.SortFunc(names, byNumber)
		}
		for _, name := range names {
			switch {
			case depth >= deepest:
			case isList:
				out = append(out, flatten(v[name], depth+1)...)
			default:
				out = append(out, name+": "+strings.Join(flatten(v[name], depth+1), " "))
			}
		}
	case nil:
	default:
		if text := fmt.Sprint(v); text != "" {
			out = append(out, text)
		}
	}
	return out
}

var lists = map[string]string{
	"country": "country", "region": "region", "city": "city", "language": "language", "browser": "browser", "os": "os",
	"device_type": "device_type", "device_model": "device_model", "operator": "mobile_operator", "isp": "isp",
	"connection_type": "connection_type", "search_engine": "search_engine",
}

// filter translates a filter. ok is false if the filter has no counterpart.
func (w *pathWriter) filter(f *filter) (t test, ok bool) {
	name := strings.ToLower(string(f.Name))
	if f.Mode != "" && !f.Mode.is("accept", "reject") {
		return t, false
	}
	reject := f.Mode.is("reject")
	values := payloadTexts(f.Payload)
	if attribute := lists[name]; attribute != "" {
		return listed(attribute, values, reject)
	}
	switch name {
	case "user_agent", "referrer":
		return masks(name, values, reject)
	case "browser_version", "os_version":
		return versions(name, f.Payload, reject)
	case "ip":
		return addresses(values, reject)
	case "parameter":
		return w.parameter(f.Payload, reject)
	case "ipv6":
		return one("ip_version", "equals", json.Number(moved.Choose(reject, "4", "6"))), true
	case "empty_referrer":
		return one("referrer", "is_set", reject), true
	case "bot", "is_bot":
		return one("is_bot", "equals", !reject), true
	case "proxy":
		return one("proxy_kind", moved.Choose(reject, "not_equals", "equals"), []any{"vpn", "proxy", "tor", "datacenter", "relay"}), true
	case "uniqueness":
		return unique(values, reject)
	case "limit":
		return limit(f.Payload, reject)
	case "interval":
		return interval(f.Payload, reject)
	case "schedule":
		return schedule(f.Payload, reject)
	}
	if isField(name) {
		return masks(w.r.attributeOf(w.params, name), values, reject)
	}
	return t, false
}

// parameter translates a filter on a parameter of the link.
func (w *pathWriter) parameter(raw json.RawMessage, reject bool) (test, bool) {
	var p struct {
		Name   text  `json:"name"`
		Values texts `json:"values"`
		Value  texts `json:"value"`
	}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &p) != nil || p.Name == "" {
		return test{}, false
	}
	return masks("param."+string(p.Name), append(p.Values, p.Value...), reject)
}

// notCellular are the connections that Keitaro calls wifi.
var notCellular = []any{"wifi", "cable_dsl", "corporate", "dialup", "satellite"}

const empty = "@empty"

// listed translates a filter on a list of values. If the filter rejects the values, visitors with an unknown value pass, as in
// Keitaro, unless @empty is one of the values.
func listed(attribute string, values []string, reject bool) (t test, ok bool) {
	var list []any
	withEmpty := false
	for _, v := range values {
		switch {
		case v == empty:
			withEmpty = true
		case attribute == "region" && isRegionCode(v):
			return t, false
		case attribute == "connection_type" && strings.EqualFold(v, "wifi"):
			list = append(list, notCellular...)
			t.changed = "wifi meant every connection except cellular ones. It means the same here."
		default:
			list = append(list, v)
		}
	}
	t.or = !reject
	for part := range slices.Chunk(list, cond.MaxItems) {
		t.add(attribute, moved.Choose(reject, "not_equals", "equals"), part)
	}
	if withEmpty {
		t.add(attribute, "is_set", reject)
	}
	return t, len(t.list) > 0
}

// isRegionCode recognises codes such as US_CA. Regions are names here.
func isRegionCode(v string) bool {
	return len(v) > 3 && (v[2] == '_' || v[2] == '-') && strings.ToUpper(v) == v
}

// unique translates the filter of unique visitors, who are unique only in a campaign here. For a filter by stream or whole
// tracker, it pauses the path.
func unique(scopes []string, reject bool) (t test, ok bool) {
	if len(scopes) == 0 {
		return t, false
	}
	t = one("is_unique", "equals", !reject)
	for _, scope := range scopes {
		switch strings.ToLower(scope) {
		case "campaign":
		case "stream", "global":
			t.lost = append(t.lost, trackerimport.PerCampaign("unique visitors of the "+strings.Replace(scope, "global", "whole tracker", 1)))
		default:
			return t, false
		}
	}
	return t, true
}
