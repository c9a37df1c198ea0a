package template

var retailNetworks = []Network{
	{
		// [[[payment_status]]] is from Keitaro's list.
		Name: "Admitad", ClickParam: "subid",
		Origin: read("https://developers.admitad.com/it/doc/api_en/methods/opt_codes/opt-codes-create-action/"),
		Macros: macros("[[[subid]]]", "[[[payment_sum]]]", "[[[order_id]]]", "[[[payment_status]]]",
			"goal", "[[[type]]]", "currency", "[[[currency]]]"),
	},
	{Name: "Adrecord", ClickParam: "subid", Origin: prosperSubIDs, Notes: noMacros},
	{Name: "Affiliate Future", ClickParam: "tracking", Origin: clickRefs, Notes: noMacros},
	{Name: "Ascend (Pepperjam)", ClickParam: "subid", Origin: prosperSubIDs, Notes: noMacros},
	{
		// The notification is described at https://help.awin.com/docs/transaction-notifications.
		Name: "Awin", ClickParam: "clickref", Origin: sendcoop, Notes: "ShareASale has closed, and its programs are at Awin.",
		Macros: macros("!!!clickRef!!!", "!!!commission!!!", "!!!transactionId!!!", "",
			"currency", "!!!transactionCurrency!!!"),
	},
	inKeitaro("Braip", "subid", nil).withNotes(noMacros),
	{
		Name: "BuyGoods", ClickParam: "subid", Origin: read("https://docs.bemob.com/en/buygoods-settings"),
		Macros: macros("{SUBID}", "{COMMISSION_AMOUNT}", "{ORDERID}", ""),
	},
	inKeitaro("Cartpanda", "utm_term", nil).withNotes(noMacros),
	{Name: "CJ Affiliate", ClickParam: "sid", Origin: prosperSubIDs, Notes: noPostback},
	{
		Name: "ClickBank", ClickParam: "tid", Origin: sendcoop,
		Macros: macros("{tid}", "{affiliate_earnings}", "{receipt_id}", "", "goal", "{event_type}"),
	},
	{
		// Macros that the page in Origin does not have are from sendcoop's list.
		Name: "Digistore24", ClickParam: "cid", AnswerText: "OK",
		Origin: read("https://help.digistore24.com/hc/en-us/articles/24293197806225-Set-up-S2S-postback"),
		Macros: macros("{cid}", "{amount_affiliate}", "{transaction_id}", "",
			"goal", "{transaction_type}", "currency", "{currency}"),
	},
	{
		Name: "eBay Partner Network", ClickParam: "customid", Notes: noPostback,
		Origin: read("https://developer.ebay.com/api-docs/buy/static/ref-epn-link.html"),
	},
	inKeitaro("Eduzz", "utm_term", nil).withNotes(noMacros),
	{Name: "FlexOffers", ClickParam: "sub1", Origin: prosperSubIDs, Notes: noMacros},
	inKeitaro("Hotmart", "sck", nil).withNotes(noMacros),
	{
		Name: "Impact", ClickParam: "subId1", Origin: read("https://www.mrpostback.com/impact"),
		Macros: macros("{SubId1}", "{Payout}", "{ActionId}", "{Status}", "currency", "{Currency}"),
	},
	{Name: "Involve Asia", ClickParam: "subid", Origin: prosperSubIDs, Notes: noMacros},
	inKeitaro("Kiwify", "sck", nil).withNotes(noMacros),
	{
		Name: "Monetizer", Origin: read("https://docs.bemob.com/en/monetizer-settings"),
		Macros: macros("{clickID}", "{amount}", "{transactionID}", ""),
	},
	{
		// The click id is sent in pubref, because clickref is Partnerize's own id of the click.
		Name: "Partnerize", ClickParam: "pubref", Origin: read("https://docs.fmtc.co/kb/partnerize"),
		Notes: noPostback + " A link of Partnerize has the click id in its path, before the destination: /pubref:{click_id}.",
	},
	inKeitaro("PerfectPay", "click_id", macros("{click_id}", "{comissaoAfiliado}", "{transacao}", "{statusPagamento}")).withCurrency("BRL"),
	{Name: "Rakuten Advertising", ClickParam: "u1", Origin: prosperSubIDs, Notes: noPostback},
	{Name: "Tradedoubler", ClickParam: "epi", Origin: prosperSubIDs, Notes: noPostback},
	{Name: "TradeTracker", ClickParam: "r", Origin: clickRefs, Notes: noMacros},
	{Name: "Webgains", ClickParam: "clickref", Origin: clickRefs, Notes: noPostback},
}
