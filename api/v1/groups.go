package v1

import (
	"cmp"

	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
)

// groups returns the route of /groups.
func groups() []route.Route {
	return []route.Route{{
		Method: "GET", Path: "/groups", Group: "Campaigns", Summary: "group names in use",
		Query: []route.Param{{
			Name: "scope", Enum: store.GroupScopes(), Default: defaultScope, Doc: "whose groups",
		}},
		Codes: route.Codes("400 invalid_scope"), Handle: route.Handle(listGroups),
	}}
}

const defaultScope = "campaigns"

// GroupNames are the group names in use.
type GroupNames struct {
	Scope  string   `json:"scope" enum:"campaigns,offers,landers,domains"`
	Groups []string `json:"groups" doc:"by name"`
}

func listGroups(c *route.Call) (GroupNames, error) {
	out := GroupNames{Scope: cmp.Or(c.Query.Get("scope"), defaultScope)}
	var ok bool
	var err error
	if out.Groups, ok, err = c.Store.Groups(c.Context(), c.Account.ID, out.Scope); err == nil && !ok {
		err = models.Invalid("invalid_scope", "scope must be campaigns, offers, landers or domains")
	}
	return out, err
}
