package v1

import (
	"fmt"
	"strings"

	"switchyard/api/route"
	"switchyard/models"
)

// roles lists the routes whose minimum role differs from their scope's. An entry is "METHOD /path", or "/path" for every changing
// route at or below it.
var roles = map[models.Role][]string{
	models.RoleMember: {
		"POST /campaigns", "POST /campaigns/{id}/clone", // a person below this role gets the error code buyer_only instead of role_required
		"DELETE /campaigns/{id}/stats", "DELETE /reports/orphaned",
		"/domains", "/webhooks", "/alerts/channels", "/edge", "/old-tracker",
		"/integrations", "/oauth", "/geo-database", "/copilot/ai",
		"/networks/{id}/integration", "/traffic-sources/{id}/integration",
	},
	models.RoleOwner: {"PATCH /settings"},
}

// confirmed lists the routes that require people to prove their identity again, in the same form as the map roles. These routes
// store, create or delete credentials, or do something that cannot be undone.
var confirmed = []string{
	"DELETE /campaigns/{id}/stats", "DELETE /reports/orphaned", "/integrations", "/geo-database", "POST /copilot/ai",
	"POST /goals", "POST /webhooks/rotate",
	"/networks/{id}/integration", "/traffic-sources/{id}/integration",
}

// setRoles sets the roles and confirmations of the routes.
func setRoles(rows []route.Route) {
	each := func(entry string, set func(*route.Route)) {
		found := false
		for i := range rows {
			if r := &rows[i]; isRow(entry, r.WithDefaults()) {
				set(r)
				found = true
			}
		}
		if !found {
			panic(fmt.Sprintf("v1: there is no row %s", entry))
		}
	}
	for role, entries := range roles {
		for _, entry := range entries {
			each(entry, func(r *route.Route) { r.Role = role })
		}
	}
	for _, entry := range confirmed {
		each(entry, func(r *route.Route) { r.Confirm = true })
	}
}

func isRow(entry string, r route.Route) bool {
	if method, path, ok := strings.Cut(entry, " "); ok {
		return r.Method == method && r.Path == path
	}
	return r.Scope == route.Write && (r.Path == entry || strings.HasPrefix(r.Path, entry+"/"))
}
