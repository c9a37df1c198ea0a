package oauthtest

import (
	"net/http"
	"strconv"

	"switchyard/workers/providers/rest/resttest"
)

// reddit serves Reddit's Ads API v3, and /me of Reddit's general API, which names the user. One business has all ad accounts. A
// page has at most 100 of them.
var reddit = fake{basic: true, sparse: true, api: func(p *Platforms, rw http.ResponseWriter, r *http.Request, path string, u User, ok bool) {
	fail := func(status int, words string) {
		resttest.JSON(rw, status, map[string]any{"error": map[string]any{"code": status, "message": words}})
	}
	switch {
	case r.Header.Get("User-Agent") == "Go-http-client/1.1":
		fail(http.StatusTooManyRequests, "whoa there, pardner: use a User-Agent of your own")
	case !ok:
		fail(http.StatusUnauthorized, "Authorization Required")
	case path == "me":
		resttest.JSON(rw, http.StatusOK, map[string]string{"id": u.ID, "name": u.Name})
	case path == "me/businesses":
		resttest.JSON(rw, http.StatusOK, map[string]any{"data": []any{map[string]string{"id": "b-1", "name": "Hooli"}}, "pagination": map[string]any{}})
	case path == "businesses/b-1/ad_accounts":
		all := p.adAccounts("reddit")
		from, _ := strconv.Atoi(r.Form.Get("page.token"))
		to := min(from+100, len(all))
		list := []any{}
		for _, id := range all[min(from, to):to] {
			list = append(list, map[string]any{"id": id, "name": "Shop " + id, "currency": "USD", "business_id": "b-1"})
		}
		pagination := map[string]any{}
		if to < len(all) {
			pagination["next_url"] = "https://elsewhere.example/ad_accounts?page.token=" + strconv.Itoa(to)
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"data": list, "pagination": pagination})
	default:
		fail(http.StatusNotFound, "not found")
	}
}}
