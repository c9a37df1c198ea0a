package accountconfig

import (
	"encoding/json"
	"maps"
	"slices"

	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
	"switchyard/models/form"
)

// Campaign is a campaign with the paths of its flow.
type Campaign struct {
	models.Campaign
	Paths []flow.Path
}

type campaignMembers struct {
	Name   string `json:"name"`
	Alias  string `json:"alias,omitempty"` // empty: an alias is generated
	Status string `json:"status"`
	models.CampaignSettings
	Paths []flow.Path `json:"streams"`
}

// newCampaign turns the members of a campaign into the body of a new campaign, which always has an alias and is not archived. The
// result archived reports whether the members have the status archived.
func newCampaign(raw []byte) (body []byte, archived bool, err error) {
	object, err := bind.Object(raw)
	if err != nil {
		return nil, false, err
	}
	if archived = string(object["status"]) == `"`+models.CampaignArchived+`"`; archived {
		delete(object, "status")
	}
	if alias := string(object["alias"]); alias == "" || alias == "null" || alias == `""` {
		object["alias"] = json.RawMessage(`"` + models.NewAlias() + `"`)
	}
	body, err = json.Marshal(object)
	return body, archived, err
}

// campaignRefs are the references of a campaign. References in its paths are not included.
var campaignRefs = []ref{
	{member: "domain", idMember: "domain_id", kind: Domains}, {member: "source", idMember: "source_id", kind: Sources}, {member: "site", idMember: "measurement_site_id", kind: Sites},
}

// CampaignCodec returns the codec of the campaigns of an account. The defaults come from a new campaign of the account. A
// document always contains the currency, because its default differs between accounts.
func CampaignCodec(account models.Account) *Codec[Campaign] {
	fresh := models.NewCampaign(account)
	read := func(raw []byte) (Campaign, error) {
		b := form.CampaignBody{Status: fresh.Status, CampaignSettings: fresh.CampaignSettings}
		raw, archived, err := newCampaign(raw)
		if err == nil {
			err = bind.Decode(raw, &b)
		}
		if err != nil {
			return Campaign{}, err
		}
		c, err := b.Record()
		if archived {
			c.Status = models.CampaignArchived
		}
		if err != nil || len(b.Streams) == 0 {
			return Campaign{Campaign: c, Paths: []flow.Path{}}, err
		}
		paths, err := flow.Parse(b.Streams)
		return Campaign{c, paths}, err
	}
	return newCodec(Campaigns, `{"name": "x", "alias": "abcdef"}`, Codec[Campaign]{
		refs: campaignRefs,
		keys: bind.KeysOf(campaignMembers{}),
		read: read,
		view: func(c Campaign) any {
			alias := c.Alias
			if c.SharedHost {
				alias = "" // an alias is generated
			}
			return campaignMembers{c.Name, alias, c.Status, c.CampaignSettings, c.Paths}
		},
	}, "alias", "currency")
}

type smartlinkRuleMembers struct {
	Name           string             `json:"name"`
	Logic          string             `json:"logic,omitempty"`
	Conditions     []models.Condition `json:"conditions"`
	DestinationURL string             `json:"destination_url"`
}

type smartlinkMembers struct {
	models.SmartlinkFields
	Rules    []smartlinkRuleMembers `json:"rules"`
	Name     string                 `json:"name"`
	Notes    string                 `json:"notes"`
	IsActive bool                   `json:"is_active"`
}

