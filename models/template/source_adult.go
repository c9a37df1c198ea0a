package template

var adultSources = []Source{
	{
		Key: "exoclick", Name: "ExoClick", ExternalIDParam: "tag", ExternalIDMacro: "{conversions_tracking}",
		CostMacro: "{actual_cost}", Origin: binomSources,
		TokenMacros: tokens("campid", "{campaign_id}", "varid", "{variation_id}", "siteid", "{site_id}",
			"zoneid", "{zone_id}", "catid", "{category_id}", "src", "{src_hostname}", "format", "{format}",
			"country", "{country}"),
		PostbackURL: "http://main.exoclick.com/tag.php?goal=YOUR_GOAL&tag={external_id}",
	},
	{
		// The postback URL is from https://trafficstars.com/faq/articles/how-to-set-up-tracking-conversions.
		Key: "trafficstars", Name: "TrafficStars", ExternalIDMacro: "{click_id}", CostMacro: "{cost}",
		Origin: read("https://support.trafficstars.com/advertising/tracking/what-are-the-available-dynamic-parameters"),
		TokenMacros: tokens("site_id", "{site_id}", "creative", "{creative_id}", "campid", "{campaign_id}", "geo", "{geo}",
			"format", "{format}"),
		PostbackURL: "https://tsyndicate.com/api/v1/cpa/action?key=YOUR_KEY&clickid={external_id}&value={payout}",
	},
	{
		Key: "trafficjunky", Name: "TrafficJunky", ExternalIDMacro: "{ACLID}", CostMacro: "{BidValue}", Origin: binomSources,
		TokenMacros: tokens("site", "{SiteName}", "ad", "{AdID}", "ban", "{BanID}", "campaign", "{CampaignID}",
			"spot", "{SpotName}"),
		PostbackURL: "https://ads.trafficjunky.net/tj_ads_pt?a=YOUR_A&member_id=YOUR_MEMBER_ID&aclid={external_id}&ctv={payout}",
	},
	{
		Key: "adxpansion", Name: "AdXpansion", ExternalIDMacro: "{transactionID}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaignID}", "creative_id", "{creativeID}", "zone", "{zone}",
			"keyword", "{keyword}", "country", "{country}", "carrier", "{carrier}", "adgroup_id", "{adgroupID}",
			"connectiontype", "{connectiontype}"),
		PostbackURL: "https://api.adxpansion.com/v1/conversions/log?token=YOUR_TOKEN&id={external_id}",
	},
	{
		Key: "ero_advertising", Name: "EroAdvertising", ExternalIDMacro: "[tracking]", Origin: binomSources,
		TokenMacros: tokens("campaignid", "[campaignid]", "adid", "[adid]", "country", "[country]",
			"domainid", "[domainid]", "spaceid", "[spaceid]"),
		PostbackURL: "https://tracker.ero-advertising.com/tracking/conv.php?cid={external_id}",
	},
	{
		Key: "juicyads", Name: "JuicyAds", ExternalIDMacro: "{dynamicS2S}", CostMacro: "{dynamicBID}",
		Origin: keitaroSources,
		TokenMacros: tokens("dynamic_site", "{dynamicSITE}", "dynamic_pub", "{dynamicPUB}", "keyword", "{keyword}",
			"dynamic_img", "{dynamicIMG}", "dynamic_cmp", "{dynamicCMP}", "dynamic_zne", "{dynamicZNE}"),
		PostbackURL: "https://ck.juicyads.com/ilikeitjuicy.php?c=YOUR_C&s2s={external_id}&amount={payout}&token=YOUR_TOKEN&data=YOUR_DATA&goal=YOUR_GOAL",
	},
	{
		Key: "traffic_factory", Name: "Traffic Factory", ExternalIDMacro: "{goal_tracking}", CostMacro: "{target.bid}",
		Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign.id}", "banner_name", "{banner.name}", "site_name", "{SiteName}",
			"categories", "{categories}", "carrier", "{carrier}"),
	},
	{
		Key: "trafficforce", Name: "TrafficForce", ExternalIDMacro: "{CLICK_ID}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "ad_id", "{ad_id}", "site_name", "{site_name}",
			"site_id", "{site_id}", "keywords", "{keywords}", "v_country", "{v_country}", "channel_id", "{channel_id}",
			"group_id", "{group_id}"),
		PostbackURL: "http://delivery.trafficforce.com/conv.php?click_id={external_id}",
	},
	{
		Key: "trafficshop", Name: "TrafficShop", ExternalIDMacro: "{s2s_token}", CostMacro: "{cost}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "site", "{site}", "site_id", "{site_id}",
			"country", "{country}", "cpm", "{cpm}"),
		PostbackURL: "https://ad.trafficshop.com/track.php?track_id=YOUR_TRACK_ID&ts_subid={external_id}&atpay={payout}",
	},
	{
		Key: "traforama", Name: "Traforama", ExternalIDMacro: "%ID%", CostMacro: "%AUCTIONPRICE%", Origin: binomSources,
		TokenMacros: tokens("campaignid", "%CAMPAIGNID%", "creativeid", "%CREATIVEID%", "spotid", "%SPOTID%",
			"kw", "%KW%", "nodeid", "%NODEID%", "cpvprice", "%CPVPRICE%"),
		PostbackURL: "https://p.pa5ka.com/api/click?suid=YOUR_SUID&c=1&cpa={payout}&id={external_id}",
	},
	{
		Key: "twinred", Name: "TwinRed", ExternalIDMacro: "{transactionID}", CostMacro: "{cost}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaignID}", "creative_id", "{creativeID}", "source", "{source}",
			"keywords", "{keywords}", "country", "{country}", "carrier", "{carrier}", "browser", "{browser}",
			"domain", "{domain}"),
		PostbackURL: "https://ad.twinrdengine.com/conversion/YOUR_TRACKER?id={external_id}",
	},
	{
		Key: "runative", Name: "RUNative", ExternalIDMacro: "{click_id}", CostMacro: "{cost}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "creative_id", "{creative_id}", "site_id", "{site_id}",
			"adspot_id", "{adspot_id}"),
		PostbackURL: "https://runative-syndicate.com/api/v1/cpa/action/{external_id}?value={payout}",
	},
}
