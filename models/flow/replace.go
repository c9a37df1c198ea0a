package flow

import "slices"

// Use describes one click slot in which a path has a destination.
type Use struct {
	Slot      int
	Weight    float64 // the destination's weight; if it occurs several times in the slot, the sum of the weights
	NewWeight float64 // weight of the destination that replaces it
	Joins     bool    // the new destination was already in the slot, so the weights are added
}

// Replace returns the destinations after another record has replaced an offer or a landing page. `id` is the old record, and `with`
// is the new one. The slots and the weights stay the same. In a slot that already had the new record, the new record gets the sum of
// both weights. So the probabilities of all other destinations do not change.
func Replace(list []Destination, id, with string) (out []Destination, uses []Use) {
	out = []Destination{}
	for _, d := range list {
		if d.ID == id {
			uses = addUse(uses, d)
		}
	}
	placed := map[int]int{}
	for _, d := range list {
		if d.ID != id && d.ID != with || !slices.ContainsFunc(uses, func(u Use) bool { return u.Slot == d.Slot }) {
			out = append(out, d)
			continue
		}
		if i, ok := placed[d.Slot]; ok {
			out[i].Weight = thousandths(out[i].Weight + d.Weight)
			continue
		}
		placed[d.Slot] = len(out)
		d.ID = with
		out = append(out, d)
	}
	for i := range uses {
		u := &uses[i]
		u.NewWeight = out[placed[u.Slot]].Weight
		u.Joins = slices.ContainsFunc(list, func(d Destination) bool { return d.ID == with && d.Slot == u.Slot })
	}
	return out, uses
}

func addUse(uses []Use, d Destination) []Use {
	for i := range uses {
		if uses[i].Slot == d.Slot {
			uses[i].Weight = thousandths(uses[i].Weight + d.Weight)
			return uses
		}
	}
	return append(uses, Use{Slot: d.Slot, Weight: d.Weight})
}
