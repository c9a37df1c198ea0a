package template

var pushSources = []Source{
	{
		// {zone_type} and {bannerid} are on the page "tracking macros" of help.propellerads.com.
		Key: "propellerads", Name: "PropellerAds", ExternalIDParam: "visitor_id", ExternalIDMacro: "${SUBID}",
		CostMacro: "{cost}", Origin: binomSources,
		TokenMacros: tokens("zoneid", "{zoneid}", "campaignid", "{campaignid}", "bannerid", "{bannerid}", "os", "{os}",
			"osversion", "{osversion}", "country", "{country}", "isp", "{isp}", "user_activity", "{user_activity}",
			"zone_type", "{zone_type}"),
		PostbackURL: "https://ad.propellerads.com/conversion.php?aid=YOUR_AID&pid=YOUR_PID&tid=YOUR_TID&visitor_id={external_id}&payout={payout}",
	},
	{
		Key: "richads", Name: "RichAds", ExternalIDMacro: "[CLICK_ID]", CostMacro: "[BID_PRICE]", Origin: keitaroSources,
		TokenMacros: tokens("site", "[SITE_ID]", "publisher", "[PUBLISHER_ID]", "campaign", "[CAMPAIGN_ID]",
			"creative", "[CREATIVE_ID]", "zone", "[ZONE_ID]"),
		PostbackURL: "http://xml.auxml.com/log?action=conversion&key={external_id}&price={payout}",
	},
	{
		Key: "pushground", Name: "Pushground", ExternalIDMacro: "{click_id}", CostMacro: "{bid}", Origin: binomSources,
		TokenMacros: tokens("site_id", "{site_id}", "supply", "{supply_id}", "campaign", "{campaign_id}",
			"creative", "{creativity_id}", "age", "{userAge}"),
		PostbackURL: "https://lupush.com/conversion?click_id={external_id}",
	},
	{
		Key: "evadav", Name: "EvaDav", ExternalIDMacro: "{CLICKID}", CostMacro: "{COST}", Origin: binomSources,
		TokenMacros: tokens("source", "{SOURCE_ID}", "campaign", "{CAMPAIGN_ID}", "zone", "{ZONE_ID}",
			"creative", "{CREATIVE_ID}"),
		PostbackURL: "https://evadav.com/phpb?click_id={external_id}&payout={payout}",
	},
	{
		Key: "kadam", Name: "Kadam", ExternalIDMacro: "{click_id}", CostMacro: "{cpc}", Origin: binomSources,
		TokenMacros: tokens("site", "{site_id}", "ad", "{ad_id}", "campaign", "{campaign_id}"),
		PostbackURL: "https://kdtrk.net/ru/postback/?data={external_id}&cost={payout}&currency={currency}",
	},
	{
		// All values are from Keitaro's list except [subid], which is from Binom's.
		Key: "mondiad", Name: "Mondiad", ExternalIDMacro: "[clickid]", CostMacro: "[bid]", Origin: keitaroSources,
		TokenMacros: tokens("zone", "[zoneid]", "sub", "[subid]", "campaign", "[campaignid]", "creative", "[creativeid]"),
		PostbackURL: "https://postback.mondiad.com/track?uid=YOUR_UID&clickid={external_id}&payout={payout}",
	},
	{
		Key: "push_house", Name: "Push.House", ExternalIDMacro: "{click_id}", CostMacro: "{price}", Origin: keitaroSources,
		TokenMacros: tokens("site", "{site}", "feed", "{feed}", "camp", "{camp}"),
		PostbackURL: "http://api.push.house/v1/postback?click_id={external_id}&cost={payout}",
	},
	{
		Key: "megapush", Name: "MegaPush", ExternalIDMacro: "{clickid}", CostMacro: "{bid}", Origin: keitaroSources,
		TokenMacros: tokens("feedsourceid", "{feedsourceid}", "feedid", "{feedid}", "camp_id", "{camp_id}"),
		PostbackURL: "https://megapu.sh/pb?cid={external_id}&p={payout}&f={param.feedid}&currency={currency}&source_id={param.feedsourceid}",
	},
	{
		Key: "datspush", Name: "DatsPush", ExternalIDMacro: "{click_id}", CostMacro: "{CPC}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{CAMPAIGN_ID}", "creative_id", "{CREATIVE_ID}", "site_id", "{SITE_ID}",
			"country", "{COUNTRY}", "browser", "{BROWSER}", "device_type", "{DEVICE_TYPE}", "platform", "{PLATFORM}"),
		PostbackURL: "http://postback.datspush.com/v1/postback?click_id={external_id}&status=confirmed&payout={payout}&currency={currency}",
	},
	{
		Key: "dao_ad", Name: "Dao.ad", ExternalIDMacro: "{click_id}", CostMacro: "{cpc}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "creative_id", "{creative_id}", "source_id", "{source_id}",
			"sub_id", "{sub_id}", "browser", "{browser}", "platform", "{platform}"),
		PostbackURL: "http://api.daopush-api.info/api/postback/campaign?key=YOUR_KEY&sum={payout}&click-id={external_id}",
	},
	{
		Key: "realpush", Name: "Realpush", ExternalIDMacro: "{CLICK_ID}", CostMacro: "{PRICE}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{CAMPAIGN_ID}", "creative_id", "{CREATIVE_ID}", "source_id", "{SOURCE_ID}"),
		PostbackURL: "https://click-adc.realsh.xyz/sst?clickid={external_id}&price={payout}",
	},
	{
		Key: "pushub", Name: "Pushub", ExternalIDMacro: "{conversion}", CostMacro: "{bid}", Origin: binomSources,
		TokenMacros: tokens("campaign", "{campaign}", "banner", "{banner}", "pubfeed", "{pubfeed}", "offer", "{offer}"),
		PostbackURL: "https://xml.pushub.net/conversion?c={external_id}&value={payout}",
	},
	{
		Key: "pushads_biz", Name: "PushAds.biz", ExternalIDMacro: "[CLICK_ID]", CostMacro: "[BID]", Origin: keitaroSources,
		TokenMacros: tokens("cid", "[CID]", "aid", "[AID]", "sid", "[SID]"),
	},
	{
		Key: "pushsender", Name: "PushSender", ExternalIDMacro: "{click_id}", CostMacro: "{cpc}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "ad_id", "{ad_id}", "category_id", "{category_id}",
			"stream_id", "{stream_id}", "quality", "{quality}"),
	},
	{
		Key: "tacoloco", Name: "TacoLoco", ExternalIDMacro: "{click_id}", CostMacro: "{cost}", Origin: keitaroSources,
		TokenMacros: tokens("creative_id", "{creative_id}", "zone_id", "{zone_id}", "camp_id", "{camp_id}",
			"platform", "{platform}"),
		PostbackURL: "https://postback.tacolo.co/conversion?user=YOUR_USER&cid={external_id}&sum={payout}",
	},
	{
		Key: "rollerads", Name: "RollerAds", ExternalIDMacro: "{clickid}", CostMacro: "{cost}", Origin: keitaroSources,
		TokenMacros: tokens("campaignid", "{campaignid}", "creativeid", "{creativeid}", "zoneid", "{zoneid}",
			"feedid", "{feedid}", "carrier", "{carrier}", "device", "{device}", "accid", "{accid}",
			"agegroup", "{agegroup}"),
		PostbackURL: "https://trk.roller.ad/conversion/aid/YOUR_ACCOUNT/YOUR_KEY?click_id={external_id}",
	},
	{
		Key: "roiads", Name: "ROIads", ExternalIDMacro: "{click_id}", CostMacro: "{bid_price}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "campaign_name", "{campaign_name}",
			"creative_id", "{creative_id}", "site_id", "{site_id}", "publisher_id", "{publisher_id}"),
		PostbackURL: "https://us.roiapp.net/roiconv?action=conversion&id={external_id}",
	},
	{
		Key: "fatads", Name: "FatAds", ExternalIDMacro: "[click_id]", CostMacro: "[click_cost]", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "[campaign_id]", "campaign_name", "[campaign_name]",
			"creative_id", "[creative_id]", "site_id", "[site_id]", "pub_id", "[pub_id]", "country", "[country]",
			"cpv_click_cost", "[cpv_click_cost]", "os_name", "[os_name]"),
		PostbackURL: "https://us.getclear.online/fatconv?id={external_id}&action=conversion",
	},
	{
		Key: "galaksion", Name: "Galaksion", ExternalIDMacro: "{click_id}", CostMacro: "{cost}", Origin: keitaroSources,
		TokenMacros: tokens("creative_id", "{creative_id}", "zoneid", "{zoneid}", "geo", "{geo}", "cid", "{cid}"),
		PostbackURL: "http://postback.report/postback?cid=YOUR_CID&click_id={external_id}",
	},
	{
		Key: "mobivion", Name: "Mobivion", ExternalIDMacro: "{CLICK_ID}", CostMacro: "{COST}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{CAMPAIGN_ID}", "source_id", "{SOURCE_ID}", "zone_id", "{ZONE_ID}",
			"country", "{COUNTRY}", "carrier", "{CARRIER}", "os", "{OS}", "os_version", "{OS_VERSION}",
			"browser", "{BROWSER}"),
		PostbackURL: "https://postback.mobivion.com/?clickid={external_id}&moneyusd={payout}",
	},
	{
		Key: "mybid", Name: "MyBid", ExternalIDMacro: "{click_id}", CostMacro: "{cost}", Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "creative_id", "{creative_id}", "source_id", "{source_id}",
			"spot_id", "{spot_id}", "country", "{country}", "ad_type", "{ad_type}"),
		PostbackURL: "https://postback.mb-d.com/api/v1/postback?click_id={external_id}&cost={payout}&goal_id=YOUR_GOAL_ID",
	},
	{
		Key: "noviclick", Name: "Noviclick", ExternalIDMacro: "{clickid}", CostMacro: "{cost}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "banner_id", "{banner_id}", "site_id", "{site_id}",
			"age", "{age}"),
		PostbackURL: "https://panel.noviclick.com/postback?cid={external_id}&payout={payout}&key=YOUR_KEY",
	},
	{
		Key: "onclicka", Name: "OnClickA", ExternalIDMacro: "[CLICK_ID]", CostMacro: "[PRICE]", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "[CAMPAIGN_ID]", "banner_creative_id", "[BANNER_CREATIVE_ID]",
			"country_iso_code", "[COUNTRY_ISO_CODE]", "os_type", "[OS_TYPE]", "browser_family", "[BROWSER_FAMILY]",
			"domain", "[DOMAIN]", "pricing_model", "[PRICING_MODEL]", "mobile_brand", "[MOBILE_BRAND]"),
		PostbackURL: "https://tracking.onclicka.com/in/postbacks/?token=YOUR_TOKEN&campaign_id={param.campaign_id}&click_id={external_id}&payout={payout}",
	},
	{
		Key: "clickadilla", Name: "ClickAdilla", ExternalIDMacro: "[CLICK_ID]", CostMacro: "[PRICE]",
		Origin: keitaroSources,
		TokenMacros: tokens("campaign_id", "[CAMPAIGN_ID]", "banner_creative_id", "[BANNER_CREATIVE_ID]",
			"domain", "[DOMAIN]"),
		PostbackURL: "https://tracking.clickadilla.com/in/postbacks/?token=YOUR_TOKEN&campaign_id={param.campaign_id}&click_id={external_id}&payout={payout}",
	},
	{
		Key: "vimmy", Name: "Vimmy", ExternalIDMacro: "{click_id}", CostMacro: "{bid}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "creative_id", "{creative_id}", "site_id", "{site_id}",
			"placement_id", "{placement_id}", "age", "{age}"),
		PostbackURL: "https://vmmpb.com/ic?id={external_id}&payout={payout}",
	},
	{
		Key: "youtarget", Name: "YouTarget", ExternalIDMacro: "{click_id}", CostMacro: "{cpc}", Origin: binomSources,
		TokenMacros: tokens("campaign", "{campaign}", "creative", "{creative}", "zone_id", "{zone_id}",
			"browser", "{browser}", "device", "{device}", "language", "{language}", "platform", "{platform}"),
		PostbackURL: "https://postback.events/?postback_id=YOUR_POSTBACK_ID&click_id={external_id}&event_type=accept&cur={currency}&payout={payout}",
	},
	{
		Key: "epicads", Name: "EpicAds", ExternalIDMacro: "{click_id}", CostMacro: "{cost}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{campaign_id}", "creative_id", "{creative_id}", "source_id", "{source_id}",
			"zone_id", "{zone_id}", "sub_period", "{sub_period}", "format", "{format}", "country", "{country}",
			"os_version", "{os_version}"),
		PostbackURL: "https://epicapi.net/api/postback?click_id={external_id}&amount={payout}",
	},
	{
		Key: "adscompass", Name: "AdsCompass", ExternalIDMacro: "{CLICK_ID}", CostMacro: "{PRICE}", Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{CAMPAIGN_ID}", "creative_id", "{CREATIVE_ID}", "source_id", "{SOURCE_ID}"),
		PostbackURL: "https://clickco.net/sst?clickid={external_id}&price={payout}",
	},
	{
		Key: "clickstar", Name: "ClickStar", ExternalIDMacro: "[clickid]", CostMacro: "[price]", Origin: binomSources,
		TokenMacros: tokens("campaign", "[campaign]", "creative", "[creative]", "feed", "[feed]", "subday", "[subday]",
			"country", "[country]", "browser", "[browser]", "fcap", "[fcap]", "platform", "[platform]"),
		PostbackURL: "https://clickstar.club/?goal={external_id}&cost={payout}",
	},
	{
		Key: "inhousead", Name: "InhouseAd", ExternalIDMacro: "{CLICK_ID}", CostMacro: "{PRICE_PAID}",
		Origin: binomSources,
		TokenMacros: tokens("campaign_id", "{CAMPAIGN_ID}", "sub_id", "{SUB_ID}", "country", "{COUNTRY}",
			"browser", "{BROWSER}", "offer_id", "{OFFER_ID}", "language", "{LANGUAGE}"),
		PostbackURL: "http://feed.inhousead.net/postback?click_id={external_id}&status={status}&cost={payout}&currency={currency}",
	},
}
