package keitaro

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
)

// install has the records from an API or a dump. A few members have another name in dumps.
type install struct {
	Host     string
	Groups   list[group]
	Networks list[network]
	Sources  list[source]
	Domains  list[domain]
	Offers   list[page]
	Landings list[page]
	Campaign list[campaign]
	BotList  string
}

type group struct {
	ID   text `json:"id"`
	Name text `json:"name"`
	Type text `json:"type"`
}

type network struct {
	ID          text `json:"id"`
	Name        text `json:"name"`
	PostbackURL text `json:"postback_url"`
	OfferParam  text `json:"offer_param"`
	State       text `json:"state"`
	Notes       text `json:"notes"`
}

type source struct {
	ID          text       `json:"id"`
	Name        text       `json:"name"`
	PostbackURL text       `json:"postback_url"`
	Statuses    texts      `json:"postback_statuses"`
	Parameters  parameters `json:"parameters"`
	TrafficLoss text       `json:"traffic_loss"`
	State       text       `json:"state"`
	Notes       text       `json:"notes"`
}

type domain struct {
	ID              text `json:"id"`
	Name            text `json:"name"`
	State           text `json:"state"`
	Wildcard        flag `json:"wildcard"`
	SSLRedirect     flag `json:"ssl_redirect"`
	IsSSL           flag `json:"is_ssl"` // the name in dumps
	CatchNotFound   flag `json:"catch_not_found"`
	DefaultCampaign text `json:"default_campaign"`
	DefaultID       text `json:"default_campaign_id"` // the name in dumps
	AllowIndexing   flag `json:"allow_indexing"`
	GroupID         text `json:"group_id"`
	Notes           text `json:"notes"`
}

// page is an offer or a landing page.
type page struct {
	ID             text    `json:"id"`
	Name           text    `json:"name"`
	LandingType    text    `json:"landing_type"`
	OfferType      text    `json:"offer_type"`
	ActionType     text    `json:"action_type"`
	Payload        payload `json:"action_payload"`
	URL            text    `json:"url"`
	GroupID        text    `json:"group_id"`
	OfferCount     text    `json:"offer_count"`
	NetworkID      text    `json:"affiliate_network_id"`
	PayoutValue    text    `json:"payout_value"`
	PayoutCurrency text    `json:"payout_currency"`
	PayoutType     text    `json:"payout_type"`
	PayoutAuto     flag    `json:"payout_auto"`
	PayoutUpsell   flag    `json:"payout_upsell"`
	Country        texts   `json:"country"`
	CapEnabled     flag    `json:"conversion_cap_enabled"`
	DailyCap       text    `json:"daily_cap"`
	Alternative    text    `json:"alternative_offer_id"`
	State          text    `json:"state"`
	Notes          text    `json:"notes"`
}

type campaign struct {
	ID           text       `json:"id"`
	Alias        text       `json:"alias"`
	Name         text       `json:"name"`
	Type         text       `json:"type"`
	State        text       `json:"state"`
	CookiesTTL   text       `json:"cookies_ttl"`
	Uniqueness   text       `json:"uniqueness_method"`
	CostType     text       `json:"cost_type"`
	CostValue    text       `json:"cost_value"`
	CostCurrency text       `json:"cost_currency"`
	CostAuto     flag       `json:"cost_auto"`
	GroupID      text       `json:"group_id"`
	BindVisitors text       `json:"bind_visitors"`
	SourceID     text       `json:"traffic_source_id"`
	DomainID     text       `json:"domain_id"`
	Parameters   parameters `json:"parameters"`
	Postbacks    list[s2s]  `json:"postbacks"`
	Notes        text       `json:"notes"`
	streams      []stream
}

type s2s struct {
	ID         text  `json:"id"`
	CampaignID text  `json:"campaign_id"`
	Method     text  `json:"method"`
	Statuses   texts `json:"statuses"`
	URL        text  `json:"url"`
}

type stream struct {
	ID         text          `json:"id"`
	CampaignID text          `json:"campaign_id"`
	Type       text          `json:"type"`
	Name       text          `json:"name"`
	Position   text          `json:"position"`
	Weight     text          `json:"weight"`
	State      text          `json:"state"`
	Schema     text          `json:"schema"`
	ActionType text          `json:"action_type"`
	Payload    payload       `json:"action_payload"`
	Collect    *flag         `json:"collect_clicks"` // nil: yes
	FilterOr   flag          `json:"filter_or"`
	Comments   text          `json:"comments"`
	Filters    list[filter]  `json:"filters"`
	Triggers   list[trigger] `json:"triggers"`
	Landings   list[share]   `json:"landings"`
	Offers     list[share]   `json:"offers"`
}

type filter struct {
	ID       text            `json:"id"`
	StreamID text            `json:"stream_id"`
	Name     text            `json:"name"`
	Mode     text            `json:"mode"`
	Payload  json.RawMessage `json:"payload"`
}

type trigger struct {
	ID text `json:"id"`
}

// share is an offer or a landing page of a stream.
type share struct {
	StreamID  text `json:"stream_id"`
	LandingID text `json:"landing_id"`
	OfferID   text `json:"offer_id"`
	Share     text `json:"share"`
	State     text `json:"state"`
}

// parameter belongs to a source or a campaign. The names of its members differ between versions of Keitaro.
type parameter struct {
	Name  string // in the link
	Macro string // of the source
	Label string
}

func (p *parameter) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return nil
	}
	var m map[string]text
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	first := func(names ...string) string {
		for _, name := range names {
			if m[name] != "" {
				return string(m[name])
			}
		}
		return ""
	}
	p.Macro = first("placeholder", "macro", "token", "value")
	if p.Name = first("name", "param"); p.Name != "" {
		p.Label = string(m["alias"])
	} else {
		p.Name = string(m["alias"])
	}
	return nil
}

// parameters are keyed by the field that they fill, such as sub_id_3. Some versions write a list, in which an item without a
// field fills the next free sub id.
type parameters map[string]parameter

func (p *parameters) UnmarshalJSON(raw []byte) error {
	*p = parameters{}
	if raw[0] == '{' {
		return json.Unmarshal(raw, (*map[string]parameter)(p))
	}
	var items list[json.RawMessage]
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	var unplaced []parameter
	for _, item := range items {
		var names map[string]text
		var one parameter
		if json.Unmarshal(item, &names) != nil || one.UnmarshalJSON(item) != nil {
			continue
		}
		field := ""
		for _, member := range []string{"name", "alias", "key", "field"} {
			if name := string(names[member]); isField(name) {
				field = name
			}
		}
		if field == "" {
			unplaced = append(unplaced, one)
			continue
		}
		(*p)[field] = one
	}
	for _, one := range unplaced {
		n := 1
		for ; p.has(subField(n)); n++ {
		}
		(*p)[subField(n)] = one
	}
	return nil
}

func (p parameters) has(field string) bool {
	_, ok := p[field]
	return ok
}

// maxSubs is Keitaro's number of sub ids.
const maxSubs = models.Subs

func subField(n int) string { return "sub_id_" + strconv.Itoa(n) }

// subNumber returns the number of a sub id, or 0.
func subNumber(field string) int {
	digits, ok := strings.CutPrefix(field, "sub_id_")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > maxSubs || digits != strconv.Itoa(n) {
		return 0
	}
	return n
}

// otherFields are the fields that parameters fill, except the sub ids.
var otherFields = []string{"keyword", "cost", "currency", "external_id", "creative_id", "ad_campaign_id", "source"}

func isField(name string) bool { return subNumber(name) > 0 || slices.Contains(otherFields, name) }
