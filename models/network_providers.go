package models

import "slices"

// NetworkProvider is the platform of an affiliate network from whose API conversions are imported.
type NetworkProvider struct {
	Name  string // as NetworkIntegration.Provider
	Click string // where the network keeps our click id, for a person
	CredentialForm
}

// NetworkProviderNamed finds a provider.
func NetworkProviderNamed(name string) (NetworkProvider, bool) {
	i := slices.IndexFunc(NetworkProviders, func(p NetworkProvider) bool { return p.Name == name })
	if i < 0 {
		return NetworkProvider{}, false
	}
	return NetworkProviders[i], true
}

// NetworkProviders are the platforms that a network can be connected to.
var NetworkProviders = []NetworkProvider{
	{"everflow", "sub1 to sub5", credentials("Everflow",
		secret("api_key", "API key", "Control Center > Security > API keys, of the affiliate"),
		CredentialField{Name: "region", Label: "Region", Values: []string{"us", "eu"}, Default: "us", Help: "eu if your Everflow is at api-eu.eflow.team"},
	)},
	{"custom", "the field that you name", credentials("Custom endpoint",
		CredentialField{
			Name: "url", Label: "Address", Required: true, Address: true,
			Help: "https address that answers orders; {from} and {to} become days, YYYY-MM-DD",
		},
		CredentialField{Name: "header", Label: "Header", Help: "name of a header that is sent, such as Authorization"},
		CredentialField{Name: "header_value", Label: "Value of the header", Secret: true, Help: "such as Bearer and a token"},
		CredentialField{Name: "format", Label: "Format", Values: []string{"json", "csv"}, Default: "json", Help: "of the answer"},
		CredentialField{Name: "rows_path", Label: "Path to the rows", Help: "such as data.orders; empty: the answer is the list (JSON)"},
		CredentialField{Name: "click_field", Label: "Field of the click id", Required: true, Help: "a path such as click.sub1, or a column"},
		CredentialField{Name: "id_field", Label: "Field of the order's id", Required: true, Help: "by which the order is known when it changes"},
		CredentialField{Name: "payout_field", Label: "Field of the payout", Help: "empty: the offer's payout"},
		CredentialField{Name: "currency_field", Label: "Field of the currency", Help: "empty: the network's currency"},
		CredentialField{Name: "status_field", Label: "Field of the status", Help: "empty: approved"},
		CredentialField{Name: "time_field", Label: "Field of the time", Help: "empty: when it is imported"},
		CredentialField{Name: "goal_field", Label: "Field of the goal", Help: "empty: none"},
		timezone("of times that name none"),
	)},
}

// timezone is the field of the zone in which a provider tells times.
func timezone(help string) CredentialField {
	return CredentialField{Name: "timezone", Label: "Time zone", Default: "UTC", Zone: true, Help: "such as America/New_York: " + help}
}
