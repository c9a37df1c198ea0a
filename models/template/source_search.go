package template

var searchSources = []Source{
	{
		// Google's auto-tagging adds the parameter gclid.
		Key: "google_ads", Name: "Google Ads", ExternalIDParam: "gclid",
		Origin: read("https://support.google.com/google-ads/answer/6305348"),
		TokenMacros: tokens("campaignid", "{campaignid}", "adgroupid", "{adgroupid}", "creative", "{creative}",
			"keyword", "{keyword}", "matchtype", "{matchtype}", "network", "{network}", "device", "{device}",
			"placement", "{placement}", "target", "{targetid}", "adposition", "{adposition}", "lpurl", "{lpurl}"),
	},
	{
		// {QueryString}, {BidMatchType} and {Network} are from the lists of Binom and ClickerVolt.
		Key: "microsoft_ads", Name: "Microsoft Advertising", ExternalIDParam: "msclkid", ExternalIDMacro: "{msclkid}",
		Origin: read("https://experienceleague.adobe.com/en/docs/advertising/search-social-commerce/tracking/click-tracking/" +
			"click-tracking-components/click-tracking-formats/formats-click-tracking-microsoft"),
		TokenMacros: tokens("campaignid", "{CampaignId}", "adgroup", "{AdGroupId}", "ad", "{AdId}", "keyword", "{keyword}",
			"q", "{QueryString}", "match", "{MatchType}", "bid", "{BidMatchType}", "target", "{TargetId}",
			"net", "{Network}"),
	},
	{
		// yclid: https://yandex.com/blog/ya-direct-api/yclid-tags-added-by-default
		Key: "yandex_direct", Name: "Yandex Direct", ExternalIDParam: "yclid", Origin: orbitraBuiltIn,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "ad_id", "{ad_id}", "phrase_id", "{phrase_id}",
			"keyword", "{keyword}", "position_type", "{position_type}", "device_type", "{device_type}"),
	},
}
