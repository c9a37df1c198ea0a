package oauthtest

import (
	"net/http"
	"strconv"
	"strings"

	"switchyard/workers/providers/rest/resttest"
)

// pinterest serves Pinterest's API v5. A page has at most 100 ad accounts, although a request asks for 250. So a test needs only 101
// ad accounts to read several pages.
var pinterest = fake{basic: true, rotates: true, sparse: true, api: func(p *Platforms, rw http.ResponseWriter, r *http.Request, path string, u User, ok bool) {
	switch {
	case !ok:
		resttest.JSON(rw, http.StatusUnauthorized, map[string]any{"code": 2, "message": "Authentication failed."})
	case path == "user_account":
		resttest.JSON(rw, http.StatusOK, map[string]string{"id": u.ID, "username": u.Name, "account_type": "BUSINESS"})
	case path == "ad_accounts" && r.Form.Get("page_size") == "250":
		all := p.adAccounts("pinterest")
		from, _ := strconv.Atoi(strings.TrimPrefix(r.Form.Get("bookmark"), "b"))
		to := min(from+100, len(all))
		list := []any{}
		for _, id := range all[min(from, to):to] {
			list = append(list, map[string]any{"id": id, "name": "Shop " + id, "currency": "USD", "country": "US", "permissions": []string{"OWNER"}})
		}
		answer := map[string]any{"items": list, "bookmark": nil}
		if to < len(all) {
			answer["bookmark"] = "b" + strconv.Itoa(to)
		}
		resttest.JSON(rw, http.StatusOK, answer)
	default:
		resttest.JSON(rw, http.StatusNotFound, map[string]any{"code": 404, "message": "not found"})
	}
}}
