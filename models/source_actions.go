package models

// DefaultAction is the name of the action to which conversions are uploaded if the account names no other.
const DefaultAction = "Switchyard conversions"

// ErrNoActions returns the error for a traffic source that is not connected to a platform with conversion actions. Its code is
// not_platform_ab.
func ErrNoActions() error {
	return Invalid("not_platform_ab", "the traffic source is connected neither to Google Ads nor to Microsoft Advertising")
}

// CheckActions returns an error with the code not_platform_ab if the platform of the connection has no conversion actions.
func (i SourceIntegration) CheckActions() error {
	if i.Provider != GoogleAds && i.Provider != MicrosoftAds {
		return ErrNoActions()
	}
	return nil
}

// CheckAdvertiser returns an error if the connection names no ad account. The code is no_customer_id or no_account_id.
func (i SourceIntegration) CheckAdvertiser() error {
	switch {
	case i.Provider == GoogleAds && i.Settings["customer_id"] == "":
		return Invalid("no_customer_id", "the integration names no customer_id of Google Ads: see GET /oauth/google_ads/accounts")
	case i.Provider == MicrosoftAds && i.Settings["account_id"] == "":
		return Invalid("no_account_id", "the integration names no account_id of Microsoft Advertising: see GET /oauth/microsoft_ads/accounts")
	}
	return nil
}

// Uploads reports whether the connection uploads conversions to the action with this id and name. Microsoft Advertising
// identifies an action by its name, Google Ads by its id.
func (i SourceIntegration) Uploads(id, name string) bool {
	if i.Provider == MicrosoftAds {
		return i.ConversionAction == name
	}
	_, actionID := GoogleAction(i.ConversionAction)
	return actionID == id
}
