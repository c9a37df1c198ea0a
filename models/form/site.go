package form

import (
	"switchyard/models"
	"switchyard/models/bind"
)

// SiteFields are the settings of a site that the account chooses.
type SiteFields struct {
	Name        string         `json:"name" trim:"true" required:"invalid" bad:"invalid" maxLength:"120"`
	Domain      string         `json:"domain" trim:"true" bad:"invalid" maxLength:"500" doc:"host of the site's pages, including hosts below it; only the host of an address is kept. Empty: no host belongs to the site"`
	Currency    string         `json:"currency" trim:"true" case:"upper" bad:"invalid" pattern:"^[A-Za-z]{3}$" default:"USD"`
	Kind        string         `json:"kind" trim:"true" bad:"invalid" enum:"store,lead" default:"store"`
	RevenueFrom string         `json:"revenueFrom" trim:"true" bad:"invalid" enum:"order,fixed" default:"order" doc:"fixed: an event counts with the value of the goal, even if the valueMode of the goal is from_event"`
	IsActive    bind.Opt[bool] `json:"isActive" bad:"invalid" doc:"default true; false: events for the site are refused"`
}

// Record returns the site that the fields describe.
func (f SiteFields) Record() (models.Site, error) {
	s := models.Site{Name: f.Name, Kind: f.Kind, SiteTerms: models.SiteTerms{
		Currency: f.Currency, RevenueFrom: f.RevenueFrom, IsActive: f.IsActive.Or(true),
	}}
	if f.Domain == "" {
		return s, nil
	}
	var ok bool
	if s.Domain, ok = models.HostOf(f.Domain); !ok {
		return s, models.Invalid("invalid", "the domain is not a hostname: send a name such as shop.example, without https:// and without a path")
	}
	return s, nil
}
