package keitaro

import (
	"fmt"
	"regexp"
	"strings"

	"switchyard/models/token"
	"switchyard/models/trackerimport"
)

// tokens maps the names of Keitaro's macros to our tokens. Names that are aliases of our tokens are left out.
var tokens = map[string]string{
	"landing_id": "lander_id", "landing_name": "lander_name", "stream_id": "path_id", "stream_name": "path_name", "ts_id": "source_id",
	"traffic_source_id": "source_id", "traffic_source_name": "source_name", "affiliate_network_id": "network_id",
	"affiliate_network_name": "network_name", "operator": "mobile_operator", "visitor_code": "visitor_id", "current_domain": "domain",
	"sale_revenue": "revenue", "datetime": "date:Y-m-d H:i:s",
}

var (
	macro    = regexp.MustCompile(`\{(_?)([A-Za-z][A-Za-z0-9_]*)\}`)
	oldMacro = regexp.MustCompile(`\$([A-Za-z][A-Za-z0-9_]*)`)
)

// address replaces Keitaro's macros in an address by our tokens. A macro without a token stays.
func (r *reader) address(raw string) string {
	out := oldMacro.ReplaceAllStringFunc(strings.TrimSpace(raw), func(m string) string {
		if name := r.token(m[1:]); name != "" {
			return "{" + name + "}"
		}
		return m
	})
	return macro.ReplaceAllStringFunc(out, func(m string) string {
		parts := macro.FindStringSubmatch(m)
		if name := r.token(parts[2]); name != "" {
			return "{" + parts[1] + name + "}"
		}
		return m
	})
}

// token returns our token for the name of a macro, or "". Our own names stay unchanged.
func (r *reader) token(name string) string {
	lower := strings.ToLower(name)
	if n := r.extra[lower]; n > 0 {
		return fmt.Sprintf("sub%d", n)
	}
	if to := tokens[lower]; to != "" {
		return to
	}
	if _, ok := token.Lookup(name); ok {
		return name
	}
	if isField(lower) {
		return r.paramOf(lower)
	}
	return ""
}

// paramOf returns the token of the parameter that fills a field, or "" if sources disagree about the parameter's name.
func (r *reader) paramOf(field string) string {
	switch names := r.paramNames[field]; len(names) {
	case 0:
		return "param." + field
	case 1:
		return "param." + names[0]
	}
	return ""
}

func appendQuery(address, query string) string {
	if query == "" {
		return address
	}
	address, fragment, cut := strings.Cut(address, "#")
	switch {
	case strings.HasSuffix(address, "?"), strings.HasSuffix(address, "&"):
	case strings.Contains(address, "?"):
		address += "&"
	default:
		address += "?"
	}
	address += query
	if cut {
		address += "#" + fragment
	}
	return address
}

// badAddress says why an address cannot be used, or returns "".
func badAddress(address string, isPostback bool) string {
	if left := trackerimport.ForeignMacro(address, isPostback); left != "" {
		return trackerimport.ForeignMacroLeft(left, address)
	}
	if err := token.ValidURL(address); err != nil {
		return trackerimport.BadAddress(address, err)
	}
	return ""
}
