package template

import "switchyard/models"

var networkSoftware = []Network{
	{
		Name: "Affise", ClickParam: "sub1", Origin: read("https://help-center.affise.com/en/articles/6483741-affiliate-postback-url-macros"),
		Macros:    macros("{sub1}", "{sum}", "{transactionid}", "{status}", "goal", "{goal}", "currency", "{currency}"),
		StatusMap: words{models.StatusApproved: {"1"}, models.StatusPending: {"2", "5"}, models.StatusRejected: {"3"}},
	},
	inKeitaro("Alanbase", "sub_id1", macros("{sub_id1}", "{revenue}", "", "{status}", "currency", "{currency}")),
	{
		Name: "AlterCPA", ClickParam: "subid", Origin: keitaroNetworks,
		Macros: macros("{subid}", "{cash}", "{id}", "{stage}", "currency", "{currency}"),
		StatusMap: words{
			models.StatusApproved: {"approve"}, models.StatusPending: {"wait", "hold"}, models.StatusRejected: {"cancel", "trash"},
		},
	},
	inKeitaro("CAKE", "s2", macros("#s2#", "#price#", "#tid#", "")),
	inKeitaro("Cellxpert", "afp1", macros("[afp1]", "[CommissionAmount]", "", "")).withCurrency("EUR").withNotes(literals),
	{
		// {event_name} is from the row of Suprememedia in Keitaro's list, the other macros are from sendcoop's list.
		Name: "Everflow", ClickParam: "sub1", Origin: sendcoop,
		Macros: macros("{sub1}", "{payout_amount}", "{transaction_id}", "", "goal", "{event_name}"),
	},
	inKeitaro("LeadVertex", "utm_term", macros("{{utm_term}}", "{{payment_sum}}", "", "{{payment_status}}")).
		withStatuses(words{models.StatusRejected: {"-1"}}),
	inKeitaro("Scaleo", "aff_click_id", macros("{aff_click_id}", "{payout}", "", "{conv_status}", "currency", "{currency}")),
	{
		// {goal_id} is from the row of Mobionetwork in Keitaro's list, the other macros are from sendcoop's list.
		Name: "TUNE (HasOffers)", ClickParam: "aff_sub", Origin: sendcoop,
		Macros: macros("{aff_sub}", "{payout}", "{transaction_id}", "", "goal", "{goal_id}", "currency", "{currency}"),
	},
}
