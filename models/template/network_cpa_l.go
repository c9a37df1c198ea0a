package template

import "switchyard/models"

// moreCPANetworks are networks that pay for leads and orders, L to Z.
var moreCPANetworks = []Network{
	{
		Name: "Lead-Cash", ClickParam: "sub8", Origin: keitaroNetworks,
		Macros: macros("{sub8}", "{sum}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Leadbit", ClickParam: "sub1", Origin: orbitraBuiltIn,
		Macros:    macros("{sub1}", "{cost}", "{id}", "{status}"),
		StatusMap: words{models.StatusApproved: {"confirm"}},
	},
	{
		Name: "Leadcraft", ClickParam: "sub2", Currency: "RUB", Origin: keitaroNetworks,
		Macros: macros("{{sub2}}", "{{price}}", "", "{{status}}"),
	},
	{
		Name: "Leadgid", ClickParam: "aff_sub", Origin: keitaroNetworks,
		Macros: macros("{aff_sub1}", "{payout}", "{lead_id}", "{status}"),
	},
	{
		Name: "LeadProfit", ClickParam: "subid1", Origin: keitaroNetworks,
		Macros: macros("{get.subid1}", "", "", "{status}"),
	},
	{
		Name: "LeadReaktor", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{profit}", "{lead_id}", "{status}"),
	},
	{
		Name: "LeadRock", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{lead_price}", "", "{status}"),
	},
	{
		Name: "Leads.su", ClickParam: "aff_sub", Origin: keitaroNetworks,
		Macros: macros("{aff_sub}", "{payout}", "", "{status}"),
	},
	{
		Name: "Leads.tech", ClickParam: "sub6", Origin: keitaroNetworks,
		Macros:    macros("{sub6}", "{sum}", "", "{status}", "currency", "{currency}"),
		StatusMap: words{models.StatusRejected: {"2"}},
	},
	{
		Name: "Lemonad", ClickParam: "clickid", Origin: orbitraBuiltIn,
		Macros: macros("{clickid}", "{payout}", "", "{status}"),
	},
	{
		Name: "Letit.Cash", ClickParam: "subid6", Origin: keitaroNetworks,
		Macros:    macros("{subid6}", "{payout}", "", "{action_type}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"CPA"}},
	},
	{
		Name: "Limonad", ClickParam: "clickid", Origin: read("https://docs.limonad.com/doc/en-postback"),
		Macros: macros("{clickid}", "{payout}", "{leadid}", "{status}"),
	},
	{
		Name: "Lucky.online", ClickParam: "subid", Origin: keitaroNetworks,
		Macros: macros("{get.subid}", "{amount}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "LuckyFeed", ClickParam: "subid1", Origin: keitaroNetworks,
		Macros:    macros("{subid1}", "{payout}", "", "{status}", "currency", "{currency}"),
		StatusMap: words{models.StatusRejected: {"trashed"}},
	},
	{
		Name: "M1-Shop", ClickParam: "s", Currency: "RUB", Origin: orbitraBuiltIn,
		Macros: macros("{s}", "{web_total}", "", "{status}"),
	},
	{
		Name: "M4Leads", ClickParam: "sub_id1", Origin: orbitraBuiltIn,
		Macros: macros("[sub_id1]", "[price]", "[order_id]", "[status]"),
	},
	{
		// #LEADID# is in the list of sendcoop.
		Name: "MaxBounty", ClickParam: "s2", Origin: keitaroNetworks, Macros: macros("#S2#", "#RATE#", "#LEADID#", ""),
	},
	{
		Name: "MetaCPA", ClickParam: "sub5", Origin: keitaroNetworks,
		Macros: macros("{sub5}", "{payout}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "MyLead", ClickParam: "ml_sub1", Origin: keitaroNetworks,
		Macros:    macros("[ml_sub1]", "[payout]", "[transaction_id]", "[status]", "currency", "[currency]"),
		StatusMap: words{models.StatusPending: {"pre_approved"}},
	},
	{
		Name: "OfferGate", ClickParam: "subid_7", Origin: keitaroNetworks,
		Macros: macros("{{subid_7}}", "{{priceinRub}}", "", "{{goalstatus}}", "currency", "{{currency}}"),
	},
	{
		Name: "Offerrum", ClickParam: "subid1", Origin: keitaroNetworks,
		Macros: macros("{subid1}", "{summ_approved}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "OneProfit", ClickParam: "subid1", Currency: "RUB", Origin: keitaroNetworks,
		Macros: macros("{subid1}", "{amount}", "", "{status}"),
	},
	{
		Name: "Pampadu", ClickParam: "sub1", Currency: "RUB", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{cost}", "", "{status}"),
	},
	{
		Name: "PaySale", ClickParam: "clickid", Origin: keitaroNetworks,
		Macros: macros("{clickid}", "{profit}", "", "{status}"),
	},
	{
		Name: "PDL-Profit", ClickParam: "subid", Origin: keitaroNetworks,
		Macros: macros("{subid}", "{aff_rev}", "", "{lead_status}", "currency", "{currency}"),
	},
	{
		Name: "RevBooster", ClickParam: "subid", Origin: keitaroNetworks,
		Macros:    macros("{subid}", "{cash}", "", "{stage}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"hold"}},
	},
	{
		Name: "RocketProfit", ClickParam: "sid5", Origin: keitaroNetworks,
		Macros: macros("{sid5}", "{payout}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Ryumka", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros:    macros("{click_id}", "{partner_payment}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"payed"}, models.StatusRejected: {"not_redeemed"}}, //nolint:misspell // the network writes it so
	},
	{
		Name: "SalesDoubler", ClickParam: "transaction_id", Currency: "UAH", Origin: keitaroNetworks,
		Macros: macros("{TRANS_ID}", "{AFF_REV}", "", ""),
	},
	{
		Name: "Salid", ClickParam: "sub1", Currency: "RUB", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{order_sum}", "", "{status}"),
	},
	{
		Name: "Sellaction", ClickParam: "SubID3", Origin: keitaroNetworks,
		Macros: macros("{sub3}", "{sum}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Shakes.pro", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros:    macros("{sub1}", "{cost}", "", "{status}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"confirm"}},
	},
	{
		Name: "SkyLead", ClickParam: "subid", Origin: keitaroNetworks,
		Macros:    macros("{subid}", "{cash}", "", "{phase}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"3"}, models.StatusPending: {"1"}, models.StatusRejected: {"4", "5"}},
	},
	{
		Name: "TerraLeads", ClickParam: "sub_id", Origin: keitaroNetworks,
		Macros:    macros("{sub_id}", "{payment}", "{lead_id}", "{status}"),
		StatusMap: words{models.StatusApproved: {"confirm"}, models.StatusPending: {"accept"}, models.StatusRejected: {"error"}},
	},
	{
		Name: "Traffic Light", ClickParam: "subid", Currency: "RUB", Origin: orbitraBuiltIn,
		Macros:    macros("{subid}", "{payout}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"2"}, models.StatusPending: {"1"}, models.StatusRejected: {"4"}},
	},
	{
		Name: "Unicom24", ClickParam: "click_id", Currency: "RUB", Origin: keitaroNetworks,
		Macros: macros("{click_id}", "{payment_sum}", "", "{conv_status}"),
	},
	{
		Name: "Webvork", ClickParam: "utm_medium", Origin: keitaroNetworks,
		Macros: macros("{utm_medium}", "{money}", "", "{status_lead}", "currency", "{currency}"),
	},
	{
		Name: "WhoCPA", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros: macros("{{click_id}}", "{{goal_value}}", "", "{{action_status}}", "currency", "{{currency}}"),
	},
	{
		Name: "XPartners", ClickParam: "sub1", Origin: orbitraBuiltIn,
		Macros:    macros("{sub1}", "{sum}", "", "{status}", "currency", "{currency}"),
		StatusMap: words{models.StatusPending: {"1"}},
	},
}
