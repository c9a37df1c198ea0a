package smoke

import (
	"slices"

	"github.com/shopspring/decimal"
)

type object = map[string]any

// offerSpec is an offer. payout is the payout in its settings. network is the network, if any, whose postbacks report the
// conversions.
type offerSpec struct {
	name, network string
	payout        string
	percent       bool // the payout is a percentage of the postback's amount
	fromParam     bool // the amount in the postback counts, if there is one
}

var offers = []offerSpec{
	{name: "fixed", network: "alpha", payout: "2.5"},
	{name: "percent", network: "beta", payout: "12.5", percent: true, fromParam: true},
	{name: "param", network: "beta", payout: "1.25", fromParam: true},
	{name: "plain", payout: "3", fromParam: true},
	{name: "first", network: "alpha", payout: "4.01"},
	{name: "second", network: "beta", payout: "0.75", fromParam: true},
}

// landers lists the landers and their numbers of click slots.
var landers = map[string]int{"one": 1, "two": 2}

// networkSpecs lists the networks. Alpha has its own parameter names and statuses, and a secret.
var networkSpecs = map[string]object{
	"alpha": {
		"currency": "USD", "postback_secret": alphaSecret,
		"postback_params": object{
			"click_id": "aff_ref", "payout": "income", "status": "phase", "conversion_id": "order", "goal": "step",
		},
		"status_map": object{
			"approved": []string{"settled"}, "pending": []string{"open"}, "rejected": []string{"void"},
			"chargeback": []string{"clawback"},
		},
	},
	"beta": {"currency": "USD"},
}

const alphaSecret = "alpha-knows-this"

var sourceSpecs = map[string]object{
	"macros": {
		"token_macros": object{"sub1": "{zone}", "sub2": "{creative}"}, "cost_param": "bid",
		"external_id_param": "xid", "cost_model": "cpc",
	},
	"bare": {"cost_model": "cpc"},
}

// pathSpec is one path of a flow. takes reports whether the path's filters accept a visitor, without the service's code.
type pathSpec struct {
	name       string
	kind       string // stream_type; empty means regular
	action     string // lander, offer, redirect, campaign, nothing
	transition string
	filters    []object
	either     bool // one of the filters is enough (the path's logic is "or")
	weight     int  // in a random choice by weight; 0 means 100
	lander     string
	offers     []string // the offer of an offer path, or the offers of the lander's slots
	direct     string   // the name of the page to which a redirect path redirects
	takes      func(visitor) bool
}

type campaignSpec struct {
	name, source string
	share        int // of every 100 visitors
	fields       object
	paths        []pathSpec
	fallback     bool // has a fallback_url, taken when no path fits
	target       string
	uncounted    bool // its clicks are routed and not recorded
	cost         func(*click) decimal.Decimal
}

func anyVisitor(visitor) bool { return true }

func filter(attribute, operator string, value any) object {
	return object{"attribute": attribute, "operator": operator, "value": value}
}

func from(countries ...string) func(visitor) bool {
	return func(v visitor) bool { return slices.Contains(countries, v.Country) }
}

var (
	amount = decimal.RequireFromString
	europe = []string{"DE", "FR", "GB"}
	dark   = []string{"US", "BR"}
)

func bid(c *click) decimal.Decimal { return c.bid }

func fixed(price string) func(*click) decimal.Decimal {
	return func(*click) decimal.Decimal { return amount(price) }
}

