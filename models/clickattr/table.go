package clickattr

import (
	"net/netip"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// All lists the attributes in the order of the columns of export files, except for the sub-parameters after models.EarlySubs,
// which are at the end of a file. Callers must not change All.
var All = slices.Concat(routing, subs(), visitor, bookkeeping, passing)

var routing = []Attr{
	{
		Name: "id", Tag: 1, In: Smartlinks,
		ID: func(c *models.Click) *uuid.UUID { return &c.ID },
	},
	{
		Name: "account_id", Tag: 2, In: Smartlinks,
		ID: func(c *models.Click) *uuid.UUID { return &c.AccountID },
	},
	{
		Name: "campaign_id", Tag: 3, Compare: AsText, Token: "campaign_id,campaign.id", Dimension: 1, In: Exports,
		Doc: "id of the campaign that routed the click; if campaigns handed the visitor over, the last of them",
		ID:  func(c *models.Click) *uuid.UUID { return &c.CampaignID },
	},
	{
		Name: "parent_campaign_id", Tag: 4, In: Exports,
		ID: func(c *models.Click) *uuid.UUID { return &c.ParentCampaignID },
	},
	{
		Name: "stream_id", Tag: 5, Token: "path_id,path.id", Dimension: 2, In: Exports,
		Doc: "id of the path that the visitor took",
		ID:  func(c *models.Click) *uuid.UUID { return &c.StreamID },
	},
	{
		Name: "lander_id", Tag: 6, Token: "lander_id,lander.id", Dimension: 3, In: Exports,
		Doc: "id of the landing page that the visitor was sent to",
		ID:  func(c *models.Click) *uuid.UUID { return &c.LanderID },
	},
	{
		Name: "offer_id", Tag: 7, Token: "offer_id,offer.id", Dimension: 4, In: Exports,
		Doc: "id of the offer that the visitor is sent to",
		ID:  func(c *models.Click) *uuid.UUID { return &c.OfferID },
	},
	{
		Name: "network_id", Tag: 8, Token: "network_id,affiliatenetwork.id", Dimension: 6, In: Exports,
		Doc: "id of the affiliate network of the offer",
		ID:  func(c *models.Click) *uuid.UUID { return &c.NetworkID },
	},
	{
		Name: "source_id", Tag: 9, Compare: AsText, Token: "source_id,trafficsource.id", Dimension: 5, In: Both,
		Doc: "id of the traffic source that the visitor came from",
		ID:  func(c *models.Click) *uuid.UUID { return &c.SourceID },
	},
	{
		Name: "visitor_id", Tag: 10, Token: "visitor_id", In: Both,
		Doc: "id of the visitor's browser, which stays the same as long as the browser keeps our cookie",
		ID:  func(c *models.Click) *uuid.UUID { return &c.VisitorID },
	},
	{
		Name: "external_id", Tag: 14, Token: "external_id,externalid,ref_id", In: Both,
		Doc:  "the traffic source's own id of the click, which the postback to the source contains",
		Text: func(c *models.Click) *string { return &c.ExternalID },
	},
	{
		Name: "domain", Tag: 11, Token: "domain,trackingdomain", Dimension: 44, In: Both,
		Doc:  "tracking domain of the link that was clicked",
		Text: func(c *models.Click) *string { return &c.Domain },
	},
	{
		Name: "destination", Tag: 12, In: Both,
		Text: func(c *models.Click) *string { return &c.Destination },
	},
	{
		Name: "arrival", Tag: 13, Dimension: 24, In: Exports,
		Text: func(c *models.Click) *string { return &c.Arrival },
	},
	{
		Name: "params", Tag: 15, In: Both,
		Text: func(c *models.Click) *string { return &c.Params },
	},
}

var visitor = []Attr{
	{
		Name: "ip", Tag: 16, Compare: AsAddr, Token: "ip", Dimension: 22, In: Both,
		Doc:  "IP address of the visitor",
		Addr: func(c *models.Click) *netip.Addr { return &c.IP },
	},
	{
		Name: "country", Tag: 23, Compare: AsText, Token: "country", Dimension: 8, In: Both,
		Doc:    "country of the visitor, two letters of ISO 3166-1",
		Values: Countries,
		Text:   func(c *models.Click) *string { return &c.Country },
	},
	{
		Name: "region", Tag: 24, Compare: AsText, Token: "region", Dimension: 9, In: Both,
		Doc:  "state or province of the visitor",
		Text: func(c *models.Click) *string { return &c.Region },
	},
	{
		Name: "city", Tag: 25, Compare: AsText, Token: "city", Dimension: 10, In: Both,
		Doc:  "city of the visitor",
		Text: func(c *models.Click) *string { return &c.City },
	},
	{
		Name: "language", Tag: 22, Compare: AsText, Token: "language", Dimension: 11, In: Both,
		Doc:    "language that the browser prefers, two or three letters",
		Values: Languages,
		Text:   func(c *models.Click) *string { return &c.Language },
	},
	{
		Name: "isp", Tag: 26, Compare: AsText, Token: "isp", Dimension: 12, In: Both,
		Doc:  "provider of the visitor's internet access",
		Text: func(c *models.Click) *string { return &c.ISP },
	},
	{
		Name: "asn", Tag: 27, Compare: AsNumber, Token: "asn", Dimension: 13, In: Both,
		Doc: "number of the autonomous system that the address belongs to",
		ASN: func(c *models.Click) *models.ASN { return &c.ASN },
	},
	{
		Name: "mobile_operator", Tag: 28, Compare: AsText, Token: "mobile_operator,carrier", Dimension: 15, In: Both,
		Doc:  "name of the mobile operator; empty for other connections",
		Text: func(c *models.Click) *string { return &c.MobileOperator },
	},
	{
		Name: "connection_type", Tag: 29, Compare: AsText, Token: "connection_type,connection.type", Dimension: 14, In: Both,
		Doc:    "kind of the connection",
		Values: ConnectionTypes,
		Text:   func(c *models.Click) *string { return &c.ConnectionType },
	},
	{
		Name: "proxy_kind", Tag: 30, Compare: AsText, Dimension: 26, In: Both,
		Values: ProxyKinds,
		Text:   func(c *models.Click) *string { return &c.ProxyKind },
	},
	{
		Name: "device_type", Tag: 31, Compare: AsText, Token: "device_type,device,devicetype", Dimension: 16, In: Both,
		Doc:    "kind of the device",
		Values: DeviceTypes,
		Text:   func(c *models.Click) *string { return &c.DeviceType },
	},
	{
		Name: "device_brand", Tag: 32, Compare: AsText, Token: "device_brand,brand", Dimension: 17, In: Both,
		Doc:  "maker of the device, if the user agent names it",
		Text: func(c *models.Click) *string { return &c.DeviceBrand },
	},
	{
		Name: "device_model", Tag: 33, Compare: AsText, Token: "device_model,model", Dimension: 48, In: Both,
		Doc:  "model of the device, if the user agent names it",
		Text: func(c *models.Click) *string { return &c.DeviceModel },
	},
	{
		Name: "os", Tag: 34, Compare: AsText, Token: "os", Dimension: 18, In: Both,
		Doc:    "operating system, such as Android or Windows",
		Values: Systems,
		Text:   func(c *models.Click) *string { return &c.OS },
	},
	{
		Name: "os_version", Tag: 35, Compare: AsVersion, Token: "os_version,osversion", Dimension: 19, In: Both,
		Doc:  "version of the operating system",
		Text: func(c *models.Click) *string { return &c.OSVersion },
	},
	{
		Name: "browser", Tag: 36, Compare: AsText, Token: "browser", Dimension: 20, In: Both,
		Doc:    "browser, such as Chrome or Safari",
		Values: Browsers,
		Text:   func(c *models.Click) *string { return &c.Browser },
	},
	{
		Name: "browser_version", Tag: 37, Compare: AsVersion, Token: "browser_version,browserversion", Dimension: 21, In: Both,
		Doc:  "version of the browser",
		Text: func(c *models.Click) *string { return &c.BrowserVersion },
	},
	{
		Name: "user_agent", Tag: 17, Compare: AsText, Token: "user_agent,useragent", In: Both,
		Doc:  "the whole user agent that the browser sends",
		Text: func(c *models.Click) *string { return &c.UserAgent },
	},
	{
		Name: "referrer", Tag: 18, Compare: AsText, Token: "referrer,referer", Dimension: 23, In: Both,
		Doc:  "address of the page that the visitor came from, as far as the browser sends it",
		Text: func(c *models.Click) *string { return &c.Referrer },
	},
	{
		Name: "referrer_domain", Tag: 19, Compare: AsText, Token: "referrer_domain,referrerdomain,referer_domain", Dimension: 45, In: Both,
		Doc:  "domain of the page that the visitor came from",
		Text: func(c *models.Click) *string { return &c.ReferrerDomain },
	},
	{
		Name: "keyword", Tag: 20, Compare: AsText, Token: "keyword", Dimension: 46, In: Both,
		Doc:  "search words: from the link's parameter keyword, or else from the search engine that the visitor came from",
		Text: func(c *models.Click) *string { return &c.Keyword },
	},
	{
		Name: "search_engine", Tag: 21, Compare: AsText, Dimension: 47, In: Both,
		Text: func(c *models.Click) *string { return &c.SearchEngine },
	},
	{
		Name: "is_bot", Tag: 38, Compare: AsBool, Token: "is_bot", In: Both,
		Doc:  "1 for a bot, 0 for a person",
		Bool: func(c *models.Click) *bool { return &c.IsBot },
	},
	{
		Name: "bot_score", Tag: 39, Compare: AsNumber, In: Both,
		Int: func(c *models.Click) *int { return &c.BotScore },
	},
	{
		Name: "bot_reason", Tag: 41, Compare: AsText, Dimension: 25, In: Both,
		Text: func(c *models.Click) *string { return &c.BotReason },
	},
}

// bookkeeping lists the remaining attributes that are stored, such as the cost, the bot signals and the decision.
var bookkeeping = []Attr{
	{
		Name: "bot_signals", Tag: 40, In: Smartlinks,
		Bits: func(c *models.Click) *uint64 { return &c.BotSignals },
	},
	{
		Name: "cost", Tag: 42, Token: "cost", In: Exports,
		Doc:   "what the click costs",
		Money: func(c *models.Click) *decimal.Decimal { return &c.Cost },
	},
	{
		Name: "unique_cost", Tag: 43,
		Money: func(c *models.Click) *decimal.Decimal { return &c.UniqueCost },
	},
	{
		Name: "currency", Tag: 44, Token: "currency", In: Exports,
		Doc:  "currency of the cost, three letters",
		Text: func(c *models.Click) *string { return &c.Currency },
	},
	{
		Name: "conversion_cost", Tag: 45,
		Money: func(c *models.Click) *decimal.Decimal { return &c.ConversionCost },
	},
	{
		Name: "revenue_share", Tag: 46,
		Money: func(c *models.Click) *decimal.Decimal { return &c.RevenueShare },
	},
	{
		Name: "unique_key", Tag: 47,
		ID: func(c *models.Click) *uuid.UUID { return (*uuid.UUID)(&c.UniqueKey) },
	},
	{
		Name: "unique_hours", Tag: 48,
		Int: func(c *models.Click) *int { return &c.UniqueHours },
	},
	{
		Name: "route_seed", Tag: 49,
		Bits: func(c *models.Click) *uint64 { return &c.RouteSeed },
	},
	{
		Name: "flow_hash", Tag: 50,
		Bits: func(c *models.Click) *uint64 { return &c.FlowHash },
	},
	{
		Name: "via", Tag: 51,
		Int: func(c *models.Click) *int { return &c.Via },
	},
	{
		Name: "passed_stream_id", Tag: 52, In: Exports,
		ID: func(c *models.Click) *uuid.UUID { return &c.PassedStreamID },
	},
	{
		Name: "passed_reason", Tag: 53, Dimension: 43, In: Exports,
		Text: func(c *models.Click) *string { return &c.PassedReason },
	},
	{
		Name: "bot_entry_id", Tag: 54, In: Both,
		ID: func(c *models.Click) *uuid.UUID { return &c.BotEntryID },
	},
	{
		Name: "geo_source", Tag: 55, In: Exports,
		Text: func(c *models.Click) *string { return &c.GeoSource },
	},
	{
		Name: "crawler", Tag: 58, Dimension: 42, In: Exports,
		Text: func(c *models.Click) *string { return &c.Crawler },
	},
	{
		Name: "address_key", Tag: 60,
		Bits: func(c *models.Click) *uint64 { return &c.AddressKey },
	},
}

var passing = []Attr{
	{Name: "continent", Compare: AsText, Values: Continents},
	{Name: "timezone", Compare: AsText},
	{Name: "organization", Compare: AsText},
	{Name: "url", Compare: AsText},
	{Name: "is_unique", Compare: AsBool},
	{Name: "clicks_today", Compare: AsNumber},
}

func subs() []Attr {
	const firstTag, firstDimension, firstLate = 101, 32, 53
	list := make([]Attr, models.Subs)
	for i := range list {
		dimension := firstDimension + i
		if i >= models.EarlySubs {
			dimension = firstLate + i - models.EarlySubs
		}
		list[i] = Attr{
			Name: models.SubKeys[i], Tag: byte(firstTag + i), Compare: AsText, Dimension: dimension,
			In: Both, Sub: i + 1,
			Text: func(c *models.Click) *string { return &c.Subs[i] },
		}
	}
	return list
}
