package moved

import (
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

var campaignCodec = accountconfig.CampaignCodec(models.Account{Currency: "USD"})

// Check reads a record with the codec that later reads it from the document. The function Sentence turns the error into a text for
// a person.
func Check(kind accountconfig.Kind, key string, m Members) (err error) {
	switch kind {
	case accountconfig.Domains:
		_, err = accountconfig.DomainCodec.Decode(key, m, everybody{})
	case accountconfig.Networks:
		_, err = accountconfig.NetworkCodec.Decode(key, m, everybody{})
	case accountconfig.Sources:
		_, err = accountconfig.SourceCodec.Decode(key, m, everybody{})
	case accountconfig.Landers:
		_, err = accountconfig.LanderCodec.Decode(key, m, everybody{})
	case accountconfig.Offers:
		_, err = accountconfig.OfferCodec.Decode(key, m, everybody{})
	case accountconfig.BotLists:
		_, err = accountconfig.BotListCodec.Decode(key, m, everybody{})
	case accountconfig.Campaigns:
		err = checkCampaign(key, m)
	}
	return err
}

// checkCampaign checks the paths like a flow that a user saves.
func checkCampaign(key string, m Members) error {
	c, err := campaignCodec.Decode(key, m, everybody{})
	if err != nil || len(c.Paths) == 0 {
		return err
	}
	destinations, campaigns, _ := flow.References(c.Paths)
	known := flow.Known{
		Offers: map[uuid.UUID]bool{}, Landers: map[uuid.UUID]bool{}, Campaigns: map[uuid.UUID]bool{}, Rules: map[uuid.UUID]cond.Cost{},
	}
	landers := map[uuid.UUID]bool{}
	for _, p := range m["paths"].([]any) { //nolint:forcetypeassert // paths always has this type
		for _, d := range p.(Members)["destinations"].([]any) { //nolint:forcetypeassert // as above
			if key, ok := d.(Members)["lander"].(string); ok { //nolint:forcetypeassert // as above
				id, _ := everybody{}.ID(accountconfig.Landers, key)
				landers[id] = true
			}
		}
	}
	for _, id := range destinations {
		if landers[id] {
			known.Landers[id] = true
		} else {
			known.Offers[id] = true
		}
	}
	for _, id := range campaigns {
		known.Campaigns[id] = true
	}
	return flow.Validate(c.Paths, known)
}
