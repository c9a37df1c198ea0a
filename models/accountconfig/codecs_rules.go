package accountconfig

import (
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/bind"
	"switchyard/models/bot"
)

// CopilotRuleCodec is the codec of the rules by which the Copilot changes campaigns.
var CopilotRuleCodec = newCodec(CopilotRules, `{"name": "x", "conditions": [{"figure": "clicks", "operator": ">", "value": 1}]}`,
	Codec[autorule.Rule]{
		refs: []ref{
			{member: "campaigns", idMember: "campaign_ids", kind: Campaigns, isList: true},
			{member: "sources", idMember: "source_ids", kind: Sources, isList: true},
		},
		keys: bind.KeysOf(copilotRuleMembers{}),
		read: func(raw []byte) (r autorule.Rule, err error) {
			b := copilotRuleMembers{IsActive: true, Settings: autorule.Defaults()}
			if err := bind.Decode(raw, &b); err != nil {
				return r, err
			}
			r.Name, r.IsActive, r.Settings = b.Name, b.IsActive, b.Settings
			return r, b.Validate()
		},
		view: func(r autorule.Rule) any {
			r.CampaignIDs, r.SourceIDs = append([]uuid.UUID{}, r.CampaignIDs...), append([]uuid.UUID{}, r.SourceIDs...)
			return copilotRuleMembers{r.Name, r.IsActive, r.Settings}
		},
	}, "conditions")

type copilotRuleMembers struct {
	Name     string `json:"name" required:"true" trim:"true" maxLength:"100"`
	IsActive bool   `json:"is_active" bad:"invalid_rule" optional:"true"`

	autorule.Settings `optional:"true"`
}

// BotSettings are the settings of bot detection of an account.
type BotSettings struct {
	models.Owned
	Threshold int
	Disabled  []string
}

type botSettingsMembers struct {
	Threshold int      `json:"threshold" optional:"true" min:"20" max:"95"`
	Disabled  []string `json:"disabled" optional:"true" maxItems:"40"`
}

// BotDetectionCodec is the codec of the settings of bot detection.
var BotDetectionCodec = newCodec(BotDetection, `{}`, Codec[BotSettings]{
	keys: bind.KeysOf(botSettingsMembers{}),
	read: func(raw []byte) (s BotSettings, err error) {
		b := botSettingsMembers{Threshold: bot.NewSettings(0, nil).Limit()}
		if err := bind.Decode(raw, &b); err != nil {
			return s, err
		}
		known := bot.NewSettings(b.Threshold, b.Disabled)
		for _, name := range b.Disabled {
			if !isSignal(name) {
				return s, models.Invalid("invalid_input", "disabled: there is no signal %.60q", name)
			}
		}
		s.Threshold, s.Disabled = known.Limit(), known.Disabled.Reasons()
		return s, nil
	},
	view: func(s BotSettings) any { return botSettingsMembers{s.Threshold, append([]string{}, s.Disabled...)} },
})

func isSignal(name string) bool {
	for s := range bot.All() {
		if s.Reason == name {
			return true
		}
	}
	return false
}
