package movecheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

// PerCampaign is the maximum number of visitors that are made up for a campaign.
const PerCampaign = 20

// Agent is a browser or a bot that made-up visitors use.
type Agent struct{ Name, UserAgent string }

// Agents are the browsers and bots of made-up visitors. The first one is the most usual.
var Agents = []Agent{
	{"Chrome, Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"},
	{"Chrome, Android", "Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36"},
	{"Safari, iPhone", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"},
	{"Safari, macOS", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15"},
	{"Safari, iPad", "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1"},
	{"Firefox, Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"},
	{"Edge, Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0"},
	{"Firefox, Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"},
	{"Samsung Internet, Android", "Mozilla/5.0 (Linux; Android 13; SM-A536B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36"},
	{"Chrome, Android tablet", "Mozilla/5.0 (Linux; Android 13; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"},
	{"Opera, Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0"},
	{"Chrome, Android 10", "Mozilla/5.0 (Linux; Android 10; Redmi Note 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36"},
	{"Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
}

const bot = 12 // the index of the bot in Agents

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Visitor is a made-up visitor: everything that a request can state.
type Visitor struct {
	Agent    Agent
	Country  string
	Language string
	Referrer string
	Params   []Pair
	Headers  []Pair
}

// Campaign is what must be known about a campaign to make up visitors.
type Campaign struct {
	Paths         [][]cond.Condition
	SubParams     map[int]string // the link parameters that the source names, by the number of the sub-parameter
	ExternalParam string         // the parameter of the source's own click id
}

// PathsOf returns the conditions of paths, including the conditions of the saved rules that the paths use.
func PathsOf(paths []flow.Path, saved map[string][]cond.Condition) [][]cond.Condition {
	list := make([][]cond.Condition, len(paths))
	for i, p := range paths {
		list[i] = slices.Clone(p.Filters)
		for _, r := range p.Rules {
			list[i] = append(append(list[i], r.Conditions...), saved[r.RuleID]...)
		}
	}
	return list
}

// Visitors makes up visitors for a campaign: usual visitors, a visitor for each of the first 11 paths, and further visitors with
// values from the conditions. The same campaign always gives the same visitors.
func Visitors(c Campaign, read func(Agent) *cond.Facts) []Visitor {
	list := make([]Visitor, 0, PerCampaign)
	add := func(v Visitor) {
		same := func(o Visitor) bool { return fmt.Sprint(o) == fmt.Sprint(v) }
		if len(list) < PerCampaign && !slices.ContainsFunc(list, same) {
			list = append(list, v)
		}
	}
	for _, v := range usual {
		add(v)
	}
	const forPaths = 11
	for _, conditions := range c.Paths[:min(len(c.Paths), forPaths)] {
		v := usual[0]
		v.Agent = agentFor(conditions, read)
		for _, one := range conditions {
			if value, ok := wanted(one); ok {
				v.set(&c, one.Attribute, value)
			}
		}
		add(v)
	}
	for i := 0; len(list) < PerCampaign && i < 10*PerCampaign; i++ {
		add(c.mixed(i))
	}
	return list
}

var usual = []Visitor{
	{Agent: Agents[0], Country: "US", Language: "en"},
	{Agent: Agents[1], Country: "DE", Language: "de"},
	{Agent: Agents[2], Country: "GB", Language: "en"},
	{Agent: Agents[4], Country: "BR", Language: "pt"},
	{Agent: Agents[bot], Country: "US", Language: "en"},
}

var (
	countries = []string{"IN", "FR", "ID", "ES", "PL", "MX", "TR"}
	languages = []string{"fr", "es", "hi", "ru", "it"}
)

// mixed returns a further visitor.
func (c *Campaign) mixed(i int) Visitor {
	v := Visitor{Agent: Agents[i%len(Agents)], Country: countries[i%len(countries)], Language: languages[i%len(languages)]}
	n := 0
	for _, conditions := range c.Paths {
		for _, one := range conditions {
			values := valuesOf(one)
			if n++; len(values) > 0 && (i+n)%3 > 0 {
				v.set(c, one.Attribute, sample(one.Operator, values[(i+n)%len(values)]))
			}
		}
	}
	return v
}

var ofAgent = []string{"device_type", "device_brand", "device_model", "os", "os_version", "browser", "browser_version", "user_agent", "is_bot"}

func agentFor(conditions []cond.Condition, read func(Agent) *cond.Facts) Agent {
	var about []cond.Condition
	for _, one := range conditions {
		if slices.Contains(ofAgent, one.Attribute) {
			about = append(about, one)
		}
	}
	if m, err := cond.Compile(about, "and"); err == nil && len(about) > 0 {
		for _, a := range Agents {
			if m.Match(read(a)) {
				return a
			}
		}
	}
	return Agents[0]
}

func (v *Visitor) set(c *Campaign, attribute, value string) {
	value = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, value)
	kind, name, _ := strings.Cut(attribute, ".")
	sub, isSub := strings.CutPrefix(attribute, "sub")
	n, err := strconv.Atoi(sub)
	switch {
	case attribute == "country" && len(value) == 2:
		v.Country = strings.ToUpper(value)
	case attribute == "language":
		v.Language = strings.ToLower(value)
	case attribute == "keyword":
		v.Params = with(v.Params, "keyword", value)
	case attribute == "external_id":
		v.Params = with(v.Params, cmp.Or(c.ExternalParam, "external_id"), value)
	case attribute == "referrer":
		v.Referrer = value
	case attribute == "referrer_domain":
		v.Referrer = "https://" + value + "/"
	case attribute == "search_engine":
		v.Referrer = "https://www." + strings.ToLower(value) + ".com/"
	case isSub && err == nil:
		v.Params = with(v.Params, cmp.Or(c.SubParams[n], fmt.Sprint("sub_id_", n)), value)
	case kind == "param" && name != "":
		v.Params = with(v.Params, name, value)
	case kind == "header" && isHeader(name):
		v.Headers = with(v.Headers, name, value)
	}
}

func isHeader(name string) bool {
	usual := []string{"host", "user-agent", "accept", "accept-language", "accept-encoding", "referer", "connection", "content-length"}
	return name != "" && !slices.Contains(usual, strings.ToLower(name)) &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
}

// The given list is not changed, because other visitors may share it.
func with(list []Pair, name, value string) []Pair {
	list = slices.DeleteFunc(slices.Clone(list), func(p Pair) bool { return strings.EqualFold(p.Name, name) })
	if value == "" {
		return list
	}
	return append(list, Pair{name, value})
}

func wanted(c cond.Condition) (value string, ok bool) {
	values := valuesOf(c)
	switch c.Operator {
	case "is_set":
		return "1", len(values) == 1 && values[0] == "true"
	case "equals", "in", "contains", "starts_with", "ends_with":
		if len(values) > 0 {
			return sample(c.Operator, values[0]), true
		}
	}
	return "", false
}

func sample(operator, value string) string {
	switch operator {
	case "starts_with":
		return value + "1"
	case "ends_with":
		return "1" + value
	}
	return value
}

const mostValues = 50 // maximum number of values of a condition that are used

func valuesOf(c cond.Condition) (texts []string) {
	list, ok := c.Value.([]any)
	if !ok {
		list = []any{c.Value}
	}
	for _, v := range list[:min(len(list), mostValues)] {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case json.Number, bool, float64, int:
			texts = append(texts, fmt.Sprint(v))
		}
	}
	return texts
}
