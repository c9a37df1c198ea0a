package launchcheck

import (
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/flow"
	"switchyard/models/param"
	"switchyard/models/token"
)

func (f *Facts) eachAddress(fn func(p Place, url string)) {
	f.eachRecord("", func(r Record, p Place) {
		p.Field = "url"
		fn(p, r.URL)
	})
	f.eachPath(func(_ int, p *flow.Path) {
		for _, d := range p.Destinations {
			if d.URL != "" && d.Weight > 0 {
				fn(f.at(p), d.URL)
			}
		}
	})
	for _, p := range []Place{f.setting("fallback_url", f.Campaign.FallbackURL), f.setting("destination_url", f.Campaign.DestinationURL)} {
		if url := p.Value; url != "" {
			p.Value = ""
			fn(p, url)
		}
	}
}

// leftovers calls add for placeholders that stay unfilled: for those in the form of another program if foreign is true, otherwise
// for all others.
func (f *Facts) leftovers(add func(Place), foreign bool) {
	f.eachAddress(func(p Place, url string) {
		for _, l := range token.Leftovers(url) {
			if l.Foreign == foreign {
				p.Value = models.Shortened(l.Text, maxValue)
				add(p)
			}
		}
	})
}

const maxValue = 80

func macroForeign(f *Facts, add func(Place)) { f.leftovers(add, true) }

func macroUnknown(f *Facts, add func(Place)) { f.leftovers(add, false) }

func clickIDMissing(f *Facts, add func(Place)) {
	f.eachPaidOffer(func(r Record, p Place) {
		if f.Networks[r.NetworkID.UUID].ClickParam == "" && !token.Compile(r.URL).Uses(token.ClickID) {
			p.Field = "url"
			add(p)
		}
	})
}

func clickIDElsewhere(f *Facts, add func(Place)) {
	f.eachPaidOffer(func(r Record, p Place) {
		name := f.Networks[r.NetworkID.UUID].ClickParam
		if name != "" && token.Compile(r.URL).Uses(token.ClickID) && !hasClickIDIn(r.URL, name) {
			p.Field, p.Value = "url", name
			add(p)
		}
	})
}

func hasClickIDIn(url, name string) bool {
	url, _, _ = strings.Cut(url, "#")
	_, query, _ := strings.Cut(url, "?")
	for query != "" {
		var p param.Param
		if p, query, _ = param.Next(query); strings.EqualFold(p.Name, name) && token.Compile(p.Value).Uses(token.ClickID) {
			return true
		}
	}
	return false
}

func (s *Source) inSource(field, value string) Place {
	return Place{Kind: AtSource, ID: s.ID, Name: s.Name, Field: field, Value: value}
}

func (f *Facts) eachPostback(fn func(url string)) {
	if f.Source != nil {
		for _, url := range f.Source.URLs() {
			fn(url)
		}
	}
}

func postbackPlaceholder(f *Facts, add func(Place)) {
	f.eachPostback(func(url string) {
		if word := models.Placeholder(url); word != "" {
			add(f.Source.inSource("postback_url", word))
		}
	})
}

func postbackMacro(f *Facts, add func(Place)) {
	f.eachPostback(func(url string) {
		if text := token.Unknown(url); text != "" {
			add(f.Source.inSource("postback_url", models.Shortened(text, maxValue)))
		}
	})
}

func sourceMissing(f *Facts, add func(Place)) {
	if f.Source == nil {
		add(f.setting("source_id", ""))
	}
}

func subsMissing(f *Facts, add func(Place)) {
	if s := f.Source; s != nil && len(s.TokenMacros) == 0 {
		add(s.inSource("token_macros", ""))
	}
}

func subWithoutMacro(f *Facts, add func(Place)) {
	if f.Source == nil {
		return
	}
	for _, m := range f.Source.TokenMacros {
		if m.Macro == "" {
			add(f.Source.inSource("token_macros", m.Param))
		}
	}
}

func subUnfilled(f *Facts, add func(Place)) {
	if f.Source == nil {
		return
	}
	for _, u := range f.Source.Unfilled {
		p := f.Source.inSource("token_macros", u.Sub)
		p.At = u.At
		add(p)
	}
}

// sourceClickIDMissing finds a source whose postback addresses need the source's click id, although the link has no macro for
// it. It leaves out a source with its own parameter for the click id, because such a source adds the parameter itself.
func sourceClickIDMissing(f *Facts, add func(Place)) {
	s := f.Source
	if s == nil || s.ExternalIDMacro != "" || s.ExternalIDParam != "" && s.ExternalIDParam != models.DefaultExternalIDParam {
		return
	}
	externalID, _ := token.Lookup("external_id")
	if slices.ContainsFunc(s.URLs(), func(url string) bool { return token.CompilePostback(url).Uses(externalID.Name) }) {
		add(s.inSource("external_id_macro", ""))
	}
}

// costMissing finds a campaign with the cost model auto if neither its link nor a connection reports the cost. It leaves out a
// campaign whose source has its own parameter for the cost, because such a source adds the parameter itself.
func costMissing(f *Facts, add func(Place)) {
	s := f.Source
	known := s != nil && (s.ReadsSpend || s.CostMacro != "" || s.CostParam != "" && s.CostParam != models.DefaultCostParam)
	if f.Campaign.CostModel == "auto" && !known {
		add(f.setting("cost_model", ""))
	}
}

