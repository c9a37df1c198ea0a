package v1

import (
	"cmp"

	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
)

// groups returns the route of /groups.
func groups() []route.Route {
	scope := route.Param{Name: "scope", Enum: store.GroupScopes(), Default: defaultScope, Doc: "which records' groups are listed"}
	return []route.Route{
		route.New("GET", "/groups", "Campaigns", "group names in use", route.Handle(listGroups), route.Codes("400 invalid_scope")).
			WithQuery(scope),
	}
}

const defaultScope = "campaigns"

// GroupNames are the group names in use.
type GroupNames struct {
	Scope  string   `json:"scope" enum:"campaigns,offers,landers,domains"`
	Groups []string `json:"groups" doc:"in alphabetical order"`
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
