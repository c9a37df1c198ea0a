package template

import "switchyard/models"

var mobileNetworks = []Network{
	inKeitaro("AdsEmpire", "clickid", macros("{clickid}", "{payout}", "{tds_cid}", "{conversionType}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"confirm"}}),
	inKeitaro("Adtrafico", "aff_sub", macros("{aff_sub}", "{payout}", "{transaction_id}", "", "currency", "{currency}")),
	inKeitaro("Affimob", "pt_id", macros("{pt_id}", "{income}", "", "{status}")).
		withStatuses(words{models.StatusApproved: {"BILLING"}}),
	inKeitaro("Bitterstrawberry", "clickid", macros("{clickid}", "{payout}", "{transaction_id}", "{status}", "currency", "{currency}")),
	inKeitaro("BongaCash", "subid2", macros("{subid2}", "{commission}", "", "{type}", "currency", "{currency}")),
	inKeitaro("ConvertingTeam", "sub1", macros("{{S}}", "{payment}", "", "{status}")),
	inKeitaro("Datify", "s1", macros("{s1}", "{revenue}", "", "")),
	inKeitaro("DatsPush", "sub1", macros("[SUB1]", "[PAYOUT]", "[CLICK_ID]", "")),
	inKeitaro("Expertmobi", "subid1", macros("{{subid1}}", "{{goal_value}}", "{{action_id}}", "")),
	inKeitaro("Gasmobi", "externalid", macros("{externalid}", "{payout}", "", "", "currency", "{currency}")),
	inKeitaro("GoldLead", "click_id", macros("{click_id}", "{payout}", "", "{conversion_type}")),
	inKeitaro("HotStuffCash", "sub1", macros("{sub1}", "{payout}", "", "")),
	inKeitaro("Kimia", "subid", macros("{subid}", "{am}", "{kimia_id}", "")),
	inKeitaro("LosPollos", "cid", macros("{cid}", "{sum}", "", "")),
	inKeitaro("Mobidea", "pub_click_id", macros("{{EXTERNAL_ID}}", "{{MONEY}}", "", "")),
	inKeitaro("Mobilecashout", "tracker", macros("%TRACKER%", "%REVENUE%", "%ID%", "%TYPE%", "currency", "%CURRENCY%")),
	inKeitaro("Mobionetwork", "aff_sub", macros("{aff_sub}", "{payout}", "", "")),
	inKeitaro("Mobstra", "sub1", macros("{sub1}", "{payout}", "", "")).withCurrency("EUR"),
	inKeitaro("Mobytize", "dp", macros("{dp}", "{payout}", "{transaction_id}", "{status}", "currency", "{currency}")),
	inKeitaro("Olimob", "sub1", macros("{sub1}", "{revenue}", "", "{status}")),
	inKeitaro("Partners.House", "p1", macros("{p1}", "{money}", "", "{status}")).
		withStatuses(words{models.StatusApproved: {"revshare"}}),
	inKeitaro("ProfitSocial", "data2", macros("{hit.data2}", "{event.s1}", "", "")),
	inKeitaro("PushAds.biz", "sub1", macros("[SUB1]", "[PROFIT]", "[TID]", "[TYPE]")).
		withStatuses(words{models.StatusApproved: {"redeem", "revshare"}}),
	inKeitaro("SupremeMedia", "sub1", macros("{sub1}", "{payout_amount}", "{transaction_id}", "{event_name}")).
		withStatuses(words{models.StatusApproved: {"FTD"}}),
	inKeitaro("Surflink", "sub1", macros("{sub1}", "{payout_amount}", "", "", "currency", "{offer_currency}")),
	inKeitaro("Trafee", "ext_click_id", macros("{ext_click_id}", "{sum}", "", "")),
	inKeitaro("TrafficPartner", "clicktag", macros("{clicktag}", "{payout}", "", "{status}", "currency", "{currency}")),
	inKeitaro("Traforce", "sub1", macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}")).
		withStatuses(words{models.StatusRejected: {"4"}}),
	inKeitaro("Wapempire", "aff_sub5", macros("{aff_sub5}", "{payout}", "{transaction_id}", "{type}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"APPROVED_BILLING", "BUYOUT"}, models.StatusPending: {"APPROVED"}}),
	inKeitaro("YTZ", "s1", macros("{SUB1}", "{REVENUE}", "", "")),
	inKeitaro("Zeydoo", "ymid", macros("{ymid}", "{amount}", "", "")).withNotes(literals),
	inKeitaro("Zorka", "sub1", macros("{sub1}", "{sum}", "", "", "currency", "{currency}")),
}
