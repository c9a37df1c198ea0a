package reporting

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/models"
)

// SmartlinkClickRow is a click of a smartlink in the log. Missing ids are null, missing texts are empty.
type SmartlinkClickRow struct {
	ClickID        string     `json:"click_id"`
	At             string     `json:"at" doc:"ISO 8601, UTC"`
	LinkID         uuid.UUID  `json:"link_id"`
	LinkName       string     `json:"link_name"`
	Slug           string     `json:"slug"`
	RuleID         *uuid.UUID `json:"rule_id" doc:"null: no rule matched"`
	DestinationURL string     `json:"destination_url" doc:"the destination as written in the smartlink, with its tokens"`
	Destination    string     `json:"destination" doc:"where the visitor was sent"`
	Domain         string     `json:"domain"`
	SourceID       *uuid.UUID `json:"source_id"`
	ExternalID     string     `json:"external_id" doc:"the traffic source's own click id"`
	Params         string     `json:"params" doc:"the query string of the click as it was received"`

	models.SubParams
	models.Visitor
}

func (d Deps) listSmartlinkClicks(c *route.Call) (Log[SmartlinkClickRow], error) {
	q, err := logQuery(c)
	if err != nil {
		return Log[SmartlinkClickRow]{}, err
	}
	q.Smartlink, err = idOrAll(c, "link")
	if err == nil {
		err = checkSmartlink(c, q.Smartlink)
	}
	if err != nil {
		return Log[SmartlinkClickRow]{}, err
	}
	list, err := d.clicks(c).SmartlinkClicks(c.Context(), q)
	if err != nil {
		return Log[SmartlinkClickRow]{}, err
	}
	ids := answer.Each(list, func(s click.StoredSmartlinkClick) uuid.UUID { return s.SmartlinkID })
	names, err := c.Store.Smartlinks().Names(c.Context(), c.Account.ID, ids)
	rows := answer.Each(list, func(s click.StoredSmartlinkClick) SmartlinkClickRow {
		return smartlinkClickRow(&s, names[s.SmartlinkID])
	})
	return Log[SmartlinkClickRow]{c.Window.Range(), rows}, err
}

func smartlinkClickRow(s *click.StoredSmartlinkClick, name store.SmartlinkName) SmartlinkClickRow {
	return SmartlinkClickRow{
		ClickID: models.FormatClickID(s.ID), At: answer.Stamp(s.At), LinkID: s.SmartlinkID, LinkName: name.Name,
		Slug: name.Slug, RuleID: answer.OrNull(s.RuleID), DestinationURL: s.DestinationURL,
		Destination: s.Destination, Domain: s.Domain, SourceID: answer.OrNull(s.SourceID), ExternalID: s.ExternalID, Params: s.Params,
		SubParams: models.SubsOf(s.Subs), Visitor: s.Visitor,
	}
}
