package template

import "switchyard/models"

// cpaNetworks are networks that pay for leads and orders, A to K.
var cpaNetworks = []Network{
	{
		Name: "AD-x", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "AdCombo", ClickParam: "subacc", Origin: orbitraBuiltIn,
		Macros: macros("{subacc}", "{revenue}", "", "{status}"),
	},
	{
		Name: "Adexico", ClickParam: "sub1", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{sub1}", "{payout_amount}", "", "", "currency", "{offer_currency}"),
	},
	{
		Name: "AdLeadPro", ClickParam: "aff_click_id", Origin: keitaroNetworks,
		Macros: macros("{aff_click_id}", "{payout}", "", "{conv_status}"),
	},
	{
		Name: "Adpump", ClickParam: "apsubid1", Origin: keitaroNetworks,
		Macros:    macros("{subid1}", "{payment}", "", "{status}", "currency", "{currency2}"),
		StatusMap: words{models.StatusApproved: {"310"}, models.StatusPending: {"1"}, models.StatusRejected: {"400"}},
	},
	{
		Name: "Advertise.net", ClickParam: "tid", Origin: orbitraBuiltIn,
		Macros: macros("{tid}", "{amount}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Advidi", ClickParam: "s2", Origin: keitaroNetworks,
		Macros: macros("#s2#", "", "#tid#", ""),
	},
	{
		Name: "AdWork Media", ClickParam: "sid", Origin: keitaroNetworks,
		Macros: macros("{sid}", "{amount}", "{leadID}", "{status}"),
	},
	{
		Name: "Affiliate Dragons", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros: macros("{click_id}", "{price}", "", "{status}"),
	},
	{
		Name: "AffPro", ClickParam: "aff_click_id", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{aff_click_id}", "{payout}", "{transaction_id}", "", "currency", "{offer_currency}"),
	},
	{
		Name: "AffScale", ClickParam: "aff_click_id", Origin: keitaroNetworks,
		Macros: macros("{aff_click_id}", "{payout}", "", "{conv_status}"),
	},
	{
		Name: "AffShark", ClickParam: "sub5", Origin: keitaroNetworks,
		Macros: macros("{sub5}", "{sum}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "AffStar", ClickParam: "sub_id1", Origin: keitaroNetworks,
		Macros: macros("{sub_id1}", "{amount}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "AffStream", ClickParam: "aff_click_id", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{aff_click_id}", "{amount}", "{conversion_id}", "", "currency", "{currency}"),
	},
	{
		Name: "AffVibe", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "AngryLeads", ClickParam: "tracker_click", Origin: keitaroNetworks,
		Macros:    macros("{tracker_click}", "{amount}", "", "{status}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"conversion_accepted"}, models.StatusRejected: {"lead_trash", "lead_rejected", "conversion_rejected"}},
	},
	{
		Name: "Aray", ClickParam: "clickid", Origin: keitaroNetworks,
		Macros: macros("{clickid}", "{revenue}", "{trans_id}", "{status}"),
	},
	{
		Name: "Click2Money", ClickParam: "subid1", Origin: keitaroNetworks,
		Macros:    macros("{subid1}", "{payout}", "", "{action_type}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"payout"}},
	},
	{
		Name: "ClickDealer", ClickParam: "s2", Origin: keitaroNetworks, Macros: macros("#s2#", "#price#", "#leadid#", ""),
	},
	{
		Name: "ClickID Network", ClickParam: "aff_click_id", Origin: keitaroNetworks,
		Macros: macros("{aff_click_id}", "{payout}", "{transaction_id}", "{conv_status}", "currency", "{offer_currency}"),
	},
	{
		Name: "CPA.house", ClickParam: "sub_id_1", Origin: keitaroNetworks,
		Macros: macros("{sub_id_1}", "{amount_commission}", "", "{status}", "currency", "{currency_code}"),
	},
	{
		Name: "CPAEcom", ClickParam: "sub_id", Origin: keitaroNetworks,
		Macros:    macros("{sub_id}", "{payment}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"confirm"}, models.StatusPending: {"accept"}, models.StatusRejected: {"duplicate"}},
	},
	{
		Name: "CPAgetti", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros:    macros("{sub1}", "{money}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"hold"}},
	},
	{
		Name: "CPAlead", ClickParam: "subid", Origin: keitaroNetworks,
		Macros: macros("{subid}", "{payout}", "{lead_id}", ""),
	},
	{
		Name: "CPAmatica", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros: macros("{click_id}", "{payout}", "{transaction_id}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "CPAtify", ClickParam: "sub_id", Origin: keitaroNetworks,
		Macros:    macros("{sub_id}", "{payment}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"confirm"}},
	},
	{
		Name: "Dr.Cash", ClickParam: "sub1", Origin: orbitraBuiltIn,
		Macros: macros("{sub1}", "{payment}", "", "{status}"),
	},
	{
		Name: "Everad", ClickParam: "sid5", Origin: keitaroNetworks,
		Macros: macros("{sid5}", "{payout}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "EZAff", ClickParam: "click_id", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{click_id}", "{payout}", "", ""),
	},
	{
		Name: "Finkort", ClickParam: "click_id", Currency: "RUB", Origin: keitaroNetworks,
		Macros:    macros("{click_id}", "{sumPostback}", "{transaction_id}", "{status}"),
		StatusMap: words{models.StatusRejected: {"repeat", "double"}},
	},
	{
		Name: "Guruleads", ClickParam: "sub6", Origin: keitaroNetworks,
		Macros: macros("{sub6}", "{sum}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "HypeOffers", ClickParam: "subids.1", Origin: keitaroNetworks,
		Macros: macros("{subids.1}", "{revenue}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Indoleads", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros: macros("{click_id}", "{payout}", "{txn_id}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "KMA.biz", ClickParam: "data1", Origin: keitaroNetworks,
		Macros:    macros("{data1}", "{sum}", "", "{status}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"A"}, models.StatusRejected: {"D", "F"}},
	},
}
