package form

import "switchyard/models"

// DomainBody has the settings of a new domain.
type DomainBody struct {
	GroupName string `json:"group_name" trim:"true" maxLength:"100" doc:"domains in the group named spare take over the campaigns of domains that fail over"`
	Failover  bool   `json:"failover" doc:"if a list of unsafe addresses contains the domain, its campaigns move to a spare domain"`
	TagName   string `json:"tag_name" trim:"true" case:"lower" pattern:"^([a-z0-9][a-z0-9_-]{0,49})?$" doc:"a further name of the page tag: /{tag_name}.js"`
	models.DomainFields
}

// Settings returns the settings that the body describes.
func (b DomainBody) Settings() (models.DomainSettings, error) {
	set := models.DomainSettings{GroupName: b.GroupName, Failover: b.Failover, TagName: b.TagName, DomainFields: b.DomainFields}
	return set, models.CheckTagName(b.TagName)
}
