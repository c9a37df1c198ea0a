package template

import "switchyard/models"

var gamblingNetworks = []Network{
	inOrbitra("1win", "sub1", macros("{sub1}", "{amount}", "", "")).withNotes(literals),
	inOrbitra("22Bet Partners", "sub_id", macros("{sub_id}", "", "", "{status}")).
		withStatuses(words{models.StatusApproved: {"ftd", "bl"}}),
	inKeitaro("3SNet", "sub1", macros("{sub1}", "{sum}", "{transactionid}", "{status}", "currency", "{currency}")),
	inOrbitra("4RABET Partners", "sub_id2", macros("{sub_id2}", "{revenue}", "{id}", "{goal}", "currency", "{currency}")),
	inKeitaro("7BitPartners", "visit_id", macros("${visit_id}", "", "", "")).withCurrency("EUR").withNotes(literals),
	inOrbitra("Alfaleads", "sub1", macros("{sub1}", "{sum}", "", "")).withNotes(literals),
	inOrbitra("Boomerang Partners", "visit_id", macros("${visit_id}", "", "", "")).withNotes(literals),
	inKeitaro("Exness Affiliates", "cid", macros("{cid}", "{aff_value}", "", "")).withNotes(literals),
	inKeitaro("ExpertOption", "click_id", macros("{click_id}", "{payout}", "{transaction_id}", "")),
	inKeitaro("Franklin Affiliates", "custom1", macros("{custom1}", "{payout}", "", "")).withNotes(literals),
	inKeitaro("FTD.pro", "sub_id1", macros("{sub_id1}", "{revenue}", "", "", "currency", "{currency}")).withNotes(literals),
	inOrbitra("Gambling.pro", "pid", macros("{pid}", "{income}", "", "{action}")).
		withStatuses(words{models.StatusApproved: {"first_dep"}}),
	inKeitaro("KaizenCPA", "sub_id1", macros("{sub_id1}", "{revenue}", "{tid}", "{status}", "currency", "{currency}")),
	inKeitaro("Kingfin", "subid1", macros("{subid1}", "{pay.amount}", "", "")),
	inKeitaro("LGaming", "sub1", macros("{sub1}", "{payout}", "", "")).withNotes(literals),
	inOrbitra("Melbet Affiliates", "click_id", macros("{click_id}", "{amount}", "", "")).withNotes(literals),
	inOrbitra("Mostbet Partners", "sub1", macros("{sub1}", "{profit}", "", "{status}")).
		withStatuses(words{models.StatusApproved: {"fd_approved", "fdp"}, models.StatusRejected: {"fd_rejected"}}),
	inOrbitra("Pin-Up Partners", "subId1", macros("{subId1}", "{payment}", "", "", "currency", "{currency}")).withNotes(literals),
	inKeitaro("PlayAmo Partners", "subid", macros("{subid}", "", "", "{status}")),
	inKeitaro("Revenuelab", "s2", macros("{s2}", "{sum}", "", "{status}", "currency", "{currency}")),
	inOrbitra("Royal Partners", "ctag", macros("${ctag}", "${amount}", "${deposit_id}", "", "currency", "${currency}")).withNotes(literals),
	inKeitaro("Serious Partners", "sub_id10", macros("{sub_id10}", "{revenue}", "{id}", "{goal}", "currency", "{currency}")).
		withStatuses(words{models.StatusApproved: {"qualification", "first_dep", "bs", "dep", "ftd"}}),
	inKeitaro("TrustDice", "click_id", macros("{click_id}", "{amount}", "{tid}", "{status}")),
}
