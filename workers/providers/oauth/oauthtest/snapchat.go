package oauthtest

import (
	"net/http"

	"switchyard/workers/providers/rest/resttest"
)

// snapchat serves the user and the organizations of Snapchat's Marketing API.
var snapchat = fake{api: func(p *Platforms, rw http.ResponseWriter, r *http.Request, path string, u User, ok bool) {
	switch {
	case !ok:
		resttest.JSON(rw, http.StatusUnauthorized, map[string]any{
			"request_status": "ERROR", "request_id": "r-1", "debug_message": "invalid_token", "display_message": "The token has expired.", "error_code": "E3000",
		})
	case path == "me":
		resttest.JSON(rw, http.StatusOK, map[string]any{"request_status": "SUCCESS", "request_id": "r-1", "me": map[string]string{
			"id": u.ID, "email": u.Name, "display_name": "Jane",
		}})
	case path == "me/organizations" && r.Form.Get("with_ad_accounts") == "true":
		list := []any{}
		for _, id := range p.adAccounts("snapchat") {
			list = append(list, map[string]any{
				"id": id, "name": "Shop " + id, "type": "PARTNER", "status": "ACTIVE", "currency": "USD", "timezone": "America/Los_Angeles",
			})
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"request_status": "SUCCESS", "request_id": "r-1", "organizations": []any{
			map[string]any{"sub_request_status": "SUCCESS", "organization": map[string]any{"id": "o-1", "name": "Hooli Inc", "ad_accounts": list}},
		}})
	default:
		resttest.JSON(rw, http.StatusNotFound, map[string]any{
			"request_status": "ERROR", "request_id": "r-1", "debug_message": "no such path", "error_code": "E3003",
		})
	}
}}
