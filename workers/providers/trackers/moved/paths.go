package moved

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
)

// Draft is a campaign whose paths are not written yet.
type Draft struct {
	*Item
	Paths []Path
}

// Path is a path of most trackers: perhaps a landing page, then an offer, an address or another campaign.
type Path struct {
	Name       string
	Off        bool
	Weight     string // empty: 100
	Group      int    // tried in ascending order; within a group a path is chosen at random; 0: no groups
	Test       Test
	Transition string // empty: 302
	Pages      []Share
	Onward     []Share
	Numbered   bool     // link number k on the landing page leads to Onward[k-1]
	Notes      []string // about differences
	Lost       []string // reasons for pausing the path
}

// Share is a destination with its weight. Without id and address, the visitor sees no landing page.
type Share struct {
	Kind   accountconfig.Kind
	ID     string
	Name   string // for notes
	URL    string
	Weight string // empty: 100
	Off    bool
}

func (s Share) isDirect() bool { return s.ID == "" && s.URL == "" }

// weightOf returns the number in a text, or 100 if the text is empty, or 0 if it is not a number from 0 to flow.MaxWeight.
func weightOf(text string) float64 {
	if text == "" {
		return 100
	}
	w, err := strconv.ParseFloat(text, 64)
	if err != nil || !(w >= 0 && w <= flow.MaxWeight) {
		return 0
	}
	return w
}

func written(w float64) json.Number {
	return json.Number(strconv.FormatFloat(float64(int64(w*1000+0.5))/1000, 'f', -1, 64))
}

// Campaigns writes campaigns. Paths that lead to a refused campaign are paused, so all paths are written again until a round
// refuses no campaign.
func (b *Book) Campaigns(drafts []Draft) {
	notes := make([][]trackerimport.Note, len(drafts))
	outer := b.Out.Notes
	for again := true; again; {
		again = false
		for i, d := range drafts {
			ref := b.Ref(d.Kind, d.ID)
			if ref.Refused {
				continue
			}
			b.Out.Notes = nil
			w := &writer{b: b, it: d.Item, names: trackerimport.Names{}, rules: trackerimport.Names{}}
			if list := w.paths(d.Paths); len(list) > 0 {
				d.M["paths"] = list
			}
			if !ref.Refused {
				if err := Check(d.Kind, d.Key, d.M); err != nil {
					b.Refuse(d.Item, Sentence(err))
				}
			}
			again = again || ref.Refused
			notes[i] = b.Out.Notes
		}
	}
	b.Out.Notes = outer
	for i, d := range drafts {
		b.Out.Notes = append(b.Out.Notes, notes[i]...)
		if !b.Ref(d.Kind, d.ID).Refused {
			b.Out.Put(d.Kind, d.Key, d.M)
		}
	}
	b.RemoveLinks()
}

type writer struct {
	b            *Book
	it           *Item
	names, rules trackerimport.Names
}

func (w *writer) paths(list []Path) (out []any) {
	for i, p := range list {
		out = append(out, w.path(p, i+1)...)
	}
	if len(out) > flow.MaxPaths {
		w.b.Refuse(w.it, fmt.Sprintf("It would have %d paths; a campaign has at most %d here.", len(out), flow.MaxPaths))
		return nil
	}
	return out
}

// branch is a part of a path that is written as a path of its own.
type branch struct {
	part float64 // the share of the path's visitors
	m    Members
}

