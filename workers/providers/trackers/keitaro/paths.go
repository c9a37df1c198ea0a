package keitaro

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
)

type pathWriter struct {
	r      *reader
	it     *item
	c      *campaign
	params parameters
	names  trackerimport.Names
	rules  trackerimport.Names
}

type path struct {
	m    members
	name string
}

// paths returns ok false if the campaign is refused.
func (w *pathWriter) paths() (list []any, ok bool) {
	streams := sorted(w.c.streams, func(s *stream) text { return s.ID }, func(s *stream) text { return s.State })
	slices.SortStableFunc(streams, func(a, b *stream) int { return cmp.Compare(a.Position.number(), b.Position.number()) })
	if len(streams) > flow.MaxPaths {
		w.note(trackerimport.Refused, fmt.Sprintf("It has %d streams; a campaign has at most %d paths here.", len(streams), flow.MaxPaths))
		return nil, false
	}
	ok = true
	hasDefault, hasTriggers, total := false, false, 0.0
	for i, s := range streams {
		if s.Type.is("default") {
			if hasDefault {
				w.note(trackerimport.Changed, fmt.Sprintf("Stream %q was a second default stream and was left out.", models.Shortened(string(s.Name), 60)))
				continue
			}
			hasDefault = true
		}
		hasTriggers = hasTriggers || len(s.Triggers) > 0
		p := w.path(s, i+1)
		if !w.action(p, s) {
			ok = false
		}
		weight, _ := strconv.ParseFloat(string(s.Weight), 64)
		total += weight
		list = append(list, p.m)
	}
	if hasTriggers {
		w.note(trackerimport.Changed, trackerimport.NoTriggers)
	}
	if w.c.Type.is("weight") && total == 0 && len(list) > 0 {
		w.withoutWeights(list)
	}
	return list, ok
}

// withoutWeights is for a campaign that chooses its paths by weight although all weights are 0. It pauses the regular paths.
func (w *pathWriter) withoutWeights(list []any) {
	for _, p := range list {
		p := p.(members) //nolint:forcetypeassert // path makes it
		delete(p, "weight")
		if p["stream_type"] == nil {
			p["is_active"] = false
			w.note(trackerimport.Lost, trackerimport.InPath(fmt.Sprint(p["name"]), trackerimport.AllWeightsZero))
		}
	}
}

func (w *pathWriter) note(severity, text string) { w.r.note(severity, w.it, text) }

func (w *pathWriter) lose(p *path, sentence string) {
	p.m["is_active"] = false
	w.note(trackerimport.Lost, trackerimport.InPath(p.name, sentence))
}

func (w *pathWriter) change(p *path, sentence string) {
	w.note(trackerimport.Changed, trackerimport.InPath(p.name, sentence))
}

// path makes a path from a stream, except for the action of the path.
func (w *pathWriter) path(s *stream, n int) *path {
	name, changed := w.names.Unique(string(s.Name), fmt.Sprintf("Path %d", n))
	p := &path{members{"name": name}, name}
	if changed && s.Name != "" {
		w.change(p, trackerimport.NewName(string(s.Name), name))
	}
	switch {
	case s.Type.is("forced", "default"):
		p.m["stream_type"] = strings.ToLower(string(s.Type))
	case s.Type != "" && !s.Type.is("regular", "position", "weight"):
		w.lose(p, fmt.Sprintf("The kind of stream %q does not exist here. The path is paused.", models.Shortened(string(s.Type), 30)))
	}
	if w.c.Type.is("weight") && s.Weight != "" {
		p.m["weight"] = json.Number(s.Weight)
	}
	if s.State.is("disabled") {
		p.m["is_active"] = false
	}
	if s.Collect != nil && !*s.Collect {
		p.m["collect_clicks"] = false
	}
	if s.Comments != "" {
		w.change(p, "A path has no comments here. They were: "+models.Shortened(string(s.Comments), 300))
	}
	w.filters(p, s)
	return p
}

// The function nothing sets the answer that the path itself gives to the visitor.
func nothing(p *path, status int, body string) {
	p.m["action"], p.m["destinations"] = flow.ActionNothing, []any{}
	answer := members{"status": json.Number(strconv.Itoa(status))}
	if body != "" {
		answer["body"] = body
	}
	p.m["response"] = answer
}

// action sets the action of a path. It returns false if the campaign is refused.
func (w *pathWriter) action(p *path, s *stream) bool {
	p.m["destinations"] = []any{}
	if len(s.Landings)+len(s.Offers) > 0 && !s.Schema.is("redirect", "action") {
		w.destinations(p, s)
		return true
	}
	kind := strings.ToLower(string(s.ActionType))
	body := string(s.Payload)
	switch kind {
	case "status404":
		nothing(p, 404, "")
	case "do_nothing":
		nothing(p, 200, "")
	case "show_text", "show_html":
		if utf8.RuneCountInString(body) > flow.MaxBodyLen {
			nothing(p, 404, "")
			w.lose(p, trackerimport.LongAnswer(flow.MaxBodyLen))
			return true
		}
		nothing(p, 200, body)
	case "campaign", "group":
		w.handover(p, strings.TrimSpace(body))
	default:
		return w.redirect(p, kind, strings.TrimSpace(body))
	}
	return true
}

