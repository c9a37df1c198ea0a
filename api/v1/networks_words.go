package v1

import (
	"slices"

	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
	"switchyard/models/postback"
)

// NetworkPatch is the body of PATCH /networks.
type NetworkPatch struct {
	bind.ID
	IsActive  bind.Opt[bool]                `json:"is_active" bad:"invalid_status" null:"refused" doc:"true resumes the network, false pauses it; if is_active is sent, status_map is ignored"`
	StatusMap bind.Opt[map[string][]string] `json:"status_map" doc:"words to add to the network's status_map, by status; a word that is already in the map moves to the new status"`
}

// NetworkPatchAnswer has the network's id and status, and the status map if words were added.
type NetworkPatchAnswer struct {
	resource.StatusAnswer
	StatusMap map[string][]string `json:"status_map,omitempty"`
}

func patchNetwork(c *route.Call, b NetworkPatch) (NetworkPatchAnswer, error) {
	table, id := c.Store.Networks(), b.RecordID()
	if b.IsActive.Set {
		on := b.IsActive.Value
		return NetworkPatchAnswer{StatusAnswer: resource.ToggledStatus(id, on)}, table.SetActive(c.Context(), c.Account.ID, id, on)
	}
	if !b.StatusMap.Given() {
		return NetworkPatchAnswer{}, models.Invalid("invalid_status", "is_active must be true or false, or status_map must name words")
	}
	added, err := form.StatusMap(b.StatusMap.Value)
	if err != nil {
		return NetworkPatchAnswer{}, err
	}
	n, err := table.MapWords(c.Context(), c.Account.ID, id, func(now map[string][]string) (map[string][]string, error) {
		return form.StatusMap(withWords(now, added))
	})
	return NetworkPatchAnswer{resource.ToggledStatus(id, bool(n.IsActive)), n.StatusMap}, err
}

// withWords returns a status map with more words. A word that is already in the map moves to its new status.
func withWords(now, added map[string][]string) map[string][]string {
	moved := map[string]bool{}
	for _, words := range added {
		for _, w := range words {
			moved[postback.FoldWord(w)] = true
		}
	}
	out := map[string][]string{}
	for status, words := range now {
		out[status] = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return moved[postback.FoldWord(w)] })
	}
	for status, words := range added {
		out[status] = append(out[status], words...)
	}
	return out
}
