package copilot

import (
	"fmt"
	"strings"
)

const (
	maxItems      = 3
	maxNameLength = 60 // in characters
)

// Title returns one line that says what a valid action does to a record. An unknown name is replaced by the id.
func (a Action) Title(r Record) string { return ops[a.Op].title(a, r) }

// Destinations returns the ids of the offers and landing pages that Title names.
func (a Action) Destinations() []string {
	switch a.Op {
	case OpSwapDestination:
		return []string{a.From, a.To}
	case OpSetDestinationWeights:
		ids := make([]string, min(len(a.Weights), maxItems))
		for i := range ids {
			ids[i] = a.Weights[i].ID
		}
		return ids
	}
	return nil
}

// quoted returns a name in quotes. A long name is cut.
func quoted(name string) string {
	if r := []rune(name); len(r) > maxNameLength {
		name = string(r[:maxNameLength-1]) + "…"
	}
	return "“" + name + "”"
}

func listed[T any](list []T, limit int, text func(T) string) string {
	shown := list[:min(len(list), limit)]
	parts := make([]string, len(shown))
	for i, item := range shown {
		parts[i] = text(item)
	}
	out := strings.Join(parts, ", ")
	if more := len(list) - limit; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

func (a Action) campaign(r Record) string {
	if r.Campaign == nil {
		return "campaign " + a.CampaignID.UUID.String()
	}
	return "campaign " + quoted(r.Campaign.Name)
}

func (a Action) offer(r Record) string {
	if r.Offer == nil {
		return "offer " + a.OfferID.UUID.String()
	}
	return "offer " + quoted(r.Offer.Name)
}

func pathName(id string, r Record) string {
	if i := findPath(r.Paths, id); i >= 0 {
		return quoted(r.Paths[i].Name)
	}
	return id
}

func destinationName(id string, r Record) string {
	if name, ok := r.Names[id]; ok {
		return quoted(name)
	}
	return id
}

func (a Action) weights(r Record, name func(string, Record) string) string {
	return listed(a.Weights, maxItems, func(w Weight) string {
		return fmt.Sprintf("%s %v", name(w.ID, r), thousandths(w.Weight))
	})
}

func (a Action) values() string {
	return a.Attribute + " " + listed(a.Values, maxItems, quoted)
}

func pauseCampaignTitle(a Action, r Record) string { return "Pause " + a.campaign(r) }

func pausePathTitle(a Action, r Record) string {
	return fmt.Sprintf("Pause path %s of %s", pathName(a.PathID, r), a.campaign(r))
}

func weightsTitle(a Action, r Record) string {
	return fmt.Sprintf("Set weights of paths of %s: %s", a.campaign(r), a.weights(r, pathName))
}

func destinationsTitle(a Action, r Record) string {
	return fmt.Sprintf("Set weights in path %s of %s: %s", pathName(a.PathID, r), a.campaign(r), a.weights(r, destinationName))
}

func swapTitle(a Action, r Record) string {
	return fmt.Sprintf("Replace %s by %s in path %s of %s", destinationName(a.From, r), destinationName(a.To, r), pathName(a.PathID, r),
		a.campaign(r))
}

func excludeTitle(a Action, r Record) string {
	return fmt.Sprintf("Keep %s out of the paths of %s", a.values(), a.campaign(r))
}

func denyTitle(a Action, r Record) string {
	return fmt.Sprintf("Count %s as bots in %s", a.values(), a.campaign(r))
}

func pauseOfferTitle(a Action, r Record) string { return "Pause " + a.offer(r) }

func capTitle(a Action, r Record) string {
	if a.Cap == nil {
		return "Remove the cap of " + a.offer(r)
	}
	return fmt.Sprintf("Set the cap of %s to %d conversions a day", a.offer(r), *a.Cap)
}

func mapTitle(a Action, r Record) string {
	network := a.NetworkID.UUID.String()
	if r.Network != nil {
		network = quoted(r.Network.Name)
	}
	return fmt.Sprintf("Read %s from parameter %s in postbacks of network %s", a.Field, quoted(a.Parameter), network)
}