func (w *pathWriter) handover(p *path, id string) {
	if w.r.campaigns[id] == nil || w.r.refused[id] {
		nothing(p, 404, "")
		w.lose(p, trackerimport.Missing("The campaign that takes its visitors"))
		return
	}
	p.m["action"], p.m["campaign"] = flow.ActionCampaign, w.r.key(text(id))
	depth := 0
	for c := w.r.campaigns[id]; c != nil && depth <= flow.MaxHandovers; depth++ {
		next := ""
		for _, s := range c.streams {
			if s.ActionType.is("campaign", "group") && !s.State.is("deleted", "disabled") {
				next = strings.TrimSpace(string(s.Payload))
			}
		}
		c = w.r.campaigns[next]
	}
	if depth > flow.MaxHandovers {
		w.lose(p, fmt.Sprintf("Visitors could be handed over from campaign to campaign more than %d times, which is not allowed here. The path is paused.", flow.MaxHandovers))
	}
}

// redirect makes the path redirect to an address. It refuses the campaign and returns false if the address has a macro without a
// token.
func (w *pathWriter) redirect(p *path, kind, address string) bool {
	way, known := transitions[kind]
	if !known || address == "" {
		nothing(p, 404, "")
		sentence := trackerimport.NotReachable
		if !known {
			sentence = trackerimport.OwnAction(kind)
		}
		w.lose(p, sentence)
		return true
	}
	to := w.r.address(address)
	if macro := trackerimport.ForeignMacro(to, false); macro != "" {
		w.note(trackerimport.Refused, trackerimport.InPath(p.name, trackerimport.ForeignMacroLeft(macro, to)))
		return false
	}
	if text := badAddress(to, false); text != "" || utf8.RuneCountInString(to) > flow.MaxURLLen {
		nothing(p, 404, "")
		w.lose(p, cmp.Or(text, trackerimport.BadAddress(to, errLongAddress)))
		return true
	}
	if way.outdated {
		w.change(p, fmt.Sprintf("The redirect type %s becomes %s here.", kind, way.to))
	}
	p.m["action"] = flow.ActionRedirect
	p.m["destinations"] = []any{members{"url": to}}
	setTransition(p, way.to)
	return true
}

var errLongAddress = fmt.Errorf("it has more than %d characters", flow.MaxURLLen)

func setTransition(p *path, to string) {
	if to != flow.Transition302 {
		p.m["transition"] = to
	}
}

func (w *pathWriter) destinations(p *path, s *stream) {
	pages, pageWays := w.shares(p, s.Landings, "lander", w.r.landers)
	offers, offerWays := w.shares(p, s.Offers, "offer", w.r.offers)
	p.m["destinations"] = append(pages, offers...)
	ways := pageWays
	switch {
	case len(pages) > 0:
		p.m["action"] = flow.ActionLander
	case len(offers) > 0:
		p.m["action"] = flow.ActionOffer
		ways = offerWays
	default:
		nothing(p, 404, "")
		w.lose(p, trackerimport.NotReachable)
		return
	}
	setTransition(p, ways[0])
	if slices.ContainsFunc(ways, func(way string) bool { return way != ways[0] }) {
		w.change(p, fmt.Sprintf("Its destinations were reached in several ways. Here a path has one: %s.", ways[0]))
	}
}

// shares returns the destinations of a list, and how visitors are sent to each of them.
func (w *pathWriter) shares(p *path, list []share, member string, known map[string]record) (out []any, ways []string) {
	noun := map[string]string{"lander": "Landing page", "offer": "Offer"}[member]
	total, seen := 0.0, map[string]bool{}
	for _, one := range list {
		id := one.LandingID.id() + one.OfferID.id()
		rec, ok := known[id]
		title := fmt.Sprintf("%s %q", noun, models.Shortened(rec.name, 60))
		switch {
		case !ok:
			w.change(p, fmt.Sprintf("%s %s was deleted there and was left out.", noun, id))
		case one.State.is("deleted") || seen[id]:
		case one.State.is("disabled"):
			w.change(p, trackerimport.LeftOut(title))
		case rec.refused:
			w.lose(p, trackerimport.Missing(title))
		default:
			seen[id] = true
			weight := cmp.Or(one.Share, "0")
			n, _ := strconv.ParseFloat(string(weight), 64)
			total += n
			out = append(out, members{member: rec.key, "weight": json.Number(weight)})
			ways = append(ways, rec.transition)
		}
	}
	if total == 0 && len(out) > 0 {
		for _, d := range out {
			delete(d.(members), "weight") //nolint:forcetypeassert // it is made above
		}
		w.lose(p, trackerimport.AllWeightsZero)
	}
	return out, ways
}
