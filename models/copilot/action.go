package copilot

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/flow"
)

// Limits of an action.
const (
	MaxWeights   = flow.MaxPaths
	MaxValues    = 100
	MaxValue     = 500 // in characters
	maxParameter = 100 // in characters
	MaxCampaigns = 200
	MaxCap       = 1_000_000
)

// The operations. The table ops has a row for each.
const (
	OpPauseCampaign         = "pause_campaign"
	OpPausePath             = "pause_path"
	OpSetWeights            = "set_weights"
	OpSetDestinationWeights = "set_destination_weights"
	OpSwapDestination       = "swap_destination"
	OpExclude               = "exclude"
	OpPauseOffer            = "pause_offer"
	OpSetCap                = "set_cap"
	OpDeny                  = "deny"
	OpMapPostback           = "map_postback"
)

// Action is a change to one record: an operation with its arguments. Fields that the operation does not need are empty.
type Action struct {
	Op         string        `json:"op" enum:"pause_campaign,pause_path,set_weights,set_destination_weights,swap_destination,exclude,pause_offer,set_cap,deny,map_postback"`
	CampaignID uuid.NullUUID `json:"campaign_id" doc:"the campaign, for all operations except pause_offer, set_cap and map_postback"`
	PathID     string        `json:"path_id,omitempty" doc:"the path, for pause_path, set_destination_weights and swap_destination"`
	OfferID    uuid.NullUUID `json:"offer_id" doc:"the offer, for pause_offer and set_cap"`
	NetworkID  uuid.NullUUID `json:"network_id" doc:"the network, for map_postback"`
	// Weights are the new weights of paths for set_weights, and of a path's offers or landing pages for set_destination_weights.
	// Items that are left out keep their weight.
	Weights []Weight `json:"weights,omitempty" maxItems:"128" doc:"the new weights, for set_weights and set_destination_weights"`
	From    string   `json:"from,omitempty" doc:"swap_destination: the offer or landing page that is replaced"`
	To      string   `json:"to,omitempty" doc:"swap_destination: the offer or landing page that replaces it"`
	// Cap is the maximum number of conversions per day for set_cap. Nil means no cap.
	Cap *int `json:"cap,omitempty" doc:"set_cap: maximum number of conversions per day; left out: no cap"`
	// Attribute and Values are for deny and exclude. In a suggestion, the value with the largest loss comes first. The first
	// values, as many as the field Worst says, cause most of the loss.
	Attribute string      `json:"attribute,omitempty" doc:"deny: attribute of a bot list entry; exclude: attribute of a condition"`
	Values    []string    `json:"values,omitempty" maxItems:"100"`
	Worst     int         `json:"worst,omitempty" doc:"with the variant most, only this number of values is blocked, beginning with the first value"`
	Campaigns []uuid.UUID `json:"campaigns,omitempty" maxItems:"200" doc:"deny: with the variant network, the values are blocked in these other campaigns too"`
	// Field and Parameter are for map_postback: a field of postbacks, and the parameter that contains the field's value.
	Field     string `json:"field,omitempty" doc:"map_postback: a field of postback_params"`
	Parameter string `json:"parameter,omitempty" doc:"map_postback: the parameter that contains the field's value"`
}

// Weight is the new weight of a path, an offer or a landing page.
type Weight struct {
	ID     string  `json:"id"`
	Weight float64 `json:"weight" min:"0" max:"1000000"`
}

// The variants of applying a suggestion. See the package comment.
const (
	VariantNetwork = "network"
	VariantMost    = "most"
	VariantAll     = "all"
)

// Variants lists the variants of the action.
func (a Action) Variants() []string {
	if a.Op != OpDeny && a.Op != OpExclude {
		return []string{}
	}
	list := []string{VariantMost, VariantAll}
	if len(a.Campaigns) > 0 {
		list = append([]string{VariantNetwork}, list...)
	}
	return list
}