var campaigns = []campaignSpec{
	{
		name: "direct", source: "macros", share: 20, cost: bid,
		paths: []pathSpec{{name: "only", action: "offer", offers: []string{"fixed"}, takes: anyVisitor}},
	},
	{
		name: "landers", source: "bare", share: 22, cost: fixed("0.05"),
		fields: object{"cost_model": "cpc", "cost_value": 0.05},
		paths: []pathSpec{
			{
				name: "europe", kind: "forced", action: "lander", lander: "two", offers: []string{"first", "second"},
				filters: []object{filter("country", "in", europe)}, takes: from(europe...),
			},
			{
				name: "mobile", action: "lander", lander: "one", offers: []string{"param"},
				filters: []object{filter("device_type", "equals", "mobile")},
				takes:   func(v visitor) bool { return v.Device == "mobile" },
			},
			{
				name: "rest", kind: "default", action: "offer", transition: "303", offers: []string{"plain"},
				takes: anyVisitor,
			},
		},
	},
	{
		name: "weights", source: "macros", share: 16,
		fields: object{"flow_rotation": "weight", "cost_model": "cpuc", "cost_value": 0.3},
		cost: func(c *click) decimal.Decimal {
			if c.unique {
				return amount("0.3")
			}
			return decimal.Zero
		},
		paths: []pathSpec{
			{name: "half", action: "offer", offers: []string{"fixed"}, weight: 50, takes: anyVisitor},
			{name: "third", action: "offer", offers: []string{"param"}, weight: 30, takes: anyVisitor},
			{name: "fifth", action: "lander", lander: "one", offers: []string{"percent"}, weight: 20, takes: anyVisitor},
		},
	},
	systems,
	{
		name: "blocked", source: "bare", share: 10, fallback: true, cost: fixed("0.0015"),
		fields: object{"cost_model": "cpm", "cost_value": 1.5},
		paths: []pathSpec{
			{
				name: "dark", action: "nothing", filters: []object{filter("country", "in", dark)},
				takes: from(dark...),
			},
			{
				name: "either", action: "offer", either: true, offers: []string{"percent"},
				filters: []object{filter("browser", "equals", "Chrome"), filter("language", "equals", []string{"de", "es"})},
				takes:   func(v visitor) bool { return v.Browser == "Chrome" || v.Language == "de" || v.Language == "es" },
			},
		},
	},
	{
		name: "handover", source: "macros", share: 4, target: "direct", cost: bid,
		paths: []pathSpec{{name: "over", action: "campaign", takes: anyVisitor}},
	},
	{
		name: "approved", source: "bare", share: 6, fields: object{"cost_model": "cpa", "cost_value": 0.4},
		cost: func(c *click) decimal.Decimal {
			return amount("0.4").Mul(decimal.NewFromInt(int64(c.count("approved"))))
		},
		paths: []pathSpec{{name: "only", action: "offer", offers: []string{"param"}, takes: anyVisitor}},
	},
	{
		name: "shared", source: "bare", share: 4, fields: object{"cost_model": "revshare", "cost_value": 30},
		cost:  func(c *click) decimal.Decimal { return c.revenue("approved").Mul(amount("0.3")) },
		paths: []pathSpec{{name: "only", action: "offer", offers: []string{"plain"}, takes: anyVisitor}},
	},
	{
		name: "quiet", source: "bare", share: 2, uncounted: true,
		paths: []pathSpec{{name: "only", action: "offer", offers: []string{"plain"}, takes: anyVisitor}},
	},
}

// systems has a path for each of several operating systems. By its settings, a fifth of the traffic is lost before it arrives, so
// each click that arrives costs more than its bid.
var systems = campaignSpec{
	name: "systems", source: "macros", share: 16, fields: object{"traffic_loss_pct": 20},
	cost: func(c *click) decimal.Decimal { return c.bid.Div(amount("0.8")) },
	paths: []pathSpec{
		bySystem("windows", "301", "Windows"), bySystem("android", "307", "Android"), bySystem("ios", "meta", "iOS"),
		bySystem("macos", "js", "macOS"), bySystem("linux", "blank_referrer", "Linux"),
		bySystem("tizen", "double_meta", "Tizen"), bySystem("playstation", "iframe", "PlayStation"),
		bySystem("blackberry", "form_post", "BlackBerry"),
		{
			name: "chromeos", action: "redirect", direct: "chromeos",
			filters: []object{filter("os", "equals", "ChromeOS")},
			takes:   func(v visitor) bool { return v.OS == "ChromeOS" },
		},
		{name: "others", kind: "default", action: "offer", offers: []string{"plain"}, takes: anyVisitor},
	},
}

func bySystem(name, transition, system string) pathSpec {
	return pathSpec{
		name: name, transition: transition, action: "offer", offers: []string{"plain"},
		filters: []object{filter("os", "equals", system)},
		takes:   func(v visitor) bool { return v.OS == system },
	}
}
