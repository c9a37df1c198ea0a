package template

import (
	"slices"
	"strings"

	"switchyard/models"
)

// Source is the template of a traffic source.
type Source struct {
	Key             string             `json:"platform" doc:"the value of a traffic source's platform"`
	Name            string             `json:"name"`
	ExternalIDParam string             `json:"external_id_param" doc:"parameter that carries the source's click id"`
	ExternalIDMacro string             `json:"external_id_macro" doc:"the source's macro for its click id; empty if the source adds the parameter on its own"`
	CostParam       string             `json:"cost_param"`
	CostMacro       string             `json:"cost_macro" doc:"the source's macro for the cost; empty if it has none"`
	CostModel       string             `json:"cost_model" enum:"cpc,cpm,cpa,manual"`
	TokenMacros     models.TokenMacros `json:"token_macros"`
	PostbackURL     string             `json:"postback_url" doc:"address where conversions are reported to the source; YOUR_... in it stands for the account's own values at the source"`
	Origin
}

// FindSource returns the template of a platform.
func FindSource(key string) (Source, bool) {
	i := slices.IndexFunc(sources, func(s Source) bool { return s.Key == key })
	if i < 0 {
		return Source{}, false
	}
	return sources[i], true
}

// WorksUnchanged reports whether the postback address of the template works for every account without changes.
func (s Source) WorksUnchanged() bool { return models.Placeholder(s.PostbackURL) == "" }

// Link returns the parameters of a tracking link whose values a source with the template sets.
func (s Source) Link() models.SourceLink {
	return models.SourceLink{
		TokenMacros: s.TokenMacros, CostParam: s.CostParam, CostMacro: s.CostMacro,
		ExternalIDParam: s.ExternalIDParam, ExternalIDMacro: s.ExternalIDMacro,
	}
}

func tokens(pairs ...string) models.TokenMacros {
	list := make(models.TokenMacros, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, models.TokenMacro{Param: pairs[i], Macro: pairs[i+1]})
	}
	return list
}

const custom = "custom"

// IsPlatform reports whether a key names a template or is "custom".
func IsPlatform(key string) bool {
	_, ok := FindSource(key)
	return ok || key == custom
}

// Sources returns the templates of traffic sources. The caller must not change the list.
func Sources() []Source { return sources }

var sources = func() []Source {
	list := slices.Concat(searchSources, socialSources, nativeSources, pushSources, popSources, displaySources, adultSources)
	for i := range list {
		s := &list[i]
		s.CostModel = "cpc"
		if s.ExternalIDMacro != "" && s.ExternalIDParam == "" {
			s.ExternalIDParam = "click_id"
		}
		if s.CostMacro != "" {
			s.CostParam = "cost"
		}
		if s.TokenMacros == nil {
			s.TokenMacros = tokens()
		}
	}
	return list
}()

// CampaignParam returns the parameter of a source's links that carries the id of the platform's campaign. The function
// recognizes the parameter by its macro. It returns an empty text if there is no such parameter.
func CampaignParam(s models.TrafficSource) string {
	macros := s.TokenMacros
	if t, ok := FindSource(s.Platform); ok {
		macros = append(slices.Clone(macros), t.TokenMacros...)
	}
	for _, m := range macros {
		letters := strings.Map(func(r rune) rune {
			if r < 'a' || r > 'z' {
				return -1
			}
			return r
		}, strings.ToLower(m.Macro))
		if letters == "campaignid" {
			return m.Param
		}
	}
	return ""
}
