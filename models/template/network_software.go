package template

import "switchyard/models"

// networkSoftware are programs on which networks run. A network without a template has the macros of its program.
var networkSoftware = []Network{
	{
		Name: "Affise", ClickParam: "sub1", Origin: read("https://help-center.affise.com/en/articles/6483741-affiliate-postback-url-macros"),
		Macros:    macros("{sub1}", "{sum}", "{transactionid}", "{status}", "goal", "{goal}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"1"}, models.StatusPending: {"2", "5"}, models.StatusRejected: {"3"}},
	},
	{
		Name: "Alanbase", ClickParam: "sub_id1", Origin: keitaroNetworks,
		Macros: macros("{sub_id1}", "{revenue}", "", "{status}", "currency", "{currency}"),
	},
	{
		Name: "AlterCPA", ClickParam: "subid", Origin: keitaroNetworks,
		Macros: macros("{subid}", "{cash}", "{id}", "{stage}", "currency", "{currency}"),
		StatusMap: words{
			models.StatusApproved: {"approve"}, models.StatusPending: {"wait", "hold"}, models.StatusRejected: {"cancel", "trash"},
		},
	},
	{
		Name: "CAKE", ClickParam: "s2", Origin: keitaroNetworks, Macros: macros("#s2#", "#price#", "#tid#", ""),
	},
	{
		Name: "Cellxpert", ClickParam: "afp1", Currency: "EUR", Origin: keitaroNetworks, Notes: literals,
		Macros: macros("[afp1]", "[CommissionAmount]", "", ""),
	},
	{
		// {event_name} is in the row of Suprememedia in Keitaro's list.
		Name: "Everflow", ClickParam: "sub1", Origin: sendcoop,
		Macros: macros("{sub1}", "{payout_amount}", "{transaction_id}", "", "goal", "{event_name}"),
	},
	{
		Name: "LeadVertex", ClickParam: "utm_term", Origin: keitaroNetworks,
		Macros:    macros("{{utm_term}}", "{{payment_sum}}", "", "{{payment_status}}"),
		StatusMap: words{models.StatusRejected: {"-1"}},
	},
	{
		Name: "Scaleo", ClickParam: "aff_click_id", Origin: keitaroNetworks,
		Macros: macros("{aff_click_id}", "{payout}", "", "{conv_status}", "currency", "{currency}"),
	},
	{
		// {goal_id} is in the row of Mobionetwork in Keitaro's list.
		Name: "TUNE (HasOffers)", ClickParam: "aff_sub", Origin: sendcoop,
		Macros: macros("{aff_sub}", "{payout}", "{transaction_id}", "", "goal", "{goal_id}", "currency", "{currency}"),
	},
}
