package template

var socialSources = []Source{
	{
		Key: "meta", Name: "Meta (Facebook, Instagram)", ExternalIDParam: "fbclid", Origin: orbitraBuiltIn,
		TokenMacros: tokens("campaign_id", "{{campaign.id}}", "adset_id", "{{adset.id}}", "ad_id", "{{ad.id}}",
			"campaign_name", "{{campaign.name}}", "adset_name", "{{adset.name}}", "ad_name", "{{ad.name}}",
			"placement", "{{placement}}", "source", "{{site_source_name}}"),
	},
	{
		// __CLICKID__ is from Orbitra's list.
		Key: "tiktok", Name: "TikTok", ExternalIDParam: "ttclid", ExternalIDMacro: "__CLICKID__",
		Origin: read("https://ads.tiktok.com/help/article?aid=6669666107177041925"),
		TokenMacros: tokens("campaign_id", "__CAMPAIGN_ID__", "adgroup", "__AID__", "ad", "__CID__",
			"campaign_name", "__CAMPAIGN_NAME__", "adgroup_name", "__AID_NAME__", "ad_name", "__CID_NAME__",
			"placement", "__PLACEMENT__"),
	},
	{
		// ScCid: https://docs.vendodata.com/sources/snap-ads/utm-tracking
		Key: "snapchat", Name: "Snapchat", ExternalIDParam: "ScCid",
		Origin: read("https://help.godatafeed.com/hc/en-us/articles/360051303951"),
		TokenMacros: tokens("campaign_id", "{{campaign.id}}", "adset_id", "{{adSet.id}}", "ad_id", "{{ad.id}}",
			"campaign_name", "{{campaign.name}}", "adset_name", "{{adSet.name}}"),
	},
	{
		// epik: https://github.com/pinterest/api-description/blob/c05b18971472342ebdf4bafc15fea8a91c78bf79/v5/openapi.yaml
		Key: "pinterest", Name: "Pinterest", ExternalIDParam: "epik", Origin: read("https://urlmacros.com/pinterest.html"),
		TokenMacros: tokens("campaign_id", "{campaignid}", "adgroup_id", "{adgroupid}", "ad_id", "{adid}",
			"campaign_name", "{campaignname}", "adgroup_name", "{adgroupname}", "keyword", "{keyword}", "device", "{device}"),
	},
	{
		Key: "reddit", Name: "Reddit", ExternalIDParam: "rdt_cid", Origin: read("https://docs.metarouter.io/docs/reddit-ads"),
	},
	{
		// oppref, which OpenAI adds to the landing page: https://developers.openai.com/ads/conversion-tracking.md
		Key: "openai_ads", Name: "OpenAI Ads (ChatGPT)", ExternalIDParam: "oppref",
		Origin:      read("https://developers.openai.com/ads/campaign-management"),
		TokenMacros: tokens("campaign_id", "{campaign_id}", "ad_id", "{ad_id}"),
	},
	{
		Key: "axon", Name: "AppLovin (Axon)",
		Origin: read("https://support.axon.ai/en/growth/promoting-your-websites/tracking/tracking-url-macros"),
		TokenMacros: tokens("campaign_id", "{CAMPAIGN_ID}", "campaign_name", "{CAMPAIGN_NAME}",
			"creative_set_id", "{CREATIVE_SET_ID}", "creative_set", "{CREATIVE_SET}", "ad_size", "{AD_SIZE}",
			"ad_type", "{AD_TYPE}"),
	},
	{
		Key: "kwai", Name: "Kwai", ExternalIDMacro: "{click_id}", Origin: keitaroSources,
		PostbackURL: "http://www.adsnebula.com/log/common/api?clickid={external_id}&event_name=YOUR_EVENT&pixelId=YOUR_PIXEL_ID&access_token=YOUR_TOKEN",
	},
	{
		// AdsGram confirms a conversion by {record_data}, and not by {click_id}. The goal type is 1, 2 or 3.
		Key: "adsgram", Name: "AdsGram", ExternalIDParam: "record", ExternalIDMacro: "{record_data}",
		Origin: read("https://docs.adsgram.ai/zh/advertiser/web-tracking-links"),
		TokenMacros: tokens("campaign_id", "{campaign_id}", "banner_id", "{banner_id}", "publisher_id", "{publisher_id}",
			"campaign", "{campaign}", "adsgram_click_id", "{click_id}"),
		PostbackURL: "https://api.adsgram.ai/confirm_conversion?token=YOUR_TOKEN&record={external_id}&goaltype=YOUR_GOAL_TYPE",
	},
	{
		Key: "vk", Name: "VK", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "ad_id", "{ad_id}"),
	},
	{
		Key: "vk_ads", Name: "VK Ads (Mail.ru)", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{{campaign_id}}", "campaign_name", "{{campaign_name}}",
			"banner_id", "{{banner_id}}", "user_timezone", "{{user_timezone}}", "geo", "{{geo}}",
			"advertiser_id", "{{advertiser_id}}", "search_phrase", "{{search_phrase}}", "gender", "{{gender}}"),
	},
	{
		Key: "bigo_ads", Name: "BIGO Ads", ExternalIDParam: "bbg", ExternalIDMacro: "__BBG__", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "__CAMPAIGN_ID__", "campaign_name", "__CAMPAIGN_NAME__", "ad_id", "__AD_ID__",
			"os", "__OS__", "ad_group_id", "__AD_GROUP_ID__", "group_name", "__GROUP_NAME__", "ad_name", "__AD_NAME__",
			"pixel_id", "__PIXEL_ID__"),
		PostbackURL: "https://api.bytegle.site/bigoad/trackingevent/v2?bbg={external_id}&pixel_id=YOUR_PIXEL_ID&event_id=YOUR_EVENT_ID",
	},
}
