package keitaro_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/longtest"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/trackerstest"
)

// The streams of a made-up Keitaro, as its Admin API shows them.
type (
	kStream struct {
		ID       int       `json:"id"`
		Campaign int       `json:"campaign_id"`
		Type     string    `json:"type"`
		Name     string    `json:"name"`
		Position int       `json:"position"`
		Weight   int       `json:"weight"`
		State    string    `json:"state"`
		Schema   string    `json:"schema"`
		Action   string    `json:"action_type"`
		FilterOr bool      `json:"filter_or"`
		Filters  []kFilter `json:"filters"`
		Landings []kShare  `json:"landings"`
		Offers   []kShare  `json:"offers"`
	}
	kFilter struct {
		ID      int      `json:"id"`
		Name    string   `json:"name"`
		Mode    string   `json:"mode"`
		Payload []string `json:"payload"`
	}
	kShare struct {
		Landing int    `json:"landing_id,omitempty"`
		Offer   int    `json:"offer_id,omitempty"`
		Share   int    `json:"share"`
		State   string `json:"state"`
	}
)

// model decides as Keitaro does, by its documentation: forced streams by position, then the regular streams, by position or by
// weight, and the default stream last. With weights, Keitaro chooses at random until a stream accepts the visitor. A stream's
// chance is its share of the weights of all accepting streams.
type model struct {
	byWeight bool
	streams  []kStream
}

func (m *model) Paths(v *trackerstest.Visitor) trackerstest.Choice {
	regular, total := []kStream{}, 0
	fallback := ""
	for _, s := range m.streams {
		if s.State != "active" || !s.takes(v) {
			continue
		}
		switch s.Type {
		case "forced":
			return trackerstest.Choice{s.Name: 1}
		case "regular":
			regular = append(regular, s)
			total += s.Weight
		case "default":
			fallback = s.Name
		}
	}
	switch {
	case !m.byWeight && len(regular) > 0:
		return trackerstest.Choice{regular[0].Name: 1}
	case !m.byWeight || total == 0:
		return trackerstest.Choice{fallback: 1}
	}
	out := trackerstest.Choice{}
	for _, s := range regular {
		if s.Weight > 0 {
			out[s.Name] = float64(s.Weight) / float64(total)
		}
	}
	return out
}

func (m *model) Destinations(path string) trackerstest.Choice {
	for _, s := range m.streams {
		list := s.Landings
		if len(list) == 0 {
			list = s.Offers
		}
		if s.Name != path {
			continue
		}
		total, out := 0, trackerstest.Choice{}
		for _, one := range list {
			if one.State == "active" {
				total += one.Share
			}
		}
		for _, one := range list {
			if one.State == "active" && one.Share > 0 {
				out[trackerimport.Key("keitaro", host, strconv.Itoa(one.Landing+one.Offer))] = float64(one.Share) / float64(total)
			}
		}
		return out
	}
	return nil
}

func (s *kStream) takes(v *trackerstest.Visitor) bool {
	for _, f := range s.Filters {
		if f.passes(v) == s.FilterOr {
			return s.FilterOr
		}
	}
	return !s.FilterOr || len(s.Filters) == 0
}

// A rejecting filter passes the visitors who do not match it.
func (f *kFilter) passes(v *trackerstest.Visitor) bool {
	return f.meets(v) == (f.Mode == "accept")
}

func (f *kFilter) meets(v *trackerstest.Visitor) bool {
	value := v.Attributes[f.attribute()]
	switch f.Name {
	case "bot":
		return v.IsBot
	case "uniqueness":
		return v.IsUnique
	case "empty_referrer":
		return value == ""
	case "ipv6":
		return v.IP.Is6()
	case "ip":
		return slices.ContainsFunc(f.Payload, func(item string) bool { return inRange(v.IP, item) })
	case "os_version":
		return value != "" && slices.ContainsFunc(f.Payload, func(item string) bool { return inVersions(value, item) })
	}
	return slices.ContainsFunc(f.Payload, func(item string) bool {
		if item == "@empty" {
			return value == ""
		}
		return value != "" && masked(value, item)
	})
}

func (f *kFilter) attribute() string {
	switch f.Name {
	case "empty_referrer":
		return "referrer"
	case "sub_id_1", "sub_id_2":
		return "sub" + f.Name[len(f.Name)-1:]
	}
	return f.Name
}

