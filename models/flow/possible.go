package flow

import "switchyard/models/cond"

type fit uint8

const (
	fitsNot fit = iota
	mayFit      // it depends on an attribute that the caller does not know
	fits
)

// Possible returns every decision that Pick can make for a visitor without bindings. It assumes that daily caps are not reached.
// unsure reports whether the visitor's value of an attribute is not known. If the decision depends on it, certain is false, and
// the list covers all values. The plan must be compiled with Explained.
func (p *Plan) Possible(f *cond.Facts, unsure func(attribute string) bool) (list []Decision, certain bool) {
	certain = true
	try := func(via Via, group ...uint8) (taken bool) {
		for _, i := range group {
			r := &p.routes[i]
			if !r.active || via == ViaRegular && r.weight == 0 {
				continue
			}
			fit, found := r.fit(f, unsure), r.decisions(via)
			if fit == fitsNot || len(found) == 0 {
				continue
			}
			list = append(list, found...)
			certain, taken = certain && fit == fits, taken || fit == fits
		}
		return taken
	}
	for _, i := range p.forced {
		if try(ViaForced, i) {
			return list, certain
		}
	}
	from := uint8(0)
	for _, end := range p.ends {
		if try(ViaRegular, p.regular[from:end]...) {
			return list, certain
		}
		from = end
	}
	if p.defaultPath >= 0 {
		if try(ViaDefault, uint8(p.defaultPath)) { //nolint:gosec // a flow has less than 256 paths
			return list, certain
		}
	}
	return append(list, p.LastResort()), certain
}

// decisions returns one decision for each usable destination of a path. A path that needs no destination gives a single decision.
func (r *Route) decisions(via Via) (list []Decision) {
	d := Decision{Via: via, Route: r, Collect: r.Collect, Bindable: r.StreamType != Forced}
	if !r.leads {
		return []Decision{d}
	}
	for i := range r.first {
		c := &r.first[i]
		if c.weight == 0 || !c.usable() {
			continue
		}
		if r.Action == ActionLander {
			d.Lander = c.ref
		} else {
			d.Offer, d.URL = c.ref, c.url
		}
		list = append(list, d)
	}
	return list
}

func (r *Route) fit(f *cond.Facts, unsure func(string) bool) fit {
	units := make([]fit, len(r.units))
	for i := range r.units {
		m := r.units[i].matcher
		matched, findings := m.Explain(f)
		conditions := make([]fit, len(findings))
		for j, found := range findings {
			conditions[j] = fitOf(found.Matched)
			if unsure(found.Attribute) {
				conditions[j] = mayFit
			}
		}
		if units[i] = joined(conditions, m.Or()); len(findings) == 0 {
			units[i] = fitOf(matched)
		}
	}
	return joined(units, r.or)
}

func fitOf(matched bool) fit {
	if matched {
		return fits
	}
	return fitsNot
}

// joined combines the results of conditions. The best result decides if the parameter `or` is true, otherwise the worst does.
func joined(list []fit, or bool) fit {
	if len(list) == 0 {
		return fits
	}
	out := list[0]
	for _, one := range list[1:] {
		if or {
			out = max(out, one)
		} else {
			out = min(out, one)
		}
	}
	return out
}
