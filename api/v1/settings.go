package v1

import (
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/models"
)

// settings are the rows of /settings.
func settings(d Deps) []route.Route {
	const group = "Account"
	return []route.Route{
		{
			Method: "GET", Path: "/settings", Group: group, Summary: "account settings",
			Handle: route.Do(func(c *route.Call) (Settings, error) {
				return Settings{SettingsChanged: settingsOf(c.Account), SiteKey: c.Account.SiteKey}, nil
			}),
		},
		{
			Method: "PATCH", Path: "/settings", Group: group, Share: route.Lists,
			Summary: "replace currency, time zone and formats",
			Codes:   route.Codes("400 invalid_currency invalid_timezone", "404 not_found"),
			Handle:  route.Take(d.changeSettings),
		},
	}
}

// Settings is the answer of GET /settings.
type Settings struct {
	SettingsChanged
	SiteKey string `json:"siteKey" doc:"by which the page tag names the account"`
}

// SettingsChanged is the answer of PATCH /settings.
type SettingsChanged struct {
	OrganizationName string `json:"organizationName"`
	Currency         string `json:"currency" doc:"of all figures"`
	Timezone         string `json:"timezone" doc:"in which days of caps begin"`
	DateFormat       string `json:"dateFormat"`
	TimeFormat       string `json:"timeFormat"`
}

func settingsOf(a models.Account) SettingsChanged {
	return SettingsChanged{a.Name, a.Currency, a.Timezone, a.DateFormat, a.TimeFormat}
}

// SettingsBody is the body of PATCH /settings.
type SettingsBody struct {
	Currency   string           `json:"currency" bad:"invalid_currency" trim:"true" case:"upper" pattern:"^[A-Za-z]{3}$" default:"USD" doc:"three letters"`
	Timezone   string           `json:"timezone" trim:"true" format:"timezone" default:"UTC" doc:"a time zone by its IANA name, such as Europe/Berlin"`
	DateFormat string           `json:"date_format" enum:"YYYY-MM-DD,DD/MM/YYYY,MM/DD/YYYY,DD MMM YYYY" default:"YYYY-MM-DD"`
	TimeFormat string           `json:"time_format" enum:"12h,24h" default:"24h"`
	Name       bind.Opt[string] `json:"organization_name" bad:"invalid_input" trim:"true" minLength:"1" maxLength:"200" doc:"left out: it stays"`
}

// changeSettings saves the settings. The currency stays once money is recorded in it.
func (d Deps) changeSettings(c *route.Call, b SettingsBody) (out SettingsChanged, err error) {
	next := c.Account
	next.Currency, next.Timezone, next.DateFormat, next.TimeFormat = b.Currency, b.Timezone, b.DateFormat, b.TimeFormat
	if b.Name.Given() {
		next.Name = b.Name.Value
	}
	if next.Currency != c.Account.Currency {
		money, err := d.reports(c).HasMoney(c.Context(), c.Account.ID)
		if err != nil {
			return out, err
		}
		if money {
			return out, models.Invalid("invalid_currency", "costs and payouts are recorded in %s: send currency %q, it cannot change any more",
				c.Account.Currency, c.Account.Currency)
		}
	}
	err = c.Store.SaveSettings(c.Context(), next)
	return settingsOf(next), err
}
