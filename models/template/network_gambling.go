package template

import "switchyard/models"

// gamblingNetworks are networks and programs of casinos, betting and trading.
var gamblingNetworks = []Network{
	{
		Name: "1win", ClickParam: "sub1", Origin: orbitraBuiltIn, Notes: literals,
		Macros: macros("{sub1}", "{amount}", "", ""),
	},
	{
		Name: "22Bet Partners", ClickParam: "sub_id", Origin: orbitraBuiltIn,
		Macros:    macros("{sub_id}", "", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"ftd", "bl"}},
	},
	{
		Name: "3SNet", ClickParam: "sub1", Origin: keitaroNetworks,
		Macros: macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "4RABET Partners", ClickParam: "sub_id2", Origin: orbitraBuiltIn,
		Macros: macros("{sub_id2}", "{revenue}", "{id}", "{goal}", "currency", "{currency}"),
	},
	{
		Name: "7BitPartners", ClickParam: "visit_id", Currency: "EUR", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("${visit_id}", "", "", ""),
	},
	{
		Name: "Alfaleads", ClickParam: "sub1", Origin: orbitraBuiltIn, Notes: literals,
		Macros: macros("{sub1}", "{sum}", "", ""),
	},
	{
		Name: "Boomerang Partners", ClickParam: "visit_id", Origin: orbitraBuiltIn, Notes: literals,
		Macros: macros("${visit_id}", "", "", ""),
	},
	{
		Name: "Exness Affiliates", ClickParam: "cid", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{cid}", "{aff_value}", "", ""),
	},
	{
		Name: "ExpertOption", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros: macros("{click_id}", "{payout}", "{transaction_id}", ""),
	},
	{
		Name: "Franklin Affiliates", ClickParam: "custom1", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{custom1}", "{payout}", "", ""),
	},
	{
		Name: "FTD.pro", ClickParam: "sub_id1", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{sub_id1}", "{revenue}", "", "", "currency", "{currency}"),
	},
	{
		Name: "Gambling.pro", ClickParam: "pid", Origin: orbitraBuiltIn,
		Macros:    macros("{pid}", "{income}", "", "{action}"),
		StatusMap: words{models.StatusApproved: {"first_dep"}},
	},
	{
		Name: "KaizenCPA", ClickParam: "sub_id1", Origin: keitaroNetworks,
		Macros: macros("{sub_id1}", "{revenue}", "{tid}", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Kingfin", ClickParam: "subid1", Origin: keitaroNetworks,
		Macros: macros("{subid1}", "{pay.amount}", "", ""),
	},
	{
		Name: "LGaming", ClickParam: "sub1", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("{sub1}", "{payout}", "", ""),
	},
	{
		Name: "Melbet Affiliates", ClickParam: "click_id", Origin: orbitraBuiltIn, Notes: literals,
		Macros: macros("{click_id}", "{amount}", "", ""),
	},
	{
		Name: "Mostbet Partners", ClickParam: "sub1", Origin: orbitraBuiltIn,
		Macros:    macros("{sub1}", "{profit}", "", "{status}"),
		StatusMap: words{models.StatusApproved: {"fd_approved", "fdp"}, models.StatusRejected: {"fd_rejected"}},
	},
	{
		Name: "Pin-Up Partners", ClickParam: "subId1", Origin: orbitraBuiltIn, Notes: literals,
		Macros: macros("{subId1}", "{payment}", "", "", "currency", "{currency}"),
	},
	{
		Name: "PlayAmo Partners", ClickParam: "subid", Origin: keitaroNetworks,
		Macros: macros("{subid}", "", "", "{status}"),
	},
	{
		Name: "Revenuelab", ClickParam: "s2", Origin: keitaroNetworks,
		Macros: macros("{s2}", "{sum}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "Royal Partners", ClickParam: "ctag", Origin: orbitraBuiltIn, Notes: literals,
		Macros: macros("${ctag}", "${amount}", "${deposit_id}", "", "currency", "${currency}"),
	},
	{
		Name: "Serious Partners", ClickParam: "sub_id10", Origin: keitaroNetworks,
		Macros:    macros("{sub_id10}", "{revenue}", "{id}", "{goal}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"qualification", "first_dep", "bs", "dep", "ftd"}},
	},
	{
		Name: "TrustDice", ClickParam: "click_id", Origin: keitaroNetworks,
		Macros: macros("{click_id}", "{amount}", "{tid}", "{status}"),
	},
}
