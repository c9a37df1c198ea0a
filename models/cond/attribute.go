package cond

import (
	"fmt"
	"net/textproto"
	"strings"
)

// Attr is a known attribute of a visitor, an index into Facts.
type Attr uint8

// The attributes, in the order of their names below.
const (
	Country Attr = iota
	Region
	City
	Continent
	Language
	Timezone
	IP
	IPVersion
	ISP
	ASN
	Organization
	MobileOperator
	ConnectionType
	ProxyKind
	DeviceType
	DeviceBrand
	DeviceModel
	OS
	OSVersion
	Browser
	BrowserVersion
	UserAgent
	Referrer
	ReferrerDomain
	Keyword
	SearchEngine
	URL
	Sub1
	Sub2
	Sub3
	Sub4
	Sub5
	Sub6
	Sub7
	Sub8
	Sub9
	Sub10
	SourceID
	CampaignID
	IsUnique
	IsBot
	BotScore
	BotReason
	ClicksToday
	DayOfWeek
	HourOfDay
	Date
	Schedule
	numAttrs

	attrParam  Attr = 200 // param.<name>, looked up in the request
	attrHeader Attr = 201 // header.<name>
)

// kind says how the values of an attribute compare.
type kind uint8

const (
	kindText kind = iota
	kindNumber
	kindVersion
	kindBool
	kindIP
	kindDate
	kindSchedule
)

type attribute struct {
	name string
	kind kind
}

var attributes = [numAttrs]attribute{
	Country: {"country", kindText}, Region: {"region", kindText}, City: {"city", kindText},
	Continent: {"continent", kindText}, Language: {"language", kindText}, Timezone: {"timezone", kindText},
	IP: {"ip", kindIP}, IPVersion: {"ip_version", kindNumber}, ISP: {"isp", kindText}, ASN: {"asn", kindNumber},
	Organization: {"organization", kindText}, MobileOperator: {"mobile_operator", kindText},
	ConnectionType: {"connection_type", kindText}, ProxyKind: {"proxy_kind", kindText},
	DeviceType: {"device_type", kindText}, DeviceBrand: {"device_brand", kindText},
	DeviceModel: {"device_model", kindText}, OS: {"os", kindText}, OSVersion: {"os_version", kindVersion},
	Browser: {"browser", kindText}, BrowserVersion: {"browser_version", kindVersion},
	UserAgent: {"user_agent", kindText}, Referrer: {"referrer", kindText},
	ReferrerDomain: {"referrer_domain", kindText}, Keyword: {"keyword", kindText},
	SearchEngine: {"search_engine", kindText}, URL: {"url", kindText},
	Sub1: {"sub1", kindText}, Sub2: {"sub2", kindText}, Sub3: {"sub3", kindText}, Sub4: {"sub4", kindText},
	Sub5: {"sub5", kindText}, Sub6: {"sub6", kindText}, Sub7: {"sub7", kindText}, Sub8: {"sub8", kindText},
	Sub9: {"sub9", kindText}, Sub10: {"sub10", kindText},
	SourceID: {"source_id", kindText}, CampaignID: {"campaign_id", kindText},
	IsUnique: {"is_unique", kindBool}, IsBot: {"is_bot", kindBool}, BotScore: {"bot_score", kindNumber},
	BotReason: {"bot_reason", kindText}, ClicksToday: {"clicks_today", kindNumber},
	DayOfWeek: {"day_of_week", kindNumber}, HourOfDay: {"hour_of_day", kindNumber}, Date: {"date", kindDate},
	Schedule: {"schedule", kindSchedule},
}

var attrByName = func() map[string]Attr {
	m := make(map[string]Attr, numAttrs)
	for i, a := range attributes {
		m[a.name] = Attr(i)
	}
	return m
}()

// String gives the attribute's name as conditions spell it.
func (a Attr) String() string {
	if a < numAttrs {
		return attributes[a].name
	}
	return fmt.Sprintf("attr(%d)", uint8(a))
}

// Sub is the attribute of sub-parameter n, 1 to 10.
func Sub(n int) Attr { return Sub1 + Attr(min(max(n, 1), 10)-1) }

// Names lists the known attributes; param.<name> and header.<name> come on top.
func Names() []string {
	names := make([]string, numAttrs)
	for i, a := range attributes {
		names[i] = a.name
	}
	return names
}

// maxName limits the <name> of param.<name> and header.<name>.
const maxName = 100

// findAttr resolves a name of a condition; arg is the <name> of param.<name> and header.<name>.
func findAttr(name string) (a Attr, k kind, arg string, ok bool) {
	if a, ok := attrByName[name]; ok {
		return a, attributes[a].kind, "", true
	}
	prefix, arg, _ := strings.Cut(name, ".")
	if arg == "" || len(arg) > maxName {
		return 0, 0, "", false
	}
	switch prefix {
	case "param":
		return attrParam, kindText, arg, true
	case "header":
		return attrHeader, kindText, textproto.CanonicalMIMEHeaderKey(arg), true
	}
	return 0, 0, "", false
}
