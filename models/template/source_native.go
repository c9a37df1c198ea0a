package template

var nativeSources = []Source{
	{
		// The postback is documented at https://developers.taboola.com/pixel/docs/the-postback-url; {cpc}, {title} and
		// {thumbnail} are from the lists of Orbitra and Binom.
		Key: "taboola", Name: "Taboola", ExternalIDParam: "click_id", ExternalIDMacro: "{click_id}", CostMacro: "{cpc}",
		Origin: read("https://kintura.com/docs/presets/pairings/taboola/m4trix"),
		TokenMacros: tokens("site", "{site}", "site_id", "{site_id}", "campaign_id", "{campaign_id}",
			"item", "{campaign_item_id}", "title", "{title}", "thumbnail", "{thumbnail}", "platform", "{platform}"),
		PostbackURL: "https://trc.taboola.com/actions-handler/log/3/s2s-action?click-id={external_id}&name=YOUR_EVENT&revenue={payout}" +
			"&currency={currency}&orderid={conversion_id}",
	},
	{
		// The macros are from ClickerVolt's list, except {{section_id}}, which is from client programs whose code is public.
		Key: "outbrain", Name: "Outbrain", ExternalIDParam: "ob_click_id", ExternalIDMacro: "{{ob_click_id}}",
		Origin: read("https://github.com/stape-io/outbrain-tag/blob/0669c1744bcc5d45f6a5b01a50ca657d1cdd4ba2/template.js"),
		TokenMacros: tokens("ad_id", "{{ad_id}}", "campaign_id", "{{campaign_id}}", "publisher_id", "{{publisher_id}}",
			"section_id", "{{section_id}}", "section", "{{section_name}}"),
		PostbackURL: "https://tr.outbrain.com/unifiedPixel?ob_click_id={external_id}&name=YOUR_EVENT&orderValue={payout}" +
			"&currency={currency}&orderId={conversion_id}",
	},
	{
		// The postback is documented at https://help.mgid.com/postback-setting-algorithm-in-mgid-dashboard/.
		Key: "mgid", Name: "MGID", ExternalIDMacro: "{click_id}", CostMacro: "{click_price}",
		Origin: read("https://help.mgid.com/macros.-setting-up-non-standard-markup-for-links-to-track-traffic"),
		TokenMacros: tokens("widget_id", "{widget_id}", "teaser_id", "{teaser_id}", "campaign_id", "{campaign_id}",
			"category_id", "{category_id}", "geo", "{geo}"),
		PostbackURL: "https://a.mgid.com/postback?c={external_id}&e=YOUR_GOAL&r={payout}",
	},
	{
		Key: "revcontent", Name: "Revcontent", Origin: binomSources,
		TokenMacros: tokens("widget_id", "{widget_id}", "boost_id", "{boost_id}", "content_id", "{content_id}",
			"adv_targets", "{adv_targets}"),
	},
	{
		Key: "newsbreak", Name: "NewsBreak", ExternalIDParam: "newsbreak_cid", ExternalIDMacro: "__CALLBACK_PARAM__",
		Origin: read("https://help.newsbreak.com/hc/en-us/articles/42982282066573-NewsBreak-Postback-Integration-FAQ"),
		TokenMacros: tokens("campaign_id", "__CAMPAIGN_ID__", "campaign_name", "__CAMPAIGN_NAME__", "flight_id", "__FLIGHT_ID__",
			"flight_name", "__FLIGHT_NAME__", "creative_id", "__CREATIVE_ID__", "creative_name", "__CREATIVE_NAME__", "os", "__OS__"),
		PostbackURL: "https://business.newsbreak.com/tracking/attribute?callback={external_id}&event_type=YOUR_EVENT&nb_value={payout}",
	},
	{
		Key: "adskeeper", Name: "AdsKeeper", ExternalIDMacro: "{click_id}", CostMacro: "{click_price}",
		Origin:      keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "teaser_id", "{teaser_id}", "widget_id", "{widget_id}"),
		PostbackURL: "https://a.adskeeper.co.uk/postback?c={external_id}&e=YOUR_GOAL",
	},
	{
		Key: "geozo", Name: "Geozo", ExternalIDMacro: "[CLICK_ID]", CostMacro: "[BID]", Origin: keitaroSources,
		TokenMacros: tokens("ad_id", "[AD_ID]", "site_id", "[SITE_ID]", "category_id", "[CATEGORY_ID]",
			"ad_group_id", "[AD_GROUP_ID]", "block_id", "[BLOCK_ID]", "template_id", "[TEMPLATE_ID]"),
	},
	{
		Key: "luckyads", Name: "LuckyAds", ExternalIDMacro: "[CLICK_ID]", CostMacro: "[BID]", Origin: keitaroSources,
		TokenMacros: tokens("ad_id", "[AD_ID]", "site_id", "[SITE_ID]", "ad_group_id", "[AD_GROUP_ID]",
			"block_id", "[BLOCK_ID]"),
		PostbackURL: "https://kipyn.com/v1/click/postback/?click_uuid={external_id}&money={payout}&status={status:approved=confirmed,pending=new,rejected=rejected}",
	},
	{
		Key: "tovarro", Name: "Tovarro", ExternalIDMacro: "{click_id}", CostMacro: "{click_price}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "teaser_id", "{teaser_id}", "widget_id", "{widget_id}",
			"category_id", "{category_id}"),
		PostbackURL: "http://a.tovarro.com/postback?c={external_id}&e={status}&r={payout}",
	},
	{
		Key: "adprofex", Name: "AdProfex", ExternalIDMacro: "[CLICK_ID]", Origin: keitaroSources,
		TokenMacros: tokens("campaign", "[CAMPAIGN]", "daysubs", "[DAYSUBS]", "idsubs", "[IDSUBS]", "sid", "[SID]",
			"tid", "[TID]", "traffic_group", "[TRAFFIC_GROUP]", "traffic_type", "[TRAFFIC_TYPE]"),
	},
	{
		Key: "visitweb", Name: "VisitWeb", ExternalIDMacro: "{UID}", CostMacro: "{REAL_COST}", Origin: keitaroSources,
		TokenMacros: tokens("hsite2", "{HSITE2}", "site", "{SITE}", "format", "{FORMAT}", "camp", "{CAMP}", "ad", "{AD}",
			"operator", "{OPERATOR}"),
		PostbackURL: "http://c.visitweb.com/c?l&uid={external_id}&m={payout}",
	},
	{
		Key: "bodyclick", Name: "BodyClick", ExternalIDMacro: "[UID]", CostMacro: "[PRICE]", Origin: keitaroSources,
		TokenMacros: tokens("sid", "[SID]", "id", "[ID]", "cid", "[CID]"),
		PostbackURL: "https://bodyclick.net/postback/other.php?k=YOUR_K&t=YOUR_T&sid={param.sid}&uid={external_id}&money={payout}",
	},
	{
		Key: "clickscloud", Name: "ClicksCloud", CostMacro: "[COST]", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "[CAMPAIGN_ID]", "teaser_id", "[TEASER_ID]", "landing_id", "[LANDING_ID]"),
	},
	{
		Key: "viztrom", Name: "Viztrom", ExternalIDMacro: "{click_id}", CostMacro: "{price_click}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "teaser_id", "{teaser_id}", "site_id", "{site_id}"),
	},
	{
		Key: "sourceknowledge", Name: "SourceKnowledge", ExternalIDMacro: "{clickid}", CostMacro: "{adv_price}",
		Origin:      keitaroSources,
		TokenMacros: tokens("campaignid", "{campaignid}", "sub_id", "{sub_id}"),
		PostbackURL: "https://upx.provenpixel.com/postback.php?clk={external_id}&order_amount={payout}&upx={status}&currency={currency}",
	},
	{
		Key: "oblivki", Name: "Oblivki", CostMacro: "[PRICE]", Origin: binomSources,
		TokenMacros: tokens("category", "[CATEGORY]", "tid", "[TID]", "cid", "[CID]", "sid", "[SID]"),
	},
	{
		Key: "content_ad", Name: "Content.ad", Origin: binomSources,
		TokenMacros: tokens("adid", "[adid]", "did", "[did]", "cid", "[cid]"),
	},
	{
		Key: "adwile", Name: "Adwile", CostMacro: "%TEASER_CPC%", Origin: keitaroSources,
		TokenMacros: tokens("ad_id", "%AD_ID%", "site_id", "%SITE_ID%", "camp_id", "%CAMP_ID%"),
	},
	{
		Key: "teasernet", Name: "TeaserNet", Origin: keitaroSources,
		TokenMacros: tokens("teaser_id", "[TEASER_ID]", "site_id", "[SITE_ID]"),
	},
	{
		Key: "directadvert", Name: "DirectAdvert", Origin: keitaroSources,
		TokenMacros: tokens("ad_id", "%AD_ID%", "site_id", "%SITE_ID%"),
	},
}
