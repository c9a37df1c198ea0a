package template

// sourceData comes from the documentation of each source. A source without its own click id parameter gets "click_id". Postback
// URLs use this service's tokens. In them, YOUR_... stands for the account's own values at the source.
var sourceData = []Source{
	{
		Key: "google_ads", Name: "Google Ads", ExternalIDParam: "gclid",
		TokenMacros: tokens("campaignid", "{campaignid}", "adgroupid", "{adgroupid}", "creative", "{creative}",
			"keyword", "{keyword}", "matchtype", "{matchtype}", "network", "{network}", "device", "{device}",
			"placement", "{placement}", "target", "{targetid}", "adposition", "{adposition}", "lpurl", "{lpurl}"),
	},
	{
		Key: "microsoft_ads", Name: "Microsoft Advertising", ExternalIDParam: "msclkid", ExternalIDMacro: "{msclkid}",
		TokenMacros: tokens("campaignid", "{CampaignId}", "adgroup", "{AdGroupId}", "ad", "{AdId}", "keyword", "{keyword}",
			"q", "{QueryString}", "match", "{MatchType}", "bid", "{BidMatchType}", "target", "{TargetId}",
			"net", "{Network}"),
	},
	{
		Key: "meta", Name: "Meta (Facebook, Instagram)", ExternalIDParam: "fbclid",
		TokenMacros: tokens("campaign_id", "{{campaign.id}}", "adset_id", "{{adset.id}}", "ad_id", "{{ad.id}}",
			"campaign_name", "{{campaign.name}}", "adset_name", "{{adset.name}}", "ad_name", "{{ad.name}}",
			"placement", "{{placement}}", "source", "{{site_source_name}}"),
	},
	{
		Key: "tiktok", Name: "TikTok", ExternalIDParam: "ttclid", ExternalIDMacro: "__CLICKID__",
		TokenMacros: tokens("campaign_id", "__CAMPAIGN_ID__", "adgroup", "__AID__", "ad", "__CID__",
			"campaign_name", "__CAMPAIGN_NAME__", "adgroup_name", "__AID_NAME__", "ad_name", "__CID_NAME__",
			"placement", "__PLACEMENT__"),
	},
	{
		Key: "taboola", Name: "Taboola", ExternalIDParam: "click_id", ExternalIDMacro: "{click_id}", CostMacro: "{cpc}",
		TokenMacros: tokens("site", "{site}", "site_id", "{site_id}", "campaign_id", "{campaign_id}",
			"item", "{campaign_item_id}", "title", "{title}", "thumbnail", "{thumbnail}", "platform", "{platform}"),
		PostbackURL: "https://trc.taboola.com/actions-handler/log/3/s2s-action?click-id={external_id}&name=YOUR_EVENT",
	},
	{
		Key: "outbrain", Name: "Outbrain", ExternalIDParam: "ob_click_id", ExternalIDMacro: "{{ob_click_id}}",
		TokenMacros: tokens("ad_id", "{{ad_id}}", "campaign_id", "{{campaign_id}}", "publisher_id", "{{publisher_id}}",
			"section_id", "{{section_id}}", "section", "{{section_name}}"),
		PostbackURL: "https://tr.outbrain.com/pixel?ob_click_id={external_id}&name=lead",
	},
	{
		Key: "mgid", Name: "MGID", ExternalIDMacro: "{click_id}", CostMacro: "{click_price}",
		TokenMacros: tokens("widget_id", "{widget_id}", "teaser_id", "{teaser_id}", "campaign_id", "{campaign_id}",
			"category_id", "{category_id}", "geo", "{geo}"),
		PostbackURL: "https://a.mgid.com/postback?c={external_id}&e=YOUR_GOAL&r={payout}",
	},
	{
		Key: "revcontent", Name: "Revcontent",
		TokenMacros: tokens("widget_id", "{widget_id}", "boost_id", "{boost_id}", "content_id", "{content_id}",
			"adv_targets", "{adv_targets}"),
	},
	{
		Key: "propellerads", Name: "PropellerAds", ExternalIDParam: "visitor_id", ExternalIDMacro: "${SUBID}",
		CostMacro: "{cost}",
		TokenMacros: tokens("zoneid", "{zoneid}", "campaignid", "{campaignid}", "bannerid", "{bannerid}", "os", "{os}",
			"osversion", "{osversion}", "country", "{country}", "isp", "{isp}", "user_activity", "{user_activity}",
			"zone_type", "{zone_type}"),
		PostbackURL: "https://ad.propellerads.com/conversion.php?aid=YOUR_AID&pid=YOUR_PID&tid=YOUR_TID&visitor_id={external_id}&payout={payout}",
	},
	{
		Key: "exoclick", Name: "ExoClick", ExternalIDParam: "tag", ExternalIDMacro: "{conversions_tracking}",
		CostMacro: "{actual_cost}",
		TokenMacros: tokens("campid", "{campaign_id}", "varid", "{variation_id}", "siteid", "{site_id}",
			"zoneid", "{zone_id}", "catid", "{category_id}", "src", "{src_hostname}", "format", "{format}",
			"country", "{country}"),
		PostbackURL: "https://main.exoclick.com/tag.php?goal=YOUR_GOAL&tag={external_id}",
	},
	{
		Key: "zeropark", Name: "Zeropark", ExternalIDParam: "cid", ExternalIDMacro: "{cid}", CostMacro: "{visit_cost}",
		TokenMacros: tokens("target", "{target}", "source", "{source}", "keyword", "{keyword}", "match", "{match}",
			"campaign_id", "{campaign_id}", "geo", "{geo}", "carrier", "{carrier}", "traffic_type", "{traffic_type}"),
		PostbackURL: "https://postback.zeroredirect1.com/zppostback/YOUR_ID?cid={external_id}&payout={payout}",
	},
	{
		Key: "popads", Name: "PopAds", ExternalIDMacro: "[IMPRESSIONID]", CostMacro: "[BID]",
		TokenMacros: tokens("websiteid", "[WEBSITEID]", "campaignid", "[CAMPAIGNID]", "country", "[COUNTRY]",
			"categoryid", "[CATEGORYID]", "quality", "[QUALITY]", "formfactor", "[FORMFACTORNAME]"),
	},
	{
		Key: "popcash", Name: "PopCash", ExternalIDMacro: "[clickid]", CostMacro: "[bid]",
		TokenMacros: tokens("siteid", "[siteid]", "category", "[category]", "cc", "[cc]", "os", "[operatingsystem]",
			"connection", "[connection]", "device", "[device]", "carrier", "[carrier]"),
		PostbackURL: "https://ct.popcash.net/click?aid=YOUR_AID&clickid={external_id}&payout={payout}",
	},
	{
		Key: "adsterra", Name: "Adsterra", ExternalIDMacro: "##SUB_ID_SHORT(action)##", CostMacro: "##COST_CPC##",
		TokenMacros: tokens("placement", "##PLACEMENT_ID##", "campaign", "##CAMPAIGN_ID##", "banner", "##BANNER_ID##",
			"os", "##USER_OS##"),
		PostbackURL: "https://www.pbterra.com/name/YOUR_LOGIN/at?subid_short={external_id}&atpay={payout}",
	},
	{
		Key: "hilltopads", Name: "HilltopAds", ExternalIDMacro: "{{ctoken}}", CostMacro: "{{price}}",
		TokenMacros: tokens("zoneid", "{{zoneid}}", "campaignid", "{{campaignid}}", "geo", "{{geo}}", "adid", "{{adid}}"),
		PostbackURL: "https://postback.hilltopads.com/close/?token={external_id}&price={payout}&currency=USD",
	},
	{
		Key: "adcash", Name: "Adcash", ExternalIDMacro: "[clickid]",
		TokenMacros: tokens("zone", "[zone]", "campaign", "[campaign]", "country", "[country]", "lang", "[lang]"),
		PostbackURL: "https://www.adcash.com/script/register_event.php?key=YOUR_KEY&idform=YOUR_FORM&campagne=YOUR_CAMPAIGN&cid={external_id}",
	},
	{
		Key: "clickadu", Name: "Clickadu", ExternalIDMacro: "${SUBID}", CostMacro: "{cost}",
		TokenMacros: tokens("zoneid", "{zoneid}", "bannerid", "{bannerid}", "geo", "{geo}", "carrier", "{carrier}"),
		PostbackURL: "https://sconvtrk.com/conversion/YOUR_ID/?visitor_id={external_id}&aid=YOUR_AID",
	},
	{
		Key: "trafficstars", Name: "TrafficStars", ExternalIDMacro: "{click_id}", CostMacro: "{cost}",
		TokenMacros: tokens("site_id", "{site_id}", "creative", "{creative_id}", "campid", "{campaign_id}", "geo", "{geo}",
			"format", "{format}"),
		PostbackURL: "https://tsyndicate.com/api/v1/cpa/action?key=YOUR_KEY&clickid={external_id}&value={payout}",
	},
	{
		Key: "trafficjunky", Name: "TrafficJunky", ExternalIDMacro: "{ACLID}", CostMacro: "{BidValue}",
		TokenMacros: tokens("site", "{SiteName}", "ad", "{AdID}", "ban", "{BanID}", "campaign", "{CampaignID}",
			"spot", "{SpotName}"),
		PostbackURL: "https://ads.trafficjunky.net/tj_ads_pt?a=YOUR_A&member_id=YOUR_MEMBER_ID&aclid={external_id}&ctv={payout}",
	},
	{
		Key: "richads", Name: "RichAds", ExternalIDMacro: "[CLICK_ID]", CostMacro: "[BID_PRICE]",
		TokenMacros: tokens("site", "[SITE_ID]", "publisher", "[PUBLISHER_ID]", "campaign", "[CAMPAIGN_ID]",
			"creative", "[CREATIVE_ID]", "zone", "[ZONE_ID]"),
		PostbackURL: "https://xml.auxml.com/log?action=conversion&key={external_id}&price={payout}",
	},
	{
		Key: "pushground", Name: "Pushground", ExternalIDMacro: "{click_id}", CostMacro: "{bid}",
		TokenMacros: tokens("site_id", "{site_id}", "supply", "{supply_id}", "campaign", "{campaign_id}",
			"creative", "{creativity_id}", "age", "{userAge}"),
		PostbackURL: "https://lupush.com/conversion?click_id={external_id}",
	},
	{
		Key: "evadav", Name: "EvaDav", ExternalIDMacro: "{CLICKID}", CostMacro: "{COST}",
		TokenMacros: tokens("source", "{SOURCE_ID}", "campaign", "{CAMPAIGN_ID}", "zone", "{ZONE_ID}",
			"creative", "{CREATIVE_ID}"),
		PostbackURL: "https://evadav.com/phpb?click_id={external_id}&payout={payout}",
	},
	{
		Key: "kadam", Name: "Kadam", ExternalIDMacro: "{click_id}", CostMacro: "{cpc}",
		TokenMacros: tokens("site", "{site_id}", "ad", "{ad_id}", "campaign", "{campaign_id}"),
		PostbackURL: "https://kdtrk.net/ru/postback/?data={external_id}&cost={payout}&currency=USD",
	},
	{
		Key: "ad_maven", Name: "AdMaven", ExternalIDMacro: "{:click_id}", CostMacro: "{:cost}",
		TokenMacros: tokens("sub_source", "{:sub_source_id}", "country", "{:country_code}", "creative", "{:creative_id}"),
		PostbackURL: "https://xml.realtime-bid.com/conversion?c={external_id}&value={payout}",
	},
	{
		Key: "mondiad", Name: "Mondiad", ExternalIDMacro: "[clickid]", CostMacro: "[bid]",
		TokenMacros: tokens("zone", "[zoneid]", "sub", "[subid]", "campaign", "[campaignid]", "creative", "[creativeid]"),
		PostbackURL: "https://postback.mondiad.com/track?clickid={external_id}&payout={payout}",
	},
	{
		Key: "bidvertiser", Name: "BidVertiser", ExternalIDMacro: "{BV_CLICKID}", CostMacro: "{BV_BID}",
		TokenMacros: tokens("src", "{BV_SRCID}", "campaign", "{BV_CAMPID}", "geo", "{BV_GEO}"),
		PostbackURL: "https://secure.bidvertiser.com/performance/pc.dbm?ver=1.0&AID=YOUR_AID&CLICKID={external_id}&revenue={payout}",
	},
}