func masked(value, mask string) bool {
	pattern := "(?i)^" + strings.ReplaceAll(regexp.QuoteMeta(mask), `\*`, ".*") + "$"
	if strings.HasPrefix(mask, "/") {
		pattern = "(?i)" + strings.Trim(mask, "/")
	}
	re := patterns[pattern]
	if re == nil {
		re = regexp.MustCompile(pattern)
		patterns[pattern] = re
	}
	return re.MatchString(value)
}

// patterns caches compiled patterns, because compiling takes most of the time.
var patterns = map[string]*regexp.Regexp{}

func inRange(ip netip.Addr, item string) bool {
	if from, to, ok := strings.Cut(item, "-"); ok {
		return ip.Compare(netip.MustParseAddr(from)) >= 0 && ip.Compare(netip.MustParseAddr(to)) <= 0
	}
	if prefix, ok := strings.CutSuffix(item, "*"); ok {
		return strings.HasPrefix(ip.String(), prefix)
	}
	return netip.MustParsePrefix(item).Contains(ip)
}

func inVersions(value, item string) bool {
	number := func(text string) float64 {
		whole, rest, _ := strings.Cut(text, ".")
		minor, _, _ := strings.Cut(rest, ".")
		n, _ := strconv.ParseFloat(whole+"."+cmp.Or(minor, "0"), 64)
		return n
	}
	v := number(value)
	if from, to, ok := strings.Cut(item, "-"); ok {
		return v >= number(from) && v <= number(to)
	}
	if bound, ok := strings.CutPrefix(item, ">="); ok {
		return v >= number(bound)
	}
	return v < number(strings.TrimPrefix(item, "<"))
}

type maker struct {
	*rand.Rand
	filters int
	streams int
}

func (m *maker) one(list ...string) string { return list[m.IntN(len(list))] }

// some returns one to three values of an attribute, and sometimes also the unknown value.
func (m *maker) some(attribute string) (out []string) {
	for range 1 + m.IntN(3) {
		out = append(out, m.one(trackerstest.Values(attribute)...))
	}
	if m.IntN(5) == 0 {
		out = append(out, "@empty")
	}
	return out
}

func (m *maker) filter() kFilter {
	m.filters++
	f := kFilter{ID: m.filters, Mode: m.one("accept", "reject")}
	f.Name = m.one("country", "language", "os", "browser", "device_type", "city", "isp", "connection_type", "os_version", "ip", "ipv6",
		"user_agent", "referrer", "keyword", "sub_id_1", "sub_id_2", "empty_referrer", "bot", "uniqueness")
	switch f.Name {
	case "country", "language", "os", "browser", "device_type", "city", "isp", "sub_id_2":
		f.Payload = m.some(f.attribute())
	case "connection_type":
		f.Payload = []string{"cellular"}
	case "os_version":
		f.Payload = []string{m.one(">=14.0", "<14.0", "10-15", "9.1-17.2")}
	case "ip":
		f.Payload = []string{m.one("198.51.100.0/24", "198.51.101.*", "198.51.100.7-198.51.101.99")}
	case "user_agent":
		f.Payload = []string{m.one("*iPhone*", "curl*", "*Chrome", "/iphone|curl/", "Mozilla*Chrome")}
	case "referrer":
		f.Payload = []string{m.one("*facebook*", "https://news*", "*/x")}
	case "keyword":
		f.Payload = []string{m.one("shoes", "*shoes", "red*"), "shoes"}
	case "sub_id_1":
		f.Payload = []string{m.one("zone-*", "*-22", "other", "*one*"), m.one("zone-1", "@empty")}
	case "uniqueness":
		f.Payload = []string{"campaign"}
	}
	return f
}

func (m *maker) shares(set func(*kShare, int)) (out []kShare) {
	for i := range 1 + m.IntN(3) {
		s := kShare{Share: m.IntN(4) * 20, State: m.one("active", "active", "active", "disabled")}
		if i == 0 {
			s.Share, s.State = 50, "active"
		}
		set(&s, i+1)
		out = append(out, s)
	}
	return out
}

