package botlist

import (
	"fmt"
	"net/netip"

	"go4.org/netipx"

	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/cond"
)

// The limits from which an entry counts as matching everybody: a share of all addresses, a share of people's browsers, and a
// number of countries.
const (
	everyAddress = 0.5
	everyBrowser = 0.8
	everyCountry = 200
)

// strangers are sample visitors that have nothing in common.
var strangers = []models.Visitor{
	{
		IP: netip.MustParseAddr("203.0.113.7"), ASN: 3320, Country: "DE", ISP: "Telekom", Referrer: "https://news.example/a",
	},
	{
		IP: netip.MustParseAddr("2001:db8::5"), ASN: 64512, Country: "US", ISP: "Orbis", Referrer: "app://org.chat",
	},
	{
		IP: netip.MustParseAddr("198.51.100.200"), ASN: 9, Country: "CN", ISP: "Wu Q", Referrer: "4%7F",
	},
}

var strangeSubs = []string{"alpha-1", "7", "Zone_B"}

// TooBroad returns the reason why an entry matches all or most visitors, or "" if it does not. The entry must have passed Check.
func TooBroad(e *models.BotEntry) string {
	switch {
	case byAddress(e):
		return networksTooBroad(e.Value)
	case e.Operator == equals && e.Attribute == "country" && len(e.Value) >= everyCountry:
		return fmt.Sprintf("it has %d countries", len(e.Value))
	case e.Operator == equals:
		return ""
	}
	m, err := compile(e)
	if err != nil {
		return ""
	}
	if e.Attribute == "user_agent" {
		return agentsTooBroad(m)
	}
	for i, v := range strangers {
		c := models.Click{Visitor: v}
		for n := range c.Subs {
			c.Subs[n] = strangeSubs[i]
		}
		var f cond.Facts
		if f.SetClick(&c); !m.Match(&f) {
			return ""
		}
	}
	return "it matches any " + e.Attribute
}

func networksTooBroad(values []string) string {
	ranges := make([]netipx.IPRange, len(values))
	for i, v := range values {
		ranges[i] = cond.ParseRange(v)
	}
	v4, v6 := cond.Shares(ranges)
	switch {
	case v4 >= everyAddress:
		return fmt.Sprintf("it has %.0f %% of all IPv4 addresses", 100*v4)
	case v6 >= everyAddress:
		return fmt.Sprintf("it has %.0f %% of all IPv6 addresses", 100*v6)
	}
	return ""
}

func agentsTooBroad(m *cond.Matcher) string {
	matched, all := 0, bot.Browsers()
	for _, agent := range all {
		var f cond.Facts
		f.SetClick(&models.Click{Visitor: models.Visitor{UserAgent: agent}})
		if m.Match(&f) {
			matched++
		}
	}
	if share := float64(matched) / float64(len(all)); share >= everyBrowser {
		return fmt.Sprintf("it matches %.0f %% of people's browsers", 100*share)
	}
	return ""
}