// SmartlinkCodec is the codec of smartlinks.
var SmartlinkCodec = newCodec(Smartlinks, `{"slug": "x", "destination_url": "https://x.example", "domain_id": "00000000-0000-0000-0000-000000000001"}`,
	Codec[models.Smartlink]{
		refs: []ref{{member: "domain", idMember: "domain_id", kind: Domains}, {member: "source", idMember: "source_id", kind: Sources}},
		keys: bind.KeysOf(smartlinkMembers{}),
		read: func(raw []byte) (models.Smartlink, error) {
			var b form.SmartlinkBody
			if err := bind.Decode(raw, &b); err != nil {
				return models.Smartlink{}, err
			}
			b.IsActive.Value = b.IsActive.Or(true)
			return b.Record()
		},
		view: func(l models.Smartlink) any {
			m := smartlinkMembers{SmartlinkFields: l.SmartlinkFields, Name: l.Name, Notes: l.Notes, IsActive: l.IsActive}
			for _, r := range l.Rules {
				rule := smartlinkRuleMembers{r.Name, r.Logic, r.Conditions, r.DestinationURL}
				if rule.Logic == "and" {
					rule.Logic = ""
				}
				m.Rules = append(m.Rules, rule)
			}
			return m
		},
	}, "slug", "destination_url")

// Site is a site with its goals.
type Site struct {
	models.Site
	Goals []models.Goal
}

type siteMembers struct {
	Name        string                 `json:"name"`
	Domain      string                 `json:"domain"`
	Currency    string                 `json:"currency"`
	Kind        string                 `json:"kind"`
	RevenueFrom string                 `json:"revenueFrom"`
	IsActive    bool                   `json:"isActive"`
	Goals       map[string]goalMembers `json:"goals"`
}

type goalMembers struct {
	Name      string       `json:"name"`
	Kind      string       `json:"kind"`
	MatchPath string       `json:"matchPath"`
	Dedupe    string       `json:"dedupe"`
	ValueMode string       `json:"valueMode"`
	Value     models.Money `json:"value"`
	Currency  string       `json:"currency"`
	Status    string       `json:"status"`
	IsPrimary bool         `json:"isPrimary"`
	IsActive  bool         `json:"isActive"`
}

// SiteCodec is the codec of sites. In a document, the goals of a site are an object, by key.
var SiteCodec = newCodec(Sites, `{"name": "x"}`, Codec[Site]{
	keys: bind.KeysOf(siteMembers{}),
	read: readSite,
	view: func(s Site) any {
		m := siteMembers{s.Name, s.Domain, s.Currency, s.Kind, s.RevenueFrom, s.IsActive, map[string]goalMembers{}}
		for _, g := range s.Goals {
			m.Goals[g.Key] = goalOf(g)
		}
		return m
	},
})

func readSite(raw []byte) (s Site, err error) {
	var b form.SiteFields
	var more struct {
		Goals map[string]json.RawMessage `json:"goals"`
	}
	if err = bind.Decode(raw, &b); err != nil {
		return s, err
	}
	if s.Site, err = b.Record(); err != nil {
		return s, err
	}
	if err = bind.Decode(raw, &more); err != nil {
		return s, err
	}
	for _, key := range slices.Sorted(maps.Keys(more.Goals)) {
		g, err := readGoal(key, more.Goals[key])
		if err != nil {
			return s, err
		}
		s.Goals = append(s.Goals, g)
	}
	return s, nil
}

func readGoal(key string, raw json.RawMessage) (g models.Goal, err error) {
	object, err := bind.Object(raw)
	if err != nil {
		return g, models.Invalid("bad_goal_shape", "goals.%s must be an object", key)
	}
	if object["key"], err = json.Marshal(key); err != nil {
		return g, err
	}
	if raw, err = json.Marshal(object); err != nil {
		return g, err
	}
	var b form.GoalBody
	if err = bind.Decode(raw, &b); err != nil {
		return g, err
	}
	g = models.NewGoal(models.Site{}, key)
	return g, b.Fill(&g)
}

func goalOf(g models.Goal) goalMembers {
	return goalMembers{g.Name, g.Kind, g.MatchPath, g.Dedupe, g.ValueMode, g.Value, g.Currency, g.Status, g.IsPrimary, g.IsActive}
}

// newGoal has the defaults of the members of a goal, except for the name, which a document always contains.
var newGoal = func() Members {
	m, err := membersOf(goalOf(models.NewGoal(models.Site{}, "")))
	if err != nil {
		panic("accountconfig: " + err.Error()) // cannot happen: the goal is empty
	}
	delete(m, "name")
	return m
}()