// path writes one path for each branch.
func (w *writer) path(p Path, n int) (out []any) {
	name := p.Name
	if name == "" {
		name = fmt.Sprintf("Path %d", n)
	}
	name, changed := w.names.Unique(name, name)
	note := func(severity, text string) { w.b.Note(severity, w.it, trackerimport.InPath(name, text)) }
	paused := p.Off
	lose := func(text string) {
		paused = true
		note(trackerimport.Lost, text)
	}
	if changed && p.Name != "" {
		note(trackerimport.Changed, trackerimport.NewName(p.Name, name))
	}
	for _, text := range append(slices.Clone(p.Notes), p.Test.changed...) {
		note(trackerimport.Changed, text)
	}
	for _, text := range append(slices.Clone(p.Lost), p.Test.lost...) {
		lose(text)
	}
	own, rules := w.conditions(&p.Test, lose)
	branches := w.branches(&p, lose, func(text string) { note(trackerimport.Changed, text) })
	if len(branches) > 1 {
		note(trackerimport.Changed, fmt.Sprintf("It had destinations of several kinds, so it was split into %d paths. Each destination keeps its share of the visitors.", len(branches)))
	}
	for i, br := range branches {
		m := br.m
		m["name"] = name
		if i > 0 {
			m["name"], _ = w.names.Unique(name, name)
		}
		m["weight"] = written(weightOf(p.Weight) * br.part)
		if p.Group > 0 {
			m["rule_group"] = json.Number(strconv.Itoa(p.Group))
		}
		if p.Transition != "" && p.Transition != flow.Transition302 {
			m["transition"] = p.Transition
		}
		if paused {
			m["is_active"] = false
		}
		if len(own) > 0 {
			m["filters"] = own
		}
		if len(rules) > 0 {
			m["rules"] = rules
		}
		out = append(out, m)
	}
	return out
}

func (w *writer) conditions(t *Test, lose func(string)) (own, rules []any) {
	for _, c := range t.all {
		if len(own) == cond.MaxConditions {
			lose(trackerimport.FilterLost(c.Attribute, nil))
			continue
		}
		own = append(own, condition(c))
	}
	for _, list := range t.any {
		if len(rules) == flow.MaxRules || len(list) > cond.MaxConditions {
			lose(trackerimport.FilterLost(list[0].Attribute, nil))
			continue
		}
		name, _ := w.rules.Unique(list[0].Attribute, "filter")
		rule := Members{"name": name, "logic": "or"}
		var conditions []any
		for _, c := range list {
			conditions = append(conditions, condition(c))
		}
		rule["conditions"] = conditions
		rules = append(rules, rule)
	}
	return own, rules
}

func condition(c models.Condition) Members {
	c = cond.Canonical(c)
	return Members{"attribute": c.Attribute, "operator": c.Operator, "value": c.Value}
}

// branches divides a path by kinds of destinations.
func (w *writer) branches(p *Path, lose, change func(string)) (out []branch) {
	pages, straight := w.usable(p.Pages, lose, change)
	onward, _ := w.usable(p.Onward, lose, change)
	var ends, campaigns []Share
	for _, s := range onward {
		if s.Kind == accountconfig.Campaigns {
			campaigns = append(campaigns, s)
		} else {
			ends = append(ends, s)
		}
	}
	total := sum(pages) + straight
	part := 1.0 // the share of visitors who see no page
	if total > 0 {
		part = straight / total
	}
	if len(pages) > 0 && (sum(pages) > 0 || straight == 0) {
		if len(campaigns) > 0 {
			lose("A landing page led to another campaign, which a page cannot do here. The path is paused; enter the link of that campaign as an offer.")
		}
		if sum(pages) == 0 {
			part = 0
		}
		m := Members{"action": flow.ActionLander, "destinations": append(w.destinations(pages, false, lose), w.destinations(ends, p.Numbered, lose)...)}
		out = append(out, branch{1 - part, m})
	}
	if len(pages) == 0 {
		part = 1
	}
	if part > 0 {
		out = append(out, w.withoutPage(ends, campaigns, part, lose)...)
	}
	if len(out) == 0 || len(ends)+len(campaigns)+len(pages) == 0 {
		lose(trackerimport.NotReachable)
		out = []branch{{1, Members{"action": flow.ActionNothing, "destinations": []any{}, "response": Members{"status": json.Number("404")}}}}
	}
	return out
}

