package accountconfig

import (
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
	"switchyard/models/form"
	"switchyard/models/subslot"
)

// The codecs of the kinds, except those in codecs_routes.go and codecs_rules.go.
var (
	DomainCodec = newCodec(Domains, `{}`, Codec[models.Domain]{
		keys: bind.KeysOf(form.DomainBody{}, defaultDomain{}),
		read: func(raw []byte) (d models.Domain, err error) {
			b, _, err := body[form.DomainBody](raw)
			if err != nil {
				return d, err
			}
			var is defaultDomain
			if err = bind.Decode(raw, &is); err != nil {
				return d, err
			}
			d.IsDefault = is.IsDefault
			d.DomainSettings, err = b.Settings()
			return d, err
		},
		view: func(d models.Domain) any {
			return struct {
				models.DomainSettings
				defaultDomain
			}{d.DomainSettings, defaultDomain{d.IsDefault}}
		},
	})

	NetworkCodec = newCodec(Networks, `{"name": "x"}`, Codec[models.Network]{
		keys: bind.KeysOf(models.NetworkFields{}, active{}),
		read: func(raw []byte) (models.Network, error) {
			b, on, err := body[form.NetworkBody](raw)
			if err != nil {
				return models.Network{}, err
			}
			n, err := b.Record()
			n.IsActive = models.Active(on)
			return n, err
		},
		view: func(n models.Network) any {
			return struct {
				models.NetworkFields
				active
			}{n.NetworkFields, active{bool(n.IsActive)}}
		},
	})

	SourceCodec = newCodec(Sources, `{"name": "x"}`, Codec[models.TrafficSource]{
		keys: bind.KeysOf(models.SourceFields{}, active{}),
		read: func(raw []byte) (models.TrafficSource, error) {
			b, on, err := body[form.SourceBody](raw)
			if err != nil {
				return models.TrafficSource{}, err
			}
			o, err := b.Record()
			o.IsActive = models.Active(on)
			if len(o.Subs) > 0 { // parameters without a number get a free one, as in package store
				subslot.Assign(&o.SourceLink, models.SourceLink{}, false)
			}
			return o, err
		},
		view: func(o models.TrafficSource) any {
			return struct {
				models.SourceFields
				active
			}{o.SourceFields, active{bool(o.IsActive)}}
		},
	})

	LanderCodec = newCodec(Landers, `{"name": "x", "url": "https://x.example"}`, Codec[models.Lander]{
		keys: bind.KeysOf(models.LanderFields{}, protected{}, active{}),
		read: func(raw []byte) (models.Lander, error) {
			b, on, err := body[form.LanderBody](raw)
			if err != nil {
				return models.Lander{}, err
			}
			l, err := b.Record()
			l.IsActive = models.Active(on)
			var p struct {
				Protection form.ProtectionBody `json:"protection"`
			}
			if err == nil {
				err = bind.Decode(raw, &p)
			}
			p.Protection.Change(&l.Protection)
			return l, err
		},
		view: func(l models.Lander) any {
			return struct {
				models.LanderFields
				protected
				active
			}{l.LanderFields, protected{l.Protection}, active{bool(l.IsActive)}}
		},
	}, "url")

	OfferCodec = newCodec(Offers, `{"name": "x", "url": "https://x.example"}`, Codec[models.Offer]{
		refs: []ref{{member: "network", idMember: "network_id", kind: Networks}},
		keys: bind.KeysOf(models.OfferFields{}, active{}),
		read: func(raw []byte) (models.Offer, error) {
			b, on, err := body[form.OfferBody](raw)
			if err != nil {
				return models.Offer{}, err
			}
			o, err := b.Record()
			o.IsActive = models.Active(on)
			return o, err
		},
		view: func(o models.Offer) any {
			return struct {
				models.OfferFields
				active
			}{o.OfferFields, active{bool(o.IsActive)}}
		},
	}, "url")

	RuleCodec = newCodec(Rules, `{"name": "x", "conditions": [{"attribute": "country", "operator": "equals", "value": "DE"}]}`, Codec[models.Rule]{
		keys: bind.KeysOf(ruleMembers{}),
		read: func(raw []byte) (models.Rule, error) {
			var b form.RuleBody
			if err := bind.Decode(raw, &b); err != nil {
				return models.Rule{}, err
			}
			return b.Record()
		},
		view: func(r models.Rule) any { return ruleMembers{r.Name, r.Notes, r.Logic, r.Conditions} },
	}, "conditions")

	FlowCodec = newCodec(Flows, `{"name": "x", "paths": [{"action": "nothing"}]}`, Codec[flow.Saved]{
		keys: bind.KeysOf(flowMembers{}, active{}),
		read: func(raw []byte) (flow.Saved, error) {
			b, on, err := body[form.SavedFlowBody](raw)
			if err != nil {
				return flow.Saved{}, err
			}
			f, err := b.Record()
			f.IsActive = models.Active(on)
			return f, err
		},
		view: func(f flow.Saved) any {
			return struct {
				flowMembers
				active
			}{flowMembers{f.Name, f.Country, f.GroupName, f.Tags, f.Notes, f.Paths}, active{bool(f.IsActive)}}
		},
	}, "paths")

	BotListCodec = newCodec(BotLists, `{"list_type": "deny", "attribute": "country", "value": ["DE"]}`, Codec[models.BotEntry]{
		refs: []ref{{member: "campaign", idMember: "campaign_id", kind: Campaigns}},
		keys: bind.KeysOf(botListMembers{}),
		read: func(raw []byte) (models.BotEntry, error) {
			var b form.BotEntryBody
			if err := bind.Decode(raw, &b); err != nil {
				return models.BotEntry{}, err
			}
			b.Everybody = true // an entry that matches all visitors was accepted when it was made
			return b.Record()
		},
		view: func(e models.BotEntry) any {
			return botListMembers{e.ListType, e.Attribute, e.Operator, e.Value, e.Note, e.CampaignID}
		},
	}, "list_type", "attribute", "value")
)

type (
	defaultDomain struct {
		IsDefault bool `json:"is_default"`
	}
	protected struct {
		Protection models.Protection `json:"protection"`
	}
	ruleMembers struct {
		Name       string             `json:"name"`
		Notes      string             `json:"notes"`
		Logic      string             `json:"logic"`
		Conditions []models.Condition `json:"conditions"`
	}
	flowMembers struct {
		Name      string      `json:"name"`
		Country   string      `json:"country"`
		GroupName string      `json:"group_name"`
		Tags      models.Tags `json:"tags"`
		Notes     string      `json:"notes"`
		Paths     []flow.Path `json:"paths"`
	}
	botListMembers struct {
		ListType   string           `json:"list_type"`
		Attribute  string           `json:"attribute"`
		Operator   string           `json:"operator"`
		Value      models.BotValues `json:"value"`
		Note       string           `json:"note"`
		CampaignID uuid.NullUUID    `json:"campaign_id"`
	}
)
