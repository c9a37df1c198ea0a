package v1

import (
	"fmt"
	"slices"
	"strings"

	"switchyard/api/route"
	"switchyard/models"
)

// roles lists the routes whose least role is not the role that their scope implies. An entry is "METHOD /path", or "/path" for
// every route there and below that changes something.
var roles = map[models.Role][]string{
	models.RoleMember: {
		"POST /campaigns", "POST /campaigns/{id}/clone", // else buyer_only
		"DELETE /campaigns/{id}/stats", "DELETE /reports/orphaned",
		"/domains", "/webhooks", "/alerts/channels", "/edge",
		"/integrations", "/oauth", "/geo-database", "/copilot/ai",
		"/networks/{id}/integration", "/traffic-sources/{id}/integration",
	},
	models.RoleOwner: {"PATCH /settings"},
}

// confirmed are rows that ask people who they are once more: what stores credentials or makes new ones, and what cannot be
// undone.
var confirmed = []string{
	"DELETE /campaigns/{id}/stats", "DELETE /reports/orphaned", "/integrations", "/geo-database", "POST /copilot/ai",
	"POST /goals", "POST /webhooks/rotate",
	"/networks/{id}/integration", "/traffic-sources/{id}/integration",
}

// setRoles writes the roles into their rows. An entry without a row is a programming mistake.
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

// isRow reports whether an entry of roles names a row.
func isRow(entry string, r route.Route) bool {
	if method, path, ok := strings.Cut(entry, " "); ok {
		return r.Method == method && r.Path == path
	}
	return r.Scope == route.Write && slices.Contains([]byte{0, '/'}, after(r.Path, entry))
}

// after is the byte of a path that follows a prefix: 0 where nothing does, 1 where the path has another prefix.
func after(path, prefix string) byte {
	rest, ok := strings.CutPrefix(path, prefix)
	switch {
	case !ok:
		return 1
	case rest == "":
		return 0
	}
	return rest[0]
}