func costZero(f *Facts, add func(Place)) {
	priced := !slices.Contains([]string{"auto", "manual"}, f.Campaign.CostModel)
	if priced && f.Campaign.CostValue.IsZero() && (f.Source == nil || !f.Source.ReadsSpend) {
		add(f.setting("cost_value", f.Campaign.CostModel))
	}
}

func spendFailing(f *Facts, add func(Place)) {
	if s := f.Source; s != nil && s.ReadsSpend && s.SpendFailure != "" {
		add(s.inSource("integration", models.Shortened(s.SpendFailure, 4*maxValue)))
	}
}

const (
	lacksLander      = "landing page"
	lacksDestination = "destination"
)

func pathWithoutDestination(f *Facts, add func(Place)) {
	f.eachPath(func(_ int, p *flow.Path) {
		if p.Action == flow.ActionNothing || p.Action == flow.ActionCampaign {
			return
		}
		needs := p.Action == flow.ActionLander
		if !slices.ContainsFunc(p.Destinations, func(d flow.Destination) bool {
			open, isLander := f.open(d)
			return open && isLander == needs
		}) {
			place := f.at(p)
			if place.Value = lacksDestination; needs {
				place.Value = lacksLander
			}
			add(place)
		}
	})
}

func handoverClosed(f *Facts, add func(Place)) {
	f.eachPath(func(_ int, p *flow.Path) {
		id, ok := models.ParseID(p.CampaignID)
		if p.Action != flow.ActionCampaign || !ok {
			return
		}
		if to := f.Campaigns[id]; to.Status != models.CampaignActive {
			place := f.at(p)
			place.Kind, place.ID, place.Name, place.Field = AtCampaign, id, to.Name, "status"
			add(place)
		}
	})
}

func pathUnreachable(f *Facts, add func(Place)) {
	covered := flow.Covered(f.Paths, flow.Rotation(f.Campaign.FlowRotation))
	f.eachPath(func(i int, p *flow.Path) {
		if by, ok := covered[i]; ok && !p.NeverDrawn() {
			place := f.at(p)
			place.Value = f.Paths[by].Name
			add(place)
		}
	})
}

func pathWithoutShare(f *Facts, add func(Place)) {
	f.eachPath(func(_ int, p *flow.Path) {
		if p.NeverDrawn() {
			add(f.at(p))
		}
	})
}

func fallbackMissing(f *Facts, add func(Place)) {
	takesAll := slices.ContainsFunc(f.Paths, func(p flow.Path) bool { return p.TakesEverybody() })
	if f.Campaign.FallbackURL == "" && f.Campaign.DestinationURL == "" && !takesAll {
		add(f.setting("fallback_url", ""))
	}
}

func botsOff(f *Facts, add func(Place)) {
	for s := range bot.All() {
		if s.CanDisable && f.Bots.Disabled&s.Bit == 0 {
			return
		}
	}
	add(Place{Kind: AtAccount, ID: f.Account.ID, Name: f.Account.Name, Field: "bot_settings"})
}

func pathCapped(f *Facts, add func(Place)) {
	f.eachPath(func(_ int, p *flow.Path) {
		id, ok := models.ParseID(p.ID)
		if ok && p.DailyCap != nil && f.Used[id] >= *p.DailyCap {
			place := f.at(p)
			place.Value = strconv.Itoa(*p.DailyCap)
			add(place)
		}
	})
}

// slotWithoutOffer finds buttons of landing pages for which the path has no open offer and no address. An offer or address with
// slot 0 serves every button.
func slotWithoutOffer(f *Facts, add func(Place)) {
	f.eachPath(func(_ int, p *flow.Path) {
		var served [flow.MaxSlot + 1]bool
		for _, d := range p.Destinations {
			if open, isLander := f.open(d); open && !isLander {
				served[min(d.Slot, flow.MaxSlot)] = true
			}
		}
		if served[0] {
			return
		}
		for _, d := range p.Destinations {
			open, isLander := f.open(d)
			id, _ := models.ParseID(d.ID)
			r := f.Records[id]
			for slot := 1; open && isLander && slot <= min(max(r.ClickSlots, 1), flow.MaxSlot); slot++ {
				if !served[slot] {
					add(Place{Kind: AtLander, ID: id, Name: r.Name, Path: p.ID, PathName: p.Name, Field: "click_slots", Value: strconv.Itoa(slot)})
				}
			}
		}
	})
}

func siteInactive(f *Facts, add func(Place)) {
	if f.expectsGoals() && f.Campaign.MeasurementSiteID.Valid && !f.Tag.IsActive {
		add(f.Tag.place())
	}
}

func tagUnseen(f *Facts, add func(Place)) {
	if f.expectsGoals() && f.Tag.LastEvent == nil && (f.Tag.IsActive || !f.Campaign.MeasurementSiteID.Valid) {
		add(f.Tag.place())
	}
}

func (t *Tag) place() Place { return Place{Kind: AtSite, ID: t.Site, Name: t.Name} }