func (m *maker) stream(campaign, position int) kStream {
	m.streams++
	s := kStream{
		ID: m.streams, Campaign: campaign, Type: m.one("regular", "regular", "regular", "forced"), Name: fmt.Sprintf("Stream %d", m.streams),
		Position: position, Weight: m.IntN(5) * 25, State: m.one("active", "active", "active", "active", "disabled"), Schema: "landings",
		FilterOr: m.IntN(4) == 0, Offers: m.shares(func(s *kShare, n int) { s.Offer = n }),
	}
	if m.IntN(3) == 0 {
		s.Landings = m.shares(func(s *kShare, n int) { s.Landing = n })
	}
	for range m.IntN(4) {
		s.Filters = append(s.Filters, m.filter())
	}
	if s.Type == "forced" && len(s.Filters) == 0 {
		s.Filters = append(s.Filters, m.filter())
	}
	return s
}

// madeUp returns a made-up tracker as its API serves it, and the models of its campaigns by id.
func madeUp(t *testing.T, campaigns int) (tracker []byte, models map[int]*model) {
	t.Helper()
	m := &maker{Rand: rand.New(rand.NewPCG(40, 2))}
	models = map[int]*model{}
	type object = map[string]any
	var list []object
	var streams []kStream
	for id := 1; id <= campaigns; id++ {
		one := &model{byWeight: id%2 == 0}
		for position := range 2 + m.IntN(6) {
			one.streams = append(one.streams, m.stream(id, position+1))
		}
		one.streams[len(one.streams)-1].Weight = 100 // at least one stream needs a weight above 0
		if m.IntN(2) == 0 {
			s := m.stream(id, len(one.streams)+1)
			s.Type, s.Filters, s.State = "default", nil, "active"
			one.streams = append(one.streams, s)
		}
		models[id] = one
		streams = append(streams, one.streams...)
		kind := map[bool]string{false: "position", true: "weight"}[one.byWeight]
		list = append(list, object{
			"id": id, "alias": fmt.Sprintf("made-up-%d", id), "name": fmt.Sprintf("Campaign %d", id), "type": kind, "state": "active",
			"cost_type": "CPC", "cost_value": 0, "cost_currency": "USD", "traffic_source_id": 1,
		})
	}
	var offers, landings []object
	for id := 1; id <= 3; id++ {
		offers = append(offers, object{"id": id, "name": fmt.Sprint("Offer ", id), "action_type": "http", "action_payload": "https://o.example/", "state": "active"})
		landings = append(landings, object{"id": id, "name": fmt.Sprint("Page ", id), "action_type": "http", "action_payload": "https://p.example/", "state": "active"})
	}
	param := func(name string) object { return object{"name": name, "placeholder": "{" + name + "}", "alias": ""} }
	slices.Reverse(streams) // the positions decide, not the order in which the API lists the streams
	tracker, err := json.Marshal(object{
		"affiliate_networks": []object{}, "domains": []object{}, "offers": offers, "landing_pages": landings, "campaigns": list, "streams": streams,
		"traffic_sources": []object{{"id": 1, "name": "Source", "state": "active", "parameters": object{"sub_id_1": param("zone"), "sub_id_2": param("ad")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tracker, models
}

func TestSameDecision(t *testing.T) {
	t.Parallel()
	// Each visitor visits every twentieth campaign, in long tests all of them.
	const campaigns, visitors = 200, 10_000
	parts := longtest.Size(20, 1)
	tracker, models := madeUp(t, campaigns)
	result := readAPI(t, tracker)
	for _, n := range result.Notes {
		if n.Severity != trackerimport.Changed {
			t.Fatalf("%+v", n)
		}
	}
	all := slices.Collect(slices.Chunk(trackerstest.Visitors(visitors, 1), visitors/parts))
	sure, groups := 0, 0
	for id := 1; id <= campaigns; id++ {
		key := trackerimport.Key("keitaro", host, strconv.Itoa(id))
		n, g := trackerstest.Compare(t, result.Document, key, models[id], all[id%parts], uint64(id))
		sure, groups = sure+n, groups+g
	}
	if sure < campaigns*visitors/parts/4 || groups < campaigns {
		t.Errorf("only %d decisions needed no random choice, and the shares of only %d groups were compared", sure, groups)
	}
	t.Logf("%d decisions without a random choice are the same; the shares of %d groups of visitors agree", sure, groups)
}
