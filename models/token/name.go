package token

import (
	"strconv"
	"strings"
)

// Name is a canonical token.
type Name uint8

// The canonical tokens. Payout and those after it have a value in postbacks only; in a redirect they are unknown.
const (
	None Name = iota
	ClickID
	CampaignID
	CampaignName
	CampaignAlias
	PathID
	PathName
	LanderID
	LanderName
	LPSlot
	OfferID
	OfferName
	NetworkID
	NetworkName
	SourceID
	SourceName
	ExternalID
	Cost
	Currency
	Country
	CountryName
	Region
	City
	Language
	IP
	ISP
	ASN
	MobileOperator
	ConnectionType
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
	Sub // sub1 to sub10: the number is Token.N
	IsUnique
	IsBot
	VisitorID
	Domain
	LPKey
	Timestamp
	Date   // {date:FORMAT,TZ}
	Random // {random:MIN,MAX}
	Sample // {sample:a|b|c}
	Param  // {param.NAME}: the name is Token.Arg
	Payout
	Revenue
	Profit
	Status
	ConversionID
	Goal
	EventTime
	numNames
)

var names = [numNames]string{
	ClickID: "clickid", CampaignID: "campaign_id", CampaignName: "campaign_name", CampaignAlias: "campaign_alias",
	PathID: "path_id", PathName: "path_name", LanderID: "lander_id", LanderName: "lander_name", LPSlot: "lp_slot",
	OfferID: "offer_id", OfferName: "offer_name", NetworkID: "network_id", NetworkName: "network_name",
	SourceID: "source_id", SourceName: "source_name", ExternalID: "external_id", Cost: "cost", Currency: "currency",
	Country: "country", CountryName: "country_name", Region: "region", City: "city", Language: "language", IP: "ip",
	ISP: "isp", ASN: "asn", MobileOperator: "mobile_operator", ConnectionType: "connection_type",
	DeviceType: "device_type", DeviceBrand: "device_brand", DeviceModel: "device_model", OS: "os",
	OSVersion: "os_version", Browser: "browser", BrowserVersion: "browser_version", UserAgent: "user_agent",
	Referrer: "referrer", ReferrerDomain: "referrer_domain", Keyword: "keyword", Sub: "sub", IsUnique: "is_unique",
	IsBot: "is_bot", VisitorID: "visitor_id", Domain: "domain", LPKey: "lp_key", Timestamp: "timestamp", Date: "date",
	Random: "random", Sample: "sample", Param: "param", Payout: "payout", Revenue: "revenue", Profit: "profit",
	Status: "status", ConversionID: "conversion_id", Goal: "goal", EventTime: "event_time",
}

// aliases are other trackers' names of the same values, so that a migrant's addresses keep working.
var aliases = map[string]Name{
	"click_id": ClickID, "cf_click_id": ClickID, "subid": ClickID, "uclick": ClickID, "cid": ClickID,
	"externalid": ExternalID, "ref_id": ExternalID,
	"tid": ConversionID, "txid": ConversionID, "transaction.id": ConversionID, "transaction_id": ConversionID,
	"campaign.id": CampaignID, "campaign.name": CampaignName, "lander.id": LanderID, "lander.name": LanderName,
	"offer.id": OfferID, "offer.name": OfferName, "path.id": PathID, "path.name": PathName,
	"affiliatenetwork.id": NetworkID, "affiliatenetwork.name": NetworkName,
	"trafficsource": SourceName, "trafficsource.id": SourceID, "trafficsource.name": SourceName,
	"connection.type": ConnectionType, "country.name": CountryName, "carrier": MobileOperator,
	"device": DeviceType, "devicetype": DeviceType, "brand": DeviceBrand, "model": DeviceModel,
	"osversion": OSVersion, "browserversion": BrowserVersion, "useragent": UserAgent, "referrerdomain": ReferrerDomain,
	"referer": Referrer, "referer_domain": ReferrerDomain, "trackingdomain": Domain, "unixtime": Timestamp,
}

// subAliases are other trackers' numbered names of the sub-parameters.
var subAliases = [...]string{"sub_id_", "subid", "sub", "var", "t"}

var byName = func() map[string]Name {
	m := make(map[string]Name, len(names)+len(aliases))
	for n, text := range names {
		m[text] = Name(n)
	}
	for text, n := range aliases {
		m[text] = n
	}
	for _, structured := range [...]string{"", "sub", "random", "sample", "param"} {
		delete(m, structured)
	}
	return m
}()

// String gives the canonical spelling.
func (n Name) String() string {
	if n < numNames {
		return names[n]
	}
	return ""
}

// Lookup finds a token by its canonical name or an alias, without regard to case. N is the number of a
// sub-parameter, arg the name behind param.
func Lookup(name string) (t Token, ok bool) {
	for _, prefix := range [...]string{"param.", "var:"} {
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			return Token{Name: Param, Arg: name[len(prefix):]}, true
		}
	}
	lower := strings.ToLower(name)
	if n, ok := byName[lower]; ok {
		return Token{Name: n}, true
	}
	for _, prefix := range subAliases {
		digits, ok := strings.CutPrefix(lower, prefix)
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(digits, 10, 8); err == nil && n >= 1 && n <= 10 && digits[0] != '0' {
			return Token{Name: Sub, N: int(n)}, true
		}
	}
	return Token{}, false
}
