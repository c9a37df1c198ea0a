package template

import "switchyard/models"

// mobileNetworks are networks of mobile offers, dating and subscriptions.
var mobileNetworks = []Network{
	{
		Name: "AdsEmpire", ClickParam: "clickid", Origin: keitaroNetworks,
		Macros:    macros("{clickid}", "{payout}", "{tds_cid}", "{conversionType}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"confirm"}},
	},
	{
		Name: "Adtrafico", ClickParam: "aff_sub", Origin: keitaroNetworks,
		Macros: macros("{aff_sub}", "{payout}", "{transaction_id}", "", "currency", "{currency}"),
	},
	{
		Name: "Affimob", ClickParam: "pt_id", Origin: keitaroNetworks,
		Macros:    macros("{pt_id}", "{income}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"BILLING"}},
	},
	{
		Name: "Bitterstrawberry", ClickParam: "clickid", Origin: keitaroNetworks,
		Macros: macros("{clickid}", "{payout}", "{transaction_id}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "BongaCash", ClickParam: "subid2", Origin: keitaroNetworks,
		Macros: macros("{subid2}", "{commission}", "", "{type}", "currency", "{currency}"),
	},
	{
		Name: "ConvertingTeam", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{{S}}", "{payment}", "", "{status}"),
	},
	{
		Name: "Datify", ClickParam: "s1", Origin: keitaroNetworks,
		Macros: macros("{s1}", "{revenue}", "", ""),
	},
	{
		Name: "DatsPush", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("[SUB1]", "[PAYOUT]", "[CLICK_ID]", ""),
	},
	{
		Name: "Expertmobi", ClickParam: "subid1", Origin: keitaroNetworks,
		Macros: macros("{{subid1}}", "{{goal_value}}", "{{action_id}}", ""),
	},
	{
		Name: "Gasmobi", ClickParam: "externalid", Origin: keitaroNetworks,
		Macros: macros("{externalid}", "{payout}", "", "", "currency", "{currency}"),
	},
	{
		Name: "GoldLead", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros: macros("{click_id}", "{payout}", "", "{conversion_type}"),
	},
	{
		Name: "HotStuffCash", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{payout}", "", ""),
	},
	{
		Name: "Kimia", ClickParam: "subid", Origin: keitaroNetworks,
		Macros: macros("{subid}", "{am}", "{kimia_id}", ""),
	},
	{Name: "LosPollos", ClickParam: "cid", Origin: keitaroNetworks, Macros: macros("{cid}", "{sum}", "", "")},
	{
		Name: "Mobidea", ClickParam: "pub_click_id", Origin: keitaroNetworks,
		Macros: macros("{{EXTERNAL_ID}}", "{{MONEY}}", "", ""),
	},
	{
		Name: "Mobilecashout", ClickParam: "tracker", Origin: keitaroNetworks,
		Macros: macros("%TRACKER%", "%REVENUE%", "%ID%", "%TYPE%", "currency", "%CURRENCY%"),
	},
	{
		Name: "Mobionetwork", ClickParam: "aff_sub", Origin: keitaroNetworks,
		Macros: macros("{aff_sub}", "{payout}", "", ""),
	},
	{
		Name: "Mobstra", ClickParam: "sub1", Currency: "EUR", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{payout}", "", ""),
	},
	{
		Name: "Mobytize", ClickParam: "dp", Origin: keitaroNetworks,
		Macros: macros("{dp}", "{payout}", "{transaction_id}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Olimob", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{revenue}", "", "{status}"),
	},
	{
		Name: "Partners.House", ClickParam: "p1", Origin: keitaroNetworks,
		Macros:    macros("{p1}", "{money}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"revshare"}},
	},
	{
		Name: "ProfitSocial", ClickParam: "data2", Origin: keitaroNetworks,
		Macros: macros("{hit.data2}", "{event.s1}", "", ""),
	},
	{
		Name: "PushAds.biz", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros:    macros("[SUB1]", "[PROFIT]", "[TID]", "[TYPE]"),
		StatusMap: words{models.StatusApproved: {"redeem", "revshare"}},
	},
	{
		Name: "SupremeMedia", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros:    macros("{sub1}", "{payout_amount}", "{transaction_id}", "{event_name}"),
		StatusMap: words{models.StatusApproved: {"FTD"}},
	},
	{
		Name: "Surflink", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{payout_amount}", "", "", "currency", "{offer_currency}"),
	},
	{
		Name: "Trafee", ClickParam: "ext_click_id", Origin: keitaroNetworks,
		Macros: macros("{ext_click_id}", "{sum}", "", ""),
	},
	{
		Name: "TrafficPartner", ClickParam: "clicktag", Origin: keitaroNetworks,
		Macros: macros("{clicktag}", "{payout}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Traforce", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros:    macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}"),
		StatusMap: words{models.StatusRejected: {"4"}},
	},
	{
		Name: "Wapempire", ClickParam: "aff_sub5", Origin: keitaroNetworks,
		Macros:    macros("{aff_sub5}", "{payout}", "{transaction_id}", "{type}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"APPROVED_BILLING", "BUYOUT"}, models.StatusPending: {"APPROVED"}},
	},
	{
		Name: "YTZ", ClickParam: "s1", Origin: keitaroNetworks,
		Macros: macros("{SUB1}", "{REVENUE}", "", ""),
	},
	{
		Name: "Zeydoo", ClickParam: "ymid", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{ymid}", "{amount}", "", ""),
	},
	{
		Name: "Zorka", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{sum}", "", "", "currency", "{currency}"),
	},
}