// Variant returns the action that a variant applies. An empty name means VariantAll. The code of an error is "invalid".
func (a Action) Variant(name string) (Action, error) {
	if name != VariantNetwork {
		a.Campaigns = nil
	}
	switch name {
	case "", VariantAll:
	case VariantMost:
		if a.Worst > 0 && a.Worst < len(a.Values) {
			a.Values = a.Values[:a.Worst]
		}
	case VariantNetwork:
		if len(a.Campaigns) == 0 {
			return a, models.Invalid("invalid", "this suggestion has no variant network")
		}
	default:
		return a, models.Invalid("invalid", "the variant must be network, most or all")
	}
	return a, nil
}

// Validate refuses an action that could not be applied to any record. The code of the error is "invalid". Validate does not check
// whether the ids belong to the account.
func (a Action) Validate() error {
	o, ok := ops[a.Op]
	if !ok {
		return models.Invalid("invalid", "there is no operation %.40q", a.Op)
	}
	for _, check := range o.checks {
		if why := check(a); why != "" {
			return models.Invalid("invalid", "%s: %s", a.Op, why)
		}
	}
	return nil
}

// Target is a record that an action changes.
type Target struct {
	Kind string // one of the Target constants
	ID   uuid.UUID
}

// The kinds of records that actions change.
const (
	TargetCampaign = "campaign" // settings of a campaign
	TargetFlow     = "flow"     // the paths of a campaign
	TargetOffer    = "offer"
	TargetNetwork  = "network"
	TargetBotLists = "bot_lists" // bot list entries of a campaign, which are created or removed
)

// Target returns the record that the action changes. For deny, the field Campaigns may name further campaigns.
func (a Action) Target() Target {
	kind := ops[a.Op].target
	switch kind {
	case TargetOffer:
		return Target{kind, a.OfferID.UUID}
	case TargetNetwork:
		return Target{kind, a.NetworkID.UUID}
	}
	return Target{kind, a.CampaignID.UUID}
}

// needID returns a check that the action names a record. name is the field with the record's id.
func needID(name string, id func(Action) uuid.NullUUID) func(Action) string {
	return func(a Action) string {
		if !id(a).Valid {
			return name + " is missing"
		}
		return ""
	}
}

func needPath(a Action) string {
	if _, ok := models.ParseID(a.PathID); !ok {
		return "path_id is not the id of a path"
	}
	return ""
}

func needWeights(a Action) string {
	if len(a.Weights) == 0 || len(a.Weights) > MaxWeights {
		return "weights must have 1 to 128 items"
	}
	seen := map[string]bool{}
	for _, w := range a.Weights {
		if _, ok := models.ParseID(w.ID); !ok || seen[w.ID] {
			return "each weight must have a valid id, and no id may occur twice"
		}
		if !(w.Weight >= 0 && w.Weight <= flow.MaxWeight) {
			return "a weight must be between 0 and 1000000"
		}
		seen[w.ID] = true
	}
	return ""
}

func needSwap(a Action) string {
	_, from := models.ParseID(a.From)
	_, to := models.ParseID(a.To)
	if !from || !to || a.From == a.To {
		return "from and to must be the ids of two different offers or landing pages"
	}
	return ""
}

func needCap(a Action) string {
	if a.Cap != nil && (*a.Cap < 1 || *a.Cap > MaxCap) {
		return "cap must be between 1 and 1000000, or left out"
	}
	return ""
}

func needValues(attributes ...string) func(Action) string {
	return func(a Action) string {
		if !slices.Contains(attributes, a.Attribute) {
			return "attribute must be one of " + strings.Join(attributes, ", ")
		}
		if len(a.Values) == 0 || len(a.Values) > MaxValues || len(a.Campaigns) > MaxCampaigns {
			return "values must have 1 to 100 items, and campaigns at most 200"
		}
		for _, v := range a.Values {
			if strings.TrimSpace(v) == "" || utf8.RuneCountInString(v) > MaxValue {
				return "a value must have 1 to 500 characters"
			}
		}
		return ""
	}
}

func needMapping(a Action) string {
	switch {
	case !slices.Contains(models.PostbackFields, a.Field):
		return "field must be one of " + strings.Join(models.PostbackFields, ", ")
	case strings.TrimSpace(a.Parameter) == "" || utf8.RuneCountInString(a.Parameter) > maxParameter:
		return "parameter must have 1 to 100 characters"
	}
	return ""
}