// withoutPage returns branches without a landing page.
func (w *writer) withoutPage(ends, campaigns []Share, part float64, lose func(string)) (out []branch) {
	total := sum(ends) + sum(campaigns)
	share := func(of float64, n int) float64 {
		if total > 0 {
			return part * of / total
		}
		return part / float64(max(n, 1))
	}
	if len(ends) > 0 && (sum(ends) > 0 || len(campaigns) == 0) {
		action := flow.ActionOffer
		if !slices.ContainsFunc(ends, func(s Share) bool { return s.URL == "" }) {
			action = flow.ActionRedirect
		}
		out = append(out, branch{share(sum(ends), 1), Members{"action": action, "destinations": w.destinations(ends, false, lose)}})
	}
	for _, c := range campaigns {
		if weightOf(c.Weight) > 0 || total == 0 {
			m := Members{"action": flow.ActionCampaign, "campaign": w.b.Ref(c.Kind, c.ID).Key, "destinations": []any{}}
			out = append(out, branch{share(weightOf(c.Weight), len(campaigns)), m})
		}
	}
	if total == 0 && len(campaigns) > 0 {
		lose(trackerimport.AllWeightsZero)
	}
	return out
}

func sum(list []Share) (total float64) {
	for _, s := range list {
		total += weightOf(s.Weight)
	}
	return total
}

// usable returns the usable destinations. straight is the weight of shares without a landing page.
func (w *writer) usable(list []Share, lose, change func(string)) (out []Share, straight float64) {
	for _, s := range list {
		ref := w.b.Ref(s.Kind, s.ID)
		title := fmt.Sprintf("%s %q", models.Shortened(string(s.Kind.Noun()), 20), models.Shortened(s.title(ref), 60))
		switch {
		case s.Off:
			change(trackerimport.LeftOut(upper(title)))
		case s.isDirect():
			straight += weightOf(s.Weight)
		case s.URL != "":
			if w.address(&s) {
				out = append(out, s)
			}
		case ref == nil || ref.Refused:
			lose(trackerimport.Missing(upper(title)))
		default:
			out = append(out, s)
		}
	}
	return out, straight
}

func (s Share) title(ref *Ref) string {
	switch {
	case ref != nil:
		return ref.Name
	case s.Name != "":
		return s.Name
	case s.ID != "":
		return s.ID
	}
	return s.URL
}

func upper(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

var errLong = errors.New("it is too long")

// address refuses the campaign if the rewritten address cannot be used.
func (w *writer) address(s *Share) bool {
	s.URL = w.b.Rewritten(s.URL)
	text := w.b.badAddress(s.URL, false)
	if text == "" && utf8.RuneCountInString(s.URL) > flow.MaxURLLen {
		text = trackerimport.BadAddress(s.URL, errLong)
	}
	if text != "" {
		w.b.Refuse(w.it, text)
	}
	return text == ""
}

// destinations writes a list of destinations. If all weights are 0, it pauses the path.
func (w *writer) destinations(list []Share, numbered bool, lose func(string)) []any {
	out := []any{}
	none := sum(list) == 0 && len(list) > 0
	if none {
		lose(trackerimport.AllWeightsZero)
	}
	at := map[string]Members{}
	for i, s := range list {
		m := Members{"weight": written(weightOf(s.Weight))}
		if none {
			delete(m, "weight")
		}
		switch {
		case s.URL != "":
			m["url"] = s.URL
		case s.Kind == accountconfig.Landers:
			m["lander"] = w.b.Ref(s.Kind, s.ID).Key
		default:
			m["offer"] = w.b.Ref(s.Kind, s.ID).Key
		}
		if numbered && i < flow.MaxSlot {
			m["slot"] = json.Number(strconv.Itoa(i + 1))
		}
		same := string(s.Kind) + s.ID + s.URL
		if first := at[same]; first != nil && !numbered && !none { // adds up the weights of a repeated destination
			before, _ := first["weight"].(json.Number).Float64() //nolint:forcetypeassert // it is made above
			first["weight"] = written(before + weightOf(s.Weight))
			continue
		}
		at[same] = m
		out = append(out, m)
	}
	return out
}
