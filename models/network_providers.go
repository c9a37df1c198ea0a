package models

// NetworkProvider is a platform of affiliate networks.
type NetworkProvider struct {
	Name  string // the value of Integration.Provider
	Click string // names the field in which the network stores our click id, as a text for people
	CredentialForm
}

// NetworkProviderNamed finds a provider by its name.
func NetworkProviderNamed(name string) (NetworkProvider, bool) {
	return find(NetworkProviders, func(p NetworkProvider) bool { return p.Name == name })
}

// NetworkProviders lists the platforms to which a network can be connected.
var NetworkProviders = []NetworkProvider{
	{"everflow", "sub1 to sub5", credentials("Everflow",
		secret("api_key", "API key", "of the affiliate, from the partner portal"),
		CredentialField{Name: "region", Label: "Region", Values: []string{"us", "eu"}, Default: "us", Help: "eu if your Everflow is at api-eu.eflow.team"},
	)},
	{"tune", "affiliate_info1 to affiliate_info5 (aff_sub)", credentials("TUNE",
		address("network_id", "Network id", "the first part of the address of the API, such as demo"),
		secret("api_key", "API key", "of the affiliate"),
		timezone("the zone of the network"),
	)},
	{"affise", "sub1 to sub8", credentials("Affise",
		address("tenant", "Tenant", "demo, if the address of the API is api-demo.affise.com"),
		secret("api_key", "API key", "Settings > Security, of the affiliate"),
	)},
	{"cake", "subid_1 to subid_5 (s1 to s5)", credentials("CAKE",
		address("domain", "Domain", "of the network's affiliate portal"),
		plain("affiliate_id", "Affiliate id", "your number at the network"),
		secret("api_key", "API key", "of the affiliate"),
		timezone("the zone of the network"),
	)},
	{"cj", "SID (shopperId)", credentials("CJ Affiliate",
		plain("publisher_id", "Publisher id (CID)", "your company's number at CJ"),
		secret("token", "Personal access token", "developers.cj.com > Authentication"),
	)},
	{"impact", "SubId1 to SubId3, SharedId", credentials("Impact",
		plain("account_sid", "Account SID", "Settings > API"),
		secret("auth_token", "Auth token", "Settings > API"),
	)},
	{"digistore24", "cid (click_id), sid1 to sid5 (sub_ids)", credentials("Digistore24",
		secret("api_key", "API key", "Settings > API keys of Digistore24, with read access"),
		timezone("the zone of the times in its API, which state no zone"),
	)},
	{"ebay", "customid", credentials("eBay Partner Network",
		plain("account_sid", "Account SID", "eBay Partner Network > cloud icon > API"),
		secret("auth_token", "Auth token", "beside the SID; amounts are in the currency of your account, so give the network this currency"),
	)},
	{"awin", "clickref to clickref6", credentials("Awin",
		plain("publisher_id", "Publisher id", "your number at Awin"),
		secret("token", "API token", "Toolbox > API credentials"),
	)},
	{"admitad", "subid, subid1 to subid4", credentials("Admitad",
		plain("client_id", "Client id", "Settings > Credentials"),
		secret("client_secret", "Client secret", "Settings > Credentials"),
		timezone("the zone of your account"),
	)},
	{"partnerize", "pubref (publisher_reference)", credentials("Partnerize",
		plain("publisher_id", "Publisher id", "your id at Partnerize"),
		secret("application_key", "Application key", "Settings > API"),
		secret("user_api_key", "User API key", "Settings > API"),
	)},
	{"rakuten", "u1", credentials("Rakuten Advertising",
		plain("sid", "Site id (SID)", "of the site whose orders are read"),
		plain("client_id", "Client id", "developers.rakutenadvertising.com"),
		secret("client_secret", "Client secret", "developers.rakutenadvertising.com"),
	)},
	{"clickbank", "tid (trackingId)", credentials("ClickBank",
		secret("api_key", "API key", "Settings > API, of the affiliate"),
	)},
	{"custom", "the field that you name", credentials("Custom endpoint",
		CredentialField{
			Name: "url", Label: "Address", Required: true, Address: true,
			Help: "https address that returns orders; {from} and {to} become days, YYYY-MM-DD, and {token} the token",
		},
		optional(secret("token", "Token", "replaces {token} in the address and in the value of the header when a request is sent; it is never shown")),
		CredentialField{Name: "header", Label: "Header", Help: "name of a header that is sent, such as Authorization"},
		CredentialField{Name: "header_value", Label: "Value of the header", Secret: true, Help: "such as Bearer and a token"},
		CredentialField{Name: "format", Label: "Format", Values: []string{"json", "csv"}, Default: "json", Help: "of the answer"},
		CredentialField{Name: "rows_path", Label: "Path to the rows", Help: "path to the list of orders in a JSON answer, such as data.orders; empty: the answer itself is the list"},
		CredentialField{Name: "click_field", Label: "Field of the click id", Required: true, Help: "a path such as click.sub1 in JSON, or a column of the CSV"},
		CredentialField{Name: "id_field", Label: "Field of the order's id", Required: true, Help: "by which a changed order is recognised"},
		CredentialField{Name: "payout_field", Label: "Field of the payout", Help: "empty: the offer's payout"},
		CredentialField{Name: "currency_field", Label: "Field of the currency", Help: "empty: the network's currency"},
		CredentialField{Name: "sale_field", Label: "Field of the sale amount", Help: "empty: orders have no sale amount"},
		CredentialField{Name: "status_field", Label: "Field of the status", Help: "empty: approved"},
		CredentialField{Name: "time_field", Label: "Field of the time", Help: "empty: the time of the import"},
		CredentialField{Name: "goal_field", Label: "Field of the goal", Help: "empty: orders have no goal"},
		timezone("the zone of times that state no zone"),
	)},
}

func timezone(help string) CredentialField {
	return CredentialField{Name: "timezone", Label: "Time zone", Default: "UTC", Zone: true, Help: "such as America/New_York: " + help}
}

func plain(name, label, help string) CredentialField {
	return CredentialField{Name: name, Label: label, Required: true, Help: help}
}

func address(name, label, help string) CredentialField {
	return CredentialField{Name: name, Label: label, Required: true, Address: true, Help: help}
}
