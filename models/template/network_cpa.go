package template

import "switchyard/models"

var cpaNetworks = []Network{
	inKeitaro("AD-x", "sub1", macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}")),
	inOrbitra("AdCombo", "subacc", macros("{subacc}", "{revenue}", "", "{status}")),
	inKeitaro("Adexico", "sub1", macros("{sub1}", "{payout_amount}", "", "", "currency", "{offer_currency}")).withNotes(literals),
	inKeitaro("AdLeadPro", "aff_click_id", macros("{aff_click_id}", "{payout}", "", "{conv_status}")),
	inKeitaro("Adpump", "apsubid1", macros("{subid1}", "{payment}", "", "{status}", "currency", "{currency2}")).
		withStatuses(words{models.StatusApproved: {"310"}, models.StatusPending: {"1"}, models.StatusRejected: {"400"}}),
	inOrbitra("Advertise.net", "tid", macros("{tid}", "{amount}", "", "{status}", "currency", "{currency}")),
	inKeitaro("Advidi", "s2", macros("#s2#", "", "#tid#", "")),
	inKeitaro("AdWork Media", "sid", macros("{sid}", "{amount}", "{leadID}", "{status}")),
	inKeitaro("Affiliate Dragons", "click_id", macros("{click_id}", "{price}", "", "{status}")),
	inKeitaro("AffPro", "aff_click_id", macros("{aff_click_id}", "{payout}", "{transaction_id}", "", "currency", "{offer_currency}")).withNotes(literals),
	inKeitaro("AffScale", "aff_click_id", macros("{aff_click_id}", "{payout}", "", "{conv_status}")),
	inKeitaro("AffShark", "sub5", macros("{sub5}", "{sum}", "", "{status}", "currency", "{currency}")),
	inKeitaro("AffStar", "sub_id1", macros("{sub_id1}", "{amount}", "", "{status}", "currency", "{currency}")),
	inKeitaro("AffStream", "aff_click_id", macros("{aff_click_id}", "{amount}", "{conversion_id}", "", "currency", "{currency}")).withNotes(literals),
	inKeitaro("AffVibe", "sub1", macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}")),
	inKeitaro("AngryLeads", "tracker_click", macros("{tracker_click}", "{amount}", "", "{status}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"conversion_accepted"}, models.StatusRejected: {"lead_trash", "lead_rejected", "conversion_rejected"}}),
	inKeitaro("Aray", "clickid", macros("{clickid}", "{revenue}", "{trans_id}", "{status}")),
	inKeitaro("Click2Money", "subid1", macros("{subid1}", "{payout}", "", "{action_type}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"payout"}}),
	inKeitaro("ClickDealer", "s2", macros("#s2#", "#price#", "#leadid#", "")),
	{
		Name: "ClickID Network", ClickParam: "aff_click_id", Origin: keitaroNetworks,
		Macros: macros("{aff_click_id}", "{payout}", "{transaction_id}", "{conv_status}", "currency", "{offer_currency}"),
	},
	inKeitaro("CPA.house", "sub_id_1", macros("{sub_id_1}", "{amount_commission}", "", "{status}", "currency", "{currency_code}")),
	inKeitaro("CPAEcom", "sub_id", macros("{sub_id}", "{payment}", "", "{status}")).
		withStatuses(words{models.StatusApproved: {"confirm"}, models.StatusPending: {"accept"}, models.StatusRejected: {"duplicate"}}),
	inKeitaro("CPAgetti", "sub1", macros("{sub1}", "{money}", "", "{status}")).
		withStatuses(words{models.StatusApproved: {"hold"}}),
	inKeitaro("CPAlead", "subid", macros("{subid}", "{payout}", "{lead_id}", "")),
	inKeitaro("CPAmatica", "click_id", macros("{click_id}", "{payout}", "{transaction_id}", "{status}", "currency", "{currency}")),
	inKeitaro("CPAtify", "sub_id", macros("{sub_id}", "{payment}", "", "{status}")).
		withStatuses(words{models.StatusApproved: {"confirm"}}),
	inOrbitra("Dr.Cash", "sub1", macros("{sub1}", "{payment}", "", "{status}")),
	inKeitaro("Everad", "sid5", macros("{sid5}", "{payout}", "", "{status}", "currency", "{currency}")),
	inKeitaro("EZAff", "click_id", macros("{click_id}", "{payout}", "", "")).withNotes(literals),
	inKeitaro("Finkort", "click_id", macros("{click_id}", "{sumPostback}", "{transaction_id}", "{status}")).withCurrency("RUB").
		withStatuses(words{models.StatusRejected: {"repeat", "double"}}),
	inKeitaro("Guruleads", "sub6", macros("{sub6}", "{sum}", "", "{status}", "currency", "{currency}")),
	inKeitaro("HypeOffers", "subids.1", macros("{subids.1}", "{revenue}", "", "{status}", "currency", "{currency}")),
	inKeitaro("Indoleads", "click_id", macros("{click_id}", "{payout}", "{txn_id}", "{status}", "currency", "{currency}")),
	inKeitaro("KMA.biz", "data1", macros("{data1}", "{sum}", "", "{status}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"A"}, models.StatusRejected: {"D", "F"}}),
	inKeitaro("Lead-Cash", "sub8", macros("{sub8}", "{sum}", "", "{status}", "currency", "{currency}")),
	inOrbitra("Leadbit", "sub1", macros("{sub1}", "{cost}", "{id}", "{status}")).
		withStatuses(words{models.StatusApproved: {"confirm"}}),
	inKeitaro("Leadcraft", "sub2", macros("{{sub2}}", "{{price}}", "", "{{status}}")).withCurrency("RUB"),
	inKeitaro("Leadgid", "aff_sub", macros("{aff_sub1}", "{payout}", "{lead_id}", "{status}")),
	inKeitaro("LeadProfit", "subid1", macros("{get.subid1}", "", "", "{status}")),
	inKeitaro("LeadReaktor", "sub1", macros("{sub1}", "{profit}", "{lead_id}", "{status}")),
	inKeitaro("LeadRock", "sub1", macros("{sub1}", "{lead_price}", "", "{status}")),
	inKeitaro("Leads.su", "aff_sub", macros("{aff_sub}", "{payout}", "", "{status}")),
	inKeitaro("Leads.tech", "sub6", macros("{sub6}", "{sum}", "", "{status}", "currency", "{currency}")).
		withStatuses(words{models.StatusRejected: {"2"}}),
	inOrbitra("Lemonad", "clickid", macros("{clickid}", "{payout}", "", "{status}")),
	inKeitaro("Letit.Cash", "subid6", macros("{subid6}", "{payout}", "", "{action_type}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"CPA"}}),
	{
		Name: "Limonad", ClickParam: "clickid", Origin: read("https://docs.limonad.com/doc/en-postback"),
		Macros: macros("{clickid}", "{payout}", "{leadid}", "{status}"),
	},
	inKeitaro("Lucky.online", "subid", macros("{get.subid}", "{amount}", "", "{status}", "currency", "{currency}")),
	inKeitaro("LuckyFeed", "subid1", macros("{subid1}", "{payout}", "", "{status}", "currency", "{currency}")).
		withStatuses(words{models.StatusRejected: {"trashed"}}),
	inOrbitra("M1-Shop", "s", macros("{s}", "{web_total}", "", "{status}")).withCurrency("RUB"),
	inOrbitra("M4Leads", "sub_id1", macros("[sub_id1]", "[price]", "[order_id]", "[status]")),
	{
		// #LEADID# is from the list of sendcoop (origin.go), the other macros are from Keitaro's list.
		Name: "MaxBounty", ClickParam: "s2", Origin: keitaroNetworks, Macros: macros("#S2#", "#RATE#", "#LEADID#", ""),
	},
	inKeitaro("MetaCPA", "sub5", macros("{sub5}", "{payout}", "", "{status}", "currency", "{currency}")),
	inKeitaro("MyLead", "ml_sub1", macros("[ml_sub1]", "[payout]", "[transaction_id]", "[status]", "currency", "[currency]")).
		withStatuses(words{models.StatusPending: {"pre_approved"}}),
	inKeitaro("OfferGate", "subid_7", macros("{{subid_7}}", "{{priceinRub}}", "", "{{goalstatus}}", "currency", "{{currency}}")),
	inKeitaro("Offerrum", "subid1", macros("{subid1}", "{summ_approved}", "", "{status}", "currency", "{currency}")),
	inKeitaro("OneProfit", "subid1", macros("{subid1}", "{amount}", "", "{status}")).withCurrency("RUB"),
	inKeitaro("Pampadu", "sub1", macros("{sub1}", "{cost}", "", "{status}")).withCurrency("RUB"),
	inKeitaro("PaySale", "clickid", macros("{clickid}", "{profit}", "", "{status}")),
	inKeitaro("PDL-Profit", "subid", macros("{subid}", "{aff_rev}", "", "{lead_status}", "currency", "{currency}")),
	inKeitaro("RevBooster", "subid", macros("{subid}", "{cash}", "", "{stage}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"hold"}}),
	inKeitaro("RocketProfit", "sid5", macros("{sid5}", "{payout}", "", "{status}", "currency", "{currency}")),
	{
		Name: "Ryumka", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros:    macros("{click_id}", "{partner_payment}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"payed"}, models.StatusRejected: {"not_redeemed"}}, //nolint:misspell // the network writes it so
	},
	inKeitaro("SalesDoubler", "transaction_id", macros("{TRANS_ID}", "{AFF_REV}", "", "")).withCurrency("UAH"),
	inKeitaro("Salid", "sub1", macros("{sub1}", "{order_sum}", "", "{status}")).withCurrency("RUB"),
	inKeitaro("Sellaction", "SubID3", macros("{sub3}", "{sum}", "", "{status}", "currency", "{currency}")),
	inKeitaro("Shakes.pro", "sub1", macros("{sub1}", "{cost}", "", "{status}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"confirm"}}),
	inKeitaro("SkyLead", "subid", macros("{subid}", "{cash}", "", "{phase}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"3"}, models.StatusPending: {"1"}, models.StatusRejected: {"4", "5"}}),
	inKeitaro("TerraLeads", "sub_id", macros("{sub_id}", "{payment}", "{lead_id}", "{status}")).
		withStatuses(words{models.StatusApproved: {"confirm"}, models.StatusPending: {"accept"}, models.StatusRejected: {"error"}}),
	inOrbitra("Traffic Light", "subid", macros("{subid}", "{payout}", "", "{status}")).withCurrency("RUB").
		withStatuses(words{models.StatusApproved: {"2"}, models.StatusPending: {"1"}, models.StatusRejected: {"4"}}),
	inKeitaro("Unicom24", "click_id", macros("{click_id}", "{payment_sum}", "", "{conv_status}")).withCurrency("RUB"),
	inKeitaro("Webvork", "utm_medium", macros("{utm_medium}", "{money}", "", "{status_lead}", "currency", "{currency}")),
	inKeitaro("WhoCPA", "click_id", macros("{{click_id}}", "{{goal_value}}", "", "{{action_status}}", "currency", "{{currency}}")),
	inOrbitra("XPartners", "sub1", macros("{sub1}", "{sum}", "", "{status}", "currency", "{currency}")).
		withStatuses(words{models.StatusPending: {"1"}}),
}
