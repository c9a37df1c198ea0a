package template

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"strings"

	"switchyard/models"
	"switchyard/models/token"
)

// The kinds of templates in a file, and the version of the file format.
const (
	KindSource  = "traffic_source"
	KindNetwork = "network"
	FileVersion = 1
)

// ShareSource returns a traffic source as a template for other accounts. It leaves out fixed texts that stand in place of macros.
// In the postback address, YOUR_... replaces the account's own values.
func ShareSource(o models.TrafficSource) Source {
	s := Source{
		Key: o.Platform, Name: o.Name, CostModel: o.CostModel,
		ExternalIDParam: o.ExternalIDParam, ExternalIDMacro: onlyMacro(o.ExternalIDMacro),
		CostParam: o.CostParam, CostMacro: onlyMacro(o.CostMacro), TokenMacros: tokens(),
	}
	if !IsPlatform(s.Key) {
		s.Key = custom
	}
	if s.ExternalIDMacro != "" {
		s.ExternalIDParam = cmp.Or(s.ExternalIDParam, models.DefaultExternalIDParam)
	}
	if s.CostMacro != "" {
		s.CostParam = cmp.Or(s.CostParam, models.DefaultCostParam)
	}
	for _, m := range o.TokenMacros {
		if onlyMacro(m.Macro) != "" {
			s.TokenMacros = append(s.TokenMacros, m)
		}
	}
	known, _ := FindSource(s.Key)
	s.PostbackURL = withPlaceholders(o.PostbackURL, known.PostbackURL)
	return s
}

func onlyMacro(text string) string {
	if token.LooksLikeMacro(text) {
		return text
	}
	return ""
}

// Share returns a network's settings for other accounts. It leaves out the account's own values: the secret, the notes, the terms of
// payment, fixed texts in place of macros, and everything after the host in the address.
func (n Network) Share() Network {
	n.Notes, n.PaymentTerms, n.PaymentFrequency, n.MinimumPayout = "", "", "", nil
	n.Macros = maps.Clone(n.Macros)
	maps.DeleteFunc(n.Macros, func(field, macro string) bool { return field == secretField || onlyMacro(macro) == "" })
	u, err := url.Parse(n.URL)
	if n.URL = ""; err == nil && u.Host != "" {
		n.URL = u.Scheme + "://" + u.Host
	}
	return n
}

// commonPathPart matches a part of a path that is the same for every account: a word, the name of a script or a version. A part
// that has other digits or is long may be a key.
var commonPathPart = regexp.MustCompile(`^(v\d{1,2}(\.\d{1,2})?|s2s|[A-Za-z][A-Za-z._-]{0,19})?$`)

// withPlaceholders returns a postback address with YOUR_... in place of the account's own values: the fixed values of its query,
// and the parts of its path that may be a key. The argument known is the postback address of the platform's template. If both
// addresses have the same host, withPlaceholders returns the template's address.
func withPlaceholders(address, known string) string {
	base, _, _ := strings.Cut(address, "#")
	base, query, _ := strings.Cut(base, "?")
	scheme, hostAndPath, found := strings.Cut(base, "://")
	host, path, _ := strings.Cut(hostAndPath, "/")
	if !found {
		return ""
	}
	if u, err := url.Parse(known); err == nil && u.Host != "" && strings.EqualFold(u.Host, host) {
		return known
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if !strings.Contains(part, "{") && !commonPathPart.MatchString(part) {
			parts[i] = "YOUR_ID"
		}
	}
	var fields []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name == "" {
			continue
		}
		if value != "" && !strings.Contains(value, "{") {
			value = "YOUR_" + placeholder(name)
		}
		fields = append(fields, name+"="+value)
	}
	out := scheme + "://" + host + "/" + strings.Join(parts, "/")
	if len(fields) == 0 {
		return out
	}
	return out + "?" + strings.Join(fields, "&")
}

func placeholder(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}
