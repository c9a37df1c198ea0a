package models

// DefaultAction is the name of the action that conversions are uploaded to, if the account names no other.
const DefaultAction = "Switchyard conversions"

// ErrNoActions says that a traffic source is connected to no platform with conversion actions: not_platform_ab.
func ErrNoActions() error {
	return Invalid("not_platform_ab", "the traffic source is connected neither to Google Ads nor to Microsoft Advertising")
}

// CheckActions refuses a connection to a platform without conversion actions: not_platform_ab.
func (i SourceIntegration) CheckActions() error {
	if i.Provider != GoogleAds && i.Provider != MicrosoftAds {
		return ErrNoActions()
	}
	return nil
}

// CheckAdvertiser refuses a connection that names no ad account: no_customer_id, no_account_id.
func (i SourceIntegration) CheckAdvertiser() error {
	switch {
	case i.Provider == GoogleAds && i.Settings["customer_id"] == "":
		return Invalid("no_customer_id", "the integration names no customer_id of Google Ads: see GET /oauth/google_ads/accounts")
	case i.Provider == MicrosoftAds && i.Settings["account_id"] == "":
		return Invalid("no_account_id", "the integration names no account_id of Microsoft Advertising: see GET /oauth/microsoft_ads/accounts")
	}
	return nil
}

// Uploads reports whether conversions go to the action of an id and a name.
func (i SourceIntegration) Uploads(id, name string) bool {
	if i.Provider == MicrosoftAds {
		return i.ConversionAction == name
	}
	return i.ConversionAction == id
}
