package template

import "switchyard/models"

// macros returns the macros of a network: the macros for click id, payout, conversion id and status, then pairs of a field and
// its macro. Empty macros are left out.
func macros(click, payout, conversion, status string, more ...string) map[string]string {
	out := map[string]string{}
	pairs := append([]string{
		"click_id", click, "payout", payout, "conversion_id", conversion, "status", status,
	}, more...)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out[pairs[i]] = pairs[i+1]
		}
	}
	return out
}

const (
	noPostback = "Sends no postback of clicks to affiliates: import its conversions by an integration."
	literals   = "Has no macro for the status: give it one postback address for each status, with the word written out."
)

// networkData comes from the documentation of each network. It is sorted by name. A status map is needed only for words that
// postback.Means reads differently.
var networkData = []Network{
	{
		Name: "AdCombo", ClickParam: "clickid", Notes: literals,
	},
	{
		Name: "Admitad", ClickParam: "subid1",
		Macros: macros("[[[subid1]]]", "[[[payment_sum]]]", "[[[action_id]]]", "[[[payment_status]]]",
			"goal", "[[[type]]]", "currency", "[[[currency]]]"),
	},
	{
		Name: "Affise", ClickParam: "sub1",
		Macros: macros("{sub1}", "{sum}", "{transactionid}", "{status}", "goal", "{goal}", "currency", "{currency}"),
		StatusMap: map[string][]string{
			models.StatusApproved: {"1"}, models.StatusPending: {"2", "5"}, models.StatusRejected: {"3"},
		},
	},
	{
		Name: "AlterCPA", ClickParam: "click", Notes: literals,
		StatusMap: map[string][]string{
			models.StatusApproved: {"approve"}, models.StatusPending: {"wait", "hold"},
			models.StatusRejected: {"cancel", "trash"},
		},
	},
	{
		Name: "Awin", ClickParam: "clickref",
		Macros: macros("!!!clickRef!!!", "!!!commission!!!", "!!!transactionId!!!", "",
			"currency", "!!!transactionCurrency!!!"),
	},
	{
		Name: "BuyGoods", ClickParam: "subid", Macros: macros("{SUBID}", "{COMMISSION_AMOUNT}", "{ORDERID}", ""),
	},
	{Name: "CAKE", ClickParam: "s2", Macros: macros("#s2#", "#price#", "#tid#", "")},
	{Name: "CJ Affiliate", ClickParam: "sid", Notes: noPostback},
	{
		Name: "ClickBank", ClickParam: "tid",
		Macros: macros("{tid}", "{affiliate_earnings}", "{receipt_id}", "", "goal", "{event_type}"),
	},
	{Name: "ClickDealer", ClickParam: "s2", Macros: macros("#s2#", "#price#", "", "")},
	{
		Name: "Digistore24", ClickParam: "sid1", AnswerText: "OK",
		Macros: macros("{sid1}", "{amount_affiliate}", "{transaction_id}", "",
			"goal", "{transaction_type}", "currency", "{currency}"),
	},
	{
		Name: "Everflow", ClickParam: "sub1",
		Macros: macros("{sub1}", "{payout_amount}", "{transaction_id}", "", "goal", "{event_name}"),
	},
	{
		Name: "Impact", ClickParam: "SubId1",
		Macros: macros("{SubId1}", "{Payout}", "{ActionId}", "{Status}", "currency", "{Currency}"),
	},
	{
		Name: "Limonad", ClickParam: "clickid", Macros: macros("{clickid}", "{payout}", "{leadid}", "{status}"),
	},
	{Name: "LosPollos", ClickParam: "cid", Macros: macros("{cid}", "{sum}", "", "")},
	{Name: "MaxBounty", ClickParam: "s2", Macros: macros("#s2#", "#RATE#", "#LEADID#", "")},
	{Name: "Mobidea", ClickParam: "tag", Macros: macros("{{EXTERNAL_ID}}", "{{MONEY}}", "", "")},
	{Name: "Monetizer", Macros: macros("{clickID}", "{amount}", "{transactionID}", "")},
	{
		Name: "MyLead", ClickParam: "ml_sub1",
		Macros: macros("[ml_sub1]", "[payout_decimal]", "[transaction_id]", "[status]"),
	},
	{Name: "Partnerize", ClickParam: "clickref", Notes: noPostback},
	{Name: "Rakuten Advertising", ClickParam: "u1", Notes: noPostback},
	{Name: "ShareASale", ClickParam: "afftrack", Notes: noPostback},
	{Name: "Tradedoubler", ClickParam: "epi", Notes: noPostback},
	{
		Name: "TUNE (HasOffers)", ClickParam: "aff_sub",
		Macros: macros("{aff_sub}", "{payout}", "{transaction_id}", "", "goal", "{goal_id}", "currency", "{currency}"),
	},
	{Name: "Webgains", ClickParam: "clickref", Notes: noPostback},
}
