package template

var displaySources = []Source{
	{
		Key: "a_ads", Name: "A-ADS", Origin: binomSources,
		TokenMacros: tokens("ad_unit", "{{ad_unit}}", "banner_size", "{{banner_size}}", "partner", "{{partner}}",
			"country", "{{http_country_code}}", "os_name", "{{os_name}}", "browser_name", "{{browser_name}}",
			"device_type", "{{device_type}}"),
	},
	{
		Key: "bitmedia", Name: "Bitmedia", ExternalIDMacro: "{click_id}", CostMacro: "{bid}", Origin: keitaroSources,
		TokenMacros: tokens("source", "{source}"),
		PostbackURL: "https://api.bitmediacdn.com/conversion?eventName=YOUR_EVENT&eventValue={payout}&conversionID=YOUR_CONVERSION_ID&clickID={external_id}",
	},
	{
		// The macros from {country} on and the spelling of {clickId} are in the list of Binom.
		Key: "adxad", Name: "ADXAD", ExternalIDMacro: "{clickId}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaignId}", "creative_id", "{creativeId}", "site_id", "{siteId}",
			"country", "{country}", "browser", "{browser}", "device", "{device}", "project_id", "{projectId}",
			"language", "{language}"),
		PostbackURL: "http://conv.adxadserv.com/?clickid={external_id}&payout={payout}&type={status:pending=1,approved=2}",
	},
	{
		Key: "alium", Name: "Alium", ExternalIDMacro: "[CLICK_ID]", Origin: binomSources,
		TokenMacros: tokens("country_iso_code", "[COUNTRY_ISO_CODE]", "os_type", "[OS_TYPE]",
			"browser_family", "[BROWSER_FAMILY]", "pricing_model", "[PRICING_MODEL]", "mobile_brand", "[MOBILE_BRAND]",
			"domain", "[DOMAIN]", "in_stream_domain", "[IN_STREAM_DOMAIN]"),
		PostbackURL: "https://alium.one/trackingpostback/?token=YOUR_TOKEN&click_id={external_id}&payout={payout}",
	},
	{
		Key: "sitescout", Name: "SiteScout", ExternalIDMacro: "{postbackId}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaignId}", "ad_id", "{adId}", "site_id", "{siteId}",
			"carrier", "{carrier}", "device", "{device}", "network_id", "{networkId}", "app_id", "{appId}",
			"app_type", "{appType}"),
		PostbackURL: "http://clickserv2.sitescout.com/conv/YOUR_ID?pb={external_id}",
	},
	{
		Key: "wigetmedia", Name: "Wigetmedia", ExternalIDMacro: "{transactionId}", CostMacro: "{cost}",
		Origin:      keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaignId}", "ad_id", "{adId}", "advertiser_id", "{advertiserId}"),
	},
}
